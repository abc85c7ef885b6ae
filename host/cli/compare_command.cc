// SPDX-License-Identifier: MIT
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/suggestion.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/compare_outputs.h"
#include "cli/exit_code.h"
#include "cli/flag_values.h"
#include "cli/output_file.h"
#include "cli/results_files.h"
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
  std::optional<std::string> fail_on;
  std::optional<std::string> junit;
  bool outputs = false;
};

/// What was compared, and what a reader should know of the files.
struct Compared {
  std::vector<Comparison> comparisons;
  std::vector<std::string> notes;
};

/// What --fail-on takes.
std::vector<std::string> cause_names() {
  std::vector<std::string> names;
  for (const auto& cause : report::kRegressionCauses) names.emplace_back(cause.name);
  names.emplace_back("never");
  return names;
}

Result<report::RegressionRule> read_rule(const std::string& text) {
  report::RegressionRule rule;
  for (const auto& cause : report::kRegressionCauses) rule.*cause.member = false;
  if (text == "never") return rule;
  for (const std::string& word : base::split(text, ',')) {
    bool is_known = false;
    for (const auto& cause : report::kRegressionCauses) {
      if (word != cause.name) continue;
      rule.*cause.member = is_known = true;
    }
    if (is_known) continue;
    Status error(Code::kUsage,
                 "--fail-on takes slower, broken, missing, unclear with commas between, or never; "
                 "got '" +
                     word + "'");
    base::add_suggestion(error, word, cause_names());
    return error;
  }
  return rule;
}

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
  if (flags.fail_on) {
    GN_ASSIGN_OR_RETURN(settings.rule, read_rule(*flags.fail_on));
  }
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

