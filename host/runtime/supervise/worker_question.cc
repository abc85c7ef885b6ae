// SPDX-License-Identifier: MIT
#include "supervise/worker_question.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "base/subprocess.h"
#include "supervise/output_ring.h"
#include "supervise/worker_environment.h"

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

/// Lines of answers as they arrive.
class AnswerReader {
 public:
  AnswerReader(int fd, const WorkerQuestion& question, const OnAnswer& on_answer)
      : fd_(fd), question_(question), on_answer_(on_answer) {}

  /// Reads until the other side closes. False if an answer took too long.
  bool read_all() {
    std::array<char, std::size_t{64} << 10U> bytes = {};
    while (true) {
      if (!wait()) return false;
      const ssize_t num_read = ::read(fd_, bytes.data(), bytes.size());
      if (num_read < 0 && errno == EINTR) continue;
      if (num_read <= 0) return true;
      take(std::string_view(bytes.data(), static_cast<std::size_t>(num_read)));
    }
  }

  std::size_t count() const { return count_; }

 private:
  bool wait() const {
    if (!question_.limit) return true;
    pollfd readable = {fd_, POLLIN, 0};
    int num_ready = 0;
    do {
      num_ready = ::poll(&readable, 1, static_cast<int>(question_.limit->count()));
    } while (num_ready < 0 && errno == EINTR);
    return num_ready != 0;
  }

  void take(std::string_view bytes) {
    buffer_.append(bytes);
    std::size_t begin = 0;
    for (std::size_t end = buffer_.find('\n'); end != std::string::npos;
         end = buffer_.find('\n', begin)) {
      const std::string_view line = std::string_view(buffer_).substr(begin, end - begin);
      if (count_ < question_.num_answers) on_answer_(count_, read_answer(line));
      ++count_;
      begin = end + 1;
    }
    buffer_.erase(0, begin);
  }

  int fd_;
  const WorkerQuestion& question_;
  const OnAnswer& on_answer_;
  std::string buffer_;
  std::size_t count_ = 0;
};

}  // namespace

Result<WorkerAnswers> ask_worker(const WorkerQuestion& question, const OnAnswer& on_answer) {
  const base::UniqueFd output(::memfd_create("graphnet-worker-output", MFD_CLOEXEC));
  std::array<int, 2> pipe = {-1, -1};
  if (!output.is_open() || ::pipe2(pipe.data(), O_CLOEXEC) != 0) return no_descriptor();
  const base::UniqueFd answers(pipe[0]);
  base::UniqueFd worker_end(pipe[1]);
  base::Subprocess::Options options;
  options.arguments = {question.executable.string(), question.flag,
                       base::dump_json(question.request)};
  GN_ASSIGN_OR_RETURN(options.environment, worker_environment());
  options.environment.insert(options.environment.end(), question.environment.begin(),
                             question.environment.end());
  options.control_fd = worker_end.get();
  options.output_fd = output.get();
  GN_ASSIGN_OR_RETURN(base::Subprocess worker, base::Subprocess::start(options));
  worker_end.reset();
  AnswerReader reader(answers.get(), question, on_answer);
  const bool is_in_time = reader.read_all();
  if (!is_in_time) worker.signal_group(SIGKILL);
  const base::ExitState state = worker.wait();
  WorkerAnswers answered;
  answered.count = std::min(reader.count(), question.num_answers);
  if (state.exit_code == 0 && reader.count() == question.num_answers) return answered;
  const std::string end = is_in_time ? "ended with " + state.to_string() : "took too long";
  answered.problem = Status(Code::kEnvironment, "the worker " + end);
  answered.problem.add_context(question.executable.string());
  const std::string said = read_output(output.get());
  if (!said.empty()) answered.problem.add_context("its output: " + said);
  add_torch_hint(said, answered.problem);
  return answered;
}

}  // namespace graphnet::supervise
