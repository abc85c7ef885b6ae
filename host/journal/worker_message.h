// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/json.h"
#include "base/math_policy.h"

namespace graphnet::journal {

/// Messages between supervisor and worker: one JSON object per line over a socket pair that the
/// worker finds as descriptor 3.
///
/// supervisor -> worker, one line:  the task (Task below); then "go" for each ask
/// worker -> supervisor, any number of lines:
///   {"event":"phase","phase":"eager"}           a phase begins; its time limit starts
///   {"event":"ask","phase":"time"}              only with Task::asks: it wants to begin a phase,
///                                                and waits for a line; its time limit is
///                                                suspended. Before inputs with "bytes", the memory
///                                                that it expects to need
///   {"event":"step","step":"bind"}              the plugin's own code is entered next; which part
///   {"event":"memory"}                          an allocation was refused; the plugin may go on
///   {"event":"crash","signal":11,"address":"0x0"}  this process is about to end by that signal;
///                                                the address of a fault, else no such key
///   {"event":"frame","address":"0x7f12..","module":"/path/of/a.so","offset":4711}  after it, from
///                                                where it crashed outwards: a return address, the
///                                                file that holds it ("": none) and where in it;
///                                                the address alone where nothing is mapped
///   {"event":"record","record":{...},"final":false}  the record as far as it is known; the last
///   one counts, so a later death loses nothing
///   {"event":"record",...,"final":true}         the worker is done with the sample
/// Phases in order: record/phase.h.
inline constexpr int kWorkerControlFd = 3;

/// The line that answers an ask, without its line feed.
inline constexpr const char* kGo = "go";

/// Exit code of a worker that finds its end of the channel closed: code of the plugin did that.
inline constexpr int kExitChannelLost = 74;

/// Environment variable with the slot of a worker of a packed sweep. Processes that the worker
/// starts inherit it, by which they are told from those of other slots.
inline constexpr const char* kSlotVariable = "GRAPHNET_SLOT";

/// What a worker has to do.
struct Task {
  std::string sample_path;
  std::string sample_name;                 ///< as in Record; empty: sample::sample_name()
  std::string plugin_library;              ///< absolute path of the .so
  std::vector<std::string> opened_before;  ///< libraries to open before it, in this order
  /// Functions of libtorch that it calls by design; see proof::Evidence::declared.
  std::vector<std::string> calls_libtorch;
  /// It hands its work to another process; see proof::Evidence::runs_elsewhere.
  bool runs_elsewhere = false;
  std::string plugin_name;
  std::string plugin_version;
  std::string plugin_sha256;                         ///< of the library; empty: not known
  std::string plugin_variant;                        ///< as in Record
  base::Json plugin_options = base::Json::object();  ///< validated, defaults filled in
  std::string device = "cpu";
  int threads = 0;  ///< >= 1
  /// Cores that the plugin's code may use until it has compiled and bound; >= 1.
  int compile_threads = 1;
  std::string weights = "bound";
  std::string second_weights = "auto";  ///< "auto", "always" or "off"; see worker/second_weights.h
  base::MathPolicy math;
  std::string protocol = "upstream";  ///< its name or file
  std::string method = "upstream";    ///< "paired" or "upstream"
  int warmup = 3;
  int trials = 5;
  /// Parameters of protocol `paired`; see config/protocol_file.h.
  base::Json protocol_settings = base::Json::object();
  /// Instead of a plugin, eager is timed against itself: see control_session.h of the worker.
  bool control = false;
  bool digest = false;
  std::string proof = "full";  ///< "full", "counts" or "none"; see worker/proof_phase.h
  /// Of the worker's private memory; a sample that needs more is skipped.
  std::optional<std::int64_t> memory_limit_bytes;
  /// It sets that limit itself (RLIMIT_DATA); else a control group holds it.
  bool limits_itself = true;
  /// Others run beside it: it asks before it takes memory and before phases that take times.
  bool asks = false;
  std::optional<double> flop_limit;  ///< of one call
  std::string dump_folder;           ///< where the plugin writes what it compiles; empty: nowhere
  std::string artifact_cache;        ///< folder of serialized executables; empty: none
  std::string kept_file;       ///< where outputs are kept (outputs/kept_outputs.h); empty: nowhere
  std::string reference_file;  ///< such a file to compare them with; empty: none
  std::string command;         ///< for Record::command
  std::string run_id;
};

base::Json to_json(const Task& task);
/// errors   kInput for a missing or mistyped key
base::Result<Task> task_from_json(const base::Json& json);

}  // namespace graphnet::journal
