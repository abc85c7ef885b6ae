// SPDX-License-Identifier: MIT
#include "validate/check_metadata.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <string_view>

#include "base/text.h"
#include "sample/arguments.h"

namespace graphnet::validate {

namespace {

using sample::TensorMeta;

constexpr const char* kWeights = "weight_meta.py";
constexpr const char* kConstraints = "input_tensor_constraints.py";

std::string at(const TensorMeta& meta) {
  return "line " + std::to_string(meta.line) + ": '" + meta.name + "' ";
}

bool is_class_name(const TensorMeta& meta) {
  const std::string prefix = "Program_weight_tensor_meta_";
  return meta.class_name == prefix + meta.name || meta.class_name == prefix + meta.original_name;
}

/// "cpu", "cuda" or "cuda:<index>".
bool is_device(std::string_view device) {
  if (device == "cpu" || device == "cuda") return true;
  if (device.substr(0, 5) != "cuda:" || device.size() == 5) return false;
  return device.find_first_not_of("0123456789", 5) == std::string_view::npos;
}

std::string moments_problem(const TensorMeta& meta) {
  if (meta.mean && !std::isfinite(*meta.mean)) return "has a mean that is not finite";
  // The deviation of one element is NaN where the writer divided by n - 1.
  const bool is_single = base::num_elements(meta.shape).value_or(0) <= 1;
  const bool is_nan = meta.std && std::isnan(*meta.std);
  if (is_nan && !is_single) return "has a std that is NaN";
  if (meta.std && std::isinf(*meta.std)) return "has a std that is not finite";
  if (meta.std && *meta.std < 0) return "has a negative std";
  if (meta.min_val && meta.max_val && meta.min_val->as_double() > meta.max_val->as_double()) {
    return "has a min_val above its max_val";
  }
  return "";
}

void check_class(const TensorMeta& meta, std::vector<Finding>& findings) {
  if (!is_class_name(meta)) {
    findings.push_back({FindingKind::kClassName, kWeights,
                        at(meta) + "has the class '" + meta.class_name +
                            "', expected 'Program_weight_tensor_meta_" + meta.name + "'"});
  }
  if (!is_device(meta.device)) {
    findings.push_back({FindingKind::kDevice, kWeights,
                        at(meta) + "is on device '" + meta.device + "', expected cpu or cuda:0"});
  }
  const std::string problem = moments_problem(meta);
  if (!problem.empty()) {
    findings.push_back({FindingKind::kMoments, kWeights, at(meta) + problem});
  }
}

/// The literals and constants are made, everything else is not.
void check_values(const graph::Parameter& parameter, const TensorMeta& meta,
                  std::vector<Finding>& findings) {
  constexpr std::size_t kMaxElements = 4096;  // four times the longest literal of the dataset
  const auto values = sample::known_values({meta}, {parameter}, kMaxElements);
  if (values.is_ok()) return;
  findings.push_back({FindingKind::kLiteral, kWeights, at(meta) + values.status().message()});
}

}  // namespace

void check_metadata(const graph::Program& program, const std::vector<TensorMeta>& metas,
                    std::vector<Finding>& findings) {
  std::map<std::string_view, const TensorMeta*> by_name;
  for (const TensorMeta& meta : metas) by_name.emplace(meta.name, &meta);
  for (const TensorMeta& meta : metas) check_class(meta, findings);
  for (const graph::Parameter& parameter : program.parameters) {
    const auto found = by_name.find(parameter.name);
    if (found == by_name.end()) {
      findings.push_back(
          {FindingKind::kNoMetadata, kWeights, "parameter '" + parameter.name + "' has no class"});
      continue;
    }
    const TensorMeta& meta = *found->second;
    by_name.erase(found);
    check_values(parameter, meta, findings);
    const bool is_extent = meta.shape.empty() && meta.dtype == base::DType::kInt64;
    if (parameter.annotation == graph::Annotation::kSymInt && !is_extent) {
      findings.push_back({FindingKind::kExtent, kWeights,
                          at(meta) + "is a torch.SymInt, expected shape [] and torch.int64"});
    }
  }
  for (const TensorMeta& meta : metas) {
    if (by_name.count(meta.name) == 0) continue;
    findings.push_back(
        {FindingKind::kNoParameter, kWeights, at(meta) + "is no parameter of forward()"});
  }
}

void check_shapes(const std::vector<ShapeConstraint>& constraints,
                  const std::vector<TensorMeta>& metas, std::vector<Finding>& findings) {
  std::map<std::string_view, const TensorMeta*> by_name;
  for (const TensorMeta& meta : metas) {
    by_name.emplace(meta.name, &meta);
    if (!meta.original_name.empty()) by_name.emplace(meta.original_name, &meta);
  }
  for (const ShapeConstraint& constraint : constraints) {
    const std::string where =
        "line " + std::to_string(constraint.line) + ": '" + constraint.name + "' ";
    const auto found = by_name.find(constraint.name);
    if (found == by_name.end()) {
      findings.push_back({FindingKind::kShape, kConstraints, where + "has no metadata"});
    } else if (found->second->shape != constraint.shape) {
      findings.push_back({FindingKind::kShape, kConstraints,
                          where + "is " + base::shape_text(constraint.shape) +
                              ", in weight_meta.py " + base::shape_text(found->second->shape)});
    }
  }
}

}  // namespace graphnet::validate
