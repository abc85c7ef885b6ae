// SPDX-License-Identifier: MIT
//
// graphnet-worker: measures one sample with one plugin, told what by the supervisor over
// descriptor 3; or, with --answer, answers the supervisor's requests (requests.h); or, with
// --zygote, makes workers by forking (zygote.h).
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/memory.h"
#include "eager/engine.h"
#include "eager/thread_pool.h"
#include "journal/worker_request.h"
#include "measure/cycle_clock.h"
#include "worker/channel.h"
#include "worker/control_session.h"
#include "worker/kernel_copy.h"
#include "worker/requests.h"
#include "worker/session.h"
#include "worker/zygote.h"

namespace {

/// Loads and warms libtorch, then forks; true in each worker.
bool fork_workers(pid_t supervisor) {
  // It would win over what each worker is told; libtorch's maths library has not read it yet.
  ::unsetenv("MKL_NUM_THREADS");
  graphnet::eager::warm_up();
  graphnet::measure::calibrate_clock();
  return graphnet::worker::serve_forks(supervisor);
}

/// What a worker that was forked lacks.
void settle_in(int threads) {
  const std::string count = std::to_string(threads);
  for (const char* name : {"OMP_NUM_THREADS", "MKL_NUM_THREADS"}) {
    ::setenv(name, count.c_str(), 1);  // for what the plugin loads
  }
  graphnet::eager::set_pool_size(threads);
}

}  // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): out of memory here is a death like any other
int main(int argc, char** argv) {
  // A plugin that hangs must not outlive the program that would stop it.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  graphnet::base::keep_freed_memory();
  const pid_t supervisor = ::getppid();
  const std::string_view flag = argc == 2 ? argv[1] : "";
  const bool is_zygote = flag == "--zygote";
  if (is_zygote && !fork_workers(supervisor)) ::_exit(0);
  auto channel = graphnet::worker::Channel::take();
  if (!channel.is_ok()) {
    std::fprintf(stderr, "graphnet-worker: error: %s\n", channel.status().to_string().c_str());
    return 2;
  }
  if (flag == graphnet::journal::kAnswerFlag) {
    graphnet::worker::serve_requests(*channel);
    std::fflush(nullptr);
    ::_exit(0);  // as below
  }
  // What a plugin starts stays a descendant of this process, whoever ends in between. Once this one
  // ends, they are the supervisor's to kill.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  auto task = channel->receive_task();
  if (!task.is_ok()) {
    std::fprintf(stderr, "graphnet-worker: error: %s\n", task.status().to_string().c_str());
    return 70;
  }
  if (is_zygote) settle_in(task->threads);
  // No code of a plugin is here yet, which could have either say what it likes.
  graphnet::measure::calibrate_clock();
  static_cast<void>(graphnet::worker::kernel_copies());
  graphnet::base::offer_to_oom_killer();
  // A CUDA driver reserves far more than it uses, which such a limit would refuse.
  if (task->limits_itself && task->device == "cpu") {
    graphnet::base::limit_data_bytes(
        static_cast<std::uint64_t>(task->memory_limit_bytes.value_or(0)));
  }
  channel->watch_memory();
  channel->watch_crashes();
  if (task->control) {
    graphnet::worker::run_control(*task, *channel);
  } else {
    graphnet::worker::run_session(*task, *channel);
  }
  // Static destructors of vendor libraries cannot spoil a result that is already sent.
  std::fflush(nullptr);
  ::_exit(0);
}
