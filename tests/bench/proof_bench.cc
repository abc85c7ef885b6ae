// SPDX-License-Identifier: MIT
//
// What the proof of execution costs: closing and opening libtorch's text, a trap, naming the hits.
#include <benchmark/benchmark.h>

#include <ctime>
#include <vector>

#include "proof/execute_deny.h"
#include "proof/findings.h"
#include "unit/proof/generated_code.h"

namespace graphnet::proof {
namespace {

/// CPU time of this thread: neighbours must not count.
double cpu_s() {
  timespec now = {};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// libtorch's text, as in a worker whose eager side is warm.
std::vector<Region> denied_regions() {
  std::vector<Region> regions = MapHistory().regions(base::read_memory_map().value());
  std::vector<Region> denied;
  for (const Region& region : regions) {
    if (region.kind == RegionKind::kDeny) denied.push_back(region);
  }
  return denied;
}

double mebibytes_of(const std::vector<Region>& regions) {
  double num_bytes = 0;
  for (const Region& region : regions) {
    num_bytes += static_cast<double>(region.mapping.end - region.mapping.start);
  }
  return num_bytes / (1 << 20);
}

void arm_libtorch(benchmark::State& state) {
  const std::vector<Region> regions = denied_regions();
  const auto tracer = ExecuteDeny::create(regions).value();
  double arm_s = 0;
  double disarm_s = 0;
  for (auto _ : state) {
    const double start = cpu_s();
    const bool armed = tracer->arm({RegionKind::kDeny}).is_ok();
    const double middle = cpu_s();
    const bool disarmed = tracer->disarm().is_ok();
    arm_s += middle - start;
    disarm_s += cpu_s() - middle;
    if (!armed || !disarmed) state.SkipWithError("the kernel refuses");
  }
  const double hundreds = mebibytes_of(regions) / 100 * static_cast<double>(state.iterations());
  state.counters["arm_us_per_100MiB"] = arm_s * 1e6 / hundreds;
  state.counters["disarm_us_per_100MiB"] = disarm_s * 1e6 / hundreds;
}
BENCHMARK(arm_libtorch)->Name("ArmLibtorch")->Unit(benchmark::kMicrosecond);

void trap(benchmark::State& state) {
  constexpr std::size_t kWindows = 200;
  const tests::GeneratedCode code(kWindows);
  const auto tracer = ExecuteDeny::create({code.region(RegionKind::kDeny)}).value();
  for (auto _ : state) {
    if (!tracer->arm({RegionKind::kDeny}).is_ok()) state.SkipWithError("the kernel refuses");
    const double start = cpu_s();
    for (std::size_t i = 0; i < kWindows; ++i) code.call(i);
    state.SetIterationTime((cpu_s() - start) / kWindows);
    if (!tracer->disarm().is_ok()) state.SkipWithError("somebody opened it");
  }
}
BENCHMARK(trap)->Name("Trap")->UseManualTime()->Unit(benchmark::kMicrosecond);

void name_libtorch(benchmark::State& state) {
  const std::vector<Region> regions = denied_regions();
  std::vector<Hit> hits;
  for (std::size_t region = 0; region < regions.size(); ++region) {
    const base::Mapping& mapping = regions[region].mapping;
    for (std::uintptr_t at = mapping.start; at < mapping.end; at += 16 * kWindowBytes) {
      Hit hit;
      hit.instruction = at + 1;
      hit.region = region;
      hit.window = at;
      hits.push_back(hit);
    }
  }
  for (auto _ : state) benchmark::DoNotOptimize(name_hits(hits, regions));
  state.counters["hits"] = static_cast<double>(hits.size());
}
BENCHMARK(name_libtorch)->Name("NameHitsInLibtorch")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace graphnet::proof
