// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/math_policy.h"
#include "base/result.h"

namespace graphnet::journal {

/// Schema of the records written by this version.
///
/// Rules for this and every other schema of the journal (journal_lines.h, control.h):
/// - a new key that readers may do without keeps the number: they ignore keys that they do not
/// know;
/// - any other change (a key removed, renamed, or with another meaning, unit or type) raises it;
/// - readers accept every older number, and say so in one place: record_from_json() turns what an
///   older version wrote into today's struct. tests/golden/journal holds a file of every version;
/// - a newer number is an error that names both, never a guess.
inline constexpr const char* kRecordSchema = "graphnet.record/1";

/// Result of one sample with one plugin: everything needed to repeat and to judge it.
///
/// units    every key says its own (`_ns`, `_bytes`); fractions are 0 to 1
struct Record {
  /// See task_key.h; empty in records from before there were keys.
  std::string task_key;
  int attempt = 1;  ///< of this task, as far as the results file knew; see --retry-failed
  std::string run_id;
  std::string time_utc;  ///< ISO 8601, seconds, when the sample was finished
  std::string graphnet;  ///< version of the host; empty in older records

  std::string sample;       ///< "<family>/<model>"
  std::string sample_path;  ///< as given on the command line or found below it
  std::string family;
  std::string category;  ///< "heuristic_tag" of the sample's labels; empty: none, or not recorded
  std::string model_name;
  std::string sample_sha256;  ///< of model.py and weight_meta.py

  std::string plugin;  ///< manifest name
  std::string plugin_version;
  std::string plugin_variant;  ///< name plus what distinguishes this build, as shown in tables
  std::string plugin_sha256;   ///< of the shared object
  std::string plugin_library;  ///< its path where the run was; empty in older records
  base::Json plugin_options = base::Json::object();
  /// What the plugin says of its executable, key to text: its word, not evidence.
  base::Json plugin_info = base::Json::object();

  std::string device = "cpu";
  int threads = 0;
  std::uint32_t seed = 0;
  std::string weights = "bound";
  base::MathPolicy math;  ///< written only if it is not the default, which older records had
  std::string protocol = "upstream";
  base::Json protocol_settings = base::Json::object();  ///< see config/protocol_file.h
  int warmup = 0;                                       ///< protocol `upstream`
  int trials = 0;                                       ///< protocol `upstream`
  /// What else the run was given: {"proof": "full", "second_weights": "auto", "digest": false, "memory_bytes": 4294967296,
  /// "flop": 2e12, "timeouts_ms": {"load": 60000, ...}}; what had no limit is absent. Empty in
  /// older records.
  base::Json settings = base::Json::object();

  /// ok, accuracy_mismatch, shape_mismatch, dtype_mismatch, count_mismatch, non_finite,
  /// unsupported, compile_failed, runtime_failed, crashed, timed_out, out_of_memory,
  /// killed (by somebody else, not for lack of memory),
  /// reference_failed, invalid_sample, plugin_failed, skipped, interrupted
  std::string outcome;
  std::string message;  ///< one sentence; empty for ok
  std::string phase;    ///< last phase entered; see worker_message.h
  std::string verdict;  ///< proof of execution, one of proof/verdict.h
  bool degenerate = false;
  std::vector<std::string> notes;
  /// What makes the result doubtful, short names: "implausible" (faster than the machine can be),
  /// "denormal" (the sample works on subnormal numbers, which a plugin may flush to zero),
  /// "moved_output" (worker/plugin_side.h), those of worker/timed_checks.h, worker/timing_watch.h,
  /// worker/eager_watch.h and worker/input_evidence.h. A flagged speedup enters no average.
  std::vector<std::string> flags;

  /// Estimates made before anything was allocated: {"argument_bytes", "output_bytes",
  /// "peak_live_bytes", "flop", "live_flop", "must_move_bytes"}, of one call; those after the first
  /// only if they are known; the last two as in eager/live_cost.h, multiplications only.
  base::Json plan = base::Json::object();

  /// One side of the measurement; durations in call order, nanoseconds.
  struct Side {
    std::optional<double> compile_ns;  ///< plugin side only
    std::optional<double> bind_ns;     ///< plugin side only
    /// Plugin side only, protocols that replay: capturing the call and instantiating the graph.
    std::optional<double> capture_ns;
    std::optional<double> first_call_ns;
    std::vector<double> warmup_ns;
    std::vector<double> trials_ns;
    std::optional<double> median_ns;
    std::optional<double> iqr_ns;
    std::optional<double> mean_ns;
    std::optional<double> std_ns;
    std::optional<double> min_ns;
    std::optional<double> max_ns;
    std::optional<std::int64_t> peak_rss_bytes;  ///< of the worker while this side had its phases
    std::vector<std::string> output_dtypes;
  };
  Side eager;
  Side plugin_side;
  /// Eager time by plugin time: `paired` the median of the pairs' ratios, `upstream` the ratio of
  /// the two medians.
  std::optional<double> speedup;
  /// Protocol `paired`: interval, verdict and all that is known of the pairs, whose durations are
  /// the `trials_ns` of the two sides; see worker/record_writer.h.
  base::Json timing = base::Json::object();
  /// What else was looked at, and what it showed: {"checked_calls", "shuffled_calls", ...}.
  base::Json checks = base::Json::object();
  /// What the verdict rests on: see worker/proof_phase.h and proof/ledger.h. Empty: no proof.
  base::Json proof = base::Json::object();

  /// Upstream's correctness lines, one entry per output; keys as in its log.
  base::Json correctness = base::Json::object();
  /// {"arguments": {"count","bytes","sha256"}, "eager_outputs": [..], "plugin_outputs": [..]};
  /// outputs only with --digest.
  base::Json digest = base::Json::object();
  /// Phase name to nanoseconds spent in it.
  base::Json phases_ns = base::Json::object();
  /// cpu model, capability, libtorch, kernel, graphnet version, ...; hardware class for scores.
  base::Json environment = base::Json::object();
  std::optional<std::int64_t> peak_rss_bytes;  ///< of the worker
  /// Last lines that sample or plugin wrote to standard output or error, when it failed.
  std::string output_tail;
  /// Where the worker crashed: {"signal": "SIGSEGV", "address": "0x0" of the fault,
  /// "frames": ["libgn_x.so+0x1139 gn_backend_run", ...]}, outwards; the place is one in the file,
  /// without a file the address. Empty: it did not, or could not tell.
  base::Json crash = base::Json::object();
  std::string command;  ///< command line that repeats this record
};

/// order    keys in the order of the struct, grouped: "plugin": {...}, "eager": {...}; but what
///          tells whether a task is done comes first, see finished_tasks.h
base::Json to_json(const Record& record);

/// Reads a record of this or any older schema; unknown keys are kept out silently.
///
/// errors   kInput if the schema is newer (message names both) or a key has the wrong type
base::Result<Record> record_from_json(const base::Json& json);
/// The same without copies; `json` is spent.
base::Result<Record> record_from_json(base::Json&& json);

/// Upstream's message if torch's Python layer refuses this sample although libtorch runs it.
std::optional<std::string> upstream_refusal(const Record& record);

}  // namespace graphnet::journal
