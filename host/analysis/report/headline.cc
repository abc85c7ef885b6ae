// SPDX-License-Identifier: MIT
#include "report/headline.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "record/left_out.h"
#include "report/summary.h"
#include "report/terminal_text.h"
#include "report/text_table.h"
#include "score/shared_samples.h"

namespace graphnet::report {

namespace {

using record::Counting;

/// Of each backend its results by sample, one a sample.
using BySample = std::vector<std::map<std::string, const HeadlineResult*>>;

BySample one_a_sample(std::size_t num_backends, const std::vector<HeadlineResult>& results) {
  BySample by_sample(num_backends);
  for (const std::size_t index : counted_indices(results)) {
    const HeadlineResult& result = results[index];
    if (result.backend < num_backends) by_sample[result.backend][result.sample] = &result;
  }
  return by_sample;
}

BackendHeadline count(const std::string& name,
                      const std::map<std::string, const HeadlineResult*>& results) {
  BackendHeadline counted;
  counted.name = name;
  std::vector<double> speedups;
  for (const auto& [sample, result] : results) {
    ++counted.num_samples;
    if (result->counting == Counting::kNotCounted) {
      ++counted.not_run[result->left_out];
    } else if (result->counting == Counting::kFailed) {
      ++counted.failures[result->outcome.text()];
      counted.num_wrong += record::facts_of(result->outcome.value()).is_compared ? 1 : 0;
    } else {
      ++counted.num_ok;
      if (result->has_evidence()) {
        speedups.push_back(*result->speedup);
      } else {
        const std::string none = name_of(record::LeftOut::kNoSpeedup);
        ++counted.left_out[result->left_out.empty() ? none : result->left_out];
      }
    }
  }
  counted.own = geometric_mean(speedups);
  return counted;
}

/// Indices of the backends that have a speedup which counts.
std::vector<std::size_t> with_evidence(const Headline& headline) {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < headline.backends.size(); ++i) {
    if (headline.backends[i].own.count > 0) indices.push_back(i);
  }
  return indices;
}

std::vector<double> speedups_of(const std::map<std::string, const HeadlineResult*>& results,
                                const std::vector<std::string>& samples) {
  std::vector<double> speedups;
  for (const std::string& sample : samples) speedups.push_back(*results.at(sample)->speedup);
  return speedups;
}

/// Fills what compares backends; `results` are in the order of the headline's backends.
void compare(const BySample& results, Headline& headline) {
  const std::vector<std::size_t> indices = with_evidence(headline);
  if (indices.empty()) return;
  std::vector<std::set<std::string>> samples;
  for (const std::size_t index : indices) {
    std::set<std::string>& counted = samples.emplace_back();
    for (const auto& [sample, result] : results[index]) {
      if (result->has_evidence()) counted.insert(sample);
    }
  }
  const std::set<std::string> shared = score::common_samples(samples);
  headline.common.assign(shared.begin(), shared.end());
  headline.fastest = indices.front();
  std::map<std::size_t, std::vector<double>> common;
  for (const std::size_t index : indices) {
    common[index] = speedups_of(results[index], headline.common);
    headline.backends[index].common = geometric_mean(common[index]);
    if (headline.backends[index].common.value > headline.backends[headline.fastest].common.value) {
      headline.fastest = index;
    }
  }
  if (headline.common.empty()) return;
  for (const std::size_t index : indices) {
    if (index == headline.fastest) continue;
    std::vector<double> ratios = common[headline.fastest];
    for (std::size_t i = 0; i < ratios.size(); ++i) ratios[i] /= common[index][i];
    headline.ratios.push_back({index, geometric_mean(ratios)});
  }
  std::stable_sort(headline.ratios.begin(), headline.ratios.end(),
                   [](const auto& a, const auto& b) { return a.faster.value < b.faster.value; });
}

std::string times(double ratio) {
  char text[40];
  std::snprintf(text, sizeof text, "%.2fx", ratio);
  return text;
}

/// Whether the first is neither faster nor slower as far as can be told.
bool is_even(const GeometricMean& ratio, double noise_floor) {
  const bool holds_one = ratio.has_interval && ratio.low <= 1 && ratio.high >= 1;
  return holds_one || std::fabs(ratio.value - 1) <= noise_floor;
}

std::string against(const GeometricMean& ratio, const std::string& other, double noise_floor) {
  if (is_even(ratio, noise_floor)) return "about as fast as " + other;
  const bool is_faster = ratio.value > 1;
  return times(is_faster ? ratio.value : 1 / ratio.value) + (is_faster ? " faster" : " slower") +
         " than " + other;
}

/// "; no speedup that counts: a, b", or nothing.
std::string without_evidence(const Headline& headline) {
  std::vector<std::string> names;
  for (const BackendHeadline& backend : headline.backends) {
    if (backend.own.count == 0) names.push_back(printable(backend.name));
  }
  return names.empty() ? "" : "; no speedup that counts: " + base::join(names, ", ");
}

/// ": 2 unstable", or nothing.
std::string left_out_text(const Headline& headline) {
  std::map<std::string, int> all;
  for (const BackendHeadline& backend : headline.backends) {
    for (const auto& [reason, number] : backend.left_out) all[reason] += number;
  }
  return all.empty() ? "" : ": " + printable(counts_text(all));
}

std::string failures_text(const Headline& headline) {
  std::vector<std::string> wrong;
  std::vector<std::string> failed;
  for (const BackendHeadline& backend : headline.backends) {
    int num_failed = -backend.num_wrong;
    for (const auto& [outcome, number] : backend.failures) num_failed += number;
    const auto add = [&](int number, std::vector<std::string>& parts) {
      if (number == 0) return;
      const std::string name = " (" + printable(backend.name) + ")";
      parts.push_back(base::counted(static_cast<std::size_t>(number), "sample") + name);
    };
    add(backend.num_wrong, wrong);
    add(num_failed, failed);
  }
  std::string text;
  if (!wrong.empty()) text += "; wrong: " + base::join(wrong, ", ");
  if (!failed.empty()) text += "; failed: " + base::join(failed, ", ");
  return text;
}

std::map<std::string, int> in_no_mean(const BackendHeadline& backend) {
  std::map<std::string, int> all = backend.left_out;
  for (const auto* counts : {&backend.failures, &backend.not_run}) {
    for (const auto& [reason, number] : *counts) all[reason] += number;
  }
  return all;
}

Cells cells_of(const BackendHeadline& backend) {
  return {printable(backend.name), mean_text(backend.common),
          mean_text(backend.own) +
              (backend.own.count > 0 ? " of " + std::to_string(backend.own.count) : ""),
          std::to_string(backend.num_ok) + " of " + std::to_string(backend.num_samples),
          printable(counts_text(in_no_mean(backend)))};
}

std::string table_of(const Headline& headline, int width) {
  std::vector<Cells> rows = {{"geometric mean",
                              "common samples: " + std::to_string(headline.common.size()),
                              "own samples", "ok", "in no mean"}};
  for (const BackendHeadline& backend : headline.backends) rows.push_back(cells_of(backend));
  if (headline.backends.size() == 1) {
    for (Cells& row : rows) row.erase(row.begin() + 1);  // what is common to one is its own
  }
  std::vector<std::string> lines = aligned_lines(rows, rows.front().size());
  const bool fits = width == 0 || std::all_of(lines.begin(), lines.end(), [&](const auto& line) {
                      return display_width(line) <= width;
                    });
  std::vector<std::string> below(rows.size());  // the last column, where it has no room
  if (!fits) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (i > 0 && !rows[i].back().empty()) below[i] = "    in no mean: " + rows[i].back();
      rows[i].pop_back();
    }
    lines = aligned_lines(rows, rows.front().size());
  }
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (const std::string& part : wrapped(lines[i], width, 4)) text += part + "\n";
    if (below[i].empty()) continue;
    for (const std::string& part : wrapped(below[i], width, 6)) text += part + "\n";
  }
  return text;
}

}  // namespace

