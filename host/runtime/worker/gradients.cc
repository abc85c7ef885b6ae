// SPDX-License-Identifier: MIT
#include <string>
#include <utility>
#include <vector>

#include "base/field_reader.h"
#include "base/json.h"
#include "eager/gradient_check.h"
#include "eager/gradient_programs.h"
#include "eager/program_distance.h"
#include "worker/admission.h"
#include "worker/answer_json.h"
#include "worker/ready_sample.h"
#include "worker/requests.h"

namespace graphnet::worker {

using base::Code;
using base::Json;
using base::Result;
using base::Status;

namespace {

/// Differences take 6 to 54 runs in float64.
constexpr double kMostDifferenceFlop = 2e8;

/// A text that the parser reads as the program.
std::string text_of(const graph::Program& program) {
  std::string text =
      "import torch\nfrom torch import device\nfrom torch import inf\nfrom torch import nan\n\n\n"
      "class GraphModule(torch.nn.Module):\n    def forward(self";
  for (const graph::Parameter& parameter : program.parameters) text += ", " + parameter.name;
  text += "):\n";
  const auto name = [&](graph::VariableId id) {
    return program.variables[static_cast<std::size_t>(id)];
  };
  for (const graph::Statement& statement : program.statements) {
    text += "        ";
    for (const graph::VariableId id : statement.released) text += name(id) + " = ";
    if (statement.kind == graph::StatementKind::kRelease) {
      text += "None\n";
    } else {
      text += name(statement.target) + " = " + graph::format_expression(program, statement.value) +
              "\n";
    }
  }
  return text + "        return " + graph::format_expression(program, program.returned) + "\n";
}

struct GradientRequest {
  ReadySample ready;
  std::vector<bool> requires_grad;
};

Result<GradientRequest> read_request(const Json& arguments) {
  std::string path;
  base::FieldReader fields(arguments);
  fields.require("sample").require("requires_grad").read("sample", path);
  GN_RETURN_IF_ERROR(fields.status());
  GradientRequest request;
  GN_ASSIGN_OR_RETURN(request.ready, fitting_sample(path));
  for (const Json& one : arguments["requires_grad"]) {
    if (!one.is_boolean()) return Status(Code::kInput, "'requires_grad' has other than bools");
    request.requires_grad.push_back(one.get<bool>());
  }
  if (request.requires_grad.size() != request.ready.views.size()) {
    return Status(Code::kInput, "'requires_grad' has another length than the sample's parameters");
  }
  return request;
}

/// Whether the sample runs on arguments of its own.
void run_alone(const std::string& folder, Json& answer) {
  answer["finite"] = false;
  const Status ran = [&]() -> Status {
    GN_ASSIGN_OR_RETURN(const ReadySample ready, fitting_sample(folder));
    GN_ASSIGN_OR_RETURN(const bool is_finite,
                        eager::has_finite_outputs({&ready.sample.program, &ready.views}));
    answer["finite"] = is_finite;
    return Status::ok();
  }();
  answer["run_problem"] = ran.message();
}

/// Why there are no finite differences; empty: they are taken.
std::string too_large(const sample::Sample& sample) {
  const Result<eager::Plan> plan = plan_sample(sample);
  if (!plan.is_ok() || !plan->unknown.empty()) return "its cost is unknown";
  if (plan->flop <= kMostDifferenceFlop) return "";
  return "a call has " + format_flop(plan->flop) + ", more than " +
         format_flop(kMostDifferenceFlop);
}

}  // namespace

Result<Json> differentiate(const Json& arguments) {
  GN_ASSIGN_OR_RETURN(const GradientRequest request, read_request(arguments));
  GN_ASSIGN_OR_RETURN(const eager::GradientPrograms made,
                      eager::record_gradients(request.ready.sample.program, request.ready.views,
                                              request.requires_grad));
  Json parameters = Json::array();
  Json values = Json::array();
  for (const eager::BackwardParameter& parameter : made.parameters) {
    parameters.push_back({{"name", parameter.name},
                          {"argument", parameter.argument ? Json(*parameter.argument) : Json()}});
    values.push_back(parameter.argument ? Json() : record_json(parameter.record));
  }
  return Json({{"forward", text_of(made.forward)},
               {"backward", text_of(made.backward)},
               {"outputs", made.num_outputs},
               {"parameters", std::move(parameters)},
               {"values", Json::array({std::move(values)})},
               {"writes", Json::array()},
               {"gradients", made.gradients}});
}

Result<Json> check_gradients(const Json& arguments) {
  std::string forward_path;
  std::string backward_path;
  base::FieldReader fields(arguments);
  fields.require("forward").require("backward");
  fields.read("forward", forward_path).read("backward", backward_path);
  GN_RETURN_IF_ERROR(fields.status());
  GN_ASSIGN_OR_RETURN(const GradientRequest request, read_request(arguments));
  GN_ASSIGN_OR_RETURN(const sample::Sample forward, sample::load_sample(forward_path));
  GN_ASSIGN_OR_RETURN(const sample::Sample backward, sample::load_sample(backward_path));
  GN_RETURN_IF_ERROR(eager::Engine::check(forward.program));
  GN_RETURN_IF_ERROR(eager::Engine::check(backward.program));
  const eager::TrainingPrograms programs = {&request.ready.sample.program, &forward.program,
                                            &backward.program, &request.ready.views,
                                            request.requires_grad};
  GN_ASSIGN_OR_RETURN(const eager::GradientCheck check,
                      eager::check_gradients(programs, sample::kUpstreamSeed));
  Json answer = {{"outputs", Json::array()}, {"gradients", Json::array()}};
  for (const auto& one : check.outputs) answer["outputs"].push_back(distance_json(one));
  for (const auto& one : check.gradients) answer["gradients"].push_back(distance_json(one));
  answer["differences"] = Json();
  std::string reason = too_large(request.ready.sample);
  if (reason.empty()) {
    const Result<double> error = eager::check_by_differences(programs);
    if (error.is_ok()) answer["differences"] = base::json_number(*error);
    reason = error.is_ok() ? "" : error.status().message();
  }
  answer["no_differences"] = reason;
  run_alone(backward_path, answer);
  return answer;
}

}  // namespace graphnet::worker
