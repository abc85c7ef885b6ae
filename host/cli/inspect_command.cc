// SPDX-License-Identifier: MIT
#include <algorithm>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "cli/bisect.h"
#include "cli/commands.h"
#include "cli/coverage_view.h"
#include "cli/exit_code.h"
#include "cli/inspect_text.h"
#include "cli/lowered_view.h"
#include "cli/sample_selection.h"
#include "report/terminal_text.h"
#include "supervise/ask_worker.h"

namespace graphnet::cli {

namespace fs = std::filesystem;
using base::Code;
using base::Json;
using base::Result;
using base::Status;

namespace {

/// Flags of `graphnet inspect` as text.
struct InspectFlags {
  std::vector<std::string> samples;
  std::optional<std::string> stage;
  bool no_run = false;
  bool ops = false;
  bool coverage = false;
  bool bisect = false;
  bool first_nan = false;
  std::optional<std::string> config;
};

constexpr std::uint64_t kMaxSourceBytes = std::uint64_t{256} << 20U;

/// Checked flags.
struct Options {
  std::vector<supervise::PlannedSample> samples;
  std::string stage;
  bool runs = true;
  bool ops = false;
};

Status check_exclusions(const InspectFlags& flags) {
  const bool is_lowered = flags.stage == "lowered";
  if ((flags.bisect || flags.coverage || is_lowered) != flags.config.has_value()) {
    const char* const what = flags.bisect     ? "--bisect needs --config CONFIG"
                             : flags.coverage ? "--coverage needs --config CONFIG"
                             : is_lowered
                                 ? "--stage lowered needs --config CONFIG"
                                 : "--config needs --bisect, --coverage or --stage lowered";
    return Status(Code::kUsage, what)
        .add_hint(is_lowered ? "graphnet inspect SAMPLE --stage lowered --config xla"
                             : "graphnet inspect SAMPLE --bisect --config xla");
  }
  if (is_lowered && (flags.ops || flags.no_run)) {
    return Status(Code::kUsage, "--stage lowered excludes --ops and --no-run");
  }
  const bool has_view = flags.ops || flags.no_run || flags.stage;
  if (flags.coverage && (has_view || flags.first_nan || flags.bisect)) {
    return Status(Code::kUsage,
                  "--coverage excludes --bisect, --first-nan, --stage, --ops and --no-run");
  }
  if (flags.bisect && (has_view || flags.first_nan)) {
    return Status(Code::kUsage, "--bisect excludes --first-nan, --stage, --ops and --no-run");
  }
  if (flags.first_nan && has_view) {
    return Status(Code::kUsage, "--first-nan excludes --stage, --ops and --no-run");
  }
  return Status::ok();
}

Result<Options> read_options(const Context& context, const InspectFlags& flags) {
  Options options;
  options.stage = flags.stage.value_or("normal");
  options.ops = flags.ops;
  // Many samples are planned: running them would take hours and all of their memory.
  options.runs = !flags.no_run && !flags.ops;
  constexpr std::string_view kStages[] = {"source", "program", "normal", "lowered"};
  if (std::find(std::begin(kStages), std::end(kStages), options.stage) == std::end(kStages)) {
    return Status(Code::kUsage, "--stage must be source, program, normal or lowered, got '" +
                                    options.stage + "'");
  }
  GN_RETURN_IF_ERROR(check_exclusions(flags));
  if (flags.ops && options.stage == "source") {
    return Status(Code::kUsage, "--ops needs --stage program or normal");
  }
  std::vector<std::string> arguments = flags.samples;
  const bool takes_many = flags.ops || flags.coverage;
  if (arguments.empty() && takes_many) {
    GN_ASSIGN_OR_RETURN(std::string bundled, default_samples(context.installation));
    arguments.push_back(std::move(bundled));
  }
  if (arguments.empty()) {
    return Status(Code::kUsage, "inspect needs a sample").add_hint("graphnet inspect SAMPLE");
  }
  GN_ASSIGN_OR_RETURN(options.samples, select_samples(context.installation, arguments));
  if (!takes_many && options.samples.size() != 1) {
    return Status(Code::kUsage,
                  "inspect shows one sample, got " + std::to_string(options.samples.size()))
        .add_hint("--ops, which counts the operators of many, and --coverage take more");
  }
  return options;
}

/// A worker that inspects samples, however long that takes.
Result<supervise::AnsweringWorker> start_worker(const Context& context) {
  supervise::AskSettings settings;
  GN_ASSIGN_OR_RETURN(settings.executable, context.installation.worker_executable());
  settings.limit.reset();
  return supervise::AnsweringWorker::start(std::move(settings));
}

Result<Json> inspect(supervise::AnsweringWorker& worker, const Options& options,
                     const supervise::PlannedSample& sample) {
  return worker.ask("inspect", {{"sample", sample.path},
                                {"stage", options.stage},
                                {"run", options.runs},
                                {"text", !options.ops}});
}

Result<int> show_source(const supervise::PlannedSample& sample, bool as_json) {
  GN_ASSIGN_OR_RETURN(const std::string text,
                      base::read_file(fs::path(sample.path) / "model.py", kMaxSourceBytes));
  if (as_json) {
    const Json object = {{"schema", "graphnet.inspect/1"},
                         {"sample", sample.name},
                         {"stage", "source"},
                         {"text", text}};
    std::cout << base::dump_json(object) << '\n';
  } else {
    std::cout << text;
  }
  return kExitDone;
}

Result<int> show_graph(const Context& context, const Options& options) {
  GN_ASSIGN_OR_RETURN(auto worker, start_worker(context));
  Result<Json> answer = inspect(worker, options, options.samples[0]);
  if (!answer.is_ok()) {
    return std::move(answer).status().add_context("sample " + options.samples[0].name);
  }
  if (context.flags.json) {
    (*answer)["schema"] = "graphnet.inspect/1";
    (*answer)["sample"] = options.samples[0].name;
    (*answer)["stage"] = options.stage;
    (*answer)["ran"] = options.runs;
    std::cout << base::dump_json(*answer) << '\n';
  } else {
    std::cout << (*answer)["text"].get<std::string>() << '\n' << op_table(*answer);
  }
  return kExitDone;
}

Result<int> show_ops(const Context& context, const Options& options) {
  GN_ASSIGN_OR_RETURN(auto worker, start_worker(context));
  OpHistogram histogram;
  for (const auto& sample : options.samples) {
    const Result<Json> answer = inspect(worker, options, sample);
    if (answer.is_ok()) {
      histogram.add(*answer);
    } else {
      histogram.leave_out(sample.name, answer.status().message());
    }
  }
  if (context.flags.json) {
    std::cout << base::dump_json(histogram.json()) << '\n';
  } else {
    std::cout << histogram.text();
  }
  return kExitDone;
}

Result<int> show_first_nan(const Context& context, const supervise::PlannedSample& sample) {
  GN_ASSIGN_OR_RETURN(auto worker, start_worker(context));
  Result<Json> answer = worker.ask("first_nan", {{"sample", sample.path}});
  if (answer.is_ok() && answer->contains("refused")) {
    answer = Status(Code::kEnvironment, (*answer)["refused"].get<std::string>());
  }
  if (!answer.is_ok()) return std::move(answer).status().add_context("sample " + sample.name);
  const bool is_finite = (*answer)["finite"].get<bool>();
  if (context.flags.json) {
    Json object = {{"schema", "graphnet.first_nan/1"}, {"sample", sample.name}};
    object.update(*answer);
    object.erase("text");
    std::cout << base::dump_json(object) << '\n';
  } else {
    std::cout << report::printable_lines((*answer)["text"].get<std::string>());
  }
  return is_finite ? kExitDone : kExitSampleFailed;
}

Result<int> execute(const Context& context, const InspectFlags& flags) {
  GN_ASSIGN_OR_RETURN(const Options options, read_options(context, flags));
  if (flags.first_nan) return show_first_nan(context, options.samples[0]);
  if (flags.coverage) return show_coverage(context, options.samples, *flags.config);
  if (flags.bisect) return bisect_sample(context, options.samples[0], *flags.config);
  if (options.ops) return show_ops(context, options);
  if (options.stage == "lowered") return show_lowered(context, options.samples[0], *flags.config);
  if (options.stage == "source") return show_source(options.samples[0], context.flags.json);
  return show_graph(context, options);
}

}  // namespace

Command inspect_command() {
  const auto flags = std::make_shared<InspectFlags>();
  Command command;
  command.summary = "show a sample's graph, its operators and what they cost";
  command.description =
      "Prints model.py (source), the operator calls of a run (program), or the functional "
      "graph\nthat plugins compile (normal), one node a line, then a table of its operators. The "
      "sample\nruns once, eagerly and without a plugin. --no-run plans it instead, from its "
      "metadata:\nfloats that the program reads from inputs are then 1. --stage lowered prints the "
      "graph as the plugin of\n--config has it before its compiler, in the plugin's own "
      "operations. --ops counts the operators "
      "of many\nsamples, which are always planned. --coverage asks a plugin which of many samples "
      "it would "
      "compile; nothing is compiled\nor run, and the exit code is 1 if it refuses one. --bisect "
      "finds the first\nnode whose value "
      "leaves tolerance under a plugin, by bisection of the normal form. --first-nan runs the "
      "sample\nand names the first statement that makes NaN, those that make infinity, and what "
      "they take:\nexit code 1 if an output is not finite.";
  command.usage =
      "inspect SAMPLE [options] | --ops [SAMPLE|DIR|LIST]... [options] | --coverage --config "
      "CONFIG "
      "[SAMPLE|DIR|LIST]...";
  command.positionals = {
      "SAMPLE|DIR|LIST",
      "the sample to show; with --ops and --coverage any number, default: the bundled ones",
      &flags->samples,
      {},
      "SAMPLE|DIR"};
  command.flags = {
      {"--stage", "source|program|normal|lowered", "what to show; default: normal", &flags->stage},
      {"--no-run", "", "take shapes from a plan, not from a run", &flags->no_run},
      {"--ops", "", "a histogram of the operators of many samples", &flags->ops},
      {"--bisect", "", "find the first node whose value leaves tolerance under a plugin",
       &flags->bisect},
      {"--coverage", "", "which samples a plugin would compile, and its reasons against the others",
       &flags->coverage},
      {"--config", "CONFIG", "the plugin of --bisect, --coverage and --stage lowered",
       &flags->config},
      {"--first-nan", "", "name the first statement that makes NaN or infinity", &flags->first_nan},
  };
  command.examples = {
      {"graphnet inspect resnet10t.c3_in1k", "what a plugin gets to compile"},
      {"graphnet inspect samples/others/pigu_hybrid --stage program --no-run",
       "the calls as run, writes included"},
      {"graphnet inspect --ops samples --json", "which operators a plugin must know"},
      {"graphnet inspect --coverage --config openvino samples", "which samples a plugin refuses"},
      {"graphnet inspect resnet10t.c3_in1k --stage lowered --config xla",
       "what a plugin hands to its compiler"},
      {"graphnet inspect samples/timm/resnet10t.c3_in1k --bisect --config acme.yaml",
       "where a plugin goes wrong"}};
  command.execute = [flags](const Context& context) { return execute(context, *flags); };
  return command;
}

}  // namespace graphnet::cli
