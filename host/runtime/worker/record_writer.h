// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "eager/planner.h"
#include "journal/worker_message.h"
#include "measure/paired_result.h"
#include "measure/sequential.h"
#include "record/record.h"
#include "worker/dense_copy.h"
#include "worker/timed_checks.h"

namespace graphnet::worker {

/// A record that says what was asked for, and nothing yet of what came of it.
record::Record start_record(const journal::Task& task);

/// Which libtorch ran the reference.
void write_engine(record::Record& record);

/// Memory and cost as planned, or why they are not known.
void write_plan(record::Record& record, const eager::Plan& plan);

/// Protocol `upstream`: all durations of one side, and in Record::timing those of a device's clock,
/// as write_spans() has them.
void write_side(record::Record& record, measure::Side side,
                const measure::SideDurations& durations);

/// Protocol `paired`: first call and warm-up calls of one side.
void write_warmup(record::Record::Side& side, const measure::Warmup& warmup);

void write_output_types(record::Record::Side& side, const std::vector<KeptOutput>& outputs);

/// Protocol `paired`: the pairs, and what follows from them. Record::timing gets
///
/// | key                             | means                                                  |
/// |---------------------------------|--------------------------------------------------------|
/// | `speedup_low`, `speedup_high`   | interval of `speedup` with `confidence`; absent: none  |
/// | `verdict`                       | faster, slower, same, unstable                         |
/// | `noise_floor`                   | largest deviation of eager vs eager from 1 between the |
/// |                                 | pairs; `controls`: how often it was measured           |
/// | `same_within`                   | fraction; with verdict `same` only                     |
/// | `abi_ns`                        | what a call through the ABI takes beside the plugin's  |
/// |                                 | own code; part of the plugin's times, never taken out  |
/// | `hodges_lehmann`,               | other estimates, for readers of other tools            |
/// | `ratio_of_minima`,              |                                                        |
/// | `ratio_of_medians`              |                                                        |
/// | `pairs_kept`, `pairs_dropped`   | by disturbance of either side sample                   |
/// | `backend_first`, `disturbed`    | one digit a pair, in the order of `trials_ns`; 2:      |
/// |                                 | kept, the plugin's threads waited for each other       |
/// | `calls_per_half`                | calls in a side sample: {"eager", "plugin"};           |
/// |                                 | `trials_ns` are of one call                            |
/// | `stop`, `looks`, `remeasured`,  | how it went; see measure/paired_result.h               |
/// | `steal_share`, `others_share`,  |                                                        |
/// | `idle_timeouts`,                |                                                        |
/// | `first_mover_bias`,             |                                                        |
/// | `block_length`, `clock_ns`,     |                                                        |
/// | `elapsed_ns`                    |                                                        |
/// | `break_even_calls`              | calls after which compile, bind and capture have paid  |
/// |                                 | off; absent if never                                   |
/// | `waited_ns`                     | {"eager", "plugin"}, a number a pair: what of          |
/// |                                 | `trials_ns` the thread spent waiting for a core and is |
/// |                                 | not counted                                            |
/// | `removed_share`                 | {"eager", "plugin"}: that, of the time of all side     |
/// |                                 | samples                                                |
/// | `unstable_because`              | with verdict `unstable` only: drops, waits (without an |
/// |                                 | interval), width; eager, steps (measure::Unstable's    |
/// |                                 | words, and SecondLook::is_in_pairs_only)               |
/// | `cpu_ns`, `cpu_wall_ns`         | {"eager", "plugin"}: processor time of the worker and  |
/// |                                 | its child processes over the side's samples, and the   |
/// |                                 | wall clock of the same                                 |
/// | `cores`                         | those that all threads were bound to                   |
/// | `cold`                          | the same table with cold caches, its `speedup`,        |
/// |                                 | `eager_ns` and `plugin_ns`; protocols with             |
/// |                                 | `cache: both` only                                     |
void write_timing(record::Record& record, const measure::PairedResult& result);
void write_cold_timing(record::Record& record, const measure::PairedResult& result);

/// Protocol `paired` that replays: Record::timing gets `replay` {"nodes" of the captured graph,
/// "first_launch_ns", "warmup_ns": [...] of launches, "plugin_call_ns": of the plugin's own calls
/// before it was captured, the median of the last five}. What capturing cost is
/// Record::Side::capture_ns.
void write_replay(record::Timing& timing, std::size_t num_nodes, const measure::Warmup& launches,
                  const measure::Warmup& plugin_calls);

/// Adds to the timing of a device's calls what its own clock says, which is never mixed with the
/// host's: `event_ns` {"eager": [...], "plugin": [...]} between an event before and one after the
/// call, a number a pair, and `event_median_ns` {"eager", "plugin"}. How long the device was busy
/// is another thing again, which the proof finds out (`busy_ns`, proof/device_json.h).
void write_spans(record::Timing& timing, const std::vector<measure::PerSide<double>>& span_ns);
/// The same of Timing::cold.
void write_spans(base::Json& timing, const std::vector<measure::PerSide<double>>& span_ns);

/// Note of method upstream; see measure/protocol.h.
inline constexpr const char* kNoteUnchecked =
    "unchecked: its timed calls repeat one input, so stored results would not show in them";

/// Note of samples on a device, where flags `implausible` and `denormal` are never given.
inline constexpr const char* kNoteDeviceChecks =
    "not looked for on a device: implausible (only the processor's peaks are known) and denormal "
    "(only the processor flushes subnormals on request)";

/// Adds what checks found: counts to Record::checks ("checked_calls", "shuffled_calls",
/// "content_bits", "ill_conditioned_calls"), and a finding as flag, outcome and message, without a
/// speedup.
void write_findings(record::Record& record, const TimedFindings& findings);

/// A status on one line, for Record::message.
std::string one_line(const base::Status& status);

}  // namespace graphnet::worker
