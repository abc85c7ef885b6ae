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
#include <optional>
#include <set>

#include "base/log.h"
#include "supervise/output_ring.h"
#include "supervise/stray_processes.h"

namespace graphnet::supervise {

using base::Code;
using base::Result;
using base::Status;
using base::Subprocess;
using Clock = std::chrono::steady_clock;

namespace {

// Per turn of the loop and descriptor: a flood on one must not keep the others waiting.
constexpr std::size_t kReadBytes = std::size_t{64} << 10U;

// Reads after the end: 4 MiB, more than the kernel buffers of a socket or pipe hold.
constexpr int kMaxDrainReads = 64;

std::set<std::string> phases_of(const PlannedTask& planned) {
  std::set<std::string> phases;
  for (const auto& [phase, limit] : planned.limits) phases.insert(phase);
  return phases;
}

/// The supervisor's ends of the two channels.
struct Channels {
  base::UniqueFd control;
  base::UniqueFd output;
};

/// A worker that has just been started.
struct StartedWorker {
  Subprocess process;
  Channels channels;
  bool was_forked = false;
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

Result<Subprocess> start_fresh(const WorkerSettings& settings, int threads, int control_fd,
                               int output_fd) {
  Subprocess::Options options;
  options.arguments = {settings.executable.string()};
  options.environment = thread_variables(threads);
  options.control_fd = control_fd;
  options.output_fd = output_fd;
  return Subprocess::start(options);
}

/// Starts the worker; its ends of the channels are closed here once it has them.
Result<StartedWorker> start_worker(const WorkerSettings& settings, const journal::Task& task) {
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
  // Contexts of other devices do not survive a fork.
  if (settings.zygote != nullptr && task.device == "cpu") {
    Result<Subprocess> forked = settings.zygote->fork(worker_control.get(), worker_output.get());
    if (forked.is_ok()) return StartedWorker{std::move(forked).value(), std::move(channels), true};
    base::log(base::LogLevel::kWarning, "worker",
              forked.status().message() + "; this sample gets a fresh process");
  }
  GN_ASSIGN_OR_RETURN(Subprocess process, start_fresh(settings, task.threads, worker_control.get(),
                                                      worker_output.get()));
  return StartedWorker{std::move(process), std::move(channels)};
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
        worker_(std::move(worker.process)),
        channels_(std::move(worker.channels)),
        unsent_(base::dump_json(journal::to_json(planned.task)) + "\n"),
        report_(phases_of(planned)) {
    start_clock("load");
    end_.was_forked = worker.was_forked;
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
    end_.last_phase = Clock::now() - phase_start_;
    strays_.kill();
    for (int i = 0; i < kMaxDrainReads && read_control(); ++i) {
    }
    for (int i = 0; i < kMaxDrainReads && read_output(); ++i) {
    }
    static_cast<WorkerState&>(end_) = report_.state();
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
    report_.append(bytes);
    while (const auto event = report_.next()) handle(*event);
    return !bytes.empty();
  }

  void handle(WorkerReport::Event event) {
    using Event = WorkerReport::Event;
    const bool is_running = end_.stop == WorkerEnd::Stop::kNone;
    if (event == Event::kPhase) {
      phase_start_ = Clock::now();
      if (is_running) start_clock(report_.state().phase);
      observer_.on_phase(report_.state().phase);
    }
    if (event == Event::kFinal && is_running) deadline_ = Clock::now() + settings_.exit_limit;
    if (event == Event::kBroken && is_running) stop(WorkerEnd::Stop::kProtocol);
  }

  void start_clock(const std::string& phase) {
    const auto limit = planned_.limits.find(phase);
    limit_ = limit != planned_.limits.end() ? limit->second : std::nullopt;
    deadline_.reset();
    if (limit_) deadline_ = Clock::now() + *limit_;
  }

  void check_interrupt() {
    const Wish wish = interrupt_.wish();
    if (wish == Wish::kNone) return;
    if (wish == Wish::kFinish && !planned_.task.control) {
      if (!is_finishing_ && !report_.state().is_final) observer_.on_finishing();
      is_finishing_ = true;
    } else if (end_.stop != WorkerEnd::Stop::kInterrupt) {
      stop(WorkerEnd::Stop::kInterrupt);
    } else if (wish == Wish::kKill) {
      kill();
    }
  }

  void check_clock() {
    if (!deadline_ || Clock::now() < *deadline_) return;
    // Past the deadline of the grace, or done with everything but exiting: no more patience.
    if (end_.stop != WorkerEnd::Stop::kNone || report_.state().is_final) {
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
  // What is a child by now (the worker, a zygote) is no stray. The worker has not got its task yet.
  StrayProcesses strays_ = StrayProcesses::adopt();
  Subprocess worker_;
  Channels channels_;
  std::string unsent_;
  WorkerReport report_;
  OutputRing ring_{kOutputRingBytes};
  std::string chunk_ = std::string(kReadBytes, '\0');
  Clock::time_point phase_start_ = Clock::now();
  config::TimeLimit limit_;                    // of the current phase
  std::optional<Clock::time_point> deadline_;  // of the phase, the grace or the exit
  bool is_finishing_ = false;                  // an interrupt arrived that lets the task finish
  WorkerEnd end_;
};

}  // namespace

Result<WorkerEnd> run_worker(const PlannedTask& planned, const WorkerSettings& settings,
                             Interrupt& interrupt, WorkerObserver& observer) {
  GN_ASSIGN_OR_RETURN(StartedWorker worker, start_worker(settings, planned.task));
  WorkerRun run(planned, settings, interrupt, observer, std::move(worker));
  return run.run();
}

}  // namespace graphnet::supervise
