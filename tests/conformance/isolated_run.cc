// SPDX-License-Identifier: MIT
#include "conformance/isolated_run.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
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

std::string describe_death(int status) {
  if (WIFEXITED(status))
    return "ended the process with exit code " + std::to_string(WEXITSTATUS(status));
  if (WTERMSIG(status) == SIGALRM) return "took longer than " + std::to_string(kCaseSeconds) + " s";
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

Status follow(int fd, const std::function<void(const CaseResult&)>& on_result, Report& report) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(fdopen(fd, "r"), std::fclose);
  std::string line;
  for (int c = std::fgetc(stream.get()); c != EOF; c = std::fgetc(stream.get())) {
    if (c != '\n') {
      line += static_cast<char>(c);
      continue;
    }
    const std::size_t before = report.results.size();
    GN_RETURN_IF_ERROR(read_line(line, report));
    if (report.results.size() > before) on_result(report.results.back());
    line.clear();
  }
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
  Status followed = follow(ends[0], on_result, report);
  waitpid(child, &report.status, 0);
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
    if (next < cases.size()) take({Outcome::kFailed, describe_death(report.status)});
  }
  return Status::ok();
}

}  // namespace graphnet::conformance
