// SPDX-License-Identifier: MIT
#include "report/shared_samples.h"

#include <vector>

#include "report/headline.h"

namespace graphnet::report {

std::set<std::string> common_samples(const Report& report) {
  const std::vector<Headline> all = headlines(report);
  if (all.size() != 1 || all.front().ratios.empty()) return {};
  return {all.front().common.begin(), all.front().common.end()};
}

Report only_samples(const Report& report, const std::set<std::string>& samples) {
  Report part;
  part.title = report.title;
  part.facts = report.facts;
  part.backends = report.backends;
  part.conditions = report.conditions;
  part.condition_names = report.condition_names;
  part.file_notes = report.file_notes;
  part.noise_floor = report.noise_floor;
  part.notes = report.notes;
  for (const ResultRow& row : report.rows) {
    if (samples.count(row.sample) > 0) part.rows.push_back(row);
  }
  return part;
}

}  // namespace graphnet::report
