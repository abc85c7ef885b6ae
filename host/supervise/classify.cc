// SPDX-License-Identifier: MIT
#include "supervise/classify.h"

#include <signal.h>

#include "journal/run_id.h"
#include "supervise/output_ring.h"

namespace graphnet::supervise {

using journal::Record;

namespace {

// What a person reads of a failed compiler's output; the ring keeps more only to find line starts.
constexpr std::size_t kMaxTailBytes = std::size_t{8} << 10U;

enum class Blame { kSample, kReference, kPlugin };

Blame blame_of(const std::string& phase) {
  if (phase == "load" || phase == "plan" || phase == "replay") return Blame::kSample;
  if (phase.empty() || phase == "eager") return Blame::kReference;
  return Blame::kPlugin;
}

bool is_killed_from_outside(const WorkerEnd& end) {
  return end.stop == WorkerEnd::Stop::kNone && end.exit.signal == SIGKILL;
}

std::string outcome_of(const WorkerEnd& end, Blame blame) {
  const bool is_sample_clean =
      is_killed_from_outside(end) || end.stop == WorkerEnd::Stop::kProtocol;
  if (blame == Blame::kSample && !is_sample_clean) return "invalid_sample";
  if (blame != Blame::kPlugin) return "reference_failed";
  if (end.stop == WorkerEnd::Stop::kTimeLimit) return "timed_out";
  if (end.stop == WorkerEnd::Stop::kProtocol) return "plugin_failed";
  if (is_killed_from_outside(end)) return "out_of_memory";
  return end.exit.signal ? "crashed" : "plugin_failed";
}

std::string who(const PlannedTask& planned, Blame blame) {
  return blame == Blame::kPlugin ? "plugin '" + planned.task.plugin_name + "'" : "the worker";
}

std::string message_of(const PlannedTask& planned, const WorkerEnd& end, Blame blame) {
  const std::string name = who(planned, blame);
  const std::string where = end.phase.empty() ? "before its first phase" : "in phase " + end.phase;
  switch (end.stop) {
    case WorkerEnd::Stop::kTimeLimit:
      return name + " exceeded the limit of " + config::format_time_limit(end.limit) + " " + where;
    case WorkerEnd::Stop::kProtocol:
      return name + " broke the worker's control channel " + where + ": " + end.protocol_error;
    case WorkerEnd::Stop::kNone:
    case WorkerEnd::Stop::kInterrupt:
      break;
  }
  if (is_killed_from_outside(end)) {
    return name + " was killed from outside " + where + ", most likely for lack of memory";
  }
  if (end.exit.signal) return name + " crashed " + where + " with " + end.exit.to_string();
  const std::string code = std::to_string(end.exit.exit_code.value_or(-1));
  if (blame == Blame::kPlugin) {
    return name + " or a library it uses called exit(" + code + ") " + where;
  }
  return name + " ended " + where + " with " + end.exit.to_string();
}

/// A record for a worker that sent none: what is known from the task alone.
Record blank_record(const PlannedTask& planned) {
  const journal::Task& task = planned.task;
  Record record;
  record.sample = planned.sample.name;
  record.sample_path = task.sample_path;
  record.family = planned.sample.family;
  record.plugin = task.plugin_name;
  record.plugin_version = task.plugin_version;
  record.plugin_variant = task.plugin_name;
  record.plugin_options = task.plugin_options;
  record.device = task.device;
  record.threads = task.threads;
  record.weights = task.weights;
  record.protocol = task.protocol;
  record.warmup = task.warmup;
  record.trials = task.trials;
  record.command = task.command;
  return record;
}

/// Notes on an end after the final record: the result stands, but the reader should know.
void note_late_end(const WorkerEnd& end, Record& record) {
  if (end.stop == WorkerEnd::Stop::kInterrupt) return;  // ended by us, for no fault of its own
  if (end.exit.signal == SIGKILL) {
    record.notes.push_back("the worker did not exit by itself after the last phase and was killed");
  } else if (end.exit.signal) {
    record.notes.push_back("the worker crashed after the last phase with " + end.exit.to_string());
  } else if (end.exit.exit_code.value_or(0) != 0) {
    record.notes.push_back("the worker ended after the last phase with " + end.exit.to_string());
  }
}

void judge(const PlannedTask& planned, const WorkerEnd& end, Record& record) {
  const Blame blame = blame_of(end.phase);
  record.outcome = outcome_of(end, blame);
  record.message = message_of(planned, end, blame);
  record.phase = end.phase;
  if (is_killed_from_outside(end)) {
    record.notes.push_back(
        "the kernel's log (dmesg) names processes it killed for lack of memory; a batch system or "
        "container limit does the same");
  }
}

}  // namespace

Record classify(const PlannedTask& planned, const WorkerEnd& end) {
  Record record = end.record ? *end.record : blank_record(planned);
  if (end.is_final) {
    note_late_end(end, record);
  } else {
    judge(planned, end, record);
  }
  if (record.run_id.empty()) record.run_id = planned.task.run_id;
  if (record.time_utc.empty()) record.time_utc = journal::utc_now();
  if (record.plugin_sha256.empty()) record.plugin_sha256 = planned.plugin_sha256;
  if (record.outcome != "ok" && record.output_tail.empty()) {
    record.output_tail = tail_text(end.output, kMaxTailBytes);
  }
  return record;
}

}  // namespace graphnet::supervise
