// SPDX-License-Identifier: MIT
#include "proof/work_attribution.h"

#include <gtest/gtest.h>

#include <iterator>
#include <optional>
#include <string>
#include <vector>

namespace graphnet::proof {
namespace work_attribution_test {

// The last: nobody's.
constexpr const char* kKernels[] = {"mine", "relu", "gemm"};
constexpr std::size_t kNumKernels = std::size(kKernels);

KernelFiles files() {
  KernelFiles files;
  files.by_name["mine"] = {"libgn_x.so", KernelHolder::kPlugin};
  files.by_name["relu"] = {"libtorch_cuda.so", KernelHolder::kLibtorch};
  return files;
}

struct Row {
  std::optional<CallSide> side;   ///< of the traced call; nothing: none
  WorkOwner owners[kNumKernels];  ///< of each of kKernels
  AttributionSource sources[kNumKernels];
};

constexpr auto kPlugin = WorkOwner::kPlugin;
constexpr auto kEager = WorkOwner::kEager;
constexpr auto kHost = WorkOwner::kHost;
constexpr auto kNobody = WorkOwner::kNobody;
constexpr auto kFile = AttributionSource::kFile;
constexpr auto kId = AttributionSource::kId;
constexpr auto kNone = AttributionSource::kNone;

constexpr Row kRows[] = {
    {CallSide::kHost, {kHost, kHost, kHost}, {kId, kId, kId}},
    {CallSide::kEager, {kEager, kEager, kEager}, {kId, kId, kId}},
    {CallSide::kPlugin, {kPlugin, kEager, kPlugin}, {kId, kFile, kId}},
    {CallSide::kReplay, {kPlugin, kEager, kPlugin}, {kId, kFile, kId}},
    {CallSide::kBetween, {kPlugin, kEager, kHost}, {kId, kId, kId}},
    {std::nullopt, {kPlugin, kEager, kNobody}, {kFile, kFile, kNone}},
};

TEST(WorkAttribution, OwnerFollowsFromCallAndFile) {
  const KernelFiles held = files();
  for (const Row& row : kRows) {
    DeviceTrace trace;
    trace.records.names.assign(std::begin(kKernels), std::end(kKernels));
    DeviceWork work;
    work.correlation = 7;
    if (row.side) {
      trace.calls.push_back({*row.side, 0, 0});
      trace.records.pushed_ids[work.correlation] = 0;
    }
    const WorkAttribution attribution(trace, held);
    for (std::uint32_t kernel = 0; kernel < kNumKernels; ++kernel) {
      work.name = kernel;
      const Attribution answer = attribution.of(work);
      const std::string what =
          std::string(row.side ? call_side_name(*row.side) : "none") + ", " + kKernels[kernel];
      EXPECT_EQ(answer.owner, row.owners[kernel]) << what;
      EXPECT_EQ(answer.source, row.sources[kernel]) << what;
      EXPECT_EQ(answer.call.has_value(), row.side.has_value()) << what;
      const auto file = held.by_name.find(kKernels[kernel]);
      EXPECT_EQ(answer.module, file == held.by_name.end() ? "" : file->second.module) << what;
    }
  }
}

TEST(WorkAttribution, LaunchIsTheFirstCallOfItsCorrelation) {
  DeviceTrace trace;
  trace.records.calls = {{1, 0, 1, 7, 30, 40}, {2, 0, 1, 7, 20, 50}};
  const KernelFiles none;
  const WorkAttribution attribution(trace, none);
  DeviceWork work;
  work.correlation = 7;
  EXPECT_EQ(attribution.launch_ns(work), 20U);
  work.correlation = 8;
  EXPECT_EQ(attribution.launch_ns(work), 0U);
}

}  // namespace work_attribution_test
}  // namespace graphnet::proof
