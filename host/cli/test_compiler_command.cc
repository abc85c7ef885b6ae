// SPDX-License-Identifier: MIT
#include <iostream>
#include <memory>

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/journaled_sweep.h"
#include "cli/run_view.h"
#include "cli/test_program.h"
#include "report/graphnet_log.h"
#include "report/terminal_text.h"

namespace graphnet::cli {

using base::Result;

namespace {

constexpr TestProgram kProgram = {"test_compiler", "graph-net-test-compiler-log"};

/// The plugin's outputs and times in the reference in the place of eager's here.
record::Record beside_reference(const record::Record& record) {
  const record::ReferenceSide& side = record.checks.reference.plugin;
  if (!side.is_compared()) return record;
  record::Record shown = record;
  shown.outcome = side.outcome;
  shown.message = side.message;
  shown.correctness = side.correctness;
  shown.eager = {};
  shown.eager.output_dtypes = record.eager.output_dtypes;
  shown.eager.median_ns = side.reference_ns;
  if (shown.timing.event_ns.is_object()) shown.timing.event_ns.erase("eager");
  shown.proof.device.eager_calls = {};
  return shown;
}

/// Upstream's log on standard error; with --json also the records on standard output.
class LogView : public supervise::SweepObserver {
 public:
  LogView(const Context& context, SampleMode mode, const char* program,
          const report::GraphnetLogStyle& style)
      : context_(context), mode_(mode), program_(program), style_(style) {}

  void on_begin(const supervise::PlannedTask& planned) override {
    running_ = planned.sample.name;
    if (mode_ != SampleMode::kRecursive) return;
    std::cerr << "[" << num_begun_++ << "] " << program_
              << ", model_path: " << report::printable(planned.task.sample_path) << std::endl;
  }

  void on_finishing() override { print_finishing(running_); }

  bool on_record(const record::Record& record) override {
    ++num_done_;
    if (record.outcome == record::Outcome::kInvalidSample || record::upstream_refusal(record)) {
      ended_.push_back(record.sample_path);
    }
    std::cerr << report::graphnet_log(beside_reference(record), style_) << std::flush;
    const std::string& missing = record.checks.reference.missing;
    if (!missing.empty()) std::cerr << "no reference: " << report::printable(missing) << std::endl;
    if (context_.flags.json) {
      std::cout << base::dump_json(record::to_json(record)) << std::endl;
    }
    show_details(context_, record);
    return std::cout.good();
  }

  void finish() const {
    if (mode_ != SampleMode::kRecursive) return;
    std::cerr << "Totally " << num_done_ << " verified samples, failed " << ended_.size()
              << " samples.\n";
    for (const auto& path : ended_) std::cerr << "- " << report::printable(path) << '\n';
    std::cerr << std::flush;
  }

  /// True if upstream's program would have ended with an exception.
  bool has_ended() const { return !ended_.empty(); }

