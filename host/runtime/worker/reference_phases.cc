// SPDX-License-Identifier: MIT
#include "worker/reference_phases.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "base/memory.h"
#include "measure/paired.h"
#include "worker/admission.h"
#include "worker/fresh_inputs.h"
#include "worker/math_mode.h"
#include "worker/output_digest.h"
#include "worker/record_writer.h"
#include "worker/session_machine.h"

namespace graphnet::worker {

using base::Result;
using base::Status;
using record::Outcome;
using record::Phase;

Result<std::unique_ptr<TaskDevice>> open_device(SessionLog& log, const OpenDevice& open,
                                                proof::MapHistory& mappings) {
  auto device = open(log.task());
  if (!device.is_ok()) return log.end(Outcome::kReferenceFailed, device.status());
  note_mappings(log.task(), "start", mappings);
  return device;
}

Result<sample::Sample> load_files(SessionLog& log) {
  auto sample = sample::load_sample(log.task().sample_path);
  if (!sample.is_ok()) return log.end(Outcome::kInvalidSample, sample.status());
  record::Record& record = log.record();
  record.family = sample->family;
  record.model_name = sample->model_name;
  record.sample_sha256 = sample->content_sha256;
  log.send();
  return sample;
}

Status plan_memory(SessionLog& log, const sample::Sample& sample, TaskDevice& device) {
  const Status known = eager::Engine::check(sample.program);
  if (!known.is_ok()) return log.end(Outcome::kReferenceFailed, known);
  const auto planned = plan_sample(sample);
  if (!planned.is_ok()) return log.end(Outcome::kInvalidSample, planned.status());
  write_plan(log.record(), *planned);
  // What is free is another matter when others have ended.
  log.ask_for(Phase::kInputs, needed_memory_bytes(*planned));
  const journal::Task& task = log.task();
  Allowance allowance = {base::available_memory_bytes(), task.flop_limit.value_or(0)};
  if (task.memory_limit_bytes) {
    allowance.memory_bytes = std::min(allowance.memory_bytes, *task.memory_limit_bytes);
  }
  if (device.is_cuda()) {
    const auto free = device.gpu()->free_memory();
    if (!free.is_ok()) return log.end(Outcome::kReferenceFailed, free.status());
    allowance.device_bytes = static_cast<std::int64_t>(*free);
    allowance.device = task.device;
  }
  const std::string why = refusal(*planned, allowance);
  if (why.empty()) return Status::ok();
  return log.end(Outcome::kSkipped, Status(base::Code::kEnvironment, why));
}

Result<std::vector<sample::Argument>> generate_inputs(SessionLog& log,
                                                      const sample::Sample& sample) {
  auto generated =
      sample::generate_arguments(sample.metas, sample.program.parameters, sample::kUpstreamSeed);
  if (generated.is_ok()) return generated;
  const bool is_memory = generated.status().code() == base::Code::kEnvironment;
  return log.end(is_memory ? Outcome::kReferenceFailed : Outcome::kInvalidSample,
                 generated.status());
}

Result<measure::PairedSettings> read_paired_settings(SessionLog& log) {
  auto settings = measure::paired_settings(log.task().protocol_settings);
  if (!settings.is_ok()) return log.end(Outcome::kReferenceFailed, settings.status());
  return settings;
}

Result<std::unique_ptr<EagerSide>> create_eager(SessionLog& log, const sample::Sample& sample,
                                                std::vector<sample::Argument>& arguments,
                                                TaskDevice& device) {
  auto created = EagerSide::create(sample, arguments, device.tensors());
  if (!created.is_ok()) return log.end(Outcome::kReferenceFailed, created.status());
  const Status entered = enter_math_mode(log.task().math);
  if (!entered.is_ok()) return log.end(Outcome::kReferenceFailed, entered);
  const journal::Task& task = log.task();
  if (task.digest || !task.kept_file.empty() || !task.reference_file.empty()) {
    std::size_t num_bytes = 0;
    for (const sample::Argument& argument : arguments) num_bytes += argument.bytes.num_bytes();
    log.record().digest["arguments"] = {{"count", arguments.size()},
                                        {"bytes", num_bytes},
                                        {"sha256", sample::arguments_digest(arguments)}};
  }
  return created;
}

namespace {

Result<EagerAlone> warm_up_calls(const journal::Task& task, const measure::PairedSettings& settings,
                                 const sample::Sample& sample, EagerSide& eager,
                                 record::Record::Side& side) {
  WarmupInputs inputs(sample, eager);
  measure::SideCalls calls = eager.calls();
  calls.renew = inputs.renew();
  EagerAlone alone;
  GN_ASSIGN_OR_RETURN(
      alone.warmup,
      measure::warm_up(calls, settings, measure::machine_instruments(settings, task.threads)));
  write_warmup(side, alone.warmup);
  GN_ASSIGN_OR_RETURN(alone.host_steps, measure_host_steps(alone.warmup, eager));
  GN_RETURN_IF_ERROR(inputs.restore());
  return alone;
}

void finish_eager(SessionLog& log, const EagerSide& eager, proof::MapHistory& mappings) {
  record::Record& record = log.record();
  write_output_types(record.eager, eager.kept());
  log.note_peak_memory(&record.eager);
  if (log.task().digest) record.digest["eager_outputs"] = output_digests(eager.kept());
  for (const std::string& note : eager.engine().notes()) record.notes.push_back(note);
  note_mappings(log.task(), "eager", mappings);
  write_engine(record);  // a record that a crash cuts short says at least which libtorch it was
  log.send();
}

}  // namespace

Result<EagerAlone> warm_up_eager(SessionLog& log, const measure::PairedSettings& settings,
                                 const sample::Sample& sample, EagerSide& eager,
                                 proof::MapHistory& mappings) {
  auto alone = warm_up_calls(log.task(), settings, sample, eager, log.record().eager);
  if (!alone.is_ok()) return log.end(Outcome::kReferenceFailed, alone.status());
  finish_eager(log, eager, mappings);
  return alone;
}

Status measure_eager(SessionLog& log, EagerSide& eager, proof::MapHistory& mappings) {
  const auto durations = eager.measure({log.task().warmup, log.task().trials});
  if (!durations.is_ok()) return log.end(Outcome::kReferenceFailed, durations.status());
  write_side(log.record(), measure::kEager, *durations);
  finish_eager(log, eager, mappings);
  return Status::ok();
}

}  // namespace graphnet::worker
