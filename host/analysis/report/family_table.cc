// SPDX-License-Identifier: MIT
#include "report/family_table.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "report/summary.h"
#include "report/table_columns.h"
#include "report/terminal_text.h"

namespace graphnet::report {

namespace {

constexpr const char* kAll = "all";

/// What is counted of a family before it is a row.
struct Counted {
  std::set<std::string> samples;
  std::set<std::string> common;
  std::vector<FamilyEntry> entries;
  std::vector<std::vector<double>> speedups;  // one list a backend, of the common samples
};

void count(const ResultRow& row, std::size_t index, bool is_common, Counted& family) {
  family.samples.insert(row.sample);
  if (is_common) family.common.insert(row.sample);
  FamilyEntry& entry = family.entries[index];
  ++entry.num_samples;
  if (!row.is_ok()) {
    ++entry.not_ok[row.is_not_run() ? row.left_out : row.outcome.text()];
    return;
  }
  ++entry.num_ok;
  if (row.compile_ns) entry.compile_ns.push_back(*row.compile_ns);
  if (row.peak_bytes) entry.peak_bytes.push_back(*row.peak_bytes);
  if (is_common && row.counts_in_means()) family.speedups[index].push_back(*row.speedup);
}

Family finished(const std::string& name, Counted counted) {
  Family family{name, static_cast<int>(counted.samples.size()),
                static_cast<int>(counted.common.size()), std::move(counted.entries)};
  for (std::size_t i = 0; i < family.entries.size(); ++i) {
    FamilyEntry& entry = family.entries[i];
    entry.common = geometric_mean(counted.speedups[i]);
    std::sort(entry.compile_ns.begin(), entry.compile_ns.end());
    std::sort(entry.peak_bytes.begin(), entry.peak_bytes.end());
  }
  return family;
}

std::string duration_at(const std::vector<double>& sorted, double part) {
  return sorted.empty() ? "-" : base::format_duration(quantile(sorted, part));
}

std::string bytes_at(const std::vector<double>& sorted, double part) {
  return sorted.empty()
             ? "-"
             : base::format_bytes(static_cast<unsigned long long>(quantile(sorted, part)));
}

}  // namespace

std::vector<Family> families(const Report& report, const Headline& headline) {
  // Indices of the headline's backends among those of the report.
  std::map<std::size_t, std::size_t> indices;
  Counted none;
  for (const BackendHeadline& backend : headline.backends) {
    const auto found = std::find(report.backends.begin(), report.backends.end(), backend.name);
    indices[static_cast<std::size_t>(found - report.backends.begin())] = none.entries.size();
    none.entries.emplace_back().backend = backend.name;
    none.speedups.emplace_back();
  }
  const std::set<std::string> common(headline.common.begin(), headline.common.end());
  std::map<std::string, Counted> counted;
  Counted all = none;
  for (const ResultRow& row : report.rows) {
    const auto index = indices.find(row.backend);
    if (index == indices.end()) continue;
    const bool is_common = common.count(row.sample) > 0;
    Counted& family = counted.try_emplace(row.family, none).first->second;
    count(row, index->second, is_common, family);
    count(row, index->second, is_common, all);
  }
  std::vector<Family> made;
  for (auto& [name, family] : counted) made.push_back(finished(name, std::move(family)));
  made.push_back(finished(kAll, std::move(all)));
  return made;
}

std::string family_markdown(const std::vector<Family>& families) {
  std::string text =
      markdown_row({"family", "backend", "ok", "not ok", "common samples", "speedup on them",
                    "compile: median", "90 %", "peak memory: median", "largest"}) +
      markdown_row({"---", "---", "---:", "---", "---:", "---", "---:", "---:", "---:", "---:"});
  for (const Family& family : families) {
    for (const FamilyEntry& entry : family.entries) {
      if (entry.num_samples == 0) continue;
      text +=
          markdown_row({markdown_cell(family.name), markdown_cell(entry.backend),
                        std::to_string(entry.num_ok) + " of " + std::to_string(entry.num_samples),
                        markdown_cell(counts_text(entry.not_ok)), std::to_string(family.num_common),
                        markdown_cell(mean_text(entry.common)), duration_at(entry.compile_ns, 0.5),
                        duration_at(entry.compile_ns, 0.9), bytes_at(entry.peak_bytes, 0.5),
                        bytes_at(entry.peak_bytes, 1)});
    }
  }
  return text;
}

std::string markdown_cell(const std::string& text) {
  std::string cell;
  for (const char c : printable(text)) {
    switch (c) {
      case '<':
        cell += "&lt;";
        break;
      case '&':
        cell += "&amp;";
        break;
      case '|':
      case '\\':
      case '`':
      case '*':
      case '_':
      case '[':
      case '@':
        cell += '\\';
        [[fallthrough]];
      default:
        cell += c;
    }
  }
  return cell.empty() ? "-" : cell;
}

std::string markdown_row(const std::vector<std::string>& cells) {
  return "| " + base::join(cells, " | ") + " |\n";
}

}  // namespace graphnet::report
