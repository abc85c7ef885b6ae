// SPDX-License-Identifier: MIT
#include "cli/device_list.h"

#include <algorithm>
#include <numeric>

#include "base/device_name.h"
#include "base/text.h"
#include "cli/run_options.h"

namespace graphnet::cli {

using base::Code;
using base::Result;
using base::Status;

Result<std::vector<std::string>> read_devices(const std::string& text) {
  const auto refuse = [&](const std::string& why) {
    return Status(Code::kUsage, "--devices " + why).add_hint("--devices cuda:0,cuda:1");
  };
  std::vector<std::string> devices;
  for (const std::string& word : base::split(text, ',')) {
    const auto device = base::parse_device_name(word);
    if (!device.is_ok()) return refuse("'" + text + "': " + device.status().message());
    if (!device->is_cuda) return refuse("takes CUDA devices, not '" + word + "'");
    if (std::find(devices.begin(), devices.end(), device->text()) != devices.end()) {
      return refuse("names " + device->text() + " twice");
    }
    devices.push_back(device->text());
  }
  if (devices.size() > kMaxJobs) {
    return refuse("takes at most " + std::to_string(kMaxJobs) + " devices");
  }
  return devices;
}

void spread_over_devices(const std::vector<std::string>& devices,
                         const std::optional<cluster::Shard>& shard,
                         std::vector<supervise::PlannedSample>& samples) {
  if (devices.empty()) return;
  std::vector<double> costs;
  for (const auto& sample : samples) costs.push_back(sample.cost);
  const auto members = cluster::shard_members(costs, shard.value_or(cluster::Shard()));
  std::vector<double> member_costs;
  for (const std::size_t member : members) member_costs.push_back(costs[member]);
  // Other shards' samples get one too: nobody runs them here, and each has a task.
  for (auto& sample : samples) sample.device = devices.front();
  const int count = static_cast<int>(devices.size());
  for (int number = 1; number <= count; ++number) {
    for (const std::size_t i : cluster::shard_members(member_costs, {number, count})) {
      samples[members[i]].device = devices[static_cast<std::size_t>(number) - 1];
    }
  }
}

}  // namespace graphnet::cli
