// SPDX-License-Identifier: MIT
#include "report/range_times.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>

#include "base/resampling.h"
#include "base/text.h"
#include "report/distribution.h"
#include "report/terminal_text.h"
#include "report/text_table.h"

namespace graphnet::report {

namespace {

using base::Json;

constexpr int kResamples = 1000;
constexpr std::uint64_t kSeed = 123;
constexpr int kLongestBar = 30;
constexpr int kShortestBar = 8;
constexpr int kMaxCallCells = 36;

using Times = std::vector<double>;

/// Medians of a beginning's times; the first ones are of the times themselves, the others of
/// resampled ones.
struct Medians {
  Times base;
  Times backend;
  Times gain;
};

double median_of(Times times) {
  std::sort(times.begin(), times.end());
  return quantile(times, 0.5);
}

void add_medians(const Times& base, const Times& backend, bool is_paired, Medians& medians) {
  medians.base.push_back(median_of(base));
  medians.backend.push_back(median_of(backend));
  if (!is_paired) {
    medians.gain.push_back(medians.base.back() - medians.backend.back());
    return;
  }
  Times differences;
  for (std::size_t i = 0; i < base.size(); ++i) differences.push_back(base[i] - backend[i]);
  medians.gain.push_back(median_of(std::move(differences)));
}

Medians resampled_medians(const MeasuredBeginning& beginning, std::mt19937_64& generator) {
  const Times& base = beginning.base_ns;
  const Times& backend = beginning.backend_ns;
  const bool is_paired = beginning.is_paired && base.size() == backend.size();
  Medians medians;
  add_medians(base, backend, is_paired, medians);
  Times base_draw(base.size());
  Times backend_draw(backend.size());
  for (int i = 0; i < kResamples && !base.empty() && !backend.empty(); ++i) {
    for (std::size_t k = 0; k < base.size(); ++k) {
      const std::size_t drawn = graphnet::base::draw_index(generator, base.size());
      base_draw[k] = base[drawn];
      if (is_paired) backend_draw[k] = backend[drawn];
    }
    for (std::size_t k = 0; k < backend.size() && !is_paired; ++k) {
      backend_draw[k] = backend[graphnet::base::draw_index(generator, backend.size())];
    }
    add_medians(base_draw, backend_draw, is_paired, medians);
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

/// One row of cells a range, without its bar.
std::vector<Cells> cells_of(const RangeReport& report) {
  std::vector<Cells> rows = {
      {"lines", "calls", report.base, report.backend, "gain", "95 % interval"}};
  for (const RangeTime& range : report.ranges) {
    rows.push_back(
        {std::to_string(range.first_line) + "-" + std::to_string(range.last_line),
         cut_to_width(range.calls, kMaxCallCells), signed_duration(range.base.ns),
         signed_duration(range.backend.ns), signed_duration(range.gain.ns),
         "[" + signed_duration(range.gain.low) + ", " + signed_duration(range.gain.high) + "]"});
  }
  for (Cells& row : rows) {
    for (std::string& cell : row) cell = printable(cell);
  }
  return rows;
}

/// Ranges add up to the times of the program.
std::string whole_line(const RangeReport& report) {
  if (report.ranges.empty()) return "";
  double backend_ns = 0;
  double base_ns = 0;
  for (const RangeTime& range : report.ranges) {
    backend_ns += range.backend.ns;
    base_ns += range.base.ns;
  }
  return printable("whole sample: " + report.backend + " " + base::format_duration(backend_ns) +
                   ", " + report.base + " " + base::format_duration(base_ns)) +
         "\n";
}

Json json_of(const AddedTime& added) {
  return Json::array({added.ns, added.low, added.high});
}

}  // namespace

std::vector<RangeTime> range_times(const std::vector<MeasuredBeginning>& beginnings,
                                   double noise_floor) {
  // NOLINTNEXTLINE(bugprone-random-generator-seed): the same records give the same intervals
  std::mt19937_64 generator(kSeed);
  std::vector<RangeTime> ranges;
  Medians before;
  int first_line = 1;
  for (const MeasuredBeginning& beginning : beginnings) {
    Medians medians = resampled_medians(beginning, generator);
    RangeTime range;
    range.first_line = first_line;
    range.last_line = beginning.last_line;
    range.calls = beginning.calls;
    range.base = with_interval(difference(medians.base, before.base));
    range.backend = with_interval(difference(medians.backend, before.backend));
    range.gain = with_interval(difference(medians.gain, before.gain));
    const double noise_ns = noise_floor * medians.base.front();
    range.gain.low -= noise_ns;
    range.gain.high += noise_ns;
    ranges.push_back(std::move(range));
    before = std::move(medians);
    first_line = beginning.last_line + 1;
  }
  return ranges;
}

std::string range_text(const RangeReport& report, int width) {
  // The last column is to the right, so that lines are equally long.
  const std::vector<std::string> lines = aligned_lines(cells_of(report), 2);
  const int taken = display_width(lines.front()) + 2;
  const int longest =
      width > 0 ? std::clamp(width - taken, kShortestBar, kLongestBar) : kLongestBar;
  double largest = 0;
  for (const RangeTime& range : report.ranges) {
    if (range.gain.is_clear()) largest = std::max(largest, std::fabs(range.gain.ns));
  }
  std::string text = printable(report.sample + ": " + report.backend + " against " + report.base +
                               ", protocol " + report.protocol) +
                     "\n" + whole_line(report);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string bar = i == 0 ? "" : bar_of(report.ranges[i - 1], largest, longest);
    text += lines[i] + (bar.empty() ? "" : "  " + bar) + "\n";
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
