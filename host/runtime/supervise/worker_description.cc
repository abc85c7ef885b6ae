// SPDX-License-Identifier: MIT
#include "supervise/worker_description.h"

#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/file.h"
#include "base/subprocess.h"
#include "supervise/output_ring.h"
#include "supervise/worker_environment.h"

namespace graphnet::supervise {

using base::Code;
using base::Result;
using base::Status;

namespace {

// The answer is one short line; more is an error message, of which the begin matters.
constexpr std::size_t kMaxAnswerBytes = std::size_t{16} << 10U;

std::string read_begin(int fd) {
  std::array<char, kMaxAnswerBytes> bytes = {};
  const ssize_t num_read = ::pread(fd, bytes.data(), bytes.size(), 0);
  return num_read > 0 ? std::string(bytes.data(), static_cast<std::size_t>(num_read)) : "";
}

base::UniqueFd memory_file() {
  return base::UniqueFd(::memfd_create("graphnet-worker-description", MFD_CLOEXEC));
}

Status no_answer(const std::filesystem::path& executable, const std::string& why,
                 const std::string& output) {
  Status error(Code::kEnvironment, "the program that runs samples does not work: " + why);
  error.add_context(executable.string());
  const std::string said = tail_text(output, kMaxAnswerBytes);
  if (!said.empty()) error.add_context("its output: " + said);
  add_torch_hint(said, error);
  return error;
}

}  // namespace

Result<base::Json> describe_worker(const std::filesystem::path& executable,
                                   std::chrono::milliseconds limit) {
  // Its libraries may write to standard error (a driver's warning), which is no part of the answer.
  const base::UniqueFd output = memory_file();
  const base::UniqueFd errors = memory_file();
  if (!output.is_open() || !errors.is_open()) {
    return Status(Code::kEnvironment,
                  std::string("cannot make a file in memory: ") + std::strerror(errno));
  }
  base::Subprocess::Options options;
  options.arguments = {executable.string(), "--describe"};
  GN_ASSIGN_OR_RETURN(options.environment, worker_environment());
  options.output_fd = output.get();
  options.error_fd = errors.get();
  GN_ASSIGN_OR_RETURN(base::Subprocess worker, base::Subprocess::start(options));
  pollfd ended = {worker.wait_fd(), POLLIN, 0};
  int num_ready = 0;
  do {
    num_ready = ::poll(&ended, 1, static_cast<int>(limit.count()));
  } while (num_ready < 0 && errno == EINTR);
  if (num_ready == 0) worker.signal_group(SIGKILL);
  const base::ExitState state = worker.wait();
  const std::string text = read_begin(output.get());
  const std::string said = read_begin(errors.get()) + text;
  if (num_ready == 0) {
    return no_answer(executable, "no answer for " + std::to_string(limit.count()) + " ms", said);
  }
  if (state.exit_code != 0) return no_answer(executable, state.to_string(), said);
  Result<base::Json> answer = base::parse_json(text, "its description");
  if (!answer.is_ok() || !answer->is_object()) {
    return no_answer(executable, "its answer is no description", said);
  }
  return answer;
}

}  // namespace graphnet::supervise
