// SPDX-License-Identifier: MIT
//
// graphnet-worker: measures one sample with one plugin, told what by the supervisor over
// descriptor 3.
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>

#include "base/memory.h"
#include "worker/channel.h"
#include "worker/session.h"

int main() {
  // A plugin that hangs must not outlive the program that would stop it.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  auto channel = graphnet::worker::Channel::take();
  if (!channel.is_ok()) {
    std::fprintf(stderr, "graphnet-worker: error: %s\n", channel.status().to_string().c_str());
    return 2;
  }
  auto task = channel->receive_task();
  if (!task.is_ok()) {
    std::fprintf(stderr, "graphnet-worker: error: %s\n", task.status().to_string().c_str());
    return 70;
  }
  graphnet::base::limit_data_bytes(
      static_cast<std::uint64_t>(task->memory_limit_bytes.value_or(0)));
  channel->watch_memory();
  graphnet::worker::Session session(std::move(task).value(), *channel);
  session.run();
  // Static destructors of vendor libraries cannot spoil a result that is already sent.
  std::fflush(nullptr);
  ::_exit(0);
}
