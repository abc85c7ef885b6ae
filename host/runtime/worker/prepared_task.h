// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "graph/call_list.h"
#include "graph/graph.h"
#include "journal/worker_message.h"
#include "sample/arguments.h"
#include "sample/sample.h"
#include "worker/task_device.h"

namespace graphnet::worker {

/// A task's sample, ready to run, for requests that try a plugin without measuring it.
struct PreparedTask {
  std::unique_ptr<TaskDevice> device;
  sample::Sample sample;
  std::vector<sample::Argument> arguments;
};

/// The task of a request's {"task"}; nothing is traced.
///
/// errors   kInput: there is none, or it is malformed
base::Result<journal::Task> read_task(const base::Json& arguments);

/// errors   as loading a sample and opening a device
base::Result<PreparedTask> prepare_task(const journal::Task& task);

/// The graph that a plugin gets, from a run of the sample.
///
/// errors   kUnsupported: the program has no normal form; of the run
base::Result<graph::Graph> whole_graph(const journal::Task& task, PreparedTask& prepared);

/// The calls of a sample, planned on the Meta device: no data, and floats that the program reads
/// from inputs are 1.
///
/// errors   kUnsupported: the program is not planned; kInput: of the program
base::Result<graph::CallList> planned_calls(const sample::Sample& sample);

}  // namespace graphnet::worker
