// SPDX-License-Identifier: MIT
#include "supervise/classify.h"

#include <signal.h>

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "journal/run_id.h"
#include "supervise/crash_text.h"
#include "supervise/output_ring.h"

namespace graphnet::supervise {

using record::Outcome;
using record::Phase;
using record::Record;
using record::Suspect;

namespace {

// What a person reads of a failed compiler's output; the ring keeps more only to find line starts.
constexpr std::size_t kMaxTailBytes = std::size_t{8} << 10U;

// Beyond this a reader should know that printing was part of what was timed.
constexpr std::uint64_t kMuchOutputBytes = std::uint64_t{1} << 20U;

bool is_killed_from_outside(const WorkerEnd& end) {
  return end.stop == WorkerEnd::Stop::kNone && end.exit.signal == SIGKILL;
}

std::int64_t memory_limit(const PlannedTask& planned) {
  return planned.task.memory_limit_bytes.value_or(0);
}

/// How a worker ended that sent no final record.
enum class Death { kCrash, kKernelKill, kKill, kNoMemory, kTimeLimit, kExit, kProtocol };

using O = Outcome;

// By Death, then by Suspect: sample, reference, plugin. The table of classify().
constexpr Outcome kOutcomes[][3] = {
    {O::kInvalidSample, O::kReferenceFailed, O::kCrashed},         // kCrash
    {O::kReferenceFailed, O::kReferenceFailed, O::kOutOfMemory},   // kKernelKill
    {O::kReferenceFailed, O::kReferenceFailed, O::kKilled},        // kKill
    {O::kInvalidSample, O::kReferenceFailed, O::kOutOfMemory},     // kNoMemory
    {O::kInvalidSample, O::kReferenceFailed, O::kTimedOut},        // kTimeLimit
    {O::kInvalidSample, O::kReferenceFailed, O::kPluginFailed},    // kExit
    {O::kReferenceFailed, O::kReferenceFailed, O::kPluginFailed},  // kProtocol
};
static_assert(std::size(kOutcomes) == static_cast<std::size_t>(Death::kProtocol) + 1);

/// True if a worker that ended by itself most likely did so for lack of memory: `new` failed in it,
/// or it had filled three quarters of a limit that refuses memory, where a null pointer from malloc
/// often shows as SIGSEGV.
bool used_up_memory(const PlannedTask& planned, const WorkerEnd& end) {
  const std::int64_t limit = end.memory_by == "RLIMIT_DATA" ? memory_limit(planned) : 0;
  return end.no_memory || end.oom_kill == OomKill::kAtLimit ||
         (limit > 0 && end.exit.peak_rss_bytes > limit / 4 * 3);
}

/// A kill from outside is one by the kernel for lack of memory unless the kernel says that it has
/// killed nothing.
Death death_of(const PlannedTask& planned, const WorkerEnd& end) {
  if (end.stop == WorkerEnd::Stop::kTimeLimit) return Death::kTimeLimit;
  if (end.stop == WorkerEnd::Stop::kProtocol) return Death::kProtocol;
  if (is_killed_from_outside(end)) {
    return end.oom_kill == OomKill::kNone ? Death::kKill : Death::kKernelKill;
  }
  if (end.stop == WorkerEnd::Stop::kNone && used_up_memory(planned, end)) return Death::kNoMemory;
  return end.exit.signal ? Death::kCrash : Death::kExit;
}

std::string who(const PlannedTask& planned, Suspect suspect) {
  return suspect == Suspect::kPlugin ? "plugin '" + planned.task.plugin_name + "'" : "the worker";
}

std::string phase_text(const WorkerEnd& end) {
  if (end.phase.empty()) return "before its first phase";
  if (end.step.empty()) return "in phase " + end.phase.text();
  return "in " + end.step + " (phase " + end.phase.text() + ")";
}

std::string limit_text(const PlannedTask& planned) {
  const std::int64_t limit = memory_limit(planned);
  if (limit <= 0) return "";
  return ", limit " + base::format_bytes(static_cast<unsigned long long>(limit));
}

std::string exit_text(const WorkerEnd& end, Suspect suspect) {
  const std::string when = phase_text(end);
  if (suspect != Suspect::kPlugin) return " ended " + when + " with " + end.exit.to_string();
  if (end.exit.exit_code == journal::kExitChannelLost) {
    return " or a library it uses closed the worker's control channel " + when;
  }
  const std::string code = std::to_string(end.exit.exit_code.value_or(-1));
  return " or a library it uses called exit(" + code + ") " + when;
}

std::string kernel_kill_text(const PlannedTask& planned, const WorkerEnd& end) {
  const std::string when = phase_text(end);
  if (end.oom_kill == OomKill::kAtLimit) {
    return " ran out of memory " + when + limit_text(planned) + ", and was killed by the kernel";
  }
  if (end.oom_kill == OomKill::kOutside) {
    return " was killed by the kernel, because the machine or a group of processes had no memory "
           "left, " +
           when;
  }
  return " was killed from outside " + when + ", most likely for lack of memory";
}

/// What became of the worker; goes on from its name.
std::string death_text(const PlannedTask& planned, const WorkerEnd& end, Death death,
                       Suspect suspect) {
  const std::string when = phase_text(end);
  // Where no plugin's code runs, no limit of memory is blamed.
  if (death == Death::kNoMemory && suspect != Suspect::kPlugin) {
    death = end.exit.signal ? Death::kCrash : Death::kExit;
  }
  switch (death) {
    case Death::kTimeLimit:
      return " exceeded the limit of " + config::format_time_limit(end.limit) + " " + when;
    case Death::kProtocol:
      return " broke the worker's control channel " + when + ": " + end.protocol_error;
    case Death::kKernelKill:
      return kernel_kill_text(planned, end);
    case Death::kKill:
      return " was killed from outside " + when + ", not for lack of memory";
    case Death::kNoMemory:
      return " ran out of memory " + when + limit_text(planned) + ", and ended with " +
             end.exit.to_string();
    case Death::kCrash:
      return " crashed " + when + " with " + end.exit.to_string();
    case Death::kExit:
      break;
  }
  return exit_text(end, suspect);
}

/// A record for a worker that sent none: what is known from the task alone.
Record blank_record(const PlannedTask& planned) {
  const journal::Task& task = planned.task;
  Record record;
  record.sample = planned.sample.name;
  record.sample_sha256 = planned.sample.content_sha256;
  record.sample_path = task.sample_path;
  record.family = planned.sample.family;
  record.plugin = task.plugin_name;
  record.plugin_version = task.plugin_version;
  record.plugin_variant = task.plugin_variant;
  record.plugin_options = task.plugin_options;
  record.device = task.device;
  record.threads = task.threads;
  record.weights = task.weights;
  record.math = task.math;
  record.protocol = task.protocol;
  record.protocol_settings = task.protocol_settings;
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

/// Takes the worker's pauses out of its durations.
void subtract_pauses(const WorkerEnd& end, Record& record) {
  Record::Side& side = record.plugin_side;
  for (const auto& [phase_or_step, length] : end.paused) {
    const auto paused_ns = static_cast<double>(length.count());
    const auto phase = record.phases_ns.find(phase_or_step);
    if (phase != record.phases_ns.end() && phase->is_number()) {
      *phase = std::max(0.0, phase->get<double>() - paused_ns);
    }
    if (side.compile_ns && phase_or_step == "compile/gn_backend_compile") {
      *side.compile_ns -= paused_ns;
    }
    if (side.load_ns && phase_or_step == "compile/deserialize") *side.load_ns -= paused_ns;
    if (side.bind_ns && phase_or_step == "bind/bind") *side.bind_ns -= paused_ns;
  }
}

/// Of a phase before which outcome and times were settled; the verdict too, if the calls were
/// traced and only sampling was left.
void note_settled_end(const WorkerEnd& end, const std::string& message, Record& record) {
  if (end.phase == Phase::kRobustness) {
    record.checks.other_inputs_end = message;
    record.notes.push_back("on other inputs: " + message);
    return;
  }
  if (record::is_empty(record.proof)) {
    record.verdict = {record::ProofVerdict::kUnknown, "killed in proof"};
  }
  record.notes.push_back("during proof tracing: " + message);
}

void judge(const PlannedTask& planned, const WorkerEnd& end, Record& record) {
  const record::PhaseFacts& phase = record::facts_of(end.phase.value());
  const Suspect suspect = phase.suspect;
  if (!end.phase.empty()) record.phases_ns[end.phase.text()] = end.last_phase.count();
  const Death death = death_of(planned, end);
  const std::string message = who(planned, suspect) + death_text(planned, end, death, suspect);
  if (phase.is_settled && !record.outcome.empty()) {
    note_settled_end(end, message, record);
    return;
  }
  record.outcome = kOutcomes[static_cast<std::size_t>(death)][static_cast<std::size_t>(suspect)];
  record.message = message;
  record.phase = end.phase;
  if (is_killed_from_outside(end) && end.oom_kill == OomKill::kUnknown) {
    record.notes.push_back(
        "the kernel's log (dmesg) names processes it killed for lack of memory; a batch system or "
        "container limit does the same");
  }
  if (end.stop == WorkerEnd::Stop::kTimeLimit && end.exit.signal == SIGKILL) {
    record.notes.push_back("it did not end when told to (SIGTERM) and was killed");
  }
}

base::Json settings_of(const PlannedTask& planned) {
  const journal::Task& task = planned.task;
  base::Json settings = {
      {"proof", task.proof}, {"second_weights", task.second_weights}, {"digest", task.digest}};
  if (task.memory_limit_bytes) settings["memory_bytes"] = *task.memory_limit_bytes;
  if (task.flop_limit) settings["flop"] = *task.flop_limit;
  if (planned.compile_threads > 0) settings["compile_threads"] = planned.compile_threads;
  base::Json timeouts = base::Json::object();
  for (const char* phase : config::kPhases) {
    const auto limit = planned.limits.find(phase);
    if (limit != planned.limits.end() && limit->second) timeouts[phase] = limit->second->count();
  }
  settings["timeouts_ms"] = std::move(timeouts);
  return settings;
}

void fill_identity(const PlannedTask& planned, Record& record) {
  record.task_key = planned.key;
  record.attempt = planned.attempt;
  record.graphnet = planned.graphnet;
  record.category = planned.sample.category;
  if (record.run_id.empty()) record.run_id = planned.task.run_id;
  if (record.time_utc.empty()) record.time_utc = journal::utc_now();
  if (record.plugin_sha256.empty()) record.plugin_sha256 = planned.library.sha256;
  record.plugin_library = planned.task.plugin_library;
  record.settings = settings_of(planned);
}

}  // namespace

Record refused_record(const PlannedTask& planned) {
  const base::Status& refusal = planned.refusal;
  Record record = blank_record(planned);
  record.outcome =
      refusal.code() == base::Code::kUnsupported ? Outcome::kUnsupported : Outcome::kPluginFailed;
  // A YAML error goes on with the line it means.
  record.message = refusal.message().substr(0, refusal.message().find('\n'));
  for (const auto& where : refusal.context()) record.notes.push_back("at: " + where);
  for (const auto& hint : refusal.hints()) record.notes.push_back("try: " + hint);
  fill_identity(planned, record);
  return record;
}

Record classify(const PlannedTask& planned, const WorkerEnd& end) {
  Record record = end.record ? *end.record : blank_record(planned);
  subtract_pauses(end, record);
  if (end.is_final) {
    note_late_end(end, record);
  } else {
    judge(planned, end, record);
  }
  if (end.output_bytes > kMuchOutputBytes) {
    record.notes.push_back("the worker wrote " + base::format_bytes(end.output_bytes) +
                           " to standard output and error");
    record.environment.output_bytes = static_cast<std::int64_t>(end.output_bytes);
  }
  if (end.oom_kill == OomKill::kAtLimit && !is_killed_from_outside(end)) {
    record.notes.push_back(
        "the kernel killed a process that the worker had started: it reached the memory limit");
  }
  if (end.crash) record.crash = describe_crash(*end.crash);
  fill_identity(planned, record);
  record.environment.worker = end.was_forked ? "forked" : "fresh";
  record.environment.memory_limit_by = end.memory_by;
  if (memory_limit(planned) > 0) record.environment.memory_limit_bytes = memory_limit(planned);
  if (!record.is_ok() && record.output_tail.empty()) {
    record.output_tail = tail_text(end.output, kMaxTailBytes);
  }
  return record;
}

}  // namespace graphnet::supervise
