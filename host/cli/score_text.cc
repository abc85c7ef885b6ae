// SPDX-License-Identifier: MIT
#include "cli/score_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <sstream>
#include <utility>

#include "base/text.h"
#include "report/terminal_text.h"
#include "report/text_table.h"

namespace graphnet::cli {

using score::Band;
using score::Column;
using score::MacroParameters;
using score::Point;
using score::ScoreSet;

namespace {

using report::Cells;
using report::text_table;

std::string format(const char* pattern, double value) {
  std::array<char, 64> text = {};
  std::snprintf(text.data(), text.size(), pattern, value);
  return text.data();
}

std::string score_cell(double value, const Band& band, bool has_bands) {
  std::string text = format("%.3f", value);
  if (has_bands) text += " [" + format("%.3f", band.low) + ", " + format("%.3f", band.high) + "]";
  return text;
}

using CellOf = std::string (*)(const Point&, bool has_bands);

std::string s_cell(const Point& point, bool has_bands) {
  return score_cell(point.s, point.s_band, has_bands);
}

std::string es_cell(const Point& point, bool has_bands) {
  return score_cell(point.es, point.es_band, has_bands);
}

/// One line a level from `first` on, one column for each of the set.
std::string level_table(const ScoreSet& set, int first, CellOf cell, bool has_bands) {
  Cells head = {"t"};
  for (const Column& column : set.columns) head.push_back(report::printable(column.label));
  std::vector<Cells> rows = {std::move(head)};
  for (int t = first; t <= score::last_level(set.settings.interpretation); ++t) {
    Cells row = {std::to_string(t)};
    for (const Column& column : set.columns) {
      const std::size_t level = score::level_index(t);
      row.push_back(level < column.points.size() ? cell(column.points[level], has_bands) : "-");
    }
    rows.push_back(std::move(row));
  }
  return text_table(rows, "  ");
}

bool fits(const std::string& table, int width) {
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    if (width > 0 && report::display_width(line) > width) return false;
  }
  return true;
}

/// With bands where there is room for them.
std::string level_table(const ScoreSet& set, int first, CellOf cell, int width) {
  const bool has_bands = set.settings.resamples > 0;
  std::string table = level_table(set, first, cell, has_bands);
  return fits(table, width) ? table : level_table(set, first, cell, false);
}

std::string head_line(const ScoreSet& set) {
  const auto& settings = set.settings;
  std::string text = "p = " + format("%g", settings.penalty) +
                     ", b = " + format("%g", settings.fail_base) + ", interpretation " +
                     score::interpretation_name(settings.interpretation);
  if (settings.resamples > 0) {
    text += ", [" + format("%g", 100 * settings.confidence) + " % band] from " +
            std::to_string(settings.resamples) + " resamples of the samples";
  }
  if (settings.compat) text += ", classes as upstream";
  return text + "\n";
}

/// "3 degenerate, 1 skipped".
std::string counts_text(const std::map<std::string, int>& counts) {
  std::vector<std::string> parts;
  for (const auto& [what, count] : counts) parts.push_back(std::to_string(count) + " " + what);
  return report::printable(base::join(parts, ", "));
}

std::map<std::string, int> failures_by_name(const Column& column) {
  std::map<std::string, int> named;
  const auto counts = column.failure_counts();
  for (std::size_t i = 1; i < counts.size(); ++i) {
    if (counts[i] > 0) named[score::failure_name(static_cast<score::Failure>(i))] = counts[i];
  }
  return named;
}

std::string pi_text(const MacroParameters& macro) {
  std::vector<std::string> parts;
  for (std::size_t i = 1; i < macro.pi.size(); ++i) {
    if (macro.pi[i] == 0) continue;
    parts.push_back(std::string(score::failure_name(static_cast<score::Failure>(i))) + " " +
                    format("%.3f", macro.pi[i]));
  }
  return parts.empty() ? "-" : base::join(parts, " ");
}

Cells macro_cells(const MacroParameters& macro) {
  return {std::to_string(macro.correct) + " of " + std::to_string(macro.samples),
          format("%.3f", macro.alpha),
          format("%.3f", macro.beta),
          format("%.3f", macro.lambda),
          format("%.3f", macro.eta),
          format("%.3f", macro.gamma),
          pi_text(macro)};
}

/// Macro parameters of a column; neighbouring levels that read the same share a line.
std::string macro_table(const Column& column) {
  std::vector<Cells> rows = {{"t", "correct", "alpha", "beta", "lambda", "eta", "gamma", "pi"}};
  for (std::size_t i = 0; i < column.points.size();) {
    const Cells cells = macro_cells(column.points[i].macro);
    std::size_t last = i;
    while (last + 1 < column.points.size() && macro_cells(column.points[last + 1].macro) == cells) {
      ++last;
    }
    std::string levels = std::to_string(column.points[i].t);
    if (last > i) levels += " to " + std::to_string(column.points[last].t);
    Cells row = {levels};
    row.insert(row.end(), cells.begin(), cells.end());
    rows.push_back(std::move(row));
    i = last + 1;
  }
  return text_table(rows, "  ");
}

std::string column_text(const Column& column) {
  const std::size_t total = column.rows.size() + column.left_out.size();
  std::string text = report::printable(column.label) + ": " + std::to_string(column.rows.size()) +
                     " of " + std::to_string(total) + " results counted";
  const auto left_out = column.left_out_counts();
  if (!left_out.empty()) text += "; left out: " + counts_text(left_out);
  const bool can_be_kept = std::any_of(column.left_out.begin(), column.left_out.end(),
                                       [](const score::Row& row) { return row.can_be_kept; });
  if (can_be_kept) text += " (see --keep)";
  if (column.superseded > 0) {
    text += "; " + std::to_string(column.superseded) + " superseded by a later result";
  }
  const auto failures = failures_by_name(column);
  if (!failures.empty()) text += "; failed: " + counts_text(failures);
  return text + "\n" + (column.points.empty() ? "" : macro_table(column));
}

std::string aggregate_lines(const ScoreSet& set) {
  std::vector<Cells> rows;
  for (const Column& column : set.columns) {
    if (column.points.empty()) continue;
    std::string band;
    if (set.settings.resamples > 0) {
      band = "[" + format("%.4f", column.aggregate_band.low) + ", " +
             format("%.4f", column.aggregate_band.high) + "]";
    }
    rows.push_back({report::printable(column.label), format("%.4f", column.aggregate), band,
                    format("= %.3fx", std::pow(10, column.aggregate))});
  }
  return rows.empty() ? "" : "\nscore, weighted mean of log10 ES(t):\n" + text_table(rows, "  ");
}

}  // namespace

std::string score_text(const ScoreSet& set, int width) {
  std::string text = head_line(set) + "\nS(t):\n" +
                     level_table(set, score::kFirstLevel, s_cell, width) +
                     "\nES(t), equal to S(t) below t = 1:\n" + level_table(set, 1, es_cell, width) +
                     aggregate_lines(set);
  for (const Column& column : set.columns) text += "\n" + column_text(column);
  return text + "\nper-sample and aggregated form differ by at most " +
         format("%.1g", set.largest_form_difference) + " of the value\n";
}

}  // namespace graphnet::cli
