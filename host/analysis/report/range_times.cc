// SPDX-License-Identifier: MIT
#include "report/range_times.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>

#include "base/resampling.h"
#include "base/text.h"
#include "report/distribution.h"
#include "report/terminal_text.h"

namespace graphnet::report {

namespace {

using base::Json;

constexpr int kResamples = 1000;
constexpr std::uint64_t kSeed = 123;
constexpr int kLongestBar = 30;
constexpr int kShortestBar = 8;
constexpr int kMaxCallCells = 36;

using Times = std::vector<double>;

/// Medians of resampled times; the first one is of the times themselves.
Times resampled_medians(const Times& times, std::mt19937_64& generator) {
  Times sorted = times;
  std::sort(sorted.begin(), sorted.end());
  Times medians = {quantile(sorted, 0.5)};
  Times draw(times.size());
  for (int i = 0; i < kResamples && !times.empty(); ++i) {
    for (double& value : draw) value = times[base::draw_index(generator, times.size())];
    std::sort(draw.begin(), draw.end());
    medians.push_back(quantile(draw, 0.5));
  }
  return medians;
}

/// Element by element; nothing stands for zeros.
Times difference(Times from, const Times& less) {
  for (std::size_t i = 0; i < from.size() && i < less.size(); ++i) from[i] -= less[i];
  return from;
}

AddedTime with_interval(Times draws) {
  AddedTime added;
  added.ns = draws.front();
  std::sort(draws.begin() + 1, draws.end());
  const Times sorted(draws.begin() + 1, draws.end());
  added.low = quantile(sorted, (1 - kConfidence) / 2);
  added.high = quantile(sorted, (1 + kConfidence) / 2);
  return added;
}

std::string signed_duration(double ns) {
  const std::string text = base::format_duration(std::fabs(ns));
  return (ns < 0 ? "-" : "+") + text;
}

std::string bar_of(const RangeTime& range, double largest, int longest) {
  if (!range.gain.is_clear() || !(largest > 0)) return "";
  const auto length = std::lround(longest * std::fabs(range.gain.ns) / largest);
  return std::string(static_cast<std::size_t>(std::max(1L, length)), range.gain.ns > 0 ? '+' : '-');
}

/// One row of cells a range; the last one is its bar.
std::vector<std::vector<std::string>> cells_of(const RangeReport& report) {
  std::vector<std::vector<std::string>> rows = {
      {"lines", "calls", report.base, report.backend, "gain", "95 % interval"}};
  for (const RangeTime& range : report.ranges) {
    rows.push_back(
        {std::to_string(range.first_line) + "-" + std::to_string(range.last_line),
         cut_to_width(range.calls, kMaxCallCells), signed_duration(range.base.ns),
         signed_duration(range.backend.ns), signed_duration(range.gain.ns),
         "[" + signed_duration(range.gain.low) + ", " + signed_duration(range.gain.high) + "]"});
  }
  for (auto& row : rows) {
    for (std::string& cell : row) cell = printable(cell);
  }
  return rows;
}

Json json_of(const AddedTime& added) {
  return Json::array({added.ns, added.low, added.high});
}

}  // namespace

std::vector<RangeTime> range_times(const std::vector<MeasuredBeginning>& beginnings) {
  std::mt19937_64 generator(kSeed);
  std::vector<RangeTime> ranges;
  Times base_before;
  Times backend_before;
  int first_line = 1;
  for (const MeasuredBeginning& beginning : beginnings) {
    const Times base = resampled_medians(beginning.base_ns, generator);
    const Times backend = resampled_medians(beginning.backend_ns, generator);
    const Times base_added = difference(base, base_before);
    const Times backend_added = difference(backend, backend_before);
    ranges.push_back({first_line, beginning.last_line, beginning.calls, with_interval(base_added),
                      with_interval(backend_added),
                      with_interval(difference(base_added, backend_added))});
    base_before = base;
    backend_before = backend;
    first_line = beginning.last_line + 1;
  }
  return ranges;
}

std::string range_text(const RangeReport& report, int width) {
  const auto rows = cells_of(report);
  std::vector<int> widths(rows.front().size(), 0);
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(row[i]));
    }
  }
  int taken = 0;
  for (const int one : widths) taken += one + 2;
  const int longest =
      width > 0 ? std::clamp(width - taken, kShortestBar, kLongestBar) : kLongestBar;
  double largest = 0;
  for (const RangeTime& range : report.ranges) {
    if (range.gain.is_clear()) largest = std::max(largest, std::fabs(range.gain.ns));
  }
  std::string text = printable(report.sample + ": " + report.backend + " against " + report.base +
                               ", protocol " + report.protocol) +
                     "\n";
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::string line;
    for (std::size_t i = 0; i < rows[r].size(); ++i) {
      const auto pad = i < 2 ? pad_right : pad_left;
      line += pad(rows[r][i], widths[i]) + "  ";
    }
    if (r > 0) line += bar_of(report.ranges[r - 1], largest, longest);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  for (const std::string& note : report.notes) text += printable(note) + "\n";
  return text;
}

base::Json range_json(const RangeReport& report) {
  Json ranges = Json::array();
  for (const RangeTime& range : report.ranges) {
    ranges.push_back({{"first_line", range.first_line},
                      {"last_line", range.last_line},
                      {"calls", range.calls},
                      {"base_ns", json_of(range.base)},
                      {"backend_ns", json_of(range.backend)},
                      {"gain_ns", json_of(range.gain)}});
  }
  return {{"schema", "graphnet.explain/1"}, {"sample", report.sample},
          {"backend", report.backend},      {"base", report.base},
          {"protocol", report.protocol},    {"ranges", ranges},
          {"notes", report.notes}};
}

}  // namespace graphnet::report