std::vector<std::size_t> counted_indices(const std::vector<HeadlineResult>& results) {
  std::map<std::pair<std::size_t, std::string_view>, std::size_t> last;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const auto [entry, is_new] =
        last.emplace(std::pair(results[i].backend, std::string_view(results[i].sample)), i);
    // A later attempt that was skipped says nothing about an earlier one that ran.
    const bool says_less = results[i].counting == Counting::kNotCounted &&
                           results[entry->second].counting != Counting::kNotCounted;
    if (!is_new && !says_less) entry->second = i;
  }
  std::vector<std::size_t> indices;
  for (const auto& [key, index] : last) indices.push_back(index);
  std::sort(indices.begin(), indices.end());
  return indices;
}

std::vector<Headline> headlines(const std::vector<HeadlineBackend>& backends,
                                const std::vector<HeadlineResult>& results) {
  const BySample by_sample = one_a_sample(backends.size(), results);
  std::vector<Headline> all;
  std::vector<BySample> parts;
  for (std::size_t i = 0; i < backends.size(); ++i) {
    std::size_t index = 0;
    while (index < all.size() && all[index].condition != backends[i].condition) ++index;
    if (index == all.size()) {
      all.emplace_back().condition = backends[i].condition;
      parts.emplace_back();
    }
    all[index].backends.push_back(count(backends[i].name, by_sample[i]));
    all[index].backends.back().backend = i;
    parts[index].push_back(by_sample[i]);
  }
  for (std::size_t i = 0; i < all.size(); ++i) compare(parts[i], all[i]);
  return all;
}

