// SPDX-License-Identifier: MIT
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/field_reader.h"
#include "base/json.h"
#include "eager/program_distance.h"
#include "eager/resize_program.h"
#include "eager/statement_plan.h"
#include "graph/reads.h"
#include "worker/admission.h"
#include "worker/answer_json.h"
#include "worker/ready_sample.h"
#include "worker/requests.h"

namespace graphnet::worker {

using base::Code;
using base::Json;
using base::Result;
using base::Status;
using eager::OutputDistance;

namespace {

Result<std::vector<OutputDistance>> distances(const std::string& form, const std::string& path) {
  GN_ASSIGN_OR_RETURN(const ReadySample other, fitting_sample(form));
  GN_ASSIGN_OR_RETURN(const ReadySample ready, fitting_sample(path));
  return eager::compare_programs({&ready.sample.program, &ready.views},
                                 {&other.sample.program, &other.views});
}

bool is_shape(const Json& json) {
  return json.is_array() && std::all_of(json.begin(), json.end(), [](const Json& extent) {
           return extent.is_number_unsigned();
         });
}

}  // namespace

Result<Json> plan_statements(const Json& arguments) {
  std::string path;
  base::FieldReader fields(arguments);
  fields.require("sample").read("sample", path);
  GN_RETURN_IF_ERROR(fields.status());
  GN_ASSIGN_OR_RETURN(const sample::Sample sample, sample::load_sample(path));
  GN_RETURN_IF_ERROR(eager::Engine::check(sample.program));
  GN_ASSIGN_OR_RETURN(const PlanArguments planned, plan_arguments(sample));
  GN_ASSIGN_OR_RETURN(const auto statements, eager::plan_statements(sample.program, planned.all));
  Json rows = Json::array();
  for (const eager::StatementFacts& facts : statements) {
    rows.push_back({{"ops", facts.ops}, {"dtype", facts.dtype}, {"shape", facts.shape}});
  }
  return Json::object({{"statements", std::move(rows)}});
}

Result<Json> resize(const Json& arguments) {
  std::string path;
  Json shapes;
  base::FieldReader fields(arguments);
  fields.require("sample").require("shapes").read("sample", path).read_object("shapes", shapes);
  GN_RETURN_IF_ERROR(fields.status());
  GN_ASSIGN_OR_RETURN(const sample::Sample sample, sample::load_sample(path));
  GN_RETURN_IF_ERROR(eager::Engine::check(sample.program));
  GN_ASSIGN_OR_RETURN(const PlanArguments planned, plan_arguments(sample));
  std::vector<eager::PlanArgument> resized = planned.all;
  for (std::size_t i = 0; i < resized.size(); ++i) {
    const auto found = shapes.find(sample.program.parameters[i].name);
    if (found == shapes.end()) continue;
    if (!is_shape(*found)) return Status(Code::kInput, "'shapes' has other than shapes");
    resized[i].shape = found->get<std::vector<std::int64_t>>();
    resized[i].known = nullptr;
  }
  GN_ASSIGN_OR_RETURN(eager::ResizedProgram result,
                      eager::resize_program(sample.program, planned.all, resized));
  Json integers = Json::array();
  for (const std::int64_t* integer : graph::written_integers(result.program)) {
    integers.push_back(*integer);
  }
  const eager::Plan plan = eager::plan_program(result.program, resized);
  return Json::object({{"integers", std::move(integers)},
                       {"changed", result.num_literals},
                       {"flop", plan.flop},
                       {"argument_bytes", plan.argument_bytes}});
}

Result<Json> try_form(const Json& arguments) {
  std::string form;
  std::string path;
  base::FieldReader fields(arguments);
  fields.require("form").require("sample").read("form", form).read("sample", path);
  GN_RETURN_IF_ERROR(fields.status());
  GN_ASSIGN_OR_RETURN(const auto outputs, distances(form, path));
  Json rows = Json::array();
  for (const OutputDistance& output : outputs) rows.push_back(distance_json(output));
  return Json::object({{"outputs", std::move(rows)}});
}

}  // namespace graphnet::worker
