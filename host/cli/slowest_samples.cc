// SPDX-License-Identifier: MIT
#include "cli/slowest_samples.h"

#include <algorithm>

#include "base/text.h"
#include "report/terminal_text.h"
#include "report/text_table.h"

namespace graphnet::cli {

namespace {

constexpr double kLeastShownShare = 0.01;

}  // namespace

void SlowestSamples::add(const record::Record& record) {
  Entry entry;
  entry.sample = record.sample;
  entry.backend = record.backend_name();
  for (const auto& [name, ns] : record.phases_ns.items()) {
    if (!ns.is_number()) continue;
    entry.phases.push_back({name, ns.get<double>()});
    entry.total_ns += entry.phases.back().ns;
  }
  if (entry.phases.empty()) return;
  std::stable_sort(entry.phases.begin(), entry.phases.end(),
                   [](const Phase& a, const Phase& b) { return a.ns > b.ns; });
  entries_.push_back(std::move(entry));
}

std::string SlowestSamples::text() const {
  if (entries_.empty()) return "";
  std::vector<const Entry*> slowest;
  for (const Entry& entry : entries_) slowest.push_back(&entry);
  std::stable_sort(slowest.begin(), slowest.end(),
                   [](const Entry* a, const Entry* b) { return a->total_ns > b->total_ns; });
  if (count_ > 0) slowest.resize(std::min(count_, slowest.size()));
  const std::string text = "slowest " + std::to_string(slowest.size()) + " of " +
                           std::to_string(entries_.size()) + ", by phase\n";
  std::vector<report::Cells> rows;
  for (const Entry* entry : slowest) {
    std::vector<std::string> phases;
    for (const Phase& phase : entry->phases) {
      if (phase.ns < kLeastShownShare * entry->total_ns) continue;
      phases.push_back(phase.name + " " + base::format_duration(phase.ns));
    }
    rows.push_back({report::printable(entry->sample), report::printable(entry->backend),
                    base::format_duration(entry->total_ns) + ": " +
                        report::printable(base::join(phases, ", "))});
  }
  return text + report::text_table(rows, "  ", 3);
}

}  // namespace graphnet::cli
