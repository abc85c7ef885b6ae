// SPDX-License-Identifier: MIT
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/flag_values.h"
#include "report/comparison.h"
#include "report/read_report.h"
#include "report/terminal_text.h"

namespace graphnet::cli {

namespace fs = std::filesystem;
using base::Code;
using base::Result;
using base::Status;
using report::ComparedSide;
using report::Comparison;
using report::Report;

namespace {

/// Flags of `graphnet compare` as text.
struct CompareFlags {
  std::vector<std::string> sides;
  std::vector<std::string> results;
  std::optional<std::string> metric;
  std::optional<std::string> threshold;
};

Result<report::CompareSettings> read_settings(const CompareFlags& flags) {
  report::CompareSettings settings;
  if (flags.metric) {
    const auto metric = report::metric_from_name(*flags.metric);
    if (!metric) {
      return Status(Code::kUsage,
                    "--metric must be speedup, plugin or eager, got '" + *flags.metric + "'");
    }
    settings.metric = *metric;
  }
  GN_ASSIGN_OR_RETURN(const auto percent, read_number("--threshold", flags.threshold));
  if (percent && !(*percent >= 0 && *percent < 100)) {
    return Status(Code::kUsage, "--threshold must be a percentage from 0 to below 100, got '" +
                                    *flags.threshold + "'");
  }
  if (percent) settings.threshold = *percent / 100;
  return settings;
}

Result<Report> read_results(const std::vector<std::string>& paths) {
  report::ReadReportSettings settings;
  settings.score.resamples = 0;  // no band is shown
  return report::read_report({paths.begin(), paths.end()}, settings);
}

ComparedSide side_of(const Report& report, std::size_t backend, const std::string& name) {
  ComparedSide side;
  side.name = name;
  side.noise_floor = report.noise_floor;
  for (const report::ResultRow& row : report.rows) {
    if (row.backend == backend) side.rows.push_back(&row);
  }
  return side;
}

Result<std::size_t> find_backend(const Report& report, const std::string& name) {
  const auto found = std::find(report.backends.begin(), report.backends.end(), name);
  if (found != report.backends.end()) {
    return static_cast<std::size_t>(found - report.backends.begin());
  }
  return Status(Code::kInput, "no backend '" + name + "' in the results")
      .add_hint("backends: " + base::join(report.backends, ", "));
}

std::vector<std::pair<std::size_t, std::size_t>> shared_backends(const Report& a, const Report& b) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t i = 0; i < a.backends.size(); ++i) {
    const auto found = std::find(b.backends.begin(), b.backends.end(), a.backends[i]);
    if (found == b.backends.end()) continue;
    pairs.emplace_back(i, static_cast<std::size_t>(found - b.backends.begin()));
  }
  // One backend on either side can only be meant for the other, whatever they are called.
  if (pairs.empty() && a.backends.size() == 1 && b.backends.size() == 1) pairs.emplace_back(0, 0);
  return pairs;
}

Result<std::vector<Comparison>> compare_files(const CompareFlags& flags,
                                              const report::CompareSettings& settings) {
  GN_ASSIGN_OR_RETURN(const Report a, read_results({flags.sides[0]}));
  GN_ASSIGN_OR_RETURN(const Report b, read_results({flags.sides[1]}));
  const auto pairs = shared_backends(a, b);
  if (pairs.empty()) {
    return Status(Code::kInput, "the two results have no backend in common")
        .add_hint("A has " + base::join(a.backends, ", ") + "; B has " +
                  base::join(b.backends, ", "));
  }
  std::vector<Comparison> comparisons;
  for (const auto& [of_a, of_b] : pairs) {
    comparisons.push_back(
        report::compare(side_of(a, of_a, a.backends[of_a] + " in " + flags.sides[0]),
                        side_of(b, of_b, b.backends[of_b] + " in " + flags.sides[1]), settings));
  }
  return comparisons;
}

