// SPDX-License-Identifier: MIT
#include "cli/terminal.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

#include "base/text.h"

namespace graphnet::cli {

namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

bool wants_color(bool is_terminal, ColorMode mode) {
  if (mode != ColorMode::kAuto) return mode == ColorMode::kAlways;
  if (!environment("NO_COLOR").empty()) return false;
  const std::string force = environment("CLICOLOR_FORCE");
  if (!force.empty() && force != "0") return true;
  return is_terminal && environment("TERM") != "dumb";
}

int terminal_width(int fd) {
  winsize size = {};
  // A terminal that does not know its width is taken for the classic one.
  return ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

base::Result<ColorMode> parse_color_mode(const std::string& text) {
  if (text == "auto") return ColorMode::kAuto;
  if (text == "always") return ColorMode::kAlways;
  if (text == "never") return ColorMode::kNever;
  return base::Status(base::Code::kUsage,
                      "--color must be auto, always or never, got '" + text + "'");
}

Terminal examine_terminal(int fd, ColorMode mode) {
  Terminal terminal;
  terminal.is_terminal = ::isatty(fd) == 1;
  terminal.width = terminal.is_terminal ? terminal_width(fd) : 0;
  terminal.color = wants_color(terminal.is_terminal, mode);
  return terminal;
}

bool is_reader_gone(int fd) {
  pollfd entry = {fd, 0, 0};
  return ::poll(&entry, 1, 0) == 1 && (entry.revents & (POLLERR | POLLHUP)) != 0;
}

void open_standard_descriptors() {
  for (int fd = 0; fd <= 2; ++fd) {
    // open() takes the lowest free number, which is fd because those below are open.
    if (::fcntl(fd, F_GETFD) < 0) {
      const int opened = ::open("/dev/null", fd == 0 ? O_RDONLY : O_WRONLY);
      static_cast<void>(opened);
    }
  }
}

}  // namespace graphnet::cli
