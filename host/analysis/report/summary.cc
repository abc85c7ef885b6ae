// SPDX-License-Identifier: MIT
#include "report/summary.h"

#include <algorithm>
#include <cstdio>
#include <unordered_map>

#include "base/text.h"
#include "record/left_out.h"

namespace graphnet::report {

namespace {

void count_ok(const ResultRow& row, BackendSummary& summary, std::vector<double>& speedups) {
  ++summary.num_ok;
  ++summary.timing[row.timing.empty() ? "no interval" : row.timing.text()];
  ++summary.verdicts[verdict_kind(row.verdict)];
  if (row.compile_ns) summary.compile_ns.push_back(*row.compile_ns);
  if (row.eager_ns && row.plugin_ns) {
    summary.eager_sum_ns += *row.eager_ns;
    summary.plugin_sum_ns += *row.plugin_ns;
  }
  if (row.counts_in_means()) {
    speedups.push_back(*row.speedup);
  } else {
    ++summary.left_out[row.left_out.empty() ? name_of(record::LeftOut::kNoSpeedup) : row.left_out];
  }
}

bool has_speedup(const ResultRow& row) {
  return row.speedup && *row.speedup > 0;
}

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return quantile(values, 0.5);
}

}  // namespace

std::string verdict_kind(const record::Verdict& verdict) {
  return verdict.empty() ? "none" : verdict.kind.text();
}

std::string counts_text(const std::map<std::string, int>& counts) {
  std::vector<std::pair<std::string, int>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> parts;
  for (const auto& [name, count] : sorted) parts.push_back(std::to_string(count) + " " + name);
  return base::join(parts, ", ");
}

std::string ratio_text(double ratio) {
  char text[64];
  std::snprintf(text, sizeof text, ratio < 10 ? "%.3f" : ratio < 100 ? "%.2f" : "%.1f", ratio);
  return text;
}

std::string mean_text(const GeometricMean& mean) {
  if (mean.count == 0) return "-";
  const std::string value = ratio_text(mean.value) + "x ";
  if (!mean.has_interval) return value + "(no interval)";
  return value + "[" + ratio_text(mean.low) + ", " + ratio_text(mean.high) + "]";
}

std::vector<BackendSummary> summarise(const Report& report) {
  std::vector<BackendSummary> summaries(report.backends.size());
  std::vector<std::vector<double>> speedups(report.backends.size());
  for (const ResultRow& row : report.rows) {
    if (row.backend >= summaries.size()) continue;
    BackendSummary& summary = summaries[row.backend];
    for (const auto& flag : row.flags) ++summary.flags[flag.text()];
    if (row.is_not_run()) {
      ++summary.not_run[row.left_out];
      continue;
    }
    ++summary.num_samples;
    if (row.is_ok()) {
      count_ok(row, summary, speedups[row.backend]);
    } else {
      ++summary.failures[row.outcome.text()];
    }
  }
  for (std::size_t i = 0; i < summaries.size(); ++i) {
    summaries[i].name = report.backends[i];
    summaries[i].speedup = geometric_mean(speedups[i]);
    std::sort(summaries[i].compile_ns.begin(), summaries[i].compile_ns.end());
    summaries[i].median_speedup = median_of(speedups[i]);
  }
  return summaries;
}

std::vector<SpeedupGroup> speedup_groups(const Report& report) {
  std::vector<SpeedupGroup> groups(report.backends.size());
  for (std::size_t i = 0; i < groups.size(); ++i) groups[i].name = report.backends[i];
  for (const ResultRow& row : report.rows) {
    if (row.backend >= groups.size()) continue;
    if (row.counts_in_means()) {
      groups[row.backend].speedups.push_back(*row.speedup);
    } else if (!row.is_ok() && !row.is_not_run()) {
      ++groups[row.backend].failures[row.outcome.text()];
    } else if (has_speedup(row)) {
      groups[row.backend].doubtful.push_back(*row.speedup);
    } else {
      ++groups[row.backend].num_without_speedup;
    }
  }
  return groups;
}

ScatterInput scatter_input(const Report& report, std::size_t x_backend, std::size_t y_backend) {
  ScatterInput input;
  input.x_name = report.backends[x_backend];
  input.y_name = report.backends[y_backend];
  std::unordered_map<std::string, const ResultRow*> of_x;
  for (const ResultRow& row : report.rows) {
    if (row.backend == x_backend && !row.is_not_run()) of_x[row.sample] = &row;
  }
  for (const ResultRow& y : report.rows) {
    if (y.backend != y_backend || y.is_not_run()) continue;
    const auto found = of_x.find(y.sample);
    if (found == of_x.end()) continue;
    const ResultRow& x = *found->second;
    // Ok without a speedup is neither a failure nor anything to show.
    if ((x.is_ok() && !has_speedup(x)) || (y.is_ok() && !has_speedup(y))) continue;
    if (x.is_ok() && y.is_ok()) {
      const bool counts = x.counts_in_means() && y.counts_in_means();
      (counts ? input.both : input.doubtful).push_back({*x.speedup, *y.speedup});
    } else if (x.is_ok()) {
      input.only_x.push_back(*x.speedup);
    } else if (y.is_ok()) {
      input.only_y.push_back(*y.speedup);
    } else {
      ++input.neither;
    }
  }
  return input;
}

std::vector<GroupRow> group_rows(const Report& report, GroupKey key) {
  struct Counted {
    std::vector<GroupRow::Entry> entries;
    std::vector<std::vector<double>> speedups;
    int num_samples = 0;
  };
  const std::size_t num_backends = report.backends.size();
  std::map<std::string, Counted> groups;
  for (const ResultRow& row : report.rows) {
    if (row.backend >= num_backends) continue;
    Counted& group = groups[row.*key];
    group.entries.resize(num_backends);
    group.speedups.resize(num_backends);
    ++group.num_samples;
    ++group.entries[row.backend].num_samples;
    group.entries[row.backend].num_ok += row.is_ok() ? 1 : 0;
    if (row.counts_in_means()) group.speedups[row.backend].push_back(*row.speedup);
  }
  std::vector<std::pair<int, GroupRow>> sorted;
  for (auto& [name, group] : groups) {
    for (std::size_t i = 0; i < num_backends; ++i) {
      group.entries[i].mean = geometric_mean(group.speedups[i]);
    }
    sorted.push_back({group.num_samples, {name, std::move(group.entries)}});
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<GroupRow> rows;
  for (auto& [count, row] : sorted) rows.push_back(std::move(row));
  return rows;
}

}  // namespace graphnet::report
