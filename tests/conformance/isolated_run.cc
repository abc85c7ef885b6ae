// SPDX-License-Identifier: MIT
#include "conformance/isolated_run.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <utility>

#include "base/file.h"

namespace graphnet::conformance {

namespace {

using base::Json;
using base::Status;

using Cases = std::vector<const Case*>;

/// What a child writes, a line each: {"error": text} if the plugin cannot be opened, else for each
/// case {"outcome": number, "message": text}.
void send(int fd, const Json& line) {
  if (!base::write_all(fd, base::dump_json(line) + "\n").is_ok()) _exit(2);
}

[[noreturn]] void run_child(const Cases& cases, std::size_t first,
                            const std::filesystem::path& library, const SessionSettings& settings,
                            int fd) {
  alarm(kCaseSeconds);
  setpgid(0, 0);
  // What a plugin prints stays out of the results.
  const int prints = settings.quiet ? open("/dev/null", O_WRONLY | O_CLOEXEC) : STDERR_FILENO;
  dup2(prints, STDOUT_FILENO);
  dup2(prints, STDERR_FILENO);
  auto session = PluginSession::open(library, settings);
  if (!session.is_ok()) {
    send(fd, Json{{"error", session.status().message()}});
    _exit(1);
  }
  for (std::size_t i = first; i < cases.size(); ++i) {
    alarm(kCaseSeconds);
    const CaseResult result = (*session)->run(*cases[i]);
    send(fd, Json{{"outcome", static_cast<int>(result.outcome)}, {"message", result.message}});
  }
  _exit(0);
}

bool is_timeout(int status) {
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
}

std::string describe_death(int status) {
  if (WIFEXITED(status))
    return "ended the process with exit code " + std::to_string(WEXITSTATUS(status));
  if (is_timeout(status)) return "took longer than " + std::to_string(kCaseSeconds) + " s";
  return std::string("crashed: ") + strsignal(WTERMSIG(status));
}

/// One child's report, and how it ended.
struct Report {
  std::vector<CaseResult> results;
  std::optional<std::string> error;
  int status = 0;
};

Status read_line(const std::string& text, Report& report) {
  GN_ASSIGN_OR_RETURN(const Json line, base::parse_json(text, "a result"));
  if (line.contains("error")) {
    report.error = line["error"].get<std::string>();
  } else {
    report.results.push_back(
        {static_cast<Outcome>(line["outcome"].get<int>()), line["message"].get<std::string>()});
  }
  return Status::ok();
}

/// Takes the whole lines off the front of `text`.
Status take_lines(std::string& text, const std::function<void(const CaseResult&)>& on_result,
                  Report& report) {
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    const std::size_t before = report.results.size();
    GN_RETURN_IF_ERROR(read_line(text.substr(begin, end - begin), report));
    if (report.results.size() > before) on_result(report.results.back());
    begin = end + 1;
  }
  text.erase(0, begin);
  return Status::ok();
}

/// Reads until the child has ended: a process that a plugin leaves may hold the pipe for longer.
Status follow(int fd, pid_t child, const std::function<void(const CaseResult&)>& on_result,
              Report& report) {
  constexpr int kPollMs = 50;
  std::array<char, 4096> bytes = {};
  std::string text;
  bool has_ended = false;
  while (true) {
    pollfd ready = {fd, POLLIN, 0};
    if (poll(&ready, 1, has_ended ? 0 : kPollMs) > 0) {
      const ssize_t count = read(fd, bytes.data(), bytes.size());
      if (count <= 0) break;
      text.append(bytes.data(), static_cast<std::size_t>(count));
      GN_RETURN_IF_ERROR(take_lines(text, on_result, report));
    } else if (has_ended) {
      return Status::ok();
    } else {
      has_ended = waitpid(child, &report.status, WNOHANG) == child;
    }
  }
  if (!has_ended) waitpid(child, &report.status, 0);
  return Status::ok();
}

base::Result<Report> run_one_child(const Cases& cases, std::size_t first,
                                   const std::filesystem::path& library,
                                   const SessionSettings& settings,
                                   const std::function<void(const CaseResult&)>& on_result) {
  std::array<int, 2> ends = {};
  if (pipe(ends.data()) != 0) return Status(base::Code::kEnvironment, std::strerror(errno));
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) return Status(base::Code::kEnvironment, std::strerror(errno));
  if (child == 0) {
    close(ends[0]);
    run_child(cases, first, library, settings, ends[1]);
  }
  close(ends[1]);
  Report report;
  const base::UniqueFd results(ends[0]);
  const Status followed = follow(results.get(), child, on_result, report);
  kill(-child, SIGKILL);
  if (!followed.is_ok()) return followed;
  return report;
}

}  // namespace

Status run_isolated(const Cases& cases, const std::filesystem::path& library,
                    const SessionSettings& settings,
                    const std::function<void(const Case&, const CaseResult&)>& on_result) {
  std::size_t next = 0;
  while (next < cases.size()) {
    const auto take = [&](const CaseResult& result) { on_result(*cases[next++], result); };
    GN_ASSIGN_OR_RETURN(const Report report, run_one_child(cases, next, library, settings, take));
    if (report.error) return Status(base::Code::kPlugin, *report.error);
    if (next == cases.size()) break;
    const bool gave_up = settings.memory && !is_timeout(report.status);
    const std::string death = describe_death(report.status);
    take(gave_up ? CaseResult{Outcome::kPassed, kGaveUp + death}
                 : CaseResult{Outcome::kFailed, death});
  }
  return Status::ok();
}

}  // namespace graphnet::conformance
