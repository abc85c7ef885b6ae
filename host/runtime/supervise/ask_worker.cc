// SPDX-License-Identifier: MIT
#include "supervise/ask_worker.h"

#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "config/duration.h"
#include "journal/worker_request.h"
#include "supervise/line_reader.h"
#include "supervise/output_ring.h"
#include "supervise/worker_program.h"

namespace graphnet::supervise {

using base::Code;
using base::Json;
using base::Result;
using base::Status;
using Clock = std::chrono::steady_clock;

namespace {

// Of what the worker's libraries wrote, the begin is kept for a message.
constexpr std::size_t kMaxOutputBytes = std::size_t{16} << 10U;

constexpr std::size_t kReadBytes = std::size_t{64} << 10U;

std::string read_output(int fd) {
  std::string bytes(kMaxOutputBytes, '\0');
  const ssize_t num_read = ::pread(fd, bytes.data(), bytes.size(), 0);
  bytes.resize(num_read > 0 ? static_cast<std::size_t>(num_read) : 0);
  return tail_text(bytes, kMaxOutputBytes);
}

/// Waits for events on one descriptor; those that arrived, 0 after the deadline.
short wait_for(int fd, short events, const std::optional<Clock::time_point>& deadline) {
  while (true) {
    int timeout_ms = -1;
    if (deadline) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - Clock::now());
      timeout_ms = static_cast<int>(std::clamp<long long>(left.count(), 0, 60000));
    }
    pollfd polled = {fd, events, 0};
    const int num_ready = ::poll(&polled, 1, timeout_ms);
    if (num_ready > 0) return polled.revents;
    if (num_ready == 0 && deadline && Clock::now() >= *deadline) return 0;
    if (num_ready < 0 && errno != EINTR) return POLLERR;
  }
}

}  // namespace

Result<AnsweringWorker> AnsweringWorker::start(AskSettings settings) {
  AnsweringWorker worker(std::move(settings));
  GN_RETURN_IF_ERROR(worker.start());
  return worker;
}

Status AnsweringWorker::start() {
  GN_ASSIGN_OR_RETURN(DescriptorPair control, make_control_channel(SOCK_STREAM));
  base::UniqueFd output(::memfd_create("graphnet-worker-output", MFD_CLOEXEC));
  if (!output.is_open()) {
    return Status(Code::kEnvironment,
                  std::string("cannot make a file in memory: ") + std::strerror(errno));
  }
  const WorkerProgram program = {settings_.executable, journal::kAnswerFlag, settings_.threads};
  GN_ASSIGN_OR_RETURN(base::Subprocess process,
                      start_worker_program(program, control.workers.get(), output.get()));
  running_.emplace(Running{std::move(process), std::move(control.ours), std::move(output)});
  return Status::ok();
}

/// Sends a line and receives one. Nothing if the worker closed its end, sent an endless line, or
/// the deadline passed.
std::optional<std::string> AnsweringWorker::exchange(std::string unsent, Deadline deadline) {
  const int fd = running_->control.get();
  std::string chunk(kReadBytes, '\0');
  LineReader lines(kMaxLineBytes);
  while (true) {
    const short wanted = static_cast<short>(unsent.empty() ? POLLIN : POLLIN | POLLOUT);
    const short ready = wait_for(fd, wanted, deadline);
    if (ready == 0) return std::nullopt;
    if ((ready & POLLOUT) != 0) {
      const ssize_t sent = ::send(fd, unsent.data(), unsent.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent < 0 && errno != EAGAIN && errno != EINTR) return std::nullopt;
      unsent.erase(0, static_cast<std::size_t>(std::max<ssize_t>(0, sent)));
    }
    if ((ready & ~POLLOUT) == 0) continue;
    const ssize_t num_read = ::read(fd, chunk.data(), chunk.size());
    if (num_read < 0 && errno == EINTR) continue;
    if (num_read <= 0) return std::nullopt;
    lines.append({chunk.data(), static_cast<std::size_t>(num_read)});
    if (auto line = lines.next_line()) return line;
    if (lines.is_overlong()) return std::nullopt;
  }
}

/// Ends a worker that gave no answer; why there is none.
Status AnsweringWorker::bury(Deadline deadline) {
  running_->control.reset();  // nothing that it still writes may hold it up
  const bool has_ended = wait_for(running_->process.wait_fd(), POLLIN, deadline) != 0;
  if (!has_ended) running_->process.signal_group(SIGKILL);
  const base::ExitState state = running_->process.wait();
  Status error(
      Code::kEnvironment,
      has_ended ? "the worker ended with " + state.to_string() + " and without an answer"
                : "the worker exceeded the limit of " + config::format_time_limit(settings_.limit));
  error.add_context(settings_.executable.string());
  const std::string output = read_output(running_->output.get());
  if (!output.empty()) error.add_context("its output: " + output);
  add_torch_hint(output, error);
  running_.reset();
  return error;
}

Result<Json> AnsweringWorker::ask(const std::string& request, const Json& arguments) {
  const Deadline deadline =
      settings_.limit ? Deadline(Clock::now() + *settings_.limit) : std::nullopt;
  if (!running_) GN_RETURN_IF_ERROR(start());
  const Json message =
      journal::to_json(journal::WorkerRequest{request, arguments, settings_.memory_limit_bytes});
  const auto line = exchange(base::dump_json(message) + "\n", deadline);
  return line ? journal::parse_answer(*line) : bury(deadline);
}

Result<Json> ask_worker(const AskSettings& settings, const std::string& request,
                        const Json& arguments) {
  GN_ASSIGN_OR_RETURN(AnsweringWorker worker, AnsweringWorker::start(settings));
  return worker.ask(request, arguments);
}

}  // namespace graphnet::supervise
