// SPDX-License-Identifier: MIT
#include "worker/cut_session.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "graph/cut.h"
#include "graph/graph_text.h"
#include "journal/worker_message.h"
#include "sample/replay.h"
#include "sample/sample.h"
#include "verify/compare.h"
#include "worker/answer.h"
#include "worker/eager_side.h"
#include "worker/graph_side.h"
#include "worker/math_mode.h"
#include "worker/plugin_side.h"
#include "worker/task_device.h"
#include "worker/weights.h"

namespace graphnet::worker {

namespace {

using base::Json;
using base::Result;
using base::Status;

Result<graph::Graph> whole_graph(const journal::Task& task, const sample::Sample& sample,
                                 std::vector<sample::Argument>& arguments,
                                 device::TensorPlace& place) {
  GN_ASSIGN_OR_RETURN(const auto eager, EagerSide::create(sample, arguments, place));
  GN_RETURN_IF_ERROR(enter_math_mode(task.math));
  GN_RETURN_IF_ERROR(eager->prepare());
  GN_RETURN_IF_ERROR(eager->run());
  GN_RETURN_IF_ERROR(eager->prepare());
  std::vector<bool> weights;
  for (const auto& argument : arguments) weights.push_back(is_weight(argument.kind, task.weights));
  return eager->engine().normal_form(weights);
}

/// The plugin's word, or nothing if it ran.
plugin::CallStatus run_plugin(PluginSide& side, base::Result<graph::Graph> body) {
  plugin::CallStatus status = side.open();
  if (!status.is_ok()) return status;
  side.offer_body(std::move(body));
  double ignored_ns = 0;
  status = side.compile(ignored_ns);
  if (status.is_ok()) status = side.bind(ignored_ns);
  if (!status.is_ok()) return status;
  measure::SideDurations ignored;
  return side.measure({0, 1}, ignored);
}

Json outcome_json(record::Outcome outcome, const std::string& message) {
  return {{"outcome", name_of(outcome)}, {"message", message}};
}

// Indices and other whole numbers may differ where values tie; floats show the fault anyway.
Json judge(const std::vector<KeptOutput>& wanted, const std::vector<KeptOutput>& given) {
  const auto comparison = verify::compare_outputs(views(wanted), views(given));
  for (std::size_t i = 0; i < comparison.outputs.size(); ++i) {
    if (!base::is_floating(wanted[i].dtype) || comparison.outputs[i].within_tolerance()) continue;
    return outcome_json(comparison.outcome, comparison.message);
  }
  return outcome_json(record::Outcome::kOk, "");
}

/// Gives a plugin the cut and compares.
Result<Json> try_cut(const journal::Task& task, const std::string& name, const graph::Graph& cut,
                     const PlacedArguments& placed) {
  GN_ASSIGN_OR_RETURN(const auto reference, GraphSide::create(cut, placed));
  GN_ASSIGN_OR_RETURN(const std::vector<KeptOutput> wanted, reference->reference());
  PluginSide plugin(task, name, placed, wanted, reference.get(), [](const char*) {});
  const plugin::CallStatus status = run_plugin(plugin, cut);
  if (status.is_ok()) return judge(wanted, plugin.kept());
  const bool is_gap = status.kind == plugin::FailureKind::kUnsupported;
  return outcome_json(is_gap ? record::Outcome::kUnsupported : record::Outcome::kPluginFailed,
                      status.status.message());
}

Status answer_cut(const journal::Task& task, std::size_t num_nodes, const Answer& answer) {
  GN_ASSIGN_OR_RETURN(const auto device, TaskDevice::open(task));
  GN_ASSIGN_OR_RETURN(const sample::Sample sample, sample::load_sample(task.sample_path));
  GN_ASSIGN_OR_RETURN(auto arguments,
                      sample::replay(sample.metas, sample.program.parameters, sample::kReplaySeed));
  GN_ASSIGN_OR_RETURN(const graph::Graph whole,
                      whole_graph(task, sample, arguments, device->place()));
  const std::size_t length = num_nodes == 0 ? whole.nodes.size() : num_nodes;
  if (length == 0 || length > whole.nodes.size()) {
    return Status(base::Code::kInput, "the graph has no node " + std::to_string(length));
  }
  const graph::Node& last = whole.nodes[length - 1];
  const std::string place = last.where.empty() ? "" : "  # " + last.where;
  answer.send(
      {{"num_nodes", whole.nodes.size()}, {"node", graph::print_node(whole, last) + place}});
  GN_ASSIGN_OR_RETURN(const PlacedArguments placed,
                      PlacedArguments::create(device->place(), arguments));
  GN_ASSIGN_OR_RETURN(const Json outcome,
                      try_cut(task, sample.name, graph::cut_after(whole, length), placed));
  answer.send(outcome);
  return Status::ok();
}

}  // namespace

int run_cut(std::string_view request) {
  const auto json = base::parse_json(std::string(request), "request");
  if (!json.is_ok() || !json->contains("task")) return 2;
  auto task = journal::task_from_json((*json)["task"]);
  if (!task.is_ok()) return 2;
  task->proof = "none";  // nothing is traced
  const Answer answer;
  const Status status = answer_cut(*task, json->value("nodes", std::size_t{0}), answer);
  if (!status.is_ok()) answer.send_error(status);
  return 0;
}

}  // namespace graphnet::worker
