// SPDX-License-Identifier: MIT
#include "proof/work_attribution.h"

#include <gtest/gtest.h>

#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "base/memory_map.h"

namespace graphnet::proof {
namespace work_attribution_test {

constexpr std::uintptr_t kPage = 0x1000;

/// A file of one page.
struct File {
  const char* path;
  RegionKind kind;
};

// The first is the driver, the others are loaders.
constexpr File kFiles[] = {{"/d/libcuda.so.1", RegionKind::kHost},
                           {"/p/libgn_x.so", RegionKind::kExpect},
                           {"/t/libtorch_cuda.so", RegionKind::kDeny},
                           {"/b/graphnet-worker", RegionKind::kHost},
                           {"/n/libcublas.so.13", RegionKind::kHost}};
constexpr std::size_t kNumLoaders = std::size(kFiles) - 1;

std::vector<Region> regions() {
  std::vector<Region> regions;
  for (const File& file : kFiles) {
    Region region;
    region.mapping.start = (regions.size() + 1) * kPage;
    region.mapping.end = region.mapping.start + kPage;
    region.mapping.path = file.path;
    region.kind = file.kind;
    regions.push_back(region);
  }
  return regions;
}

/// A kernel of each loader, by its number from 0.
DeviceTrace trace_of_all_loaders() {
  DeviceTrace trace;
  for (std::size_t loader = 0; loader < kNumLoaders; ++loader) {
    LoadedModule module;
    module.functions = {"kernel" + std::to_string(loader)};
    module.stack = {kPage + 16, (loader + 2) * kPage + 16};
    trace.records.names.push_back(module.functions.front());
    trace.modules.push_back(std::move(module));
  }
  return trace;
}

struct Row {
  std::optional<CallSide> side;  ///< of the traced call; nothing: none
  // By loader: plugin, libtorch, host, cuBLAS.
  WorkOwner owners[kNumLoaders];
  AttributionSource sources[kNumLoaders];
};

constexpr auto kPlugin = WorkOwner::kPlugin;
constexpr auto kEager = WorkOwner::kEager;
constexpr auto kHost = WorkOwner::kHost;
constexpr auto kNobody = WorkOwner::kNobody;
constexpr auto kLoader = AttributionSource::kLoader;
constexpr auto kId = AttributionSource::kId;
constexpr auto kModule = AttributionSource::kModule;
constexpr auto kNone = AttributionSource::kNone;

constexpr Row kRows[] = {
    {CallSide::kHost, {kHost, kHost, kHost, kHost}, {kId, kId, kId, kId}},
    {CallSide::kEager, {kEager, kEager, kEager, kEager}, {kId, kId, kId, kId}},
    {CallSide::kPlugin, {kPlugin, kEager, kPlugin, kPlugin}, {kId, kLoader, kId, kId}},
    {CallSide::kReplay, {kPlugin, kEager, kPlugin, kPlugin}, {kId, kLoader, kId, kId}},
    {CallSide::kBetween, {kPlugin, kEager, kHost, kHost}, {kId, kId, kId, kId}},
    {std::nullopt, {kPlugin, kEager, kHost, kNobody}, {kModule, kModule, kModule, kNone}},
};

TEST(WorkAttribution, OwnerFollowsFromCallAndLoader) {
  for (const Row& row : kRows) {
    DeviceTrace trace = trace_of_all_loaders();
    DeviceWork work;
    work.correlation = 7;
    if (row.side) {
      trace.calls.push_back({*row.side, 0, 0});
      trace.records.pushed_ids[work.correlation] = 0;
    }
    const WorkAttribution attribution(trace, regions());
    for (std::uint32_t loader = 0; loader < kNumLoaders; ++loader) {
      work.name = loader;
      const Attribution answer = attribution.of(work);
      const std::string what = std::string(row.side ? call_side_name(*row.side) : "none") +
                               ", loaded by " + kFiles[loader + 1].path;
      EXPECT_EQ(answer.owner, row.owners[loader]) << what;
      EXPECT_EQ(answer.source, row.sources[loader]) << what;
      EXPECT_EQ(answer.call.has_value(), row.side.has_value()) << what;
      EXPECT_EQ(answer.module, base::module_name(kFiles[loader + 1].path)) << what;
    }
  }
}

TEST(WorkAttribution, LaunchIsTheFirstCallOfItsCorrelation) {
  DeviceTrace trace;
  trace.records.calls = {{1, 0, 1, 7, 30, 40}, {2, 0, 1, 7, 20, 50}};
  const WorkAttribution attribution(trace, {});
  DeviceWork work;
  work.correlation = 7;
  EXPECT_EQ(attribution.launch_ns(work), 20U);
  work.correlation = 8;
  EXPECT_EQ(attribution.launch_ns(work), 0U);
}

}  // namespace work_attribution_test
}  // namespace graphnet::proof
