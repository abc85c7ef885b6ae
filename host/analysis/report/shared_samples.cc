// SPDX-License-Identifier: MIT
#include "report/shared_samples.h"

#include <map>

namespace graphnet::report {

std::set<std::string> common_samples(const Report& report) {
  std::map<std::string, std::set<std::size_t>> backends_of;
  std::set<std::size_t> backends;
  for (const ResultRow& row : report.rows) {
    if (row.backend >= report.backends.size() || !row.counts_in_means()) continue;
    backends_of[row.sample].insert(row.backend);
    backends.insert(row.backend);
  }
  std::set<std::string> common;
  if (backends.size() < 2) return common;
  for (const auto& [sample, counted] : backends_of) {
    if (counted.size() == backends.size()) common.insert(sample);
  }
  return common;
}

Report only_samples(const Report& report, const std::set<std::string>& samples) {
  Report part;
  part.title = report.title;
  part.facts = report.facts;
  part.backends = report.backends;
  part.noise_floor = report.noise_floor;
  part.notes = report.notes;
  for (const ResultRow& row : report.rows) {
    if (samples.count(row.sample) > 0) part.rows.push_back(row);
  }
  return part;
}

}  // namespace graphnet::report
