// SPDX-License-Identifier: MIT
#include "supervise/worker_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "supervise/line_reader.h"
#include "supervise/output_ring.h"
#include "supervise/stray_processes.h"

namespace graphnet::supervise {

using base::Code;
using base::Json;
using base::Result;
using base::Status;
using base::Subprocess;
using Clock = std::chrono::steady_clock;

namespace {

// Per turn of the loop and descriptor: a flood on one must not keep the others waiting.
constexpr std::size_t kReadBytes = std::size_t{64} << 10U;

// What is kept of the name of a step: it comes from a process that runs the plugin's code.
constexpr std::size_t kMaxStepBytes = 64;

// Reads after the end: 4 MiB, more than the kernel buffers of a socket or pipe hold.
constexpr int kMaxDrainReads = 64;

/// The supervisor's ends of the two channels.
struct Channels {
  base::UniqueFd control;
  base::UniqueFd output;
};

/// A worker that has just been started. Destroyed in reverse: first the channels, last the strays.
struct StartedWorker {
  StrayProcesses strays;
  Subprocess process;
  Channels channels;
};

Status no_descriptor() {
  return Status(Code::kEnvironment,
                std::string("cannot make a channel to the worker: ") + std::strerror(errno));
}

void set_nonblocking(int fd) {
  ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
}

/// The thread pools of libtorch and of its maths library read their size once, when they are
/// loaded. A variable that the user set would win over --threads in one of them, so both are given.
std::vector<std::string> thread_variables(int threads) {
  const std::string count = std::to_string(threads);
  return {"OMP_NUM_THREADS=" + count, "MKL_NUM_THREADS=" + count};
}

/// Starts the worker; its ends of the channels are closed here once it has them.
Result<StartedWorker> start_worker(const WorkerSettings& settings, int threads,
                                   StrayProcesses strays) {
  Channels channels;
  std::array<int, 2> control = {-1, -1};
  std::array<int, 2> output = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, control.data()) != 0) {
    return no_descriptor();
  }
  channels.control.reset(control[0]);
  const base::UniqueFd worker_control(control[1]);
  if (::pipe2(output.data(), O_CLOEXEC) != 0) return no_descriptor();
  channels.output.reset(output[0]);
  const base::UniqueFd worker_output(output[1]);
  set_nonblocking(channels.control.get());
  set_nonblocking(channels.output.get());
  Subprocess::Options options;
  options.arguments = {settings.executable.string()};
  options.environment = thread_variables(threads);
  options.control_fd = worker_control.get();
  options.output_fd = worker_output.get();
  GN_ASSIGN_OR_RETURN(Subprocess process, Subprocess::start(options));
  return StartedWorker{std::move(strays), std::move(process), std::move(channels)};
}

/// One worker from its start to its end.
class WorkerRun {
 public:
  WorkerRun(const PlannedTask& planned, const WorkerSettings& settings, Interrupt& interrupt,
            WorkerObserver& observer, StartedWorker worker)
      : planned_(planned),
        settings_(settings),
        interrupt_(interrupt),
        observer_(observer),
        strays_(std::move(worker.strays)),
        worker_(std::move(worker.process)),
        channels_(std::move(worker.channels)),
        unsent_(base::dump_json(journal::to_json(planned.task)) + "\n") {
    start_clock("load");
  }

  WorkerEnd run() {
    bool has_ended = false;
    while (!has_ended) {
      has_ended = poll_once();
      observer_.on_tick();
      check_interrupt();
      check_clock();
    }
    // wait() kills what is left of the group. A process that left the group may hold the channels
    // open and even go on writing, hence reading stops when nothing is there or enough was read.
    end_.exit = worker_.wait();
    strays_.kill();
    for (int i = 0; i < kMaxDrainReads && read_control(); ++i) {
    }
    for (int i = 0; i < kMaxDrainReads && read_output(); ++i) {
    }
    end_.output = std::string(ring_.bytes());
    return std::move(end_);
  }

