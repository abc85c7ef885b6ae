// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "base/field_reader.h"
#include "base/json.h"
#include "base/text.h"
#include "eager/non_finite.h"
#include "sample/value_bound.h"
#include "worker/ready_sample.h"
#include "worker/requests.h"

namespace graphnet::worker {

namespace {

using base::Json;
using base::Result;
using eager::BoundBreach;
using eager::ElementFacts;
using eager::FiniteReport;
using eager::NonFiniteCall;

/// "model.py:12:5", wherever the file is.
std::string where(const graph::Program& program, graph::Position position) {
  const std::string text = graph::format_position(program, position);
  return text.substr(text.rfind('/') + 1);
}

std::string statement_text(const graph::Program& program, const graph::Statement& statement) {
  if (statement.kind == graph::StatementKind::kRelease) return "";
  const std::string& target = program.variables[static_cast<std::size_t>(statement.target)];
  const bool is_item = statement.kind == graph::StatementKind::kSetItem;
  const std::string index = is_item ? graph::format_index(program, statement.index) : "";
  const bool is_augmented = statement.kind == graph::StatementKind::kAugmented;
  return target + index + (is_augmented ? " " + statement.text + "= " : " = ") +
         graph::format_expression(program, statement.value);
}

std::string statement_at(const graph::Program& program, graph::Position position) {
  for (const graph::Statement& statement : program.statements) {
    const graph::Position& begin = statement.position;
    if (begin.line == position.line && begin.column == position.column) {
      return statement_text(program, statement);
    }
  }
  return "";
}

Json number_json(const std::optional<double>& number) {
  return number ? Json(*number) : Json();
}

Json facts_json(const ElementFacts& facts) {
  return {{"name", facts.name.empty() ? Json() : Json(facts.name)},
          {"parameter", facts.parameter.empty() ? Json() : Json(facts.parameter)},
          {"dtype", facts.dtype},
          {"shape", facts.shape},
          {"nan", facts.num_nan},
          {"inf", facts.num_inf},
          {"lowest", number_json(facts.lowest)},
          {"highest", number_json(facts.highest)}};
}

Json all_facts_json(const std::vector<ElementFacts>& all) {
  Json json = Json::array();
  for (const ElementFacts& facts : all) json.push_back(facts_json(facts));
  return json;
}

Json call_json(const graph::Program& program, const NonFiniteCall& call) {
  return {{"where", where(program, call.position)},
          {"line", call.position.line},
          {"statement", statement_at(program, call.position)},
          {"op", call.op},
          {"finite_arguments", call.are_arguments_finite()},
          {"arguments", all_facts_json(call.arguments)},
          {"result", facts_json(call.result)}};
}

Json breach_json(const graph::Program& program, const BoundBreach& breach) {
  return {{"bound", {{"name", breach.parameter}, {"key", breach.key}, {"value", breach.bound}}},
          {"op", breach.op},
          {"where", where(program, breach.position)},
          {"argument", facts_json(breach.argument)}};
}

Json report_json(const graph::Program& program, const FiniteReport& report) {
  Json outputs = all_facts_json(report.outputs);
  for (std::size_t i = 0; i < outputs.size(); ++i) outputs[i]["index"] = report.output_indices[i];
  Json infinities = Json::array();
  for (const auto& call : report.infinities) infinities.push_back(call_json(program, call));
  Json breaches = Json::array();
  for (const auto& breach : report.breaches) breaches.push_back(breach_json(program, breach));
  return {{"finite", report.outputs.empty()},
          {"calls", report.num_calls},
          {"outputs", report.num_outputs},
          {"non_finite_outputs", std::move(outputs)},
          {"non_finite_arguments", all_facts_json(report.arguments)},
          {"first_nan", report.first_nan ? call_json(program, *report.first_nan) : Json()},
          {"infinities", std::move(infinities)},
          {"breaches", std::move(breaches)}};
}

/// "float32 [1, 64]: 3 NaN, 1 infinite, others -0.5 to 2".
std::string facts_text(const ElementFacts& facts) {
  std::vector<std::string> extents;
  for (const std::int64_t extent : facts.shape) extents.push_back(std::to_string(extent));
  std::vector<std::string> parts;
  if (facts.num_nan > 0) parts.push_back(std::to_string(facts.num_nan) + " NaN");
  if (facts.num_inf > 0) parts.push_back(std::to_string(facts.num_inf) + " infinite");
  if (facts.lowest) {
    std::array<char, 64> range;
    std::snprintf(range.data(), range.size(), "%.6g to %.6g", *facts.lowest, *facts.highest);
    parts.push_back((parts.empty() ? "" : "others ") + std::string(range.data()));
  }
  const std::string type = facts.dtype + " [" + base::join(extents, ", ") + "]";
  return parts.empty() ? type : type + ": " + base::join(parts, ", ");
}

std::string call_text(const graph::Program& program, const char* what, const NonFiniteCall& call) {
  std::string text = std::string(what) + ": " + where(program, call.position) + ": " +
                     statement_at(program, call.position) + "\n  " + call.op +
                     (call.are_arguments_finite() ? " makes it from finite arguments\n"
                                                  : " takes arguments that are not finite\n");
  for (const ElementFacts& facts : call.arguments) {
    const std::string& parameter = facts.parameter;
    text += "  takes " + facts.name + (parameter.empty() ? "" : " = " + parameter) + ", " +
            facts_text(facts) + "\n";
  }
  return text + "  gives " + facts_text(call.result) + "\n";
}

/// The report for people, a line each.
std::string report_text(const graph::Program& program, const FiniteReport& report) {
  std::string text;
  for (const ElementFacts& facts : report.arguments) {
    text += "argument " + facts.name + ", " + facts_text(facts) + "\n";
  }
  if (report.first_nan) text += call_text(program, "first NaN", *report.first_nan);
  for (std::size_t i = 0; i < report.infinities.size(); ++i) {
    const char* what = i == 0 ? "first infinity" : "another infinity";
    text += call_text(program, what, report.infinities[i]);
  }
  for (std::size_t i = 0; i < report.outputs.size(); ++i) {
    text += "output " + std::to_string(report.output_indices[i]) + ", " +
            facts_text(report.outputs[i]) + "\n";
  }
  const std::string outputs = base::counted(report.num_outputs, "output");
  const std::string calls = base::counted(report.num_calls, "operator call");
  if (report.outputs.empty()) return text + outputs + " finite, " + calls + "\n";
  return text + std::to_string(report.outputs.size()) + " of " + outputs + " not finite, " + calls +
         "\n";
}

}  // namespace

Result<Json> first_nan(const Json& arguments) {
  std::string path;
  base::FieldReader fields(arguments);
  fields.require("sample").read("sample", path);
  GN_RETURN_IF_ERROR(fields.status());
  std::vector<sample::ValueBound> bounds;
  if (arguments.contains("bounds")) {
    GN_ASSIGN_OR_RETURN(bounds, sample::bounds_from_json(arguments["bounds"]));
  }
  GN_ASSIGN_OR_RETURN(const ReadySample ready, ready_sample(path, bounds));
  if (!ready.refused.empty()) return Json::object({{"refused", ready.refused}});
  const graph::Program& program = ready.sample.program;
  GN_ASSIGN_OR_RETURN(const FiniteReport report, eager::find_non_finite(program, ready.views));
  Json answer = report_json(program, report);
  answer["text"] = report_text(program, report);
  return answer;
}

}  // namespace graphnet::worker
