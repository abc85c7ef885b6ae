// SPDX-License-Identifier: MIT
#include "supervise/worker_start.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/memory.h"
#include "supervise/worker_program.h"

namespace graphnet::supervise {

using base::Code;
using base::Result;
using base::Status;
using base::Subprocess;

namespace {

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
  GN_ASSIGN_OR_RETURN(options.environment, worker_environment());
  for (std::string& variable : thread_variables(threads)) {
    options.environment.push_back(std::move(variable));
  }
  if (!settings.mark.empty()) options.environment.push_back(settings.mark);
  options.control_fd = control_fd;
  options.output_fd = output_fd;
  return Subprocess::start(options);
}

/// Puts the limit of a task on the group that its worker is in.
MemoryHolder hold_memory(const WorkerSettings& settings, const PlannedTask& planned,
                         const StartedWorker& worker) {
  const auto& limit = planned.task.memory_limit_bytes;
  const MemoryHolder other =
      limit && base::can_limit_data() ? MemoryHolder::kRlimit : MemoryHolder::kNone;
  if (settings.group == nullptr) return other;
  const bool is_wanted = limit && planned.may_use_group;
  // A forked worker is where the process is that made it.
  Status held =
      !worker.was_forked && is_wanted ? settings.group->take(worker.process.pid()) : Status::ok();
  if (worker.was_forked && !settings.zygote->is_in(*settings.group)) return other;
  if (held.is_ok()) held = settings.group->set_limit(is_wanted ? limit : std::nullopt);
  if (held.is_ok()) return is_wanted ? MemoryHolder::kGroup : other;
  base::log(base::LogLevel::kDebug, "worker", held.message() + "; the worker limits itself");
  return other;
}

}  // namespace

Result<StartedWorker> start_worker(const WorkerSettings& settings, const PlannedTask& planned) {
  std::array<int, 2> control = {-1, -1};
  std::array<int, 2> output = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, control.data()) != 0) {
    return no_descriptor();
  }
  base::UniqueFd our_control(control[0]);
  const base::UniqueFd worker_control(control[1]);
  if (::pipe2(output.data(), O_CLOEXEC) != 0) return no_descriptor();
  base::UniqueFd our_output(output[0]);
  const base::UniqueFd worker_output(output[1]);
  set_nonblocking(our_control.get());
  set_nonblocking(our_output.get());
  const auto started = [&](Subprocess process, bool was_forked) {
    StartedWorker worker{std::move(process), std::move(our_control), std::move(our_output),
                         was_forked};
    worker.holder = hold_memory(settings, planned, worker);
    return worker;
  };
  // Contexts of other devices do not survive a fork.
  if (settings.zygote != nullptr && planned.task.device == "cpu") {
    Result<Subprocess> forked = settings.zygote->fork(worker_control.get(), worker_output.get());
    if (forked.is_ok()) return started(std::move(forked).value(), true);
    base::log(base::LogLevel::kWarning, "worker",
              forked.status().message() + "; this sample gets a fresh process");
  }
  GN_ASSIGN_OR_RETURN(Subprocess process, start_fresh(settings, planned.task.threads,
                                                      worker_control.get(), worker_output.get()));
  return started(std::move(process), false);
}

}  // namespace graphnet::supervise
