// SPDX-License-Identifier: MIT
#include "supervise/control.h"

#include <algorithm>
#include <cmath>

#include "journal/run_id.h"
#include "supervise/classify.h"

namespace graphnet::supervise {

using base::Code;
using base::Result;
using base::Status;

bool is_control_due(std::size_t index, const PlannedTask& planned, const WorkerSettings& settings) {
  return index % kSamplesPerControl == 0 && planned.task.method == "paired" &&
         planned.refusal.is_ok() && !settings.control_sample.empty();
}

PlannedTask make_control_task(const PlannedTask& like, const std::filesystem::path& sample) {
  PlannedTask control;
  control.sample = {sample.string(), "control", ""};
  control.limits = like.limits;
  control.task = like.task;
  control.task.sample_path = sample.string();
  control.task.sample_name.clear();
  control.task.plugin_library.clear();
  control.task.plugin_name = "control";
  control.task.plugin_variant = "control";
  control.task.plugin_version.clear();
  control.task.plugin_options = base::Json::object();
  control.task.control = true;
  control.task.digest = false;
  control.task.kept_file.clear();
  control.task.reference_file.clear();
  return control;
}

Result<journal::Control> summarise_control(const record::Record& record) {
  const auto incomplete = [] {
    return Status(Code::kInput, "the control measurement is incomplete");
  };
  const base::Json& experiments = record.timing.experiments;
  if (!experiments.is_array() || experiments.empty()) return incomplete();
  journal::Control control;
  control.run_id = record.run_id;
  control.time_utc = record.time_utc;
  control.threads = record.threads;
  control.experiments = static_cast<int>(experiments.size());
  control.results = experiments;
  int covered = 0;
  for (const base::Json& experiment : experiments) {
    const auto number = [&](const char* key) {
      return experiment.is_object() && experiment.contains(key) && experiment[key].is_number()
                 ? experiment[key].get<double>()
                 : std::nan("");
    };
    const double error = number("speedup") - 1;
    if (std::isnan(error)) return incomplete();
    control.noise_floor = std::max(control.noise_floor, std::fabs(error));
    control.bias += error / control.experiments;
    covered += number("speedup_low") <= 1 && number("speedup_high") >= 1 ? 1 : 0;
  }
  control.coverage = static_cast<double>(covered) / control.experiments;
  return control;
}

Result<journal::Control> control_of(const PlannedTask& control, const WorkerEnd& end) {
  const record::Record record = classify(control, end);
  if (!record.is_ok()) {
    return Status(Code::kEnvironment, "the control measurement failed: " + record.message);
  }
  return summarise_control(record);
}

}  // namespace graphnet::supervise
