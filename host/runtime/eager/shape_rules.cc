// SPDX-License-Identifier: MIT
#include "eager/shape_rules.h"

#include <ATen/ops/empty.h>

#include <unordered_map>

namespace graphnet::eager {

ShapeRule find_shape_rule(const std::string& overload_name) {
  static const std::unordered_map<std::string, ShapeRule> kRules = [] {
    std::unordered_map<std::string, ShapeRule> rules;
    for (const auto* part :
         {&kBackwardShapes, &kLayerShapes, &kElementShapes, &kReductionShapes, &kSpectralShapes}) {
      for (const ShapeRow& row : *part) rules.emplace(row.overload_name, row.rule);
    }
    return rules;
  }();
  const auto found = kRules.find(overload_name);
  return found == kRules.end() ? nullptr : found->second;
}

at::Tensor meta_tensor(at::IntArrayRef sizes, at::ScalarType type, at::MemoryFormat format) {
  return at::empty(
      sizes, at::TensorOptions().dtype(type).device(c10::Device(c10::kMeta)).memory_format(format));
}

}  // namespace graphnet::eager
