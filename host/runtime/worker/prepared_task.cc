// SPDX-License-Identifier: MIT
#include "worker/prepared_task.h"

#include "worker/admission.h"
#include "worker/eager_side.h"
#include "worker/math_mode.h"
#include "worker/weights.h"

namespace graphnet::worker {

using base::Code;
using base::Json;
using base::Result;
using base::Status;

Result<journal::Task> read_task(const Json& arguments) {
  if (!arguments.contains("task")) return Status(Code::kInput, "'task' is missing");
  GN_ASSIGN_OR_RETURN(journal::Task task, journal::task_from_json(arguments["task"]));
  task.proof = "none";  // nothing is traced
  return task;
}

Result<PreparedTask> prepare_task(const journal::Task& task) {
  PreparedTask prepared;
  GN_ASSIGN_OR_RETURN(prepared.device, TaskDevice::open(task));
  GN_ASSIGN_OR_RETURN(prepared.sample, sample::load_sample(task.sample_path));
  const sample::Sample& sample = prepared.sample;
  GN_ASSIGN_OR_RETURN(
      prepared.arguments,
      sample::generate_arguments(sample.metas, sample.program.parameters, sample::kUpstreamSeed));
  return prepared;
}

Result<graph::Graph> whole_graph(const journal::Task& task, PreparedTask& prepared) {
  GN_ASSIGN_OR_RETURN(const auto eager, EagerSide::create(prepared.sample, prepared.arguments,
                                                          prepared.device->tensors()));
  GN_RETURN_IF_ERROR(enter_math_mode(task.math));
  GN_RETURN_IF_ERROR(eager->prepare());
  GN_RETURN_IF_ERROR(eager->run());
  GN_RETURN_IF_ERROR(eager->prepare());
  std::vector<bool> weights;
  for (const auto& argument : prepared.arguments) {
    weights.push_back(is_weight(argument.kind, task.weights));
  }
  return eager->engine().normal_form(weights);
}

Result<graph::CallList> planned_calls(const sample::Sample& sample) {
  GN_RETURN_IF_ERROR(eager::Engine::check(sample.program));
  GN_ASSIGN_OR_RETURN(const PlanArguments arguments, plan_arguments(sample));
  return eager::plan_calls(sample.program, arguments.all);
}

}  // namespace graphnet::worker
