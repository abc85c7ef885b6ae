// SPDX-License-Identifier: MIT
#include "vary/dim_variants.h"

#include <set>
#include <utility>

#include "graph/reads.h"

namespace graphnet::vary {

using base::Code;
using base::Result;
using base::Status;
using validate::ShapeConstraint;

namespace {

enum class Role : std::uint8_t { kBatch, kLength, kSize, kOther };

Role role_at(const ShapeConstraint& constraint, std::size_t axis) {
  const std::size_t rank = constraint.shape.size();
  if (axis == 0 && rank > 1) return Role::kBatch;
  if (rank <= 3) return Role::kLength;  // of a spectrogram it is the last axis
  return axis > 0 && axis + 2 >= rank ? Role::kSize : Role::kOther;
}

/// What the symbols of a sample stand for, in their order, and nine times their values.
struct VariantsRow {
  std::vector<Role> roles;
  std::array<std::vector<std::int64_t>, kNumDimVariants> values;
};

const std::vector<VariantsRow>& rows() {
  static const std::vector<VariantsRow> table = {
      {{Role::kBatch, Role::kLength},
       {{{1, 16},
         {4, 16},
         {1, 256},
         {16, 16},
         {4, 256},
         {256, 16},
         {1, 4096},
         {16, 256},
         {16, 4096}}}},
      {{Role::kBatch}, {{{1}, {2}, {4}, {16}, {32}, {64}, {128}, {256}, {512}}}},
      {{Role::kLength}, {{{16}, {32}, {64}, {128}, {256}, {512}, {1024}, {2048}, {4096}}}},
      {{Role::kBatch, Role::kSize},
       {{{1, 224},
         {32, 224},
         {128, 224},
         {1, 256},
         {32, 256},
         {128, 256},
         {1, 384},
         {32, 384},
         {128, 384}}}},
      {{Role::kBatch, Role::kSize, Role::kSize},
       {{{1, 224, 224},
         {32, 224, 224},
         {128, 224, 224},
         {1, 256, 384},
         {32, 256, 384},
         {128, 256, 384},
         {1, 384, 256},
         {32, 384, 256},
         {128, 384, 256}}}},
      {{Role::kSize}, {{{128}, {192}, {256}, {320}, {384}, {448}, {512}, {576}, {640}}}},
  };
  return table;
}

}  // namespace

Result<std::array<SymbolValues, kNumDimVariants>> dim_variants(
    const std::vector<ShapeConstraint>& constraints) {
  std::map<std::string, std::set<Role>> roles;
  for (const ShapeConstraint& constraint : constraints) {
    for (std::size_t axis = 0; axis < constraint.symbols.size(); ++axis) {
      const std::string& symbol = constraint.symbols[axis];
      if (!symbol.empty()) roles[symbol].insert(role_at(constraint, axis));
    }
  }
  if (roles.empty()) return Status(Code::kUnsupported, "no extent of an argument has a symbol");
  std::vector<Role> all;
  for (const auto& [symbol, found] : roles) all.push_back(*found.begin());
  for (const VariantsRow& row : rows()) {
    if (row.roles != all) continue;
    std::array<SymbolValues, kNumDimVariants> variants;
    for (std::size_t i = 0; i < variants.size(); ++i) {
      std::size_t next = 0;
      for (const auto& [symbol, found] : roles) variants[i][symbol] = row.values[i][next++];
    }
    return variants;
  }
  return Status(Code::kUnsupported,
                "its symbols are not a batch, a length, a size of images, or the first with one of "
                "the others");
}

std::map<std::string, std::vector<std::int64_t>> shapes_of(
    const std::vector<ShapeConstraint>& constraints, const SymbolValues& values) {
  std::map<std::string, std::vector<std::int64_t>> shapes;
  for (const ShapeConstraint& constraint : constraints) {
    std::vector<std::int64_t> shape = constraint.shape;
    bool has_symbol = false;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      const auto found = values.find(constraint.symbols[axis]);
      if (found == values.end()) continue;
      shape[axis] = found->second;
      has_symbol = true;
    }
    if (has_symbol) shapes[constraint.name] = std::move(shape);
  }
  return shapes;
}

void resize_arguments(const std::map<std::string, std::vector<std::int64_t>>& shapes,
                      std::vector<sample::TensorMeta>& metas) {
  for (sample::TensorMeta& meta : metas) {
    const auto found = shapes.find(meta.name);
    if (found == shapes.end()) continue;
    meta.shape = found->second;
    if (!meta.data || meta.data->empty()) continue;
    const std::size_t given = meta.data->size();
    const auto count = static_cast<std::size_t>(base::num_elements(meta.shape).value_or(0));
    std::vector<sample::LiteralNumber> elements;
    elements.reserve(count);
    for (std::size_t i = 0; i < count; ++i) elements.push_back((*meta.data)[i % given]);
    meta.data = std::move(elements);
  }
}

Status set_integers(const base::Json& answer, graph::Program& program) {
  const std::vector<std::int64_t*> integers = graph::written_integers(program);
  const base::Json given = answer.value("integers", base::Json::array());
  if (given.size() != integers.size()) {
    return Status(Code::kInternal, "the worker's answer to resize is malformed");
  }
  for (std::size_t i = 0; i < integers.size(); ++i) *integers[i] = given[i].get<std::int64_t>();
  return Status::ok();
}

}  // namespace graphnet::vary
