// SPDX-License-Identifier: MIT
#include "split/recorded_value.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "base/text.h"
#include "sample/parser.h"

namespace graphnet::split {

namespace {

using base::Code;
using base::Json;
using base::Result;
using base::Status;
using sample::TensorMeta;

Status malformed() {
  return Status(Code::kInternal, "the worker's answer to record_values is malformed");
}

/// The expression that a text of Python without variables is.
Result<graph::Expression> parse_plain(const std::string& text) {
  const std::string model =
      "import torch\nfrom torch import device\nfrom torch import inf\nfrom torch import nan\n\n\n"
      "class GraphModule(torch.nn.Module):\n    def forward(self):\n        value = (" +
      text + ",)\n        return (value,)\n";
  GN_ASSIGN_OR_RETURN(graph::Program program, sample::parse_model(model, "value"));
  // In a tuple, since `value = None` would be a release.
  return std::move(program.statements.at(0).value.children.at(0));
}

/// Six significant digits are more than upstream's three decimals and short.
double rounded(double value) {
  std::array<char, 32> text = {};
  std::snprintf(text.data(), text.size(), "%.6g", value);
  return std::strtod(text.data(), nullptr);
}

std::optional<double> number_at(const Json& json, const char* key) {
  return json.value(key, Json()).is_number() ? std::optional<double>(json[key].get<double>())
                                             : std::nullopt;
}

std::vector<sample::LiteralNumber> read_elements(const std::string& text, base::DType dtype) {
  std::vector<sample::LiteralNumber> numbers;
  for (const std::string& word : base::split(text, ' ')) {
    if (base::is_floating(dtype)) {
      numbers.push_back(sample::float_literal(std::strtod(word.c_str(), nullptr)));
    } else {
      numbers.push_back(sample::integer_literal(std::strtoll(word.c_str(), nullptr, 10)));
      if (dtype == base::DType::kBool) numbers.back().kind = sample::LiteralNumber::Kind::kBool;
    }
  }
  return numbers;
}

// Integers without elements are drawn from their range, floats from a Gaussian between their ends.
void add_statistics(const Json& json, TensorMeta& meta) {
  meta.has_mean = true;
  meta.has_std = true;
  const std::string elements = json.value("elements", "");
  if (!elements.empty()) meta.data = read_elements(elements, meta.dtype);
  if (base::is_floating(meta.dtype)) {
    meta.mean = rounded(number_at(json, "mean").value_or(0));
    meta.std = rounded(number_at(json, "deviation").value_or(0));
    const auto lowest = number_at(json, "lowest");
    const auto highest = number_at(json, "highest");
    if (meta.data || !lowest || !highest) return;
    meta.min_val = sample::float_literal(*lowest);
    meta.max_val = sample::float_literal(*highest);
  } else if (base::is_integer(meta.dtype) && !meta.data &&
             json.value("lowest_integer", Json()).is_number_integer()) {
    meta.min_val = sample::integer_literal(json["lowest_integer"].get<std::int64_t>());
    meta.max_val = sample::integer_literal(json["highest_integer"].get<std::int64_t>());
  }
}

Result<RecordedValue> read_tensor(const Json& json) {
  RecordedValue value;
  value.kind = RecordedValue::Kind::kTensor;
  const std::string name = json["dtype"].get<std::string>();
  const auto dtype = base::dtype_from_name(name);
  if (!dtype) {
    return Status(Code::kUnsupported, "metadata cannot describe a tensor of type " + name);
  }
  value.meta.dtype = *dtype;
  value.meta.shape = json["shape"].get<std::vector<std::int64_t>>();
  add_statistics(json, value.meta);
  return value;
}

Result<RecordedValue> read_value(const Json& json) {
  RecordedValue value;
  if (json.is_null()) {
    value.kind = RecordedValue::Kind::kNothing;
    return value;
  }
  if (json.contains("dtype")) return read_tensor(json);
  if (json.contains("plain")) {
    GN_ASSIGN_OR_RETURN(value.plain, parse_plain(json["plain"].get<std::string>()));
    return value;
  }
  value.kind = RecordedValue::Kind::kSequence;
  value.is_list = json["is_list"].get<bool>();
  for (const Json& item : json["items"]) {
    GN_ASSIGN_OR_RETURN(RecordedValue read, read_value(item));
    value.items.push_back(std::move(read));
  }
  return value;
}

}  // namespace

Json points_json(const std::vector<RecordPoint>& points) {
  Json rows = Json::array();
  for (const RecordPoint& point : points) {
    rows.push_back(Json::array({point.statement, point.variables, point.end, point.if_written}));
  }
  return rows;
}

Result<Records> read_records(const Json& answer) {
  if (!answer.contains("values") || !answer.contains("writes")) return malformed();
  Records records;
  for (const Json& row : answer["values"]) {
    std::vector<RecordedValue> values;
    for (const Json& json : row) {
      GN_ASSIGN_OR_RETURN(RecordedValue value, read_value(json));
      values.push_back(std::move(value));
    }
    records.values.push_back(std::move(values));
  }
  for (const Json& row : answer["writes"]) {
    records.writes.emplace_back(row[0].get<std::size_t>(), row[1].get<Variables>());
  }
  return records;
}

}  // namespace graphnet::split
