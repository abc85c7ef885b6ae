// SPDX-License-Identifier: MIT
#include "worker/answer.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace graphnet::worker {

namespace {

constexpr int kAnswerFd = 3;
constexpr int kLowestOwnFd = 200;

}  // namespace

Answer::Answer() : fd_(::fcntl(kAnswerFd, F_DUPFD_CLOEXEC, kLowestOwnFd)) {
  ::close(kAnswerFd);
}

bool Answer::send(const base::Json& json) const {
  const std::string line = base::dump_json(json) + "\n";
  std::size_t written = 0;
  while (written < line.size()) {
    const ssize_t count = ::write(fd_.get(), line.data() + written, line.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    written += static_cast<std::size_t>(count);
  }
  return true;
}

bool Answer::send_error(const base::Status& status) const {
  return send({{"error",
                {{"code", static_cast<int>(status.code())},
                 {"message", status.message()},
                 {"context", status.context()},
                 {"hints", status.hints()}}}});
}

}  // namespace graphnet::worker
