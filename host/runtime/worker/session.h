// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "journal/worker_message.h"
#include "measure/core_binding.h"
#include "measure/family_clock.h"
#include "measure/paired.h"
#include "measure/process_family.h"
#include "measure/protocol.h"
#include "proof/regions.h"
#include "record/record.h"
#include "sample/replay.h"
#include "sample/sample.h"
#include "worker/channel.h"
#include "worker/eager_side.h"
#include "worker/eager_standby.h"
#include "worker/eager_watch.h"
#include "worker/plugin_side.h"
#include "worker/task_device.h"
#include "worker/timing_watch.h"
#include "worker/untimed_work.h"

namespace graphnet::worker {

/// One sample with one plugin, from its files to its record.
///
/// Phases in order: load, plan, replay, eager, compile, bind, run, compare, second_weights, time,
/// robustness (the three of protocol `paired`), and proof, after which nothing can be timed. No
/// bind lies between time and proof: what is watched is what was timed. The device is opened first,
/// in load. Each is announced before it begins; a sample that does not fit is skipped before
/// anything of its size is allocated. The record is sent after load and after eager, so that a
/// plugin that takes the process down loses nothing of the reference.
class Session {
 public:
  Session(journal::Task task, Channel& channel);

  /// Runs all phases and sends the final record.
  void run();

 private:
  // Each returns false if the sample ends there, with outcome and message in the record.
  bool load();
  bool open_device();
  bool plan();
  bool replay();
  bool run_eager();
  bool compile();
  bool bind();
  bool run_plugin();
  void compare();
  bool time_pairs();
  /// Protocols that replay: captures the plugin's call and warms up its launches.
  bool capture();
  /// One cache mode.
  bool time_pass(const measure::PairedSettings& settings, bool is_first);
  // In session_machine.cc: cores, processes and settings are the same for both sides.
  /// Protocol `paired`: binds to cores, forks the copy that knows no plugin.
  bool prepare_machine();
  void bind_cores(int count);
  /// Whether eager in the pairs was as before; see eager_watch.h.
  void compare_eager(const measure::PairedResult& result);
  bool watch_eager();
  void check_roofline();
  void check_subnormals();
  /// Notes what was found; false if the sample ends there.
  bool note(const std::vector<Finding>& findings);
  /// Method upstream: calls on other inputs, which its timed ones never had.
  bool check_sequential();
  void try_other_content();
  // In session_weights.cc.
  /// False if second weights or another seed's inputs show that the plugin is wrong. Both sides are
  /// warm again at the end, on the first weights.
  bool follows_inputs();
  bool warm_up_again();
  void prove();
  /// Processes that the plugin started and that lived in the proof.
  void note_helpers(const std::vector<std::string>& names);
  void judge_service();

  bool is_paired() const { return task_.method == "paired"; }
  base::Status time_reference();
  bool end_timing(const base::Status& status);

  /// Notes for the proof what is mapped now.
  void note_mappings(const char* epoch);
  void write_environment();
  void write_engine();
  void note_peak_memory(record::Record::Side* side);
  /// Waits for leave to begin a phase, if this worker shares the machine.
  void ask_for(record::Phase phase, std::optional<std::int64_t> num_bytes = std::nullopt);
  void enter(record::Phase phase);
  bool end(record::Outcome outcome, const base::Status& status);
  bool end_plugin(record::Outcome outcome, const plugin::CallStatus& status);

  journal::Task task_;
  Channel& channel_;
  record::Record record_;
  std::int64_t phase_start_ns_ = 0;
  std::unique_ptr<TaskDevice> device_;
  sample::Sample sample_;
  std::vector<sample::Argument> arguments_;
  std::unique_ptr<EagerSide> eager_;
  std::unique_ptr<PluginSide> plugin_;
  proof::MapHistory mappings_;
  measure::CoreBinding cores_;
  measure::ProcessFamily family_;
  std::optional<measure::FamilyClock> family_clock_;
  HostSteps host_steps_;
  SettingsWatch engine_settings_;
  std::unique_ptr<EagerStandby> standby_;
  EagerTimes eager_times_;
  bool is_eager_suspicious_ = false;
  // Protocol `paired` only.
  measure::PairedSettings settings_;
  measure::Warmup eager_warmup_;
  measure::Warmup plugin_warmup_;
  measure::Warmup replay_warmup_;  // of what was captured
};

}  // namespace graphnet::worker
