// SPDX-License-Identifier: MIT
#include "proof/moments.h"

#include <algorithm>

namespace graphnet::proof {

using base::Json;

namespace {

// Three kilobytes in the record, and the names of templates cut.
constexpr std::size_t kMostMoments = 256;
constexpr std::size_t kLongestName = 80;

std::string cut(const std::string& name) {
  return name.size() <= kLongestName ? name : name.substr(0, kLongestName - 3) + "...";
}

/// The number of a value in a list, which gets it if it is new.
template <typename T>
std::size_t number_of(const T& value, std::vector<T>& list) {
  const auto found = std::find(list.begin(), list.end(), value);
  const auto number = static_cast<std::size_t>(found - list.begin());
  if (found == list.end()) list.push_back(value);
  return number;
}

}  // namespace

std::vector<Moment> moments_of(const std::vector<Sample>& samples,
                               const std::vector<Region>& regions) {
  std::vector<Moment> moments;
  for (const Sample& sample : samples) {
    const Region* region = find_region(regions, sample.instruction);
    const std::string module =
        region == nullptr ? "unknown" : base::module_name(region->mapping.path);
    moments.push_back({sample.time_ns, sample.thread, sample.is_waiting ? "waiting" : module});
  }
  return moments;
}

Json moments_json(std::vector<Moment> moments, std::int64_t start_ns) {
  // Threads note theirs at once.
  std::stable_sort(moments.begin(), moments.end(),
                   [](const Moment& a, const Moment& b) { return a.time_ns < b.time_ns; });
  if (moments.size() > kMostMoments) moments.resize(kMostMoments);
  std::vector<std::string> names;
  std::vector<int> threads;
  std::vector<std::int64_t> time_ns;
  std::vector<std::size_t> name;
  std::vector<std::size_t> thread;
  for (const Moment& moment : moments) {
    time_ns.push_back(moment.time_ns - start_ns);
    name.push_back(number_of(cut(moment.what), names));
    thread.push_back(number_of(moment.thread, threads));
  }
  return {{"names", names},
          {"threads", threads},
          {"time_ns", time_ns},
          {"name", name},
          {"thread", thread}};
}

}  // namespace graphnet::proof
