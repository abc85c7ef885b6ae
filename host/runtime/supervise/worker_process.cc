// SPDX-License-Identifier: MIT
#include "supervise/worker_process.h"

#include <poll.h>

#include <algorithm>
#include <array>

#include "supervise/worker_run.h"

namespace graphnet::supervise {

using base::Result;

namespace {

int timeout_ms(const WorkerRun& run, const WorkerObserver& observer) {
  const int wanted = observer.poll_timeout_ms();
  const auto deadline = run.deadline();
  if (!deadline) return wanted;
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(*deadline - WorkerRun::Clock::now());
  const auto until_deadline = std::clamp<long long>(left.count(), 0, 60000);
  return static_cast<int>(wanted < 0 ? until_deadline
                                     : std::min<long long>(wanted, until_deadline));
}

}  // namespace

Result<WorkerEnd> run_worker(const PlannedTask& planned, const WorkerSettings& settings,
                             Interrupt& interrupt, WorkerObserver& observer) {
  GN_ASSIGN_OR_RETURN(const auto run, WorkerRun::start(planned, settings, observer));
  while (!run->has_ended()) {
    std::array<pollfd, WorkerRun::kNumPolled + 1> polled = {};
    run->fill_polled(polled.data());
    polled.back() = {interrupt.fd(), POLLIN, 0};
    ::poll(polled.data(), polled.size(), timeout_ms(*run, observer));
    run->handle(polled.data());
    if (polled.back().revents != 0) interrupt.read();
    if (run->ask() != nullptr) run->grant();
    observer.on_tick();
    run->obey(interrupt.wish());
    run->check_clock();
  }
  return run->finish();
}

}  // namespace graphnet::supervise
