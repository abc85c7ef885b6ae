// SPDX-License-Identifier: MIT
#include "cli/device_list.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "support/mentions.h"

namespace graphnet::cli {
namespace device_list_test {

using supervise::PlannedSample;
using tests::mentions;

const std::vector<std::string> kTwo = {"cuda:0", "cuda:1"};

std::vector<PlannedSample> samples_of(const std::vector<double>& costs) {
  std::vector<PlannedSample> samples;
  for (const double cost : costs) {
    PlannedSample sample;
    sample.name = "family/" + std::to_string(samples.size());
    sample.cost = cost;
    samples.push_back(sample);
  }
  return samples;
}

TEST(DeviceList, IsReadAsConfigsHaveIt) {
  EXPECT_EQ(read_devices("cuda:0,cuda:1").value(), kTwo);
  EXPECT_EQ(read_devices("cuda").value(), std::vector<std::string>{"cuda:0"});
}

TEST(DeviceList, SaysWhatIsWrongWithIt) {
  const std::pair<const char*, const char*> mistakes[] = {{"", "''"},
                                                          {"cuda:0,", "''"},
                                                          {"gpu:0", "'gpu:0'"},
                                                          {"cuda:0,cpu", "'cpu'"},
                                                          {"cuda,cuda:0", "cuda:0 twice"}};
  for (const auto& [text, what] : mistakes) {
    const auto devices = read_devices(text);
    ASSERT_FALSE(devices.is_ok()) << text;
    EXPECT_EQ(devices.status().code(), base::Code::kUsage) << text;
    EXPECT_TRUE(mentions(devices.status().message(), {"--devices", what})) << text;
  }
}

TEST(DeviceList, SamplesAreSpreadByCostAndAlwaysAlike) {
  std::vector<PlannedSample> samples = samples_of({1, 5, 2, 3, 3, 4});
  spread_over_devices(kTwo, std::nullopt, samples);
  std::map<std::string, double> cost;
  for (const auto& sample : samples) cost[sample.device] += sample.cost;
  EXPECT_EQ(cost, (std::map<std::string, double>{{"cuda:0", 9}, {"cuda:1", 9}}));
  std::vector<PlannedSample> again = samples_of({1, 5, 2, 3, 3, 4});
  spread_over_devices(kTwo, std::nullopt, again);
  for (std::size_t i = 0; i < samples.size(); ++i) EXPECT_EQ(samples[i].device, again[i].device);
}

TEST(DeviceList, EachShardUsesAllDevices) {
  for (const int number : {1, 2}) {
    std::vector<PlannedSample> samples = samples_of({4, 4, 3, 3, 2, 2, 1, 1});
    spread_over_devices(kTwo, cluster::Shard{number, 2}, samples);
    std::set<std::string> used;
    for (const std::size_t i : cluster::shard_members({4, 4, 3, 3, 2, 2, 1, 1}, {number, 2})) {
      used.insert(samples[i].device);
    }
    EXPECT_EQ(used.size(), 2U) << number;
  }
}

TEST(DeviceList, WithoutOneEachConfigsDeviceStays) {
  std::vector<PlannedSample> samples = samples_of({1, 2});
  spread_over_devices({}, std::nullopt, samples);
  EXPECT_EQ(samples[0].device, "");
}

}  // namespace device_list_test
}  // namespace graphnet::cli
