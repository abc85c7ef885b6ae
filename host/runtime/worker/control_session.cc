// SPDX-License-Identifier: MIT
#include "worker/control_session.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "journal/run_id.h"
#include "measure/core_binding.h"
#include "measure/paired.h"
#include "measure/process_family.h"
#include "sample/arguments.h"
#include "sample/sample.h"
#include "worker/eager_side.h"
#include "worker/fresh_inputs.h"
#include "worker/math_mode.h"
#include "worker/record_writer.h"
#include "worker/task_device.h"
#include "worker/timing_watch.h"

namespace graphnet::worker {

namespace {

constexpr int kExperiments = 5;
constexpr std::int64_t kExperimentNs = 300'000'000;

/// New content before each call, as in the pairs with a plugin; see TimedChecks. What is checked
/// there comes between the side samples.
measure::PairedHooks content_hooks(InputShuffle& shuffle, device::TensorDevice& device) {
  measure::PairedHooks hooks;
  hooks.before_call = [&](measure::Side, int, int) {
    GN_RETURN_IF_ERROR(shuffle.next());
    return device.wait();
  };
  return hooks;
}

/// The task's own for shorter measurements, of which each is one attempt.
base::Result<measure::PairedSettings> control_settings(const journal::Task& task) {
  GN_ASSIGN_OR_RETURN(measure::PairedSettings settings,
                      measure::paired_settings(task.protocol_settings));
  settings.time_ns = std::min(settings.time_ns, kExperimentNs);
  settings.long_call_time_ns = settings.time_ns;
  settings.remeasure = false;
  return settings;
}

base::Result<base::Json> run_experiments(const journal::Task& task, Channel& channel) {
  channel.begin_phase(record::Phase::kLoad);
  GN_ASSIGN_OR_RETURN(const auto device, TaskDevice::open(task));
  GN_ASSIGN_OR_RETURN(const sample::Sample sample, sample::load_sample(task.sample_path));
  GN_ASSIGN_OR_RETURN(
      auto arguments,
      sample::generate_arguments(sample.metas, sample.program.parameters, sample::kUpstreamSeed));
  channel.begin_phase(record::Phase::kEager);
  GN_ASSIGN_OR_RETURN(measure::PairedSettings settings, control_settings(task));
  measure::CoreBinding cores;
  if (settings.affinity) cores.bind(task.threads);
  GN_ASSIGN_OR_RETURN(const auto eager, EagerSide::create(sample, arguments, device->tensors()));
  GN_RETURN_IF_ERROR(enter_math_mode(task.math));
  GN_ASSIGN_OR_RETURN(measure::Instruments instruments,
                      device->instruments(settings, task.threads));
  GN_ASSIGN_OR_RETURN(const auto warmup, measure::warm_up(eager->calls(), settings, instruments));
  InputShuffle shuffle = fresh_inputs(sample, *eager);
  measure::ProcessFamily family(own_mark());
  TimingWatch watch(family, /*clock=*/nullptr, /*forks=*/nullptr, task.threads);
  watch.attach(instruments, cores.cores());
  channel.begin_phase(record::Phase::kTime);
  base::Json experiments = base::Json::array();
  for (int i = 0; i < kExperiments; ++i) {
    settings.seed += 1;  // another order in the pairs
    GN_ASSIGN_OR_RETURN(
        const auto result,
        measure::time_paired({eager->calls(), eager->calls()}, {warmup, warmup},
                             watch.around(content_hooks(shuffle, device->tensors())), settings,
                             instruments));
    GN_RETURN_IF_ERROR(device->flush_status());
    experiments.push_back({{"speedup", result.summary.ratio},
                           {"speedup_low", result.summary.low},
                           {"speedup_high", result.summary.high},
                           {"pairs", result.summary.kept}});
  }
  return experiments;
}

}  // namespace

void run_control(const journal::Task& task, Channel& channel) {
  record::Record record = start_record(task);
  auto experiments = run_experiments(task, channel);
  if (experiments.is_ok()) {
    record.outcome = record::Outcome::kOk;
    record.timing.experiments = std::move(experiments).value();
  } else {
    record.outcome = record::Outcome::kReferenceFailed;
    record.message = one_line(experiments.status());
  }
  record.time_utc = journal::utc_now();
  channel.send_record(record, /*is_final=*/true);
}

}  // namespace graphnet::worker
