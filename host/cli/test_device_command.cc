// SPDX-License-Identifier: MIT
#include <algorithm>
#include <iostream>
#include <memory>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/output_file.h"
#include "cli/reference_run.h"
#include "cli/sample_selection.h"
#include "cli/test_program.h"
#include "outputs/kept_outputs.h"
#include "report/terminal_text.h"
#include "sample/arguments.h"

namespace graphnet::cli {

namespace fs = std::filesystem;
using base::Code;
using base::Result;
using base::Status;

namespace {

constexpr TestProgram kReferenceProgram = {"test_reference_device", "graph-net-test-device-log"};
constexpr TestProgram kTargetProgram = {"test_target_device", "graph-net-test-device-log"};

/// Flags of both programs as text.
struct TestDeviceFlags {
  TestCompilerFlags common;
  std::optional<std::string> reference_dir;
  std::optional<std::string> seed;
  std::optional<std::string> op_lib;
};

/// What both refuse or need.
Status check_flags(const TestDeviceFlags& flags) {
  if (!flags.reference_dir) return Status(Code::kUsage, "--reference-dir is missing");
  const std::string seed = std::to_string(sample::kUpstreamSeed);
  if (flags.seed.value_or(seed) != seed) {
    return Status(Code::kUnsupported, "arguments are those of seed " + seed + " only");
  }
  if (flags.op_lib.value_or("default") != "default") {
    return Status(Code::kUnsupported, "--op-lib " + *flags.op_lib + ": there is default only");
  }
  return Status::ok();
}

Result<int> run_reference(const Context& context, const TestDeviceFlags& flags) {
  GN_RETURN_IF_ERROR(check_flags(flags));
  TestCompilerFlags common = flags.common;
  common.warmup = common.warmup.value_or("5");
  common.trials = common.trials.value_or("10");
  GN_ASSIGN_OR_RETURN(const ModeSelection selection, select_by_mode(common));
  GN_RETURN_IF_ERROR(make_output_folder("--reference-dir", *flags.reference_dir));
  common.kept_folder = fs::absolute(*flags.reference_dir);
  return run_test_program(context, common, selection, kReferenceProgram);
}

/// What is kept of samples that are selected, which the others are not any more.
std::vector<outputs::KeptFacts> keep_known(const outputs::KeptFolder& folder,
                                           ModeSelection& selection) {
  std::vector<outputs::KeptFacts> known;
  const auto is_unknown = [&](const fs::path& path) {
    const std::string name = planned_sample(path).name;
    const std::size_t num_before = known.size();
    for (const outputs::KeptFacts& facts : folder.kept) {
      if (facts.record.sample == name) known.push_back(facts);
    }
    if (known.size() > num_before) return false;
    std::cerr << "skipped, the reference has no outputs of it: " << report::printable(name) << '\n';
    return true;
  };
  selection.samples.erase(
      std::remove_if(selection.samples.begin(), selection.samples.end(), is_unknown),
      selection.samples.end());
  return known;
}

Result<int> run_target(const Context& context, const TestDeviceFlags& flags) {
  GN_RETURN_IF_ERROR(check_flags(flags));
  TestCompilerFlags common = flags.common;
  GN_ASSIGN_OR_RETURN(ModeSelection selection, select_by_mode(common));
  GN_ASSIGN_OR_RETURN(const outputs::KeptFolder folder,
                      outputs::read_kept_folder(*flags.reference_dir));
  for (const Status& broken : folder.unreadable) {
    std::cerr << "warning: " << report::printable(broken.message()) << '\n';
  }
  const std::vector<outputs::KeptFacts> known = keep_known(folder, selection);
  if (known.empty()) {
    return Status(Code::kInput, "the reference has outputs of none of the samples")
        .add_context("--reference-dir " + *flags.reference_dir);
  }
  GN_ASSIGN_OR_RETURN(common.compiler, agreed_value(known, "compilers", [](const auto& record) {
                        return record.plugin;
                      }));
  GN_ASSIGN_OR_RETURN(common.warmup,
                      agreed_value(known, "numbers of warm-up calls", [](const auto& record) {
                        return std::to_string(record.warmup);
                      }));
  GN_ASSIGN_OR_RETURN(common.trials,
                      agreed_value(known, "numbers of trials", [](const auto& record) {
                        return std::to_string(std::max(1, record.trials));
                      }));
  common.reference_folder = fs::absolute(*flags.reference_dir);
  return run_test_program(context, common, selection, kTargetProgram);
}

std::vector<Flag> shared_flags(TestDeviceFlags& flags) {
  return {
      {"--model-path", "DIR", "a sample, or a folder: every sample below it",
       &flags.common.model_path},
      {"--reference-dir", "DIR", "the folder of kept outputs (graphnet help reports)",
       &flags.reference_dir},
      {"--device", "DEVICE",
       "cpu or cuda:N, if the plugin offers it (default: cpu; upstream's default: cuda)",
       &flags.common.device},
      {"--op-lib", "default", "upstream's libraries of operators: default only", &flags.op_lib},
      {"--log-prompt", "WORD",
       std::string("first word of the lines that scripts read (default: ") +
           kReferenceProgram.prompt + ")",
       &flags.common.log_prompt},
      {"--allow-list", "FILE", "one path a line: run only these below --model-path",
       &flags.common.allow_list},
      {"--config", "BASE64", "options for the plugin: base64 of a JSON object (default: {})",
       &flags.common.config},
      {"--threads", "N|auto",
       "not upstream's: size of the thread pool (default: OMP_NUM_THREADS, else auto: the cores "
       "this process may use)",
       &flags.common.threads},
      {"--timeout", "S",
       "not upstream's: limit of compile and of run, each; seconds, or with unit (default: 600)",
       &flags.common.timeout},
      {"-o,--output", "FILE",
       "not upstream's: records as JSONL; an existing file is appended to (default: "
       "results/<utc>-<id>.jsonl)",
       &flags.common.output},
  };
}

}  // namespace

Command test_reference_device_command() {
  const auto flags = std::make_shared<TestDeviceFlags>();
  Command command;
  command.summary = "upstream's test_reference_device: keep outputs for other machines";
  command.description =
      "Takes the flags of `python -m graph_net.torch.test_reference_device`, runs samples as\n"
      "test-compiler does and keeps their outputs as `graphnet run --keep-outputs` does: one file\n"
      "a sample in place of upstream's log and dump. The log goes to standard error.";
  command.usage = "test-reference-device --model-path DIR --reference-dir DIR [options]";
  command.flags = shared_flags(*flags);
  const std::vector<Flag> own = {
      {"--compiler", "PLUGIN",
       "an installed plugin, or the path of one's library (default, as upstream: inductor)",
       &flags->common.compiler},
      {"--warmup", "N", "warm-up calls after the first call (default: 5)", &flags->common.warmup},
      {"--trials", "N", "timed calls (default: 10)", &flags->common.trials},
      {"--seed", "N", "of the arguments: 123 only, which is upstream's default", &flags->seed},
  };
  command.flags.insert(command.flags.begin() + 2, own.begin(), own.end());
  command.examples = {
      {"graphnet test-reference-device --model-path samples/timm --compiler nope "
       "--reference-dir kept",
       "on the machine that is the reference"}};
  command.execute = [flags](const Context& context) { return run_reference(context, *flags); };
  return command;
}

Command test_target_device_command() {
  const auto flags = std::make_shared<TestDeviceFlags>();
  Command command;
  command.summary = "upstream's test_target_device: compare with kept outputs";
  command.description =
      "Takes the flags of `python -m graph_net.torch.test_target_device`: compiler, warm-up calls\n"
      "and trials come from the files of --reference-dir, samples that have none are skipped. The\n"
      "log on standard error compares the plugin here (compiled) with the reference's plugin\n"
      "(eager). The exit code is that of test-compiler.";
  command.usage = "test-target-device --model-path DIR --reference-dir DIR [options]";
  command.flags = shared_flags(*flags);
  command.examples = {{"graphnet test-target-device --model-path samples/timm --reference-dir kept",
                       "on another machine, with the folder of test-reference-device"}};
  command.execute = [flags](const Context& context) { return run_target(context, *flags); };
  return command;
}

}  // namespace graphnet::cli
