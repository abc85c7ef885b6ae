// SPDX-License-Identifier: MIT
#include <charconv>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/flag_values.h"
#include "cli/results_files.h"
#include "cli/score_text.h"
#include "record/left_out.h"
#include "report/terminal_text.h"
#include "score/read_results.h"
#include "score/score_set.h"

namespace graphnet::cli {

using base::Code;
using base::Result;
using base::Status;

namespace {

/// Flags of `graphnet score` as text.
struct ScoreFlags {
  std::vector<std::string> results;
  std::optional<std::string> penalty;
  std::optional<std::string> fail_base;
  std::optional<std::string> interpretation;
  std::optional<std::string> weights;
  std::optional<std::string> resamples;
  std::vector<std::string> keep;
  bool common = false;
  bool by_file = false;
  bool compat = false;
  bool csv = false;
};

constexpr int kMaxResamples = 100000;

/// The older word for `noisy`, which --keep still takes.
constexpr const char* kOldNoisy = "unsteady";

/// "-6=0.4,-5=0.48": level and weight.
Result<std::map<int, double>> read_weights(const std::string& text) {
  const Status wrong(Code::kUsage,
                     "--weights must be a list like '-6=0.4,-5=0.48' of levels from " +
                         std::to_string(score::kFirstLevel) + " to " +
                         std::to_string(score::kLastLevel) + ", got '" + text + "'");
  std::map<int, double> weights;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    int t = 0;
    const auto level = std::from_chars(at, end, t);
    const bool is_level = level.ec == std::errc() && level.ptr != end && *level.ptr == '=' &&
                          t >= score::kFirstLevel && t <= score::kLastLevel;
    if (!is_level) return wrong;
    double weight = 0;
    const auto number = std::from_chars(level.ptr + 1, end, weight);
    if (number.ec != std::errc() || !weights.emplace(t, weight).second) return wrong;
    if (number.ptr == end) return weights;
    if (*number.ptr != ',') return wrong;
    at = number.ptr + 1;
  }
}

Result<score::Settings> read_settings(const ScoreFlags& flags) {
  score::Settings settings;
  GN_ASSIGN_OR_RETURN(const auto penalty, read_number("--penalty", flags.penalty));
  GN_ASSIGN_OR_RETURN(const auto fail_base, read_number("--fail-base", flags.fail_base));
  GN_ASSIGN_OR_RETURN(const auto resamples,
                      read_count("--resamples", flags.resamples, 0, kMaxResamples));
  settings.penalty = penalty.value_or(settings.penalty);
  settings.fail_base = fail_base.value_or(settings.fail_base);
  settings.resamples = resamples.value_or(settings.resamples);
  if (flags.interpretation) {
    const auto kind = score::interpretation_from_name(*flags.interpretation);
    if (!kind) {
      return Status(Code::kUsage, "--interpretation must be default or mismatch_extended, got '" +
                                      *flags.interpretation + "'");
    }
    settings.interpretation = *kind;
  }
  if (flags.weights) {
    GN_ASSIGN_OR_RETURN(settings.weights, read_weights(*flags.weights));
  }
  for (const std::string& reason : flags.keep) {
    settings.keep.insert(reason == kOldNoisy ? name_of(record::LeftOut::kNoisy) : reason);
  }
  settings.common_samples = flags.common;
  settings.compat = flags.compat;
  return settings;
}

void print_notes(const Context& context, const std::vector<std::string>& notes) {
  if (context.flags.quiet) return;
  for (const std::string& note : notes) {
    std::cerr << report::coloured("note: ", report::Colour::kWarning, context.error.color)
              << report::printable(note) << '\n';
  }
}

Result<int> execute(const Context& context, const ScoreFlags& flags) {
  if (flags.csv && context.flags.json) {
    return Status(Code::kUsage, "--csv and --json exclude each other");
  }
  if (flags.results.empty()) {
    return Status(Code::kUsage, "score needs results").add_hint("graphnet score results");
  }
  GN_ASSIGN_OR_RETURN(const score::Settings settings, read_settings(flags));
  GN_RETURN_IF_ERROR(check_results(flags.results));
  const score::ReadSettings how = {flags.compat, flags.by_file};
  GN_ASSIGN_OR_RETURN(score::Results results,
                      score::read_results({flags.results.begin(), flags.results.end()}, how));
  GN_ASSIGN_OR_RETURN(const score::ScoreSet set,
                      score::score_rows(std::move(results.rows), settings));
  if (context.flags.json) {
    std::cout << base::dump_json(score_json(set)) << '\n';
  } else {
    std::cout << (flags.csv ? score_csv(set) : score_text(set, context.out.width));
  }
  print_notes(context, results.notes);
  print_notes(context, set.notes);
  return kExitDone;
}

}  // namespace

Command score_command() {
  const auto flags = std::make_shared<ScoreFlags>();
  Command command;
  command.summary = "S(t) and ES(t) of results and of upstream's logs";
  command.description =
      "Reads results files of `graphnet run` and logs of upstream's test_compiler and\n"
      "test_target_device, and prints a column for each backend: the geometric mean of speedups,\n"
      "where a sample that is wrong at tolerance t counts b (S), and the same with failures\n"
      "forgiven one kind after the other from t = 1 on (ES); bands; the weighted score; who was\n"
      "counted; and the parameters alpha, beta, lambda, eta, gamma and pi of the aggregated form,\n"
      "which is computed too and must agree. Results under other conditions (processor, threads,\n"
      "weights, math, protocol, options) have a column of their own. Degenerate, denormal,\n"
      "flagged, noisy and unstable results and those not run are left out and counted; see\n"
      "--keep.";
  command.usage = "score RESULTS|LOG|DIR... [options]";
  command.positionals = {"RESULTS|LOG|DIR",
                         "results files, upstream's logs, folders of .jsonl, .log and .txt files",
                         &flags->results,
                         {},
                         "FILE"};
  command.flags = {
      {"--penalty,--negative-speedup-penalty", "P", "a slowdown s counts s^(P+1); default: 0",
       &flags->penalty},
      {"--fail-base,--fpdb", "B", "what a failed sample counts; default: 0.1", &flags->fail_base},
      {"--interpretation,--positive-tolerance-interpretation", "default|mismatch_extended",
       "from which t on failures are forgiven; default: accuracy 1, others 3; mismatch_extended: "
       "accuracy 1, types and shapes 2, run 3, compile 4, eager never",
       &flags->interpretation},
      {"--weights", "T=W,...", "weights of the score's levels; default: upstream's",
       &flags->weights},
      {"--keep", "REASON",
       "count results left out as REASON (degenerate, denormal, noisy, ..., all); may repeat",
       &flags->keep},
      {"--common", "", "count only samples that every column counts", &flags->common},
      {"--by-file", "", "a column for each file, as upstream", &flags->by_file},
      {"--compat", "", "classify and count as upstream's analysis does", &flags->compat},
      {"--resamples", "N", "resamples for the bands, 0: none; default: 1000", &flags->resamples},
      {"--csv", "", "one line for each column and level", &flags->csv},
  };
  command.examples = {
      {"graphnet score results", "all results so far"},
      {"graphnet score nope.jsonl old/inductor.log --common",
       "new results beside upstream's log, on the samples of both"},
      {"graphnet score upstream.log --compat --json", "what upstream's own script computes"}};
  command.execute = [flags](const Context& context) { return execute(context, *flags); };
  return command;
}

}  // namespace graphnet::cli