 private:
  const Context& context_;
  SampleMode mode_;
  const char* program_;
  report::GraphnetLogStyle style_;
  std::string running_;  // name of the sample
  int num_begun_ = 0;
  int num_done_ = 0;
  std::vector<std::string> ended_;
};

/// What upstream prints before the first sample.
void print_selection(const TestCompilerFlags& flags, const ModeSelection& selection) {
  for (std::size_t i = 0; i < selection.missing.size(); ++i) {
    std::cout << "os.path.exists(model_path)=False\nargs.model_path_prefix='"
              << report::printable(*flags.model_path_prefix) << "'\n";
  }
  std::cout << std::flush;
}

}  // namespace

Result<int> run_test_program(const Context& context, const TestCompilerFlags& flags,
                             const ModeSelection& selection, const TestProgram& program) {
  GN_ASSIGN_OR_RETURN(const PreparedRun run, plan_test_compiler(context, flags, selection));
  GN_ASSIGN_OR_RETURN(JournaledSweep sweep, JournaledSweep::open(context, run));
  if (!context.flags.json) print_selection(flags, selection);
  report::GraphnetLogStyle style;
  style.prompt = flags.log_prompt.value_or(program.prompt);
  style.hardware = sweep.hardware();
  style.refuse_as_upstream = true;
  style.kernel_time = flags.kernel_time;
  LogView view(context, selection.mode, program.name, style);
  GN_ASSIGN_OR_RETURN(const supervise::SweepEnd end, sweep.run(view));
  if (end.signal == 0) view.finish();
  if (context.flags.verbosity > 0) std::cerr << "results: " << run.results.string() << '\n';
  if (end.signal != 0) {
    if (!context.flags.json) std::cout << "KeyboardInterrupt\n";
    return 128 + end.signal;
  }
  return selection.mode == SampleMode::kSingle && view.has_ended() ? kExitSampleFailed : kExitDone;
}

namespace {

Result<int> execute(const Context& context, const TestCompilerFlags& flags) {
  GN_ASSIGN_OR_RETURN(const ModeSelection selection, select_by_mode(flags));
  return run_test_program(context, flags, selection, kProgram);
}

std::vector<Flag> flag_table(TestCompilerFlags& flags) {
  return {
      {"--model-path", "DIR", "a sample, or a folder: every sample below it", &flags.model_path},
      {"--compiler", "PLUGIN",
       "an installed plugin, or the path of one's library (default, as upstream: inductor)",
       &flags.compiler},
      {"--device", "DEVICE",
       "cpu or cuda:N, if the plugin offers it (default: cpu; upstream's default: cuda)",
       &flags.device},
      {"--warmup", "N", "warm-up calls after the first call (default: 3)", &flags.warmup},
      {"--trials", "N", "timed calls (default: 5)", &flags.trials},
      {"--log-prompt", "WORD",
       std::string("first word of the lines that scripts read (default: ") + kProgram.prompt + ")",
       &flags.log_prompt},
      {"--allow-list", "FILE",
       "one path a line: run only these below --model-path, or, with --model-path-prefix, just "
       "these",
       &flags.allow_list},
      {"--model-path-prefix", "DIR", "folder that the lines of --allow-list count from",
       &flags.model_path_prefix},
      {"--config", "BASE64", "options for the plugin: base64 of a JSON object (default: {})",
       &flags.config},
      {"--kernel-time,--profiler-device-time", "",
       "log how long kernels ran; without effect on a cpu, as upstream's", &flags.kernel_time},
      {"--threads", "N|auto",
       "not upstream's: size of the thread pool (default: OMP_NUM_THREADS, else auto: the cores "
       "this process may use)",
       &flags.threads},
      {"--timeout", "S",
       "not upstream's: limit of compile and of run, each; seconds, or with unit (default: 600)",
       &flags.timeout},
      {"-o,--output", "FILE",
       "not upstream's: records as JSONL; an existing file is appended to (default: "
       "results/<utc>-<id>.jsonl)",
       &flags.output},
  };
}

}  // namespace

Command test_compiler_command() {
  const auto flags = std::make_shared<TestCompilerFlags>();
  Command command;
  command.summary = "the dataset's own benchmark program: same flags, same log lines";
  command.description =
      "A drop-in for `python -m graph_net_bench.torch.test_compiler`. The log goes to standard\n"
      "error; each sample runs in a process of its own and its record is appended to a results\n"
      "file. Exit code 0 also for samples that fail, as upstream; 1 if the one sample of\n"
      "--model-path cannot be loaded or torch's Python layer refuses it; others as `graphnet run`.";
  command.usage = "test-compiler --model-path DIR [--compiler PLUGIN] [options]";
  command.flags = flag_table(*flags);
  command.examples = {
      {"graphnet test-compiler --model-path samples/torchgeometric/GAT --compiler nope",
       "one sample"},
      {"graphnet test-compiler --model-path samples --compiler nope 2> nope.log",
       "every sample of a folder"},
      {"graphnet test-compiler --model-path-prefix samples --allow-list list.txt",
       "those of a list, with upstream's default compiler"},
  };
  command.execute = [flags](const Context& context) { return execute(context, *flags); };
  return command;
}

}  // namespace graphnet::cli
