// SPDX-License-Identifier: MIT
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/field_reader.h"
#include "base/json.h"
#include "eager/value_record.h"
#include "worker/answer_json.h"
#include "worker/ready_sample.h"
#include "worker/requests.h"

namespace graphnet::worker {

using base::Code;
using base::Json;
using base::Result;
using base::Status;
using eager::ValueRecord;

namespace {

/// Variables to record at a statement, and some to record only if they are written to.
struct AskedPoint {
  eager::RecordPoint point;  ///< `if_written` left out
  std::size_t end = 0;
  std::vector<graph::VariableId> if_written;
};

bool is_below(const Json& number, std::size_t end) {
  return number.is_number_unsigned() && number.get<std::size_t>() < end;
}

bool are_below(const Json& numbers, std::size_t end) {
  return numbers.is_array() && std::all_of(numbers.begin(), numbers.end(),
                                           [&](const Json& one) { return is_below(one, end); });
}

/// Whether `json` is [statement, [variable, ...], end, [variable, ...]] of the program.
bool is_point(const Json& json, const graph::Program& program) {
  const std::size_t num_places = program.statements.size() + 1;
  const std::size_t num_variables = program.variables.size();
  return json.is_array() && json.size() == 4 && is_below(json[0], num_places) &&
         are_below(json[1], num_variables) && is_below(json[2], num_places) &&
         are_below(json[3], num_variables);
}

Result<std::vector<AskedPoint>> read_points(const Json& json, const graph::Program& program) {
  std::vector<AskedPoint> points;
  for (const Json& row : json) {
    if (!is_point(row, program)) return Status(Code::kInput, "'points' has other than points");
    const auto statement = row[0].get<std::size_t>();
    if (!points.empty() && points.back().point.statement > statement) {
      return Status(Code::kInput, "'points' do not ascend");
    }
    points.push_back({{statement, row[1].get<std::vector<graph::VariableId>>()},
                      row[2].get<std::size_t>(),
                      row[3].get<std::vector<graph::VariableId>>()});
  }
  return points;
}

bool is_written(const std::vector<eager::StatementWrites>& writes, const AskedPoint& asked,
                graph::VariableId variable) {
  return std::any_of(writes.begin(), writes.end(), [&](const eager::StatementWrites& write) {
    const auto& variables = write.variables;
    return write.statement >= asked.point.statement && write.statement < asked.end &&
           std::binary_search(variables.begin(), variables.end(), variable);
  });
}

/// The points with what is written to; a first run finds out.
Result<std::vector<eager::RecordPoint>> settle(const ReadySample& ready,
                                               const std::vector<AskedPoint>& asked) {
  const graph::Program& program = ready.sample.program;
  const bool asks = std::any_of(asked.begin(), asked.end(),
                                [](const AskedPoint& point) { return !point.if_written.empty(); });
  eager::ValueRecords first;
  if (asks) {
    GN_ASSIGN_OR_RETURN(first, eager::record_values(program, ready.views, {}, 0));
    // Puts torch's generator back to where it was.
    GN_RETURN_IF_ERROR(
        eager::Engine::finish_arguments(program, ready.views, sample::kUpstreamSeed));
  }
  std::vector<eager::RecordPoint> points;
  for (const AskedPoint& one : asked) {
    points.push_back(one.point);
    for (const graph::VariableId variable : one.if_written) {
      if (is_written(first.writes, one, variable)) points.back().variables.push_back(variable);
    }
  }
  return points;
}

/// A row of the answer: null for what was not written to.
Json values_json(const AskedPoint& asked, const eager::RecordPoint& point,
                 const std::vector<ValueRecord>& values) {
  Json row = Json::array();
  const std::size_t num_sure = asked.point.variables.size();
  for (std::size_t i = 0; i < num_sure; ++i) row.push_back(record_json(values[i]));
  std::size_t next = num_sure;
  for (const graph::VariableId variable : asked.if_written) {
    const bool is_there = next < point.variables.size() && point.variables[next] == variable;
    row.push_back(is_there ? record_json(values[next++]) : Json());
  }
  return row;
}

}  // namespace

Result<Json> record_values(const Json& arguments) {
  std::string path;
  std::optional<std::int64_t> most_elements;
  base::FieldReader fields(arguments);
  fields.require("sample").require("points").read("sample", path);
  fields.read("most_elements", most_elements);
  GN_RETURN_IF_ERROR(fields.status());
  GN_ASSIGN_OR_RETURN(const ReadySample ready, fitting_sample(path));
  const graph::Program& program = ready.sample.program;
  GN_ASSIGN_OR_RETURN(const auto asked, read_points(arguments["points"], program));
  GN_ASSIGN_OR_RETURN(const auto points, settle(ready, asked));
  GN_ASSIGN_OR_RETURN(
      const eager::ValueRecords records,
      eager::record_values(program, ready.views, points, most_elements.value_or(0)));
  Json values = Json::array();
  for (std::size_t i = 0; i < asked.size(); ++i) {
    values.push_back(values_json(asked[i], points[i], records.values[i]));
  }
  Json writes = Json::array();
  for (const eager::StatementWrites& write : records.writes) {
    writes.push_back(Json::array({write.statement, write.variables}));
  }
  return Json({{"values", std::move(values)}, {"writes", std::move(writes)}});
}

}  // namespace graphnet::worker
