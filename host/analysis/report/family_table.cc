// SPDX-License-Identifier: MIT
#include "report/family_table.h"

#include <algorithm>
#include <iterator>
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

constexpr FamilyColumn kColumns[] = {
    {"family", false, [](const Family& family, const FamilyEntry&) { return family.name; }},
    {"backend", false, [](const Family&, const FamilyEntry& entry) { return entry.backend; }},
    {"ok", true,
     [](const Family&, const FamilyEntry& entry) {
       return std::to_string(entry.num_ok) + " of " + std::to_string(entry.num_samples);
     }},
    {"not ok", false,
     [](const Family&, const FamilyEntry& entry) { return counts_text(entry.not_ok); }},
    {"common samples", true,
     [](const Family& family, const FamilyEntry&) { return std::to_string(family.num_common); }},
    {"speedup on them", false,
     [](const Family&, const FamilyEntry& entry) { return mean_text(entry.common); }},
    {"compile: median", true,
     [](const Family&, const FamilyEntry& entry) { return duration_at(entry.compile_ns, 0.5); }},
    {"90 %", true,
     [](const Family&, const FamilyEntry& entry) { return duration_at(entry.compile_ns, 0.9); }},
    {"peak memory: median", true,
     [](const Family&, const FamilyEntry& entry) { return bytes_at(entry.peak_bytes, 0.5); }},
    {"largest", true,
     [](const Family&, const FamilyEntry& entry) { return bytes_at(entry.peak_bytes, 1); }},
};

}  // namespace

std::vector<Family> families(const Report& report, const Headline& headline) {
  // Indices of the headline's backends among those of the report.
  std::map<std::size_t, std::size_t> indices;
  Counted none;
  for (const BackendHeadline& backend : headline.backends) {
    indices[backend.backend] = none.entries.size();
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

const std::vector<FamilyColumn>& family_columns() {
  static const std::vector<FamilyColumn> columns(std::begin(kColumns), std::end(kColumns));
  return columns;
}

std::vector<Cells> family_rows(const std::vector<Family>& families) {
  std::vector<Cells> rows;
  for (const Family& family : families) {
    for (const FamilyEntry& entry : family.entries) {
      if (entry.num_samples == 0) continue;
      Cells& cells = rows.emplace_back();
      for (const FamilyColumn& column : kColumns) cells.push_back(column.text(family, entry));
    }
  }
  return rows;
}

std::string family_markdown(const std::vector<Family>& families) {
  Cells heads;
  Cells rules;
  for (const FamilyColumn& column : kColumns) {
    heads.emplace_back(column.name);
    rules.emplace_back(column.is_number ? "---:" : "---");
  }
  std::string text = markdown_row(heads) + markdown_row(rules);
  for (Cells cells : family_rows(families)) {
    for (std::string& cell : cells) cell = markdown_cell(cell);
    text += markdown_row(cells);
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
