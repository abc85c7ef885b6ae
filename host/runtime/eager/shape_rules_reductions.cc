// SPDX-License-Identifier: MIT
// Shapes of reductions.
#include <ATen/ops/mean.h>
#include <ATen/ops/sum.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "eager/shape_rules.h"

namespace graphnet::eager {

namespace {

using Notes = std::set<std::string>;

c10::Stack scalar_of_first(const SchemaView& call, Notes&) {
  return {meta_tensor({}, call.tensor("self").scalar_type())};
}

std::optional<at::ScalarType> wanted_type(const SchemaView& call) {
  if (!call.has("dtype") || call.is_none("dtype")) return std::nullopt;
  return static_cast<at::ScalarType>(call.integer("dtype"));
}

// Sums and products promote integers alike.
c10::Stack product(const SchemaView& call, Notes&) {
  const at::Tensor self = call.tensor("self");
  if (!call.has("dim")) return {at::sum(self, wanted_type(call))};
  return {at::sum(self, {call.integer("dim")}, call.flag("keepdim"), wanted_type(call))};
}

c10::Stack spread(const SchemaView& call, Notes&) {
  const at::Tensor self = call.tensor("self");
  if (!call.has("dim") || call.is_none("dim")) {
    const bool keeps = call.has("keepdim") && call.flag("keepdim");
    return {at::sum(self, at::OptionalIntArrayRef(), keeps)};
  }
  return {at::sum(self, call.integers("dim"), call.flag("keepdim"))};
}

}  // namespace

const std::vector<ShapeRow> kReductionShapes = {
    {"aten::max", scalar_of_first},   {"aten::min", scalar_of_first}, {"aten::prod", product},
    {"aten::prod.dim_int", product},  {"aten::var", spread},          {"aten::var.dim", spread},
    {"aten::var.correction", spread}, {"aten::std", spread},          {"aten::std.dim", spread},
    {"aten::std.correction", spread},
};

}  // namespace graphnet::eager
