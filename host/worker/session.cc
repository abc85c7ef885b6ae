// SPDX-License-Identifier: MIT
#include "worker/session.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/memory.h"
#include "base/text.h"
#include "journal/run_id.h"
#include "measure/clock.h"
#include "measure/environment.h"
#include "measure/statistics.h"
#include "verify/compare.h"
#include "worker/admission.h"
#include "worker/output_digest.h"
#include "worker/verdict.h"

namespace graphnet::worker {

namespace {

journal::Record start_record(const journal::Task& task) {
  journal::Record record;
  record.run_id = task.run_id;
  record.sample_path = task.sample_path;
  record.sample = sample::sample_name(task.sample_path);
  record.plugin = task.plugin_name;
  record.plugin_version = task.plugin_version;
  record.plugin_variant = task.plugin_name;
  record.plugin_options = task.plugin_options;
  record.device = task.device;
  record.threads = task.threads;
  record.seed = sample::kReplaySeed;
  record.weights = task.weights;
  record.protocol = task.protocol;
  record.warmup = task.warmup;
  record.trials = task.trials;
  record.command = task.command;
  return record;
}

void fill_side(journal::Record::Side& side, const measure::SideDurations& durations,
               const std::vector<KeptOutput>& outputs) {
  const measure::Statistics statistics = measure::summarise(durations.trials_ns);
  side.first_call_ns = durations.first_call_ns;
  side.warmup_ns = durations.warmup_ns;
  side.trials_ns = durations.trials_ns;
  side.median_ns = statistics.median;
  side.iqr_ns = statistics.iqr;
  side.mean_ns = statistics.mean;
  side.std_ns = statistics.std;
  side.min_ns = statistics.min;
  side.max_ns = statistics.max;
  for (const KeptOutput& output : outputs) {
    side.output_dtypes.emplace_back(base::dtype_name(output.dtype));
  }
}

void fill_plan(journal::Record& record, const eager::Plan& plan) {
  record.plan["argument_bytes"] = plan.argument_bytes;
  if (!plan.unknown.empty()) {
    record.notes.push_back("memory and cost are not known beforehand: " + plan.unknown);
    return;
  }
  record.plan["output_bytes"] = plan.output_bytes;
  record.plan["peak_live_bytes"] = plan.peak_live_bytes;
  record.plan["flop"] = plan.flop;
  for (const std::string& note : plan.notes) record.notes.push_back("plan: " + note);
}

std::vector<verify::TensorView> views(const std::vector<KeptOutput>& outputs) {
  std::vector<verify::TensorView> all;
  for (const KeptOutput& output : outputs) all.push_back(output.view());
  return all;
}

// JSON has no NaN or infinity; they are written as Python prints them. Null: not computed.
template <typename T>
base::Json optional_number(const std::optional<T>& value) {
  if (!value) return {};
  if (std::isnan(*value)) return "nan";
  if (std::isinf(*value)) return *value > 0 ? "inf" : "-inf";
  return static_cast<double>(*value);
}

// One entry per output. "all_close" is a string of 64 digits in the order of upstream's log lines.
base::Json correctness_json(const verify::Comparison& comparison) {
  base::Json json = {{"equal", base::Json::array()},        {"all_close", base::Json::array()},
                     {"max_diff", base::Json::array()},     {"mean_diff", base::Json::array()},
                     {"relative_rms", base::Json::array()}, {"degenerate", base::Json::array()}};
  for (const verify::OutputComparison& output : comparison.outputs) {
    std::string levels;
    for (const bool close : output.all_close) levels += close ? '1' : '0';
    json["equal"].push_back(output.bit_equal ? 1 : 0);
    json["all_close"].push_back(levels);
    json["max_diff"].push_back(optional_number(output.max_diff));
    json["mean_diff"].push_back(optional_number(output.mean_diff));
    json["relative_rms"].push_back(optional_number(output.relative_rms));
    json["degenerate"].push_back(output.degenerate);
  }
  return json;
}

std::string one_line(const base::Status& status) {
  std::string text = status.message();
  for (const std::string& line : status.context()) text += " (" + line + ")";
  return text;
}

}  // namespace

Session::Session(journal::Task task, Channel& channel)
    : task_(std::move(task)), channel_(channel), record_(start_record(task_)) {}

void Session::run() {
  const bool complete =
      load() && plan() && replay() && run_eager() && compile() && bind() && run_plugin();
  if (complete) compare();
  enter("");
  record_.environment = measure::collect_environment(task_.threads);
  const eager::EngineVersion version = eager::engine_version();
  record_.environment["libtorch"] = version.torch_version;
  record_.environment["cpu_capability"] = version.cpu_capability;
  record_.environment["libtorch_threads"] = version.threads;
  record_.peak_rss_bytes = measure::peak_rss_bytes();
  record_.time_utc = journal::utc_now();
  channel_.send_record(record_, /*is_final=*/true);
}

void Session::enter(const char* phase) {
  const std::int64_t now = measure::monotonic_raw_ns();
  if (phase_start_ns_ != 0) record_.phases_ns[record_.phase] = now - phase_start_ns_;
  phase_start_ns_ = now;
  if (*phase == '\0') return;
  record_.phase = phase;
  channel_.begin_phase(phase);
}

bool Session::end(const char* outcome, const base::Status& status) {
  record_.outcome = outcome;
  record_.message = one_line(status);
  for (const std::string& hint : status.hints()) record_.notes.push_back(hint);
  return false;
}

bool Session::end_plugin(const char* outcome, const plugin::CallStatus& status) {
  if (status.kind == plugin::FailureKind::kUnsupported) return end("unsupported", status.status);
  if (status.kind == plugin::FailureKind::kOutOfMemory) return end("out_of_memory", status.status);
  if (status.kind == plugin::FailureKind::kBroken) return end("plugin_failed", status.status);
  return end(outcome, status.status);
}

bool Session::load() {
  enter("load");
  auto loaded = sample::load_sample(task_.sample_path);
  if (!loaded.is_ok()) return end("invalid_sample", loaded.status());
  sample_ = std::move(loaded).value();
  record_.sample = sample_.name;
  record_.family = sample_.family;
  record_.model_name = sample_.model_name;
  record_.sample_sha256 = sample_.content_sha256;
  channel_.send_record(record_, /*is_final=*/false);
  return true;
}

bool Session::plan() {
  enter("plan");
  const base::Status known = eager::Engine::check(sample_.program);
  if (!known.is_ok()) return end("reference_failed", known);
  const auto planned = plan_sample(sample_);
  if (!planned.is_ok()) return end("invalid_sample", planned.status());
  fill_plan(record_, *planned);
  Allowance allowance = {base::available_memory_bytes(), task_.flop_limit.value_or(0)};
  if (task_.memory_limit_bytes) {
    allowance.memory_bytes = std::min(allowance.memory_bytes, *task_.memory_limit_bytes);
  }
  record_.message = refusal(*planned, allowance);
  if (!record_.message.empty()) record_.outcome = "skipped";
  return record_.message.empty();
}

bool Session::replay() {
  enter("replay");
  auto replayed = sample::replay(sample_.metas, sample_.program.parameters, sample::kReplaySeed);
  if (!replayed.is_ok()) {
    const bool memory = replayed.status().code() == base::Code::kEnvironment;
    return end(memory ? "reference_failed" : "invalid_sample", replayed.status());
  }
  arguments_ = std::move(replayed).value();
  return true;
}

bool Session::run_eager() {
  enter("eager");
  auto created = EagerSide::create(sample_, arguments_);
  if (!created.is_ok()) return end("reference_failed", created.status());
  eager_ = std::move(created).value();
  if (task_.digest) {
    std::size_t num_bytes = 0;
    for (const sample::Argument& argument : arguments_) num_bytes += argument.bytes.num_bytes();
    record_.digest["arguments"] = {{"count", arguments_.size()},
                                   {"bytes", num_bytes},
                                   {"sha256", sample::arguments_digest(arguments_)}};
  }
  const auto measured = eager_->measure({task_.warmup, task_.trials});
  if (!measured.is_ok()) return end("reference_failed", measured.status());
  fill_side(record_.eager, *measured, eager_->kept());
  if (task_.digest) record_.digest["eager_outputs"] = output_digests(eager_->kept());
  for (const std::string& note : eager_->engine().notes()) record_.notes.push_back(note);
  channel_.send_record(record_, /*is_final=*/false);
  return true;
}

bool Session::compile() {
  enter("compile");
  plugin_ =
      std::make_unique<PluginSide>(task_, sample_.name, arguments_, eager_->kept(), eager_.get(),
                                   [this](const char* step) { channel_.begin_step(step); });
  plugin::CallStatus status = plugin_->open();
  if (!status.is_ok()) return end_plugin("plugin_failed", status);
  double compile_ns = 0;
  status = plugin_->compile(compile_ns);
  record_.plugin_side.compile_ns = compile_ns;
  return status.is_ok() || end_plugin("compile_failed", status);
}

bool Session::bind() {
  enter("bind");
  double bind_ns = 0;
  const plugin::CallStatus status = plugin_->bind(bind_ns);
  record_.plugin_side.bind_ns = bind_ns;
  return status.is_ok() || end_plugin("compile_failed", status);
}

bool Session::run_plugin() {
  enter("run");
  measure::SideDurations durations;
  const plugin::CallStatus status = plugin_->measure({task_.warmup, task_.trials}, durations);
  const std::uint64_t runs = 1 + durations.warmup_ns.size() + durations.trials_ns.size();
  if (!status.is_ok()) return end_plugin("runtime_failed", status);
  fill_side(record_.plugin_side, durations, plugin_->kept());
  record_.verdict = verdict_from_service(runs, plugin_->eager_runs());
  if (*record_.plugin_side.median_ns > 0) {
    record_.speedup = *record_.eager.median_ns / *record_.plugin_side.median_ns;
  }
  return true;
}

void Session::compare() {
  enter("compare");
  const verify::Comparison comparison =
      verify::compare_outputs(views(eager_->kept()), views(plugin_->kept()));
  record_.outcome = comparison.outcome;
  record_.message = comparison.message;
  record_.degenerate = comparison.degenerate;
  record_.correctness = correctness_json(comparison);
  if (task_.digest) record_.digest["plugin_outputs"] = output_digests(plugin_->kept());
}

}  // namespace graphnet::worker
