// SPDX-License-Identifier: MIT
#include "proof/ledger.h"

#include <algorithm>
#include <set>
#include <string>

namespace graphnet::proof {

using base::Json;

namespace {

constexpr std::size_t kMostEntries = 10;

template <typename T>
std::vector<T> first_of(const std::vector<T>& all) {
  return {all.begin(),
          all.begin() + static_cast<std::ptrdiff_t>(std::min(kMostEntries, all.size()))};
}

}  // namespace

void write_trace(const Trace& trace, Json& ledger) {
  ledger["hits"] = trace.moments.size();
  ledger["hit_threads"] = trace.num_threads;
  ledger["modules"] = Json::array();
  for (const ModuleUse& use : trace.modules) {
    if (use.windows == 0) continue;
    ledger["modules"].push_back({{"module", use.module},
                                 {"class", region_kind_name(use.kind)},
                                 {"epoch", use.epoch},
                                 {"text_bytes", use.text_bytes},
                                 {"windows", use.windows},
                                 {"symbols", use.symbols}});
  }
  ledger["denied"] = Json::array();
  for (const Finding& finding : first_of(trace.denied)) {
    ledger["denied"].push_back({{"symbol", finding.symbol},
                                {"module", finding.module},
                                {"caller", finding.caller},
                                {"thread", finding.thread},
                                {"entry", finding.is_entry}});
  }
  std::set<std::string> allowed;
  for (const Finding& finding : trace.allowed) allowed.insert(finding.symbol);
  ledger["allowed"] = allowed;
}

Json samples_json(const std::vector<Sample>& samples, const std::vector<Region>& regions) {
  const auto num_waiting = std::count_if(samples.begin(), samples.end(),
                                         [](const Sample& sample) { return sample.is_waiting; });
  Json shares = Json::array();
  for (const ModuleShare& share : shares_of(samples, regions)) {
    shares.push_back({{"module", share.module},
                      {"class", region_kind_name(share.kind)},
                      {"epoch", share.epoch},
                      {"share", share.share}});
  }
  return {{"count", samples.size()}, {"waiting", num_waiting}, {"shares", shares}};
}

}  // namespace graphnet::proof