 private:
  /// Waits for something to happen and handles it; true if the process has ended.
  bool poll_once() {
    const short control_events = static_cast<short>(unsent_.empty() ? POLLIN : POLLIN | POLLOUT);
    std::array<pollfd, 4> fds = {{{channels_.control.get(), control_events, 0},
                                  {channels_.output.get(), POLLIN, 0},
                                  {worker_.wait_fd(), POLLIN, 0},
                                  {interrupt_.fd(), POLLIN, 0}}};
    ::poll(fds.data(), fds.size(), timeout_ms());
    if ((fds[0].revents & POLLOUT) != 0) send_task();
    if ((fds[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0) read_control();
    if (fds[1].revents != 0) read_output();
    if (fds[3].revents != 0) interrupt_.read();
    return fds[2].revents != 0;
  }

  int timeout_ms() const {
    const int wanted = observer_.poll_timeout_ms();
    if (!deadline_) return wanted;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline_ - Clock::now());
    const auto until_deadline = std::clamp<long long>(left.count(), 0, 60000);
    return static_cast<int>(wanted < 0 ? until_deadline
                                       : std::min<long long>(wanted, until_deadline));
  }

  void send_task() {
    const ssize_t sent =
        ::send(channels_.control.get(), unsent_.data(), unsent_.size(), MSG_NOSIGNAL);
    if (sent > 0) unsent_.erase(0, static_cast<std::size_t>(sent));
    // A worker that is gone or has closed the channel shows so elsewhere.
    if (sent < 0 && errno != EAGAIN && errno != EINTR) unsent_.clear();
  }

  /// Reads one chunk; closes `fd` at its end. Returns the bytes, or nothing if none are there.
  std::string_view read_chunk(base::UniqueFd& fd) {
    if (!fd.is_open()) return {};
    const ssize_t num_read = ::read(fd.get(), chunk_.data(), chunk_.size());
    if (num_read > 0) return {chunk_.data(), static_cast<std::size_t>(num_read)};
    if (num_read == 0 || (errno != EAGAIN && errno != EINTR)) fd.reset();
    return {};
  }

  bool read_output() {
    const std::string_view bytes = read_chunk(channels_.output);
    ring_.append(bytes);
    end_.output_bytes += bytes.size();
    return !bytes.empty();
  }

  bool read_control() {
    const std::string_view bytes = read_chunk(channels_.control);
    lines_.append(bytes);
    while (const auto line = lines_.next_line()) {
      // After a broken message nothing on the channel can be trusted.
      if (end_.stop == WorkerEnd::Stop::kProtocol) break;
      const Status handled = handle_message(*line);
      if (!handled.is_ok()) fail_protocol(handled.message());
    }
    if (lines_.is_overlong()) fail_protocol("a message is longer than 64 MiB");
    return !bytes.empty();
  }

  Status handle_message(const std::string& line) {
    GN_ASSIGN_OR_RETURN(const Json message, base::parse_json(line, "worker message"));
    const auto event = message.is_object() ? message.find("event") : message.end();
    if (event == message.end() || !event->is_string()) {
      return Status(Code::kPlugin, "a message has no event");
    }
    if (*event == "phase") return enter_phase(message);
    if (*event == "record") return keep_record(message);
    if (*event == "step") return enter_step(message);
    if (*event == "memory") {
      end_.no_memory = true;
      return Status::ok();
    }
    return Status(Code::kPlugin, "a message has an unknown event");
  }

  Status enter_phase(const Json& message) {
    const auto phase = message.find("phase");
    if (phase == message.end() || !phase->is_string() ||
        planned_.limits.count(phase->get<std::string>()) == 0) {
      return Status(Code::kPlugin, "a message names an unknown phase");
    }
    end_.phase = phase->get<std::string>();
    end_.step.clear();
    if (end_.stop == WorkerEnd::Stop::kNone && !end_.is_final) start_clock(end_.phase);
    observer_.on_phase(end_.phase);
    return Status::ok();
  }

  Status enter_step(const Json& message) {
    const auto step = message.find("step");
    if (step == message.end() || !step->is_string()) {
      return Status(Code::kPlugin, "a message names no step");
    }
    end_.step = step->get<std::string>().substr(0, kMaxStepBytes);
    return Status::ok();
  }

  Status keep_record(const Json& message) {
    const auto record = message.find("record");
    const auto is_final = message.find("final");
    if (record == message.end() || is_final == message.end() || !is_final->is_boolean()) {
      return Status(Code::kPlugin, "a record message is incomplete");
    }
    GN_ASSIGN_OR_RETURN(end_.record, journal::record_from_json(*record));
    end_.is_final = end_.is_final || is_final->get<bool>();
    if (end_.is_final && end_.stop == WorkerEnd::Stop::kNone) {
      deadline_ = Clock::now() + settings_.exit_limit;
    }
    return Status::ok();
  }

  void start_clock(const std::string& phase) {
    const auto limit = planned_.limits.find(phase);
    limit_ = limit != planned_.limits.end() ? limit->second : std::nullopt;
    deadline_.reset();
    if (limit_) deadline_ = Clock::now() + *limit_;
  }

  void fail_protocol(const std::string& what) {
    if (end_.stop != WorkerEnd::Stop::kNone || end_.is_final) return;
    end_.protocol_error = what;
    stop(WorkerEnd::Stop::kProtocol);
  }

  void check_interrupt() {
    if (interrupt_.count() == 0) return;
    if (end_.stop != WorkerEnd::Stop::kInterrupt) {
      stop(WorkerEnd::Stop::kInterrupt);
    } else if (interrupt_.count() > 1) {
      kill();
    }
  }

  void check_clock() {
    if (!deadline_ || Clock::now() < *deadline_) return;
    // Past the deadline of the grace, or done with everything but exiting: no more patience.
    if (end_.stop != WorkerEnd::Stop::kNone || end_.is_final) {
      kill();
      return;
    }
    end_.limit = limit_;
    stop(WorkerEnd::Stop::kTimeLimit);
  }

  void stop(WorkerEnd::Stop why) {
    end_.stop = why;
    worker_.signal_group(SIGTERM);
    // A stopped process (SIGSTOP) sees the signal only once it goes on.
    worker_.signal_group(SIGCONT);
    deadline_ = Clock::now() + settings_.grace;
  }

  void kill() {
    worker_.signal_group(SIGKILL);
    deadline_.reset();
  }

  const PlannedTask& planned_;
  const WorkerSettings& settings_;
  Interrupt& interrupt_;
  WorkerObserver& observer_;
  StrayProcesses strays_;
  Subprocess worker_;
  Channels channels_;
  std::string unsent_;
  LineReader lines_{kMaxLineBytes};
  OutputRing ring_{kOutputRingBytes};
  std::string chunk_ = std::string(kReadBytes, '\0');
  config::TimeLimit limit_;                    // of the current phase
  std::optional<Clock::time_point> deadline_;  // of the phase, the grace or the exit
  WorkerEnd end_;
};

}  // namespace

Result<WorkerEnd> run_worker(const PlannedTask& planned, const WorkerSettings& settings,
                             Interrupt& interrupt, WorkerObserver& observer) {
  StrayProcesses strays = StrayProcesses::adopt();
  GN_ASSIGN_OR_RETURN(StartedWorker worker,
                      start_worker(settings, planned.task.threads, std::move(strays)));
  WorkerRun run(planned, settings, interrupt, observer, std::move(worker));
  return run.run();
}

}  // namespace graphnet::supervise
