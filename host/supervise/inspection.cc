// SPDX-License-Identifier: MIT
#include "supervise/inspection.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "base/subprocess.h"
#include "supervise/output_ring.h"

namespace graphnet::supervise {

using base::Code;
using base::Json;
using base::Result;
using base::Status;

namespace {

// Of what the worker's libraries said, the begin is kept for a message.
constexpr std::size_t kMaxOutputBytes = std::size_t{16} << 10U;

Status no_descriptor() {
  return Status(Code::kEnvironment,
                std::string("cannot make a channel to the worker: ") + std::strerror(errno));
}

// One worker's share: its request is one word of a command line, which has a limit.
constexpr std::size_t kMaxSamples = 100;

std::string request_text(const InspectionRequest& request) {
  Json json = {{"samples", Json::array()},
               {"stage", request.stage},
               {"run", request.runs},
               {"text", request.has_text}};
  for (const auto& sample : request.samples) json["samples"].push_back(sample.string());
  return base::dump_json(json);
}

std::string read_output(int fd) {
  std::string bytes(kMaxOutputBytes, '\0');
  const ssize_t num_read = ::pread(fd, bytes.data(), bytes.size(), 0);
  bytes.resize(num_read > 0 ? static_cast<std::size_t>(num_read) : 0);
  return tail_text(bytes, kMaxOutputBytes);
}

Result<Json> read_answer(std::string_view line) {
  GN_ASSIGN_OR_RETURN(Json answer, base::parse_json(std::string(line), "the worker's answer"));
  const auto error = answer.find("error");
  if (error == answer.end()) return answer;
  Status status(static_cast<Code>(error->value("code", static_cast<int>(Code::kInternal))),
                error->value("message", ""));
  for (const auto& text : error->value("context", std::vector<std::string>())) {
    status.add_context(text);
  }
  for (const auto& text : error->value("hints", std::vector<std::string>())) status.add_hint(text);
  return status;
}

/// Reads lines until the other side closes; returns how many there were.
std::size_t read_answers(int fd, const OnInspected& on_inspected) {
  std::string buffer;
  std::array<char, std::size_t{64} << 10U> bytes = {};
  std::size_t next = 0;
  while (true) {
    const ssize_t count = ::read(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return next;
    buffer.append(bytes.data(), static_cast<std::size_t>(count));
    std::size_t begin = 0;
    for (std::size_t end = buffer.find('\n'); end != std::string::npos;
         end = buffer.find('\n', begin)) {
      on_inspected(next++, read_answer(std::string_view(buffer).substr(begin, end - begin)));
      begin = end + 1;
    }
    buffer.erase(0, begin);
  }
}

/// What became of one worker.
struct Ended {
  std::size_t num_answers = 0;
  Status problem;  ///< why there are no more
};

Result<Ended> ask_worker(const std::filesystem::path& executable, const InspectionRequest& request,
                         const OnInspected& on_inspected) {
  const base::UniqueFd output(::memfd_create("graphnet-worker-output", MFD_CLOEXEC));
  std::array<int, 2> pipe = {-1, -1};
  if (!output.is_open() || ::pipe2(pipe.data(), O_CLOEXEC) != 0) return no_descriptor();
  const base::UniqueFd answers(pipe[0]);
  base::UniqueFd worker_end(pipe[1]);
  base::Subprocess::Options options;
  options.arguments = {executable.string(), "--inspect", request_text(request)};
  options.control_fd = worker_end.get();
  options.output_fd = output.get();
  GN_ASSIGN_OR_RETURN(base::Subprocess worker, base::Subprocess::start(options));
  worker_end.reset();
  Ended ended;
  ended.num_answers = read_answers(answers.get(), on_inspected);
  const base::ExitState state = worker.wait();
  if (state.exit_code == 0 && ended.num_answers == request.samples.size()) return ended;
  ended.problem = Status(Code::kEnvironment,
                         "the program that inspects samples ended with " + state.to_string());
  ended.problem.add_context(executable.string());
  const std::string said = read_output(output.get());
  if (!said.empty()) ended.problem.add_context("its output: " + said);
  return ended;
}

}  // namespace

Status inspect_samples(const std::filesystem::path& executable, const InspectionRequest& request,
                       const OnInspected& on_inspected) {
  const std::size_t count = request.samples.size();
  for (std::size_t first = 0; first < count;) {
    InspectionRequest part = request;
    const auto begin = request.samples.begin() + static_cast<std::ptrdiff_t>(first);
    part.samples.assign(begin,
                        begin + static_cast<std::ptrdiff_t>(std::min(kMaxSamples, count - first)));
    GN_ASSIGN_OR_RETURN(Ended ended,
                        ask_worker(executable, part, [&](std::size_t sample, Result<Json> answer) {
                          on_inspected(first + sample, std::move(answer));
                        }));
    first += ended.num_answers;
    if (ended.num_answers == part.samples.size()) continue;
    on_inspected(first++, std::move(ended.problem));
  }
  return Status::ok();
}

}  // namespace graphnet::supervise