std::vector<Headline> headlines(const Report& report) {
  std::vector<HeadlineBackend> backends;
  for (std::size_t i = 0; i < report.backends.size(); ++i) {
    const bool is_named = i < report.condition_names.size();
    backends.push_back({is_named ? report.condition_names[i] : report.backends[i],
                        i < report.conditions.size() ? report.conditions[i] : ""});
  }
  std::vector<HeadlineResult> results;
  for (const ResultRow& row : report.rows) {
    results.push_back(
        {row.sample, row.backend, row.outcome, row.counting, row.left_out, row.speedup});
  }
  return headlines(backends, results);
}

std::string headline_sentence(const Headline& headline, double noise_floor) {
  const std::vector<std::size_t> indices = with_evidence(headline);
  if (indices.empty())
    return "no speedup to average" + left_out_text(headline) + failures_text(headline);
  const std::string rest = without_evidence(headline) + failures_text(headline);
  const std::string samples = base::counted(headline.common.size(), "common sample");
  if (indices.size() == 1) {
    const BackendHeadline& only = headline.backends[indices.front()];
    return printable(only.name) + " is " + against(only.own, "eager", noise_floor) + " on " +
           base::counted(static_cast<std::size_t>(only.own.count), "sample") + rest;
  }
  if (headline.common.empty()) {
    return "no sample has a speedup with every backend, so they cannot be compared" + rest;
  }
  std::vector<std::string> parts;
  for (const BackendRatio& ratio : headline.ratios) {
    const std::string& other = headline.backends[ratio.other].name;
    parts.push_back(against(ratio.faster, printable(other), noise_floor));
  }
  return printable(headline.backends[headline.fastest].name) + " is " + base::join(parts, ", ") +
         " on " + samples + rest;
}

std::string headline_table(const std::vector<Headline>& headlines, int width) {
  std::string text;
  for (const Headline& headline : headlines) {
    if (headlines.size() > 1) {
      if (!text.empty()) text += "\n";
      for (const std::string& line : wrapped(printable(headline.condition) + ":", width, 4)) {
        text += line + "\n";
      }
    }
    text += table_of(headline, width);
  }
  return text;
}

}  // namespace graphnet::report