/// The backend of this name, or the only one whose plugin has it: "xla" is "xla+rewrites" too.
Result<std::size_t> find_backend(const Report& report, const std::string& name) {
  std::vector<std::size_t> of_plugin;
  std::vector<std::string> names = report.backends;
  for (std::size_t i = 0; i < report.backends.size(); ++i) {
    const std::string& backend = report.backends[i];
    if (backend == name) return i;
    const std::string plugin = backend.substr(0, backend.find('+'));
    if (plugin == name) of_plugin.push_back(i);
    names.push_back(plugin);
  }
  if (of_plugin.size() == 1) return of_plugin[0];
  const bool is_there = !of_plugin.empty();
  Status error(is_there ? Code::kUsage : Code::kInput,
               is_there ? "'" + name + "' is the plugin of several backends in the results"
                        : "no backend '" + name + "' in the results");
  if (!is_there) base::add_suggestion(error, name, names);
  return error.add_hint("backends: " + base::join(report.backends, ", "));
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

void add_notes(const Report& report, Compared& compared) {
  for (const std::string& note : report.file_notes) {
    if (std::find(compared.notes.begin(), compared.notes.end(), note) == compared.notes.end()) {
      compared.notes.push_back(note);
    }
  }
}

Result<Compared> compare_files(const CompareFlags& flags, const report::CompareSettings& settings) {
  GN_ASSIGN_OR_RETURN(const Report a, read_results({flags.sides[0]}));
  GN_ASSIGN_OR_RETURN(const Report b, read_results({flags.sides[1]}));
  const auto pairs = shared_backends(a, b);
  if (pairs.empty()) {
    return Status(Code::kInput, "the two results have no backend in common")
        .add_hint("A has " + base::join(a.backends, ", ") + "; B has " +
                  base::join(b.backends, ", "));
  }
  Compared compared;
  for (const auto& [of_a, of_b] : pairs) {
    compared.comparisons.push_back(
        report::compare(side_of(a, of_a, a.backends[of_a] + " in " + flags.sides[0]),
                        side_of(b, of_b, b.backends[of_b] + " in " + flags.sides[1]), settings));
  }
  add_notes(a, compared);
  add_notes(b, compared);
  return compared;
}

Result<Compared> compare_backends(const CompareFlags& flags,
                                  const std::vector<std::string>& results,
                                  const report::CompareSettings& settings) {
  GN_ASSIGN_OR_RETURN(const Report report, read_results(results));
  std::vector<ComparedSide> sides;
  for (const std::string& name : flags.sides) {
    Result<std::size_t> backend = find_backend(report, name);
    if (!backend.is_ok()) {
      return std::move(backend).status().add_context("results: " + base::join(results, ", "));
    }
    sides.push_back(side_of(report, *backend, report.backends[*backend]));
  }
  Compared compared;
  compared.comparisons.push_back(report::compare(sides[0], sides[1], settings));
  add_notes(report, compared);
  return compared;
}

/// Two names that are no files: backends of the last run.
Result<Compared> compare_in_last_results(const CompareFlags& flags,
                                         const report::CompareSettings& settings) {
  Result<fs::path> last = last_results();
  if (!last.is_ok()) {
    return no_results(flags.sides[0])
        .add_context(last.status().message())
        .add_hint("to compare two backends, name their results: --results FILE");
  }
  Result<Compared> compared = compare_backends(flags, {last->string()}, settings);
  if (!compared.is_ok()) {
    return std::move(compared).status().add_hint("other results: --results FILE or DIR");
  }
  compared->notes.insert(compared->notes.begin(),
                         "backends of " + last->string() + ", the last results");
  return compared;
}

Result<Compared> compare_sides(const CompareFlags& flags) {
  if (flags.sides.size() != 2) {
    return Status(Code::kUsage, "compare needs two results files, or two backends")
        .add_hint("graphnet compare before.jsonl after.jsonl")
        .add_hint("graphnet compare xla nope --results results.jsonl");
  }
  GN_ASSIGN_OR_RETURN(const report::CompareSettings settings, read_settings(flags));
  if (!flags.results.empty()) return compare_backends(flags, flags.results, settings);
  std::error_code ignored;
  const bool has_a = fs::exists(flags.sides[0], ignored);
  const bool has_b = fs::exists(flags.sides[1], ignored);
  if (has_a && has_b) return compare_files(flags, settings);
  if (!has_a && !has_b) return compare_in_last_results(flags, settings);
  return no_results(flags.sides[has_a ? 1 : 0]);
}

void print(const Context& context, const Compared& compared) {
  if (context.flags.json) {
    base::Json json = report::comparison_json(compared.comparisons);
    json["notes"] = compared.notes;
    std::cout << base::dump_json(json) << '\n';
    return;
  }
  for (std::size_t i = 0; i < compared.comparisons.size(); ++i) {
    std::cout << (i > 0 ? "\n" : "") << report::comparison_text(compared.comparisons[i]);
  }
  if (context.flags.quiet) return;
  for (const std::string& note : compared.notes) {
    std::cerr << "note: " << report::printable(note) << '\n';
  }
}

Result<int> compare_kept(const Context& context, const CompareFlags& flags) {
  const std::pair<const char*, bool> others[] = {{"--metric", flags.metric.has_value()},
                                                 {"--threshold", flags.threshold.has_value()},
                                                 {"--results", !flags.results.empty()},
                                                 {"--junit", flags.junit.has_value()}};
  for (const auto& [name, is_given] : others) {
    if (is_given) return Status(Code::kUsage, std::string("--outputs takes no ") + name);
  }
  if (flags.sides.size() != 2) {
    return Status(Code::kUsage, "compare --outputs needs two folders of kept outputs")
        .add_hint("graphnet compare reference here --outputs");
  }
  GN_ASSIGN_OR_RETURN(const report::CompareSettings settings, read_settings(flags));
  return compare_outputs(context, flags.sides[0], flags.sides[1], settings.rule);
}

Result<int> execute(const Context& context, const CompareFlags& flags) {
  if (flags.outputs) return compare_kept(context, flags);
  if (flags.junit) GN_RETURN_IF_ERROR(check_output_file("--junit", *flags.junit));
  GN_ASSIGN_OR_RETURN(const Compared compared, compare_sides(flags));
  bool is_regression = false;
  for (const Comparison& one : compared.comparisons) {
    if (one.samples.empty()) {
      return Status(Code::kInput,
                    "no sample was run by both '" + one.name_a + "' and '" + one.name_b + "'");
    }
    is_regression = is_regression || one.is_regression();
  }
  if (flags.junit) {
    GN_RETURN_IF_ERROR(
        base::write_file_atomic(*flags.junit, report::junit_xml(compared.comparisons)));
  }
  print(context, compared);
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
      "files every backend that both have is compared, or the only one of each; else A and B are\n"
      "two backends of --results or, without it, of the last results in ./results.\n"
      "The exit code is 1 for what --fail-on names, by default for a regression: a sample is\n"
      "broken or slower by more than the threshold, or the mean is, each with its whole interval.\n"
      "The smallest drop that it can detect follows from the intervals and is printed.\n"
      "Two machines: run the same samples on both and compare the files with --metric plugin or\n"
      "--metric eager. Where both were run with --digest, it says of how many samples inputs and\n"
      "outputs have the same bits. For the outputs themselves: run --keep-outputs on one machine\n"
      "(upstream's test_reference_device) and run --reference on the other (test_target_device).\n"
      "Or keep both, and compare the folders with --outputs: what differs or cannot be compared\n"
      "is broken. That looks at outputs alone; run --reference also asks float64 and what\n"
      "indices select.";
  command.usage = "compare A B [options]";
  command.positionals = {
      "A|B", "two results files, or two backends", &flags->sides, {}, "BACKEND|FILE"};
  command.flags = {
      {"--results", "FILE", "results that hold backends A and B; may repeat", &flags->results},
      {"--metric", "speedup|plugin|eager",
       "what is compared: the speedup over eager, in which drift of the machine cancels, or the "
       "time of one side; default: speedup",
       &flags->metric},
      {"--threshold", "PERCENT",
       "ignore smaller changes; default: 5, at least the noise floor of the controls",
       &flags->threshold},
      {"--fail-on", "CAUSE,...",
       "what makes the exit code 1: slower, broken, missing (in A only), unclear (doubtful "
       "results), with commas between, or never; default: slower,broken",
       &flags->fail_on, cause_names()},
      {"--outputs", "",
       "A and B are folders of run --keep-outputs: compare outputs at upstream's 64 levels, and "
       "times; nothing is run",
       &flags->outputs},
      {"--junit", "FILE", "also write the comparison as JUnit XML, a test case for each sample",
       &flags->junit},
  };
  command.examples = {
      {"graphnet compare before.jsonl after.jsonl", "did a change cost speed or correctness"},
      {"graphnet compare xla nope", "two backends of the last results"},
      {"graphnet compare baseline.jsonl new.jsonl --fail-on slower,broken,missing --junit ci.xml",
       "in CI, see graphnet help ci"},
      {"graphnet compare reference.jsonl target.jsonl --metric eager", "two machines"},
      {"graphnet compare kept/a kept/b --outputs", "outputs and times that two machines kept"}};
  command.execute = [flags](const Context& context) { return execute(context, *flags); };
  return command;
}

}  // namespace graphnet::cli
