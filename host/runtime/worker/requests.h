// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/json.h"
#include "base/result.h"
#include "worker/channel.h"

namespace graphnet::worker {

/// Answers requests (journal/worker_request.h) until the supervisor closes the channel.
void serve_requests(Channel& channel);

/// The answer to one line.
///
/// errors   kInput: the line is malformed; kInternal: there is no such request; as the request
base::Result<base::Json> answer_request(const std::string& line);

// The requests: arguments in, answer out. One that takes no arguments has {}. Arguments come from
// the supervisor alone; a request whose arguments are malformed fails with kInput.

/// What the worker program is: {"schema": "graphnet.worker/1", "libtorch": "2.11.0",
/// "cpu_capability": "AVX512", "threads": 8, "cuda": cuda_json() (device_answer.h), "abi":
/// {"major": 0, "minor": 1}}. Proves that its libraries load on this machine.
base::Result<base::Json> describe(const base::Json& arguments);

/// A sample's graph: {"sample": its folder, "stage": "normal" or "program" (the calls as run),
/// "run": false to plan it on the Meta device, without data, "text": true for the graph as text
/// (graph/graph_text.h)} -> {"parameters": [{"name", "kind", "dtype", "shape", "specialised"}],
/// "outputs": [{"dtype", "shape"}], "ops": [{"op", "nodes", "flop", "read_bytes", "written_bytes",
/// "dtypes", "max_rank"}], "total", "text"}. No plugin is loaded.
base::Result<base::Json> inspect(const base::Json& arguments);

/// Where eager makes NaN and infinity: {"sample": its folder, "bounds": sample::to_json() of bounds
/// that its metadata is to have, or none} -> {"finite": whether all outputs are, "calls",
/// "outputs": how many, "non_finite_outputs": [facts with "index"], "non_finite_arguments":
/// [facts], "first_nan": call or null, "infinities": [call], "breaches": [{"bound": {"name", "key",
/// "value"}, "op", "where", "argument": facts}], "text": the same for people}, or {"refused": why}
/// if it does not fit into memory.
///
/// facts   {"name", "parameter", "dtype", "shape", "nan", "inf", "lowest", "highest"}: ElementFacts
/// call    {"where": "model.py:12:5", "line", "statement", "op", "finite_arguments", "arguments":
///         [facts], "result": facts}: NonFiniteCall (eager/non_finite.h)
base::Result<base::Json> first_nan(const base::Json& arguments);

/// What variables hold inside a run of a sample, and what statements write to: {"sample": its
/// folder, "points": [[statement, [variable, ...], end, [variable, ...]], ...] (ascending; numbers
/// of graph::Program; the second variables only if a statement of [statement, end) writes to them),
/// "most_elements": larger tensors come without their elements} -> {"values": [[value, ...], ...]
/// (as the points; null: not written to), "writes": [[statement, [variable, ...]], ...]}.
///
/// value   {"plain": "(1, 2)"}, {"items": [value], "is_list"}, or {"dtype", "shape", "mean",
///         "deviation", "lowest", "highest", "lowest_integer", "highest_integer", "elements":
///         "1.0 2.0"}: eager::ValueRecord
/// errors   kEnvironment: it does not fit into memory; of the run
base::Result<base::Json> record_values(const base::Json& arguments);

/// Runs a sample, and its pieces one after the other on the same arguments: {"sample": its folder,
/// "pieces": [folder, ...]} -> {"outcome", "message", "bit_equal": whether all outputs are,
/// "outputs": [{"dtype", "shape", "bit_equal", "all_close": [64 bools], "max_diff", "mean_diff",
/// "relative_rms"}], "whole_ns": of the one run of the sample}.
///
/// errors   kInput: pieces that do not fit together (eager::run_chain()); as record_values()
base::Result<base::Json> compose(const base::Json& arguments);

/// What each statement of a sample does, planned on the Meta device: {"sample": its folder} ->
/// {"statements": [{"ops": ["aten::linear"], "dtype": of what its target holds, "shape"}]}:
/// eager::StatementFacts.
///
/// errors   kUnsupported: it cannot be planned; as generating arguments, memory aside
base::Result<base::Json> plan_statements(const base::Json& arguments);

/// The integers of a program for arguments of other shapes: {"sample": its folder, "shapes": {name
/// of an argument: shape}} -> {"integers": those of graph::written_integers(), "changed": how many,
/// "flop": of one call, "argument_bytes"}: eager::resize_program().
///
/// errors   kInput, kUnsupported: it cannot be planned in these shapes
base::Result<base::Json> resize(const base::Json& arguments);

/// Runs another form of a sample and the sample itself: {"form": folder, "sample": folder} ->
/// {"outputs": [{"dtype", "shape", "equal", "same_shape", "not_finite", "relative_rms",
/// "rms", "floating"}]}: eager::OutputDistance.
///
/// errors   kEnvironment: one does not fit into memory; of the runs
base::Result<base::Json> try_form(const base::Json& arguments);

/// Forward and backward pass of a sample as programs: {"sample": its folder, "requires_grad": [one
/// bool per parameter]} -> {"forward": text of a model.py, "backward": the same, "outputs": how
/// many outputs of the sample the first returns, "parameters": [{"name", "argument": its number or
/// null}] (of the second), "values": [[value, ...]] (what these held, as record_values; null
/// for arguments), "writes": [], "gradients": [numbers of the arguments whose gradients
/// the second returns]}: eager::GradientPrograms.
///
/// errors   kEnvironment: it does not fit into memory; kUnsupported: it has no gradients, or a call
///          cannot be written; of the run
base::Result<base::Json> differentiate(const base::Json& arguments);

/// Runs such programs, written as samples, beside libtorch's autograd, and the second once on
/// arguments of its own: {"sample": folder, "forward": folder, "backward": folder, "requires_grad"}
/// -> {"outputs": [distance], "gradients": [distance], "differences": relative error beside finite
/// differences or null, "no_differences": why there is none, "run_problem": why the second does not
/// run by itself, or "", "finite": whether its outputs then are}.
///
/// distance  {"dtype", "shape", "equal", "same_shape", "not_finite", "relative_rms", "rms",
///           "floating"}
/// errors   kInput: they do not fit together; as differentiate()
base::Result<base::Json> check_gradients(const base::Json& arguments);

/// Whether a device can be used: {"device": "cuda:0"} -> examine_device() (device_answer.h). To be
/// asked once of a process.
///
/// errors   kEnvironment: it cannot
base::Result<base::Json> check_device(const base::Json& arguments);

/// {"device": "cuda:0"} -> device_report() (device_report.h). To be asked once of a process.
base::Result<base::Json> report_device(const base::Json& arguments);

/// The nodes of the graph that a plugin gets: {"task": journal::Task} -> {"nodes": [text, ...]}.
base::Result<base::Json> list_nodes(const base::Json& arguments);

/// Gives the plugin the graph as far as its first nodes, runs it once and compares the values that
/// live behind them: {"task": journal::Task, "nodes": 12} -> {"outcome": "ok", one of verify's
/// outcomes, "unsupported" or "plugin_failed", "message"}. To be asked once of a process.
base::Result<base::Json> try_first_nodes(const base::Json& arguments);

/// Compiles a task's graph once, for what the plugin writes to Task::dump_folder, or, with
/// check_only, asks the plugin whether it would compile the planned graph: {"task": journal::Task,
/// "check_only": false} -> {"outcome": "ok", "unsupported" or "plugin_failed", "message"}. To be
/// asked once of a process.
base::Result<base::Json> try_compile(const base::Json& arguments);

/// A request and the function that answers it.
struct RequestRow {
  const char* name;
  base::Result<base::Json> (*answer)(const base::Json& arguments);
};

inline constexpr RequestRow kRequests[] = {
    {"describe", describe},
    {"inspect", inspect},
    {"first_nan", first_nan},
    {"record_values", record_values},
    {"compose", compose},
    {"plan_statements", plan_statements},
    {"resize", resize},
    {"try_form", try_form},
    {"differentiate", differentiate},
    {"check_gradients", check_gradients},
    {"check_device", check_device},
    {"report_device", report_device},
    {"bisect_nodes", list_nodes},
    {"bisect_trial", try_first_nodes},
    {"compile_trial", try_compile},
};

}  // namespace graphnet::worker
