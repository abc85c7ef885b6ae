// SPDX-License-Identifier: MIT
#include "sample/value_bound.h"

#include <algorithm>
#include <cmath>

#include "base/field_reader.h"

namespace graphnet::sample {

using base::Code;
using base::Json;
using base::Result;
using base::Status;

Json to_json(const std::vector<ValueBound>& bounds) {
  Json json = Json::array();
  for (const ValueBound& bound : bounds) {
    json.push_back({{"name", bound.name}, {"key", bound.key}, {"value", bound.value}});
  }
  return json;
}

Result<std::vector<ValueBound>> bounds_from_json(const Json& json) {
  if (!json.is_array()) return Status(Code::kInput, "bounds are not an array");
  std::vector<ValueBound> bounds;
  for (const Json& entry : json) {
    ValueBound bound;
    std::optional<double> value;
    base::FieldReader fields(entry, "bounds");
    fields.require("name").require("key").require("value");
    fields.read("name", bound.name).read("key", bound.key).read("value", value);
    GN_RETURN_IF_ERROR(fields.status());
    if (bound.key != "min_val" && bound.key != "max_val") {
      return Status(Code::kInput, "'bounds.key' must be min_val or max_val");
    }
    bound.value = value.value_or(0);
    bounds.push_back(std::move(bound));
  }
  return bounds;
}

Status set_bounds(const std::vector<ValueBound>& bounds, std::vector<TensorMeta>& metas) {
  for (const ValueBound& bound : bounds) {
    const auto meta = std::find_if(metas.begin(), metas.end(), [&](const TensorMeta& candidate) {
      return candidate.name == bound.name;
    });
    if (meta == metas.end()) {
      return Status(Code::kInput, "no metadata has the name '" + bound.name + "'");
    }
    const bool is_lower = bound.key == "min_val";
    std::optional<LiteralNumber>& present = is_lower ? meta->min_val : meta->max_val;
    const double next = is_lower ? std::ceil(bound.value) : std::floor(bound.value);
    const LiteralNumber wanted = base::is_integer(meta->dtype)
                                     ? integer_literal(static_cast<std::int64_t>(next))
                                     : float_literal(bound.value);
    const bool is_tighter = !present || (is_lower ? wanted.as_double() > present->as_double()
                                                  : wanted.as_double() < present->as_double());
    if (is_tighter) present = wanted;
  }
  return Status::ok();
}

}  // namespace graphnet::sample
