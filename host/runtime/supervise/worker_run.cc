// SPDX-License-Identifier: MIT
#include "supervise/worker_run.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <set>
#include <utility>

#include "base/kernel_file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/processes.h"
#include "supervise/worker_program.h"

namespace graphnet::supervise {

using base::Result;
using base::Status;
using base::Subprocess;

namespace {

// Per turn of the loop and descriptor: a flood on one must not keep the others waiting.
constexpr std::size_t kReadBytes = std::size_t{64} << 10U;

// Reads after the end: 4 MiB, more than the kernel buffers of a socket or pipe hold.
constexpr int kMaxDrainReads = 64;

void set_nonblocking(int fd) {
  ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
}

std::set<std::string> phases_of(const PlannedTask& planned) {
  std::set<std::string> phases;
  for (const auto& [phase, limit] : planned.limits) phases.insert(phase);
  return phases;
}

std::string task_line(const PlannedTask& planned, const WorkerSettings& settings,
                      MemoryHolder holder) {
  journal::Task task = planned.task;
  task.asks = settings.share_machine;
  task.limits_itself = holder != MemoryHolder::kGroup;
  return base::dump_json(journal::to_json(task)) + "\n";
}

/// True if every thread is stopped or waits within the kernel, from where it gets no further than
/// the stop: so does one whose new child was stopped before it became another program (vfork), and
/// the kernel calls no such process stopped.
bool no_thread_can_run(pid_t pid) {
  std::error_code error;
  // The process may end meanwhile, which is no exception.
  std::filesystem::directory_iterator thread("/proc/" + std::to_string(pid) + "/task", error);
  for (; !error && thread != std::filesystem::directory_iterator(); thread.increment(error)) {
    const char state = base::process_state_in(base::read_kernel_file(thread->path() / "stat"));
    if (state == '\0') continue;  // it has ended
    if (std::string_view("TtDZX").find(state) == std::string_view::npos) return false;
  }
  return !error;
}

std::string memory_by(const WorkerSettings& settings, MemoryHolder holder) {
  if (holder == MemoryHolder::kNone) return "none";
  if (holder == MemoryHolder::kRlimit) return "RLIMIT_DATA";
  return "cgroup v" + std::to_string(settings.group->version());
}

}  // namespace

Result<std::unique_ptr<WorkerRun>> WorkerRun::start(const PlannedTask& planned,
                                                    const WorkerSettings& settings,
                                                    WorkerObserver& observer) {
  GN_ASSIGN_OR_RETURN(Started worker, start_process(planned, settings));
  return std::unique_ptr<WorkerRun>(new WorkerRun(planned, settings, observer, std::move(worker)));
}

/// Starts a worker, which waits for its task, and puts it under its memory limit unless it will set
/// that itself.
Result<WorkerRun::Started> WorkerRun::start_process(const PlannedTask& planned,
                                                    const WorkerSettings& settings) {
  GN_ASSIGN_OR_RETURN(DescriptorPair control, make_control_channel(SOCK_STREAM));
  GN_ASSIGN_OR_RETURN(DescriptorPair output, make_output_pipe());
  set_nonblocking(control.ours.get());
  set_nonblocking(output.ours.get());
  const auto started = [&](Subprocess process, bool was_forked) {
    Started worker{std::move(process), std::move(control.ours), std::move(output.ours), was_forked};
    worker.holder = limit_memory(planned, settings, worker);
    return worker;
  };
  // Contexts of other devices do not survive a fork.
  if (settings.zygote != nullptr && planned.task.device == "cpu") {
    Result<Subprocess> forked = settings.zygote->fork(control.workers.get(), output.workers.get());
    if (forked.is_ok()) return started(std::move(forked).value(), true);
    base::log(base::LogLevel::kWarning, "worker",
              forked.status().message() + "; this sample gets a fresh process");
  }
  const WorkerProgram program = {settings.executable, "", planned.task.threads, settings.mark};
  GN_ASSIGN_OR_RETURN(Subprocess process,
                      start_worker_program(program, control.workers.get(), output.workers.get()));
  return started(std::move(process), false);
}

/// Puts the limit of a task on the group that its worker is in, if it can.
MemoryHolder WorkerRun::limit_memory(const PlannedTask& planned, const WorkerSettings& settings,
                                     const Started& worker) {
  const auto& limit = planned.task.memory_limit_bytes;
  const MemoryHolder other =
      limit && base::can_limit_data() ? MemoryHolder::kRlimit : MemoryHolder::kNone;
  if (settings.group == nullptr) return other;
  const bool is_wanted = limit && planned.may_use_group;
  // A forked worker is where the process is that made it.
  if (worker.was_forked && !settings.zygote->is_in(*settings.group)) return other;
  Status limited =
      !worker.was_forked && is_wanted ? settings.group->take(worker.process.pid()) : Status::ok();
  if (limited.is_ok()) limited = settings.group->set_limit(is_wanted ? limit : std::nullopt);
  if (limited.is_ok()) return is_wanted ? MemoryHolder::kGroup : other;
  base::log(base::LogLevel::kDebug, "worker", limited.message() + "; the worker limits itself");
  return other;
}

WorkerRun::WorkerRun(const PlannedTask& planned, const WorkerSettings& settings,
                     WorkerObserver& observer, Started worker)
    : planned_(planned),
      settings_(settings),
      observer_(observer),
      strays_(StrayProcesses::adopt(settings.mark)),
      oom_(worker.holder == MemoryHolder::kGroup ? settings.group.get() : nullptr, settings.root),
      worker_(std::move(worker)),
      unsent_(task_line(planned, settings, worker_.holder)),
      report_(phases_of(planned)),
      chunk_(kReadBytes, '\0') {
  start_clock(record::Phase::kLoad);
  end_.was_forked = worker_.was_forked;
  end_.memory_by = memory_by(settings, worker_.holder);
}

WorkerRun::~WorkerRun() {
  if (is_finished_) return;
  kill();
  finish();
}

WorkerEnd WorkerRun::finish(const std::vector<pid_t>& others) {
  is_finished_ = true;
  // wait() kills what is left of the group. A process that left the group may hold the channels
  // open and even go on writing, hence reading stops when nothing is there or enough was read.
  end_.exit = worker_.process.wait();
  if (paused_since_) resume();
  end_.last_phase = Clock::now() - phase_start_;
  strays_.kill(others);
  for (int i = 0; i < kMaxDrainReads && read_control(); ++i) {
  }
  for (int i = 0; i < kMaxDrainReads && read_output(); ++i) {
  }
  static_cast<WorkerState&>(end_) = report_.state();
  end_.output = std::string(ring_.bytes());
  if (end_.stop == WorkerEnd::Stop::kNone) end_.oom_kill = oom_.kill();
  return std::move(end_);
}

void WorkerRun::fill_polled(pollfd* polled) const {
  polled[0] = {worker_.control.get(),
               static_cast<short>(unsent_.empty() ? POLLIN : POLLIN | POLLOUT), 0};
  polled[1] = {worker_.output.get(), POLLIN, 0};
  polled[2] = {worker_.process.wait_fd(), POLLIN, 0};
}

std::optional<WorkerRun::Clock::time_point> WorkerRun::deadline() const {
  return paused_since_ ? std::nullopt : deadline_;
}

void WorkerRun::handle(const pollfd* polled) {
  if ((polled[0].revents & POLLOUT) != 0) send();
  if ((polled[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0) read_control();
  if (polled[1].revents != 0) read_output();
  has_ended_ = has_ended_ || polled[2].revents != 0;
}

void WorkerRun::send() {
  const ssize_t sent = ::send(worker_.control.get(), unsent_.data(), unsent_.size(), MSG_NOSIGNAL);
  if (sent > 0) unsent_.erase(0, static_cast<std::size_t>(sent));
  // A worker that is gone or has closed the channel shows so elsewhere.
  if (sent < 0 && errno != EAGAIN && errno != EINTR) unsent_.clear();
}

/// Reads one chunk; closes `fd` at its end. Returns the bytes, or nothing if none are there.
std::string_view WorkerRun::read_chunk(base::UniqueFd& fd) {
  if (!fd.is_open()) return {};
  const ssize_t num_read = ::read(fd.get(), chunk_.data(), chunk_.size());
  if (num_read > 0) return {chunk_.data(), static_cast<std::size_t>(num_read)};
  if (num_read == 0 || (errno != EAGAIN && errno != EINTR)) fd.reset();
  return {};
}

bool WorkerRun::read_output() {
  const std::string_view bytes = read_chunk(worker_.output);
  ring_.append(bytes);
  end_.output_bytes += bytes.size();
  return !bytes.empty();
}

bool WorkerRun::read_control() {
  const std::string_view bytes = read_chunk(worker_.control);
  report_.append(bytes);
  while (const auto event = report_.next()) handle(*event);
  return !bytes.empty();
}

void WorkerRun::handle(WorkerReport::Event event) {
  using Event = WorkerReport::Event;
  const bool is_running = end_.stop == WorkerEnd::Stop::kNone;
  if (event == Event::kPhase) {
    phase_start_ = Clock::now();
    is_waiting_ = false;
    if (is_running) start_clock(report_.state().phase);
    observer_.on_phase(report_.state().phase.value());
  }
  if (event == Event::kAsk && is_running) {
    is_waiting_ = true;
    deadline_.reset();
  }
  if (event == Event::kFinal && is_running) deadline_ = Clock::now() + settings_.exit_limit;
  if (event == Event::kBroken && is_running) stop(WorkerEnd::Stop::kProtocol);
}

void WorkerRun::start_clock(const record::Word<record::Phase>& phase) {
  const auto limit = planned_.limits.find(phase.text());
  limit_ = limit != planned_.limits.end() ? limit->second : std::nullopt;
  deadline_.reset();
  if (limit_) deadline_ = Clock::now() + *limit_;
}

void WorkerRun::obey(Wish wish) {
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

void WorkerRun::check_clock() {
  const auto due = deadline();
  if (!due || Clock::now() < *due) return;
  // Past the deadline of the grace, or done with everything but exiting: no more patience.
  if (end_.stop != WorkerEnd::Stop::kNone || report_.state().is_final) {
    kill();
    return;
  }
  end_.limit = limit_;
  stop(WorkerEnd::Stop::kTimeLimit);
}

void WorkerRun::stop(WorkerEnd::Stop why) {
  if (paused_since_) resume();
  end_.stop = why;
  is_waiting_ = false;
  worker_.process.signal_group(SIGTERM);
  // A stopped process (SIGSTOP) sees the signal only once it goes on.
  worker_.process.signal_group(SIGCONT);
  deadline_ = Clock::now() + settings_.grace;
}

void WorkerRun::kill() {
  worker_.process.signal_group(SIGKILL);
  deadline_.reset();
}

bool WorkerRun::is_ending() const {
  return has_ended_ || end_.stop != WorkerEnd::Stop::kNone || report_.state().is_final;
}

const WorkerState::Ask* WorkerRun::ask() const {
  const auto& ask = report_.state().ask;
  return is_waiting_ && ask ? &*ask : nullptr;
}

void WorkerRun::grant() {
  if (const WorkerState::Ask* granted = ask()) start_clock(granted->phase);
  is_waiting_ = false;
  unsent_ += std::string(journal::kGo) + "\n";
  send();
}

void WorkerRun::pause() {
  if (paused_since_ || is_ending()) return;
  paused_since_ = Clock::now();
  worker_.process.signal_group(SIGSTOP);
}

bool WorkerRun::is_paused() const {
  if (!paused_since_) return false;
  siginfo_t info = {};
  const int found =
      ::waitid(P_PID, static_cast<id_t>(pid()), &info, WSTOPPED | WEXITED | WNOHANG | WNOWAIT);
  return (found == 0 && info.si_pid != 0) || no_thread_can_run(pid());
}

void WorkerRun::resume() {
  if (!paused_since_) return;
  const auto now = Clock::now();
  const auto length = now - *paused_since_;
  paused_since_.reset();
  phase_start_ = std::min(phase_start_ + length, now);  // its message may have been on the way
  if (deadline_) *deadline_ += length;
  const WorkerState& state = report_.state();
  if (!is_waiting_ && !state.phase.empty()) {
    end_.paused[state.phase.text()] += length;
    if (!state.step.empty()) end_.paused[state.phase.text() + "/" + state.step] += length;
  }
  worker_.process.signal_group(SIGCONT);
}

}  // namespace graphnet::supervise