Result<std::vector<Comparison>> compare_backends(const CompareFlags& flags,
                                                 const report::CompareSettings& settings) {
  GN_ASSIGN_OR_RETURN(const Report report, read_results(flags.results));
  GN_ASSIGN_OR_RETURN(const std::size_t a, find_backend(report, flags.sides[0]));
  GN_ASSIGN_OR_RETURN(const std::size_t b, find_backend(report, flags.sides[1]));
  return std::vector<Comparison>{report::compare(side_of(report, a, flags.sides[0]),
                                                 side_of(report, b, flags.sides[1]), settings)};
}

Result<std::vector<Comparison>> compare_sides(const CompareFlags& flags) {
  if (flags.sides.size() != 2) {
    return Status(Code::kUsage, "compare needs two results files, or two backends and --results")
        .add_hint("graphnet compare before.jsonl after.jsonl");
  }
  GN_ASSIGN_OR_RETURN(const report::CompareSettings settings, read_settings(flags));
  if (!flags.results.empty()) return compare_backends(flags, settings);
  for (const std::string& side : flags.sides) {
    std::error_code error;
    if (fs::exists(side, error)) continue;
    return Status(Code::kInput, "no results file '" + side + "'")
        .add_hint("to compare two backends, name their results: --results FILE");
  }
  return compare_files(flags, settings);
}

Result<int> execute(const Context& context, const CompareFlags& flags) {
  GN_ASSIGN_OR_RETURN(const std::vector<Comparison> comparisons, compare_sides(flags));
  bool is_regression = false;
  for (const Comparison& one : comparisons) {
    if (one.samples.empty()) {
      return Status(Code::kInput,
                    "no sample was run by both '" + one.name_a + "' and '" + one.name_b + "'");
    }
    is_regression = is_regression || one.is_regression();
  }
  if (context.flags.json) {
    std::cout << base::dump_json(report::comparison_json(comparisons)) << '\n';
  } else {
    for (std::size_t i = 0; i < comparisons.size(); ++i) {
      std::cout << (i > 0 ? "\n" : "") << report::comparison_text(comparisons[i]);
    }
  }
  return is_regression ? kExitSampleFailed : kExitDone;
}

}  // namespace

Command compare_command() {
  const auto flags = std::make_shared<CompareFlags>();
  Command command;
  command.summary = "two sets of results, sample by sample, with intervals";
  command.description =
      "Pairs the results of A and B by sample and says how many times faster B is: the geometric\n"
      "mean with its interval, and each sample that became slower, faster, broken or mended. Of "
      "two\n"
      "files every backend that both have is compared, or the only one of each; with --results, A\n"
      "and B are two backends of those results. The exit code is 1 for a regression: a sample is\n"
      "broken or slower by more than the threshold, or the mean is, each with its whole interval.\n"
      "Two machines: run the same samples on both and compare the files with --metric plugin or\n"
      "--metric eager (upstream's test_reference_device and test_target_device). Where both were\n"
      "run with --digest, it says of how many samples inputs and outputs have the same bits.";
  command.usage = "compare A B [options]";
  command.positionals = {
      "A|B", "two results files, or two backends of --results", &flags->sides, {}, "FILE"};
  command.flags = {
      {"--results", "FILE", "results that hold backends A and B; may repeat", &flags->results},
      {"--metric", "speedup|plugin|eager",
       "what is compared: the speedup over eager, in which drift of the machine cancels, or the "
       "time of one side; default: speedup",
       &flags->metric},
      {"--threshold", "PERCENT",
       "ignore smaller changes; default: 5, at least the noise floor of the controls",
       &flags->threshold},
  };
  command.examples = {
      {"graphnet compare before.jsonl after.jsonl", "did a change cost speed or correctness"},
      {"graphnet compare acme acme+fast --results results", "two backends on the same samples"},
      {"graphnet compare reference.jsonl target.jsonl --metric eager", "two machines"}};
  command.execute = [flags](const Context& context) { return execute(context, *flags); };
  return command;
}

}  // namespace graphnet::cli
