// SPDX-License-Identifier: MIT
// Shapes of elementwise, selecting and indexing operators.
#include <ATen/ExpandUtils.h>
#include <ATen/ops/add.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/index.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/result_type.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "eager/shape_rules.h"
#include "eager/trace_error.h"

namespace graphnet::eager {

namespace {

using Sizes = std::vector<std::int64_t>;
using Notes = std::set<std::string>;

c10::Stack like_first(const SchemaView& call, Notes&) {
  return {at::empty_like(call.tensor(call.overload().parameters[0].name))};
}

c10::Stack dense_like_first(const SchemaView& call, Notes&) {
  const at::Tensor self = call.tensor(call.overload().parameters[0].name);
  return {meta_tensor(self.sizes(), self.scalar_type())};
}

c10::Stack first_itself(const SchemaView& call, Notes&) {
  return {call.tensor(call.overload().parameters[0].name)};
}

// Division of integers gives integers: element type and layout of a product.
c10::Stack floor_division(const SchemaView& call, Notes&) {
  const at::Tensor self = call.tensor("self");
  const c10::IValue& other = call["other"];
  return {other.isTensor() ? at::mul(self, other.toTensor()) : at::mul(self, other.toScalar())};
}

c10::Stack magnitude(const SchemaView& call, Notes&) {
  const at::Tensor self = call.tensor("self");
  const auto type = c10::toRealValueType(self.scalar_type());
  return {at::empty_like(self, self.options().dtype(type))};
}

c10::Stack logical_pair(const SchemaView& call, Notes&) {
  return {at::eq(call.tensor("self"), call.tensor("other"))};
}

c10::Stack logical_not(const SchemaView& call, Notes&) {
  const at::Tensor self = call.tensor("self");
  return {at::empty_like(self, self.options().dtype(at::ScalarType::Bool))};
}

// The host reads a number that no shape follows from (an eps, a fill value): one stands in. What
// sizes and conditions are made of must be known.
c10::Stack host_number(const SchemaView& call, Notes&) {
  const at::Tensor self = call.tensor("self");
  if (!self.is_floating_point()) fail_unsupported("an integer that follows from computed data");
  return {c10::Scalar(1.0)};
}

at::ScalarType choice_type(const c10::IValue& self, const c10::IValue& other) {
  if (self.isTensor() && other.isTensor()) {
    return at::result_type(self.toTensor(), other.toTensor());
  }
  if (self.isTensor()) return at::result_type(self.toTensor(), other.toScalar());
  if (other.isTensor()) return at::result_type(self.toScalar(), other.toTensor());
  return at::result_type(self.toScalar(), other.toScalar());
}

// Layout by the kernel's own rule, read off a sum over the same operands.
c10::Stack choice(const SchemaView& call, Notes&) {
  const at::Tensor condition = call.tensor("condition");
  const auto as_float = [](const at::Tensor& tensor) {
    return at::empty_strided(
        tensor.sizes(), tensor.strides(),
        tensor.options().dtype(at::ScalarType::Float).device(c10::Device(c10::kMeta)));
  };
  at::Tensor sum = as_float(condition);
  for (const char* name : {"self", "other"}) {
    if (call[name].isTensor()) sum = at::add(sum, as_float(call.tensor(name)));
  }
  const auto type = choice_type(call["self"], call["other"]);
  return {at::empty_like(sum, sum.options().dtype(type))};
}

c10::Stack index_select(const SchemaView& call, Notes&) {
  const at::Tensor self = call.tensor("self");
  Sizes sizes = self.sizes().vec();
  if (sizes.empty()) return {meta_tensor(sizes, self.scalar_type())};
  const std::int64_t dim = c10::maybe_wrap_dim(call.integer("dim"), self.dim());
  sizes[static_cast<std::size_t>(dim)] = call.tensor("index").numel();
  return {meta_tensor(sizes, self.scalar_type())};
}

// A mask selects at most everything: the upper bound stands for the size.
c10::Stack masked_select(const SchemaView& call, Notes& notes) {
  const at::Tensor self = call.tensor("self");
  const Sizes sizes = at::infer_size(self.sizes(), call.tensor("mask").sizes());
  notes.insert("sizes behind masked_select are upper bounds");
  return {meta_tensor({c10::multiply_integers(sizes)}, self.scalar_type())};
}

// Rows of indices, one after the other along each dimension.
at::Tensor places_of(const at::Tensor& self, Notes& notes) {
  notes.insert("sizes behind nonzero are upper bounds");
  const auto options = self.options().dtype(at::ScalarType::Long);
  return at::empty_strided({self.numel(), self.dim()}, {1, self.numel()}, options);
}

c10::Stack nonzero(const SchemaView& call, Notes& notes) {
  return {places_of(call.tensor("self"), notes)};
}

// where(condition): the same by columns.
c10::Stack nonzero_columns(const SchemaView& call, Notes& notes) {
  return {places_of(call.tensor("condition"), notes).unbind(1)};
}

bool is_mask(const at::Tensor& index) {
  return index.scalar_type() == at::ScalarType::Bool || index.scalar_type() == at::ScalarType::Byte;
}

// Most elements that the masks among indices select. What they broadcast with decides it if that
// has more than one element: then the masks select one or as many.
std::int64_t most_selected(const std::vector<std::optional<at::Tensor>>& indices) {
  Sizes others = {1};
  std::int64_t most = 0;
  for (const auto& index : indices) {
    if (!index || !index->defined()) continue;
    if (is_mask(*index)) {
      most = std::max(most, index->numel());
    } else {
      others = at::infer_size(others, index->sizes());
    }
  }
  return others.back() == 1 ? most : others.back();
}

// A mask stands for one index a dimension.
c10::Stack indexed(const SchemaView& call, Notes& notes) {
  const at::Tensor self = call.tensor("self");
  const auto given = call["indices"].toOptionalTensorVector();
  const std::int64_t selected = most_selected(given);
  c10::List<std::optional<at::Tensor>> indices;
  for (const auto& index : given) {
    if (!index || !index->defined() || !is_mask(*index)) {
      indices.push_back(index);
      continue;
    }
    if (index->dim() == 0) fail_unsupported("a mask of one element as index");
    notes.insert("sizes behind indexing by a mask are upper bounds");
    for (std::int64_t dim = 0; dim < index->dim(); ++dim) {
      indices.push_back(meta_tensor({selected}, at::ScalarType::Long));
    }
  }
  return {at::index(self, indices)};
}

c10::Stack one_hot(const SchemaView& call, Notes&) {
  const at::Tensor self = call.tensor("self");
  const std::int64_t classes = call.integer("num_classes");
  if (classes <= 0) fail_unsupported("one_hot whose class count follows from the values");
  Sizes sizes = self.sizes().vec();
  sizes.push_back(classes);
  return {meta_tensor(sizes, at::ScalarType::Long)};
}

}  // namespace

const std::vector<ShapeRow> kElementShapes = {
    {"aten::hardswish", like_first},
    {"aten::hardswish_", first_itself},
    {"aten::logit", like_first},
    {"aten::logit_", first_itself},
    {"aten::special_logit", like_first},
    {"aten::prelu", like_first},
    {"aten::relu", like_first},
    {"aten::relu_", first_itself},
    {"aten::relu6", like_first},
    {"aten::relu6_", first_itself},
    {"aten::hardtanh", like_first},
    {"aten::hardtanh_", first_itself},
    {"aten::abs", magnitude},
    {"aten::absolute", magnitude},
    {"aten::abs_", first_itself},
    {"aten::logical_and", logical_pair},
    {"aten::logical_or", logical_pair},
    {"aten::logical_xor", logical_pair},
    {"aten::logical_not", logical_not},
    {"aten::item", host_number},
    {"aten::_local_scalar_dense", host_number},
    {"aten::roll", dense_like_first},
    {"aten::floor_divide", floor_division},
    {"aten::floor_divide.Scalar", floor_division},
    {"aten::floor_divide_.Tensor", first_itself},
    {"aten::floor_divide_.Scalar", first_itself},
    {"aten::where.self", choice},
    {"aten::where.ScalarSelf", choice},
    {"aten::where.ScalarOther", choice},
    {"aten::where.Scalar", choice},
    {"aten::index_select", index_select},
    {"aten::masked_select", masked_select},
    {"aten::nonzero", nonzero},
    {"aten::argwhere", nonzero},
    {"aten::where", nonzero_columns},
    {"aten::index.Tensor", indexed},
    {"aten::one_hot", one_hot},
    {"aten::_weight_norm", dense_like_first},
};

}  // namespace graphnet::eager
