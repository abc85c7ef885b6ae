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
#include "record/flag.h"
#include "record/outcome.h"
#include "record/parts.h"
#include "record/phase.h"
#include "record/proof.h"
#include "record/verdict.h"

namespace graphnet::record {

/// Schema of the records written by this version.
///
/// Rules for this and every schema of the journal (journal/journal_lines.h, journal/control.h):
/// - a new key that readers may do without keeps the number: they ignore keys that they do not
/// know;
/// - any other change (a key removed, renamed, or with another meaning, unit or type) raises it;
/// - a renamed word (word.h) keeps the number: readers know both, and older ones keep what they do
/// not know;
/// - readers accept every older number; record_from_json() alone turns what an
///   older version wrote into today's struct. tests/golden/journal holds a file of every version;
/// - a newer number is an error that names both, never a guess.
inline constexpr const char* kRecordSchema = "graphnet.record/1";

/// Result of one sample with one plugin: everything needed to repeat and to judge it. Words that
/// this version does not know are kept and written back (word.h), and so are members of `plan`,
/// `timing`, `checks`, `proof`, `environment` and `crash` (fields.h).
///
/// units    every key says its own (`_ns`, `_bytes`); fractions are 0 to 1
struct Record {
  /// See journal/task_key.h; empty in records from before there were keys.
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
  /// What the plugin says of its executable, key to text: unverified, and no evidence.
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
  /// What else the run was given: {"proof": "full", "second_weights": "auto", "digest": false,
  /// "memory_bytes": 4294967296, "flop": 2e12, "timeouts_ms": {"load": 60000, ...}}; what had no
  /// limit is absent. Empty in older records.
  base::Json settings = base::Json::object();

  Word<Outcome> outcome;
  std::string message;  ///< one sentence; empty for ok
  Word<Phase> phase;    ///< last phase entered
  Verdict verdict;      ///< proof of execution
  bool degenerate = false;
  std::vector<std::string> notes;
  std::vector<Word<Flag>> flags;  ///< what makes the result doubtful

  Plan plan;

  /// One side of the measurement; durations in call order, nanoseconds.
  struct Side {
    std::optional<double> compile_ns;  ///< plugin side only; absent if it was loaded
    /// Plugin side only: loading an artifact of an earlier run in place of compiling.
    std::optional<double> load_ns;
    std::optional<double> bind_ns;  ///< plugin side only
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
    /// Plugin side only: what it says it keeps because of bind, beside the host's own weights.
    std::optional<std::int64_t> kept_bytes;
    std::vector<std::string> output_dtypes;
  };
  Side eager;
  Side plugin_side;
  /// Eager time by plugin time: `paired` the median of the pairs' ratios, `upstream` the ratio of
  /// the two medians.
  std::optional<double> speedup;
  Timing timing;
  Checks checks;
  Roofline roofline;
  Proof proof;

  /// Upstream's correctness lines, one entry per output; keys as in its log.
  base::Json correctness = base::Json::object();
  /// {"arguments": {"count","bytes","sha256"}, "eager_outputs": [..], "plugin_outputs": [..]};
  /// outputs only with --digest.
  base::Json digest = base::Json::object();
  /// Phase name to nanoseconds spent in it.
  base::Json phases_ns = base::Json::object();
  Environment environment;
  std::optional<std::int64_t> peak_rss_bytes;  ///< of the worker
  /// Last lines that sample or plugin wrote to standard output or error, when it failed.
  std::string output_tail;
  Crash crash;
  std::string command;  ///< command line that repeats this record

  bool is_ok() const { return outcome == Outcome::kOk; }
  /// Whether it says something about its backend.
  Counting counting() const { return counting_of(outcome, phase); }
  /// Name of plugin and build, as tables show it; older records have no variant.
  const std::string& backend_name() const {
    return plugin_variant.empty() ? plugin : plugin_variant;
  }
  /// First part of the sample's name where the record has no family.
  std::string family_name() const;
};

/// order    keys in the order of the struct, grouped: "plugin": {...}, "eager": {...}; but what
///          tells whether a task is done comes first, see journal/finished_tasks.h
base::Json to_json(const Record& record);

/// Reads a record of this or any older schema; unknown keys are kept out silently.
///
/// errors   kInput if the schema is newer (message names both) or a key has the wrong type
base::Result<Record> record_from_json(const base::Json& json);
/// The same without copies; `json` is spent.
base::Result<Record> record_from_json(base::Json&& json);

/// The flags as they are stored.
std::vector<std::string> texts_of(const std::vector<Word<Flag>>& flags);

/// Upstream's message if torch's Python layer refuses this sample although libtorch runs it.
std::optional<std::string> upstream_refusal(const Record& record);

}  // namespace graphnet::record
