// SPDX-License-Identifier: MIT
#include "report/thread_scaling.h"

#include <cstdio>
#include <map>

#include "base/text.h"
#include "report/summary.h"

namespace graphnet::report {

namespace {

constexpr std::size_t kMaxNamed = 5;

using RowsBySample = std::map<std::string, const ResultRow*>;

RowsBySample rows_that_count(const Report& report, std::size_t backend) {
  RowsBySample rows;
  for (const ResultRow& row : report.rows) {
    const bool has_times = row.eager_ns && row.plugin_ns && *row.eager_ns > 0 && *row.plugin_ns > 0;
    if (row.backend == backend && row.counts_in_means() && has_times) rows[row.sample] = &row;
  }
  return rows;
}

ThreadScaling compared(const RowsBySample& few, const RowsBySample& many) {
  ThreadScaling scaling;
  std::vector<double> gains;
  std::vector<double> eager_gains;
  for (const auto& [sample, row] : many) {
    const auto found = few.find(sample);
    if (found == few.end()) continue;
    gains.push_back(*found->second->plugin_ns / *row->plugin_ns);
    eager_gains.push_back(*found->second->eager_ns / *row->eager_ns);
    if (gains.back() * kSlowerWithThreads < 1) scaling.slower.push_back(sample);
  }
  scaling.gain = geometric_mean(gains);
  scaling.eager_gain = geometric_mean(eager_gains);
  return scaling;
}

std::string slower_text(const std::vector<std::string>& slower) {
  if (slower.empty()) return "none";
  const std::size_t shown = slower.size() > kMaxNamed ? kMaxNamed : slower.size();
  const auto end = slower.begin() + static_cast<std::ptrdiff_t>(shown);
  std::string text = std::to_string(slower.size()) + ": " + base::join({slower.begin(), end}, ", ");
  if (shown < slower.size()) text += ", ...";
  return text;
}

}  // namespace

std::vector<ThreadScaling> thread_scaling(const Report& report) {
  std::map<std::string, std::size_t> fewest;  // by conditions
  for (std::size_t i = 0; i < report.threads.size(); ++i) {
    const BackendThreads& own = report.threads[i];
    if (own.count <= 0) continue;
    const auto [known, is_new] = fewest.emplace(own.conditions, i);
    if (!is_new && own.count < report.threads[known->second].count) known->second = i;
  }
  std::vector<ThreadScaling> scalings;
  for (std::size_t i = 0; i < report.threads.size(); ++i) {
    if (report.threads[i].count <= 0) continue;
    const std::size_t least = fewest.at(report.threads[i].conditions);
    if (report.threads[i].count <= report.threads[least].count) continue;
    ThreadScaling scaling = compared(rows_that_count(report, least), rows_that_count(report, i));
    scaling.backend = report.threads[i].name;
    scaling.fewest = report.threads[least].count;
    scaling.threads = report.threads[i].count;
    scalings.push_back(std::move(scaling));
  }
  return scalings;
}

const Cells& thread_scaling_heads() {
  static const Cells heads = {"backend",
                              "threads",
                              "samples",
                              "gain",
                              "eager's gain",
                              "efficiency",
                              "slower with more threads"};
  return heads;
}

std::vector<Cells> thread_scaling_rows(const std::vector<ThreadScaling>& scalings) {
  std::vector<Cells> rows;
  for (const ThreadScaling& one : scalings) {
    char efficiency[32] = "-";
    if (one.gain.count > 0) {
      std::snprintf(efficiency, sizeof efficiency, "%.0f %%", 100 * one.efficiency());
    }
    rows.push_back({one.backend,
                    std::to_string(one.threads) + " beside " + std::to_string(one.fewest),
                    std::to_string(one.gain.count), mean_text(one.gain), mean_text(one.eager_gain),
                    efficiency, slower_text(one.slower)});
  }
  return rows;
}

}  // namespace graphnet::report
