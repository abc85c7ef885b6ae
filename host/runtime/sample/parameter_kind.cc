// SPDX-License-Identifier: MIT
#include "sample/parameter_kind.h"

#include <algorithm>

namespace graphnet::sample {

namespace {

using graph::Annotation;
using graph::ParameterKind;

bool contains(std::string_view name, std::string_view part) {
  return name.find(part) != std::string_view::npos;
}

/// `<prefix><digits>`.
bool is_numbered(std::string_view name, std::string_view prefix) {
  if (name.size() <= prefix.size() || name.substr(0, prefix.size()) != prefix) return false;
  name.remove_prefix(prefix.size());
  return std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

struct NameRow {
  bool (*matches)(std::string_view name, std::string_view part);
  std::string_view part;
  ParameterKind kind;
};

constexpr NameRow kNames[] = {
    {contains, "_buffers_", ParameterKind::kBuffer},
    {contains, "_parameters_", ParameterKind::kParameter},
    {is_numbered, "w_", ParameterKind::kParameter},
    {is_numbered, "s", ParameterKind::kSymInt},
};

ParameterKind kind_of_name(std::string_view name) {
  for (const NameRow& row : kNames) {
    if (row.matches(name, row.part)) return row.kind;
  }
  return ParameterKind::kTensor;
}

/// What stands behind upstream's prefix of class names; empty if there is no such prefix.
std::string_view name_in_class(std::string_view class_name) {
  constexpr std::string_view kPrefix = "Program_weight_tensor_meta_";
  const bool has_prefix = class_name.substr(0, kPrefix.size()) == kPrefix;
  return has_prefix ? class_name.substr(kPrefix.size()) : std::string_view();
}

}  // namespace

ParameterKind parameter_kind(Annotation annotation, std::string_view name) {
  if (annotation == Annotation::kParameter) return ParameterKind::kParameter;
  if (annotation == Annotation::kSymInt) return ParameterKind::kSymInt;
  return kind_of_name(name);
}

ParameterKind parameter_kind(Annotation annotation, const TensorMeta& meta) {
  ParameterKind kind = ParameterKind::kTensor;
  for (const std::string_view name :
       {std::string_view(meta.original_name), name_in_class(meta.class_name),
        std::string_view(meta.name)}) {
    if (kind == ParameterKind::kTensor) kind = parameter_kind(annotation, name);
  }
  return kind;
}

}  // namespace graphnet::sample
