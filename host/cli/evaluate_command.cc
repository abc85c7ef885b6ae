// SPDX-License-Identifier: MIT
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/evaluation_check.h"
#include "cli/evaluation_folder.h"
#include "cli/exit_code.h"
#include "cli/output_file.h"
#include "cli/run_command.h"
#include "cli/run_options.h"
#include "cli/version_text.h"
#include "journal/merge.h"
#include "measure/environment.h"
#include "report/terminal_text.h"

namespace graphnet::cli {

namespace fs = std::filesystem;
using base::Code;
using base::Result;
using base::Status;

namespace {

/// Flags of `graphnet evaluate` as text.
struct EvaluateFlags {
  RunFlags run;  ///< measuring_flag_table(), jobs_flag() and some more
  std::optional<std::string> folder;
  std::optional<std::string> verify;
  std::vector<std::string> merge;
};

void say(const Context& context, const std::string& text) {
  if (!context.flags.quiet) std::cerr << report::printable(text) << '\n';
}

/// What is in the folder already, or nothing.
Result<Evaluation> begin(const fs::path& folder) {
  GN_RETURN_IF_ERROR(make_output_folder("--output", folder));
  std::error_code failure;
  if (fs::exists(folder / kEvaluationFile, failure)) return read_evaluation(folder);
  if (failure) {
    return Status(Code::kEnvironment,
                  "cannot look into '" + folder.string() + "': " + failure.message());
  }
  if (fs::is_empty(folder, failure)) return Evaluation();
  return Status(Code::kUsage, "'" + folder.string() + "' is not empty, and no evaluation")
      .add_hint("-o with another folder; it need not exist");
}

std::string command_text(const Context& context) {
  std::vector<std::string> words = {"graphnet"};
  words.insert(words.end(), context.words.begin() + 1, context.words.end());
  return base::shell_command(words);
}

/// Report, scores and digests, and where they are.
Status finish(const Context& context, const fs::path& folder) {
  GN_RETURN_IF_ERROR(finish_folder(folder));
  say(context, "wrote report.html, report.md, results.csv, scores.json and " +
                   std::string(kDigestsFile) + " to " + folder.string() +
                   "; graphnet evaluate --verify " + base::shell_command({folder.string()}) +
                   " checks it");
  return Status::ok();
}

Result<int> measure_into(const Context& context, const EvaluateFlags& flags,
                         const fs::path& folder) {
  RunFlags run = flags.run;
  run.resume = (folder / kResultsFile).string();
  GN_ASSIGN_OR_RETURN(RunOptions options, check_run_flags(run, context.installation));
  options.continues_itself = true;
  if (options.dry_run) {
    std::error_code ignored;
    if (!fs::exists(folder, ignored)) options.resume.reset();
    return run_samples(context, options);
  }
  GN_ASSIGN_OR_RETURN(Evaluation evaluation, begin(folder));
  const auto note_plan = [&](const std::vector<supervise::PlannedTask>& plan) {
    Evaluation planned;
    planned.graphnet = version_number();
    planned.commands = {command_text(context)};
    planned.machines.push_back(machine_of(measure::collect_environment(/*threads=*/1)));
    for (const supervise::PlannedTask& each : plan) {
      planned.tasks.push_back({each.key, each.sample.name, each.task.plugin_variant});
    }
    evaluation.add(planned);
    // Digests of an earlier run would be wrong from the first record on.
    std::error_code ignored;
    fs::remove(folder / kDigestsFile, ignored);
    return write_evaluation(folder, evaluation);
  };
  GN_ASSIGN_OR_RETURN(const int code, run_samples(context, options, note_plan));
  const bool is_interrupted = code > kExitInternal;
  if (!is_interrupted) GN_RETURN_IF_ERROR(finish(context, folder));
  return code;
}

Result<int> merge_into_folder(const Context& context, const std::vector<std::string>& folders,
                              const fs::path& folder) {
  std::vector<fs::path> results;
  std::vector<Evaluation> parts;
  for (const std::string& each : folders) {
    GN_ASSIGN_OR_RETURN(parts.emplace_back(), read_evaluation(each));
    results.push_back(fs::path(each) / kResultsFile);
  }
  GN_ASSIGN_OR_RETURN(Evaluation evaluation, begin(folder));
  for (const Evaluation& part : parts) evaluation.add(part);
  evaluation.graphnet = version_number();
  GN_ASSIGN_OR_RETURN(const journal::Merged merged,
                      journal::merge_into(folder / kResultsFile, results));
  for (const auto& note : merged.notes) say(context, "warning: " + note);
  for (const auto& conflict : merged.conflicts) say(context, "conflict: " + conflict);
  GN_RETURN_IF_ERROR(write_evaluation(folder, evaluation));
  say(context, base::counted(merged.num_records, "record") + " of " +
                   base::counted(folders.size(), "evaluation"));
  GN_RETURN_IF_ERROR(finish(context, folder));
  return kExitDone;
}

base::Json check_json(const std::string& folder, const EvaluationCheck& check) {
  base::Json json = {{"schema", "graphnet.evaluation_check/1"},
                     {"folder", folder},
                     {"tasks", check.num_tasks},
                     {"records", check.num_records},
                     {"files", check.num_files},
                     {"findings", base::Json::array()},
                     {"notes", check.notes}};
  for (const auto& finding : check.findings) {
    json["findings"].push_back({{"file", finding.file}, {"what", finding.what}});
  }
  return json;
}

Result<int> verify(const Context& context, const std::string& folder) {
  GN_ASSIGN_OR_RETURN(const EvaluationCheck check, check_evaluation(folder));
  if (context.flags.json) {
    std::cout << base::dump_json(check_json(folder, check)) << '\n';
  } else {
    for (const auto& finding : check.findings) {
      std::cout << report::printable(finding.file + ": " + finding.what) << '\n';
    }
    for (const std::string& note : check.notes) say(context, "note: " + note);
    const std::string what = base::counted(check.num_records, "record") + " for " +
                             base::counted(check.num_tasks, "task") + ", " +
                             base::counted(check.num_files, "file");
    const std::string found = check.findings.empty()
                                  ? "nothing was changed"
                                  : base::counted(check.findings.size(), "finding");
    std::cout << report::printable(folder) << ": " << what << ": " << found << '\n';
  }
  return check.findings.empty() ? kExitDone : kExitSampleFailed;
}

Result<int> execute(const Context& context, const EvaluateFlags& flags) {
  const bool runs = !flags.run.configs.empty();
  const int num_ways = (runs ? 1 : 0) + (flags.verify ? 1 : 0) + (flags.merge.empty() ? 0 : 1);
  if (num_ways != 1) {
    return Status(Code::kUsage, "evaluate needs one of --config, --verify and --merge")
        .add_hint("graphnet evaluate list.txt --config one --config two -o evaluation")
        .add_hint("graphnet evaluate --verify evaluation");
  }
  if (!runs && !flags.run.samples.empty()) {
    return Status(Code::kUsage, "samples go with --config, not with --verify or --merge");
  }
  if (flags.verify) {
    if (flags.folder) return Status(Code::kUsage, "--verify writes nothing, so it takes no -o");
    return verify(context, *flags.verify);
  }
  if (!flags.folder) {
    return Status(Code::kUsage, "-o is missing: the folder of the evaluation")
        .add_hint("-o evaluation");
  }
  if (!flags.merge.empty()) return merge_into_folder(context, flags.merge, *flags.folder);
  return measure_into(context, flags, *flags.folder);
}

}  // namespace

Command evaluate_command() {
  const auto flags = std::make_shared<EvaluateFlags>();
  Command command;
  command.summary = "measure into a folder that others can check and repeat";
  command.description =
      "Runs samples as `graphnet run` does, and keeps what belongs together in one folder:\n"
      "results.jsonl (every record), evaluation.json (commands, machines, tasks), report.html,\n"
      "report.md, results.csv and scores.json made from the records, and SHA256SUMS. The same\n"
      "command goes on where it was interrupted. --merge makes one folder of several, such as\n"
      "the shards of several machines.\n"
      "\n"
      "--verify looks at every file's digest, at each record against its task, against its own\n"
      "durations and against the machines, and makes report and scores again. It finds damage,\n"
      "edited figures, missing records and files of other runs or machines. Somebody who invents\n"
      "durations or outcomes and makes everything anew is not found.";
  command.usage = "evaluate [SAMPLE|DIR|LIST]... --config CONFIG -o DIR [options]";
  command.positionals = {
      "SAMPLE|DIR|LIST", "samples, as for `graphnet run`", &flags->run.samples, {}, "SAMPLE|FILE"};
  command.flags = measuring_flag_table(flags->run);
  const std::vector<Flag> others = {
      {"-o,--output", "DIR", "the evaluation's folder, made if it is not there", &flags->folder},
      {"--verify", "DIR", "check a folder; exit code 1 if something was found", &flags->verify},
      {"--merge", "DIR", "make one evaluation of several; may repeat", &flags->merge},
      {"--retry-failed", "", "run again what did not end ok", &flags->run.retry_failed},
      {"--shard", "I/N", "run part I of N; --merge joins the folders", &flags->run.shard},
      {"--fail-on", "any|failed|error|never", "as for `graphnet run`", &flags->run.fail_on},
      jobs_flag(flags->run),
      columns_flag(flags->run.columns),
      {"--dry-run", "", "print the plan with every value; run nothing", &flags->run.dry_run},
  };
  command.flags.insert(command.flags.end(), others.begin(), others.end());
  command.examples = {
      {"graphnet evaluate list.txt --config one --config two -o evaluation",
       "two compilers on a list; again, after an interruption"},
      {"graphnet evaluate --verify evaluation", "whether a folder is as it was made"},
      {"graphnet evaluate timm --config nope --shard 1/2 -o part1", "a half, on one machine"},
      {"graphnet evaluate --merge part1 --merge part2 -o evaluation", "both halves"}};
  command.execute = [flags](const Context& context) { return execute(context, *flags); };
  return command;
}

}  // namespace graphnet::cli
