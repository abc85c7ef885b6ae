// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/status.h"
#include "journal/worker_message.h"
#include "plugin/status_bridge.h"
#include "record/record.h"
#include "worker/channel.h"
#include "worker/plugin_side.h"
#include "worker/timing_watch.h"

namespace graphnet::worker {

/// State of a session: the task, its present phase, and the record as far as it is known.
///
/// Functions that end the sample write outcome and message to the record and return an error. The
/// phase returns that error and does not write it again.
class SessionLog {
 public:
  /// Both are borrowed.
  SessionLog(const journal::Task& task, Channel& channel);

  const journal::Task& task() const { return task_; }
  bool is_paired() const { return task_.method == "paired"; }
  record::Record& record() { return record_; }

  /// Ends the phase before and announces the next. A phase that takes times waits for leave first.
  void enter(record::Phase phase);
  /// Waits for leave to begin a phase, if this worker shares the machine. The wait belongs to no
  /// phase.
  void ask_for(record::Phase phase, std::optional<std::int64_t> num_bytes = std::nullopt);
  /// Says which function of the plugin is called next.
  void begin_step(const char* step) { channel_.begin_step(step); }
  /// Sends the record as far as it is known.
  void send() { channel_.send_record(record_, /*is_final=*/false); }
  /// Ends the last phase and sends the final record.
  void finish();
  /// Writes the largest size of this process since the last call, to `side` too unless it is null.
  void note_peak_memory(record::Record::Side* side);

  /// Ends the sample. Returns `status`, which is an error.
  base::Status end(record::Outcome outcome, const base::Status& status);
  /// Ends it by a failure of the plugin, with its flag; `outcome` is that of a plain failure.
  base::Status end_plugin(record::Outcome outcome, const PluginSide& plugin,
                          const plugin::CallStatus& failure);
  /// Ends it by a failed call of either side; PluginSide::failure() says whose it was, or the
  /// status: kPlugin for what a plugin did to the host's memory.
  base::Status end_calls(const PluginSide& plugin, const base::Status& status);
  /// Adds a flag and a note for each finding whose flag the record does not have yet. A fatal one
  /// ends the sample.
  base::Status note(const std::vector<Finding>& findings, const PluginSide& plugin);
  /// Writes what is known of the verdict without the proof.
  void judge_service(const PluginSide& plugin);

 private:
  const journal::Task& task_;
  Channel& channel_;
  record::Record record_;
  std::int64_t phase_start_ns_ = 0;
};

}  // namespace graphnet::worker
