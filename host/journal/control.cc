// SPDX-License-Identifier: MIT
#include "journal/control.h"

#include <optional>

#include "base/field_reader.h"

namespace graphnet::journal {

using base::FieldReader;

namespace {

constexpr int kNewestControlSchema = 1;  // the number in kControlSchema

}  // namespace

base::Json to_json(const Control& control) {
  return {{"schema", kControlSchema},
          {"run_id", control.run_id},
          {"time_utc", control.time_utc},
          {"threads", control.threads},
          {"experiments", control.experiments},
          {"noise_floor", control.noise_floor},
          {"bias", control.bias},
          {"coverage", control.coverage},
          {"results", control.results}};
}

bool is_control(const base::Json& line) {
  std::string schema;
  FieldReader(line).read("schema", schema);
  return schema.rfind("graphnet.control/", 0) == 0;
}

base::Result<Control> control_from_json(const base::Json& json) {
  GN_RETURN_IF_ERROR(base::check_schema(json, "graphnet.control", kNewestControlSchema));
  Control control;
  std::optional<double> noise_floor;
  std::optional<double> bias;
  std::optional<double> coverage;
  FieldReader fields(json);
  fields.read("run_id", control.run_id)
      .read("time_utc", control.time_utc)
      .read("threads", control.threads)
      .require("experiments")
      .read("experiments", control.experiments)
      .require("noise_floor")
      .read("noise_floor", noise_floor)
      .read("bias", bias)
      .read("coverage", coverage);
  GN_RETURN_IF_ERROR(fields.status());
  control.noise_floor = noise_floor.value_or(0);
  control.bias = bias.value_or(0);
  control.coverage = coverage.value_or(0);
  control.results = json.value("results", base::Json::array());
  return control;
}

}  // namespace graphnet::journal
