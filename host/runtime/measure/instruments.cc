// SPDX-License-Identifier: MIT
#include "measure/instruments.h"

#include <memory>

#include "base/kernel_file.h"
#include "measure/cache_flush.h"
#include "measure/clock.h"
#include "measure/idle_wait.h"

namespace graphnet::measure {

Instruments machine_instruments(const PairedSettings& settings, int threads) {
  Instruments instruments;
  instruments.now = monotonic_raw_ns;
  instruments.clock_ns = reading_cost_ns();
  instruments.threads = threads;
  instruments.counters = [meter = std::make_shared<DisturbanceMeter>(threads > 1)] {
    return meter->read();
  };
  instruments.steal_share = [last = core_ticks_in(base::read_kernel_file("/proc/stat"))]() mutable {
    const auto before = last;
    last = core_ticks_in(base::read_kernel_file("/proc/stat"));
    return before && last ? steal_share(*before, *last) : 0.0;
  };
  instruments.wait_idle = [at_most_ns = settings.idle_wait_ns] {
    return wait_until_idle(at_most_ns);
  };
  if (settings.cache == CacheMode::kCold) {
    auto flush = std::make_shared<CacheFlush>(settings.flush_bytes);
    instruments.flush_cache = [flush] { (*flush)(); };
  }
  instruments.wait_quiet = [at_most_ns = settings.quiet_wait_ns] { wait_until_quiet(at_most_ns); };
  return instruments;
}

}  // namespace graphnet::measure
