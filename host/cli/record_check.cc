// SPDX-License-Identifier: MIT
#include "cli/record_check.h"

#include <cmath>
#include <cstdio>
#include <optional>

#include "base/field_reader.h"
#include "journal/task_key.h"
#include "measure/bootstrap.h"
#include "measure/environment.h"
#include "measure/pair_summary.h"
#include "measure/paired_settings.h"

namespace graphnet::cli {

using base::Json;
using record::Record;

namespace {

/// How often a sample may be named in one run for its key to be found.
constexpr int kMaxRepeats = 16;
/// Durations and waits are stored as decimal numbers, and their difference is rounded.
constexpr double kRounding = 1e-9;

journal::TaskIdentity identity_of(const Record& record, const Json& host) {
  journal::TaskIdentity identity;
  identity.sample = record.sample;
  identity.sample_sha256 = record.sample_sha256;
  identity.plugin_sha256 = record.plugin_sha256;
  identity.graphnet = record.graphnet;
  // A run is planned by its processor alone (plan_settings): threads are a part of their own.
  std::string cpu_model = record.environment.cpu_model;
  if (cpu_model.empty()) base::FieldReader(host).read("cpu_model", cpu_model);
  identity.hardware = measure::hardware_class(cpu_model, 1);
  base::FieldReader settings(record.settings);
  settings.read("compile_threads", identity.compile_threads);
  journal::Task& task = identity.task;
  task.plugin_name = record.plugin;
  task.plugin_version = record.plugin_version;
  task.plugin_options = record.plugin_options;
  task.device = record.device;
  task.threads = record.threads;
  task.weights = record.weights;
  task.protocol = record.protocol;
  task.protocol_settings = record.protocol_settings;
  task.warmup = record.warmup;
  task.trials = record.trials;
  task.math = record.math;
  task.second_weights = "auto";
  settings.read("second_weights", task.second_weights);
  return identity;
}

bool has_own_key(const Record& record, const Json& host) {
  journal::TaskIdentity identity = identity_of(record, host);
  for (; identity.repeat < kMaxRepeats; ++identity.repeat) {
    if (journal::task_key(identity) == record.task_key) return true;
  }
  return false;
}

/// The pairs of a record; empty if it has none, or lists of different lengths.
std::vector<measure::Pair> pairs_of(const Record& record) {
  const std::vector<double>& eager = record.eager.trials_ns;
  const std::vector<double>& plugin = record.plugin_side.trials_ns;
  const record::Timing& timing = record.timing;
  const std::size_t count = eager.size();
  const auto waits = [&](const char* side) { return timing.waited_ns.value(side, Json::array()); };
  if (!timing.waited_ns.is_object()) return {};
  const Json waited[] = {waits("eager"), waits("plugin")};
  const bool has_waits = waited[0].is_array() && waited[1].is_array();
  if (!has_waits || plugin.size() != count || timing.backend_first.size() != count ||
      timing.disturbed.size() != count || waited[0].size() != count || waited[1].size() != count) {
    return {};
  }
  std::vector<measure::Pair> pairs(count);
  for (std::size_t i = 0; i < count; ++i) {
    pairs[i].call_ns = {eager[i], plugin[i]};
    for (const measure::Side side : {measure::kEager, measure::kBackend}) {
      if (!waited[side][i].is_number()) return {};
      pairs[i].waited_ns[side] = waited[side][i].get<double>();
    }
    pairs[i].marks[measure::kEager] = timing.disturbed[i] == '1' ? 1 : 0;
    pairs[i].backend_first = timing.backend_first[i] == '1';
  }
  return pairs;
}

/// "speedup 58.2, its calls give 1.01"; nothing if they agree or the record does not say.
void compare(const char* name, std::optional<double> said, double computed,
             std::vector<std::string>& found) {
  if (!said || std::fabs(*said - computed) <= kRounding * std::fabs(computed)) return;
  char text[128];
  std::snprintf(text, sizeof text, "%s is %.6g, and the durations of its calls give %.6g", name,
                *said, computed);
  found.emplace_back(text);
}

void check_pairs(const Record& record, std::vector<std::string>& found) {
  const auto settings = measure::paired_settings(record.protocol_settings);
  const std::vector<measure::Pair> pairs = pairs_of(record);
  if (!settings.is_ok() || pairs.empty()) {
    found.emplace_back("speedup is there, and the durations of its calls are not");
    return;
  }
  const measure::PairedSummary summary = measure::summarise_pairs(
      pairs, *settings, record.timing.confidence.value_or(settings->confidence));
  compare("speedup", record.speedup, summary.ratio, found);
  compare("speedup_low", record.timing.speedup_low, summary.low, found);
  compare("speedup_high", record.timing.speedup_high, summary.high, found);
  compare("eager.median_ns", record.eager.median_ns, summary.median_ns[measure::kEager], found);
  compare("plugin_side.median_ns", record.plugin_side.median_ns,
          summary.median_ns[measure::kBackend], found);
}

void check_medians(const Record& record, std::vector<std::string>& found) {
  const std::vector<double>& eager = record.eager.trials_ns;
  const std::vector<double>& plugin = record.plugin_side.trials_ns;
  if (eager.empty() || plugin.empty()) {
    found.emplace_back("speedup is there, and the durations of its calls are not");
    return;
  }
  const double eager_ns = measure::median(eager);
  const double plugin_ns = measure::median(plugin);
  compare("eager.median_ns", record.eager.median_ns, eager_ns, found);
  compare("plugin_side.median_ns", record.plugin_side.median_ns, plugin_ns, found);
  compare("speedup", record.speedup, eager_ns / std::max(1.0, plugin_ns), found);
}

}  // namespace

std::vector<std::string> contradictions(const Record& record, const Json& host) {
  std::vector<std::string> found;
  if (record.task_key.empty() || !has_own_key(record, host)) {
    found.emplace_back(
        "its task key is not that of what it says was run (sample, plugin, options, protocol, "
        "hardware, version)");
  }
  if (!record.speedup) return found;
  if (record.timing.has_pairs()) {
    check_pairs(record, found);
  } else {
    check_medians(record, found);
  }
  return found;
}

}  // namespace graphnet::cli
