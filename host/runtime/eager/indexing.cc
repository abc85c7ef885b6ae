// SPDX-License-Identifier: MIT
// x[...] and x[...] = v, step by step as torch's Python binding does them, so that the same views
// and the same kernels result.
//
// source   torch/csrc/autograd/python_variable_indexing.cpp, ATen/TensorIndexing.h
#include <ATen/ops/tensor.h>

#include <limits>
#include <utility>

#include "eager/trace_error.h"
#include "eager/tracer.h"

namespace graphnet::eager {

namespace {

using Kind = Value::Kind;

constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();

bool is_integral_zero_dim(const Value& item) {
  return item.is_tensor() && item.tensor.dim() == 0 &&
         c10::isIntegralType(item.tensor.scalar_type(), /*includeBool=*/false) &&
         item.tensor.scalar_type() != at::ScalarType::Byte;
}

// Dimensions of the base that an index item consumes.
std::int64_t consumed_dims(const Value& item) {
  if (item.is_none() || item.kind == Kind::kEllipsis || item.kind == Kind::kBool) return 0;
  if (item.is_tensor() && item.tensor.scalar_type() == at::ScalarType::Bool) {
    return item.tensor.dim();
  }
  return 1;
}

bool is_full_slice(const at::Tensor& base, std::int64_t dim, std::int64_t start, std::int64_t stop,
                   std::int64_t step) {
  return start == 0 && step == 1 && stop >= base.size(dim);
}

Value slice_dim(Tracer& tracer, const Value& base, const Value& slice, std::int64_t dim) {
  const Value& start_value = slice.items[0];
  const Value& stop_value = slice.items[1];
  const Value& step_value = slice.items[2];
  const std::int64_t step = step_value.is_none() ? 1 : to_integer(step_value);
  if (step <= 0) fail_input("slice step must be positive");
  const std::int64_t start = start_value.is_none() ? 0 : to_integer(start_value);
  const std::int64_t stop = stop_value.is_none() ? kEnd : to_integer(stop_value);
  if (is_full_slice(base.tensor, dim, start, stop, step)) return base;
  return tracer.call_with("aten::slice", base, Value::from_integer(dim), Value::from_integer(start),
                          Value::from_integer(stop), Value::from_integer(step));
}

Value list_index(Tracer& tracer, const Value& list) {
  return tracer.constant_tensor(at::tensor(at::ArrayRef<std::int64_t>(to_integers(list))));
}

struct SlicedBase {
  Value base;
  std::vector<Value> tensor_indices;  // by dimension of base; None where no tensor index
  bool has_tensor_index = false;
};

void put_tensor_index(SlicedBase& sliced, std::int64_t dim, Value index) {
  sliced.tensor_indices.resize(static_cast<std::size_t>(dim) + 1);
  sliced.tensor_indices[static_cast<std::size_t>(dim)] = std::move(index);
  sliced.has_tensor_index = true;
}

// Applies one index item; moves `dim` to the next dimension of the result.
void apply_item(Tracer& tracer, const Value& item, std::int64_t ellipsis_dims, SlicedBase& sliced,
                std::int64_t& dim) {
  if (item.kind == Kind::kEllipsis) {
    dim += ellipsis_dims;
  } else if (item.is_none()) {
    sliced.base = tracer.call_with("aten::unsqueeze", sliced.base, Value::from_integer(dim));
    ++dim;
  } else if (item.kind == Kind::kSlice) {
    sliced.base = slice_dim(tracer, sliced.base, item, dim);
    ++dim;
  } else if (item.kind == Kind::kInteger || is_integral_zero_dim(item)) {
    sliced.base = tracer.call_with("aten::select", sliced.base, Value::from_integer(dim),
                                   Value::from_integer(to_integer(item)));
  } else if (item.is_tensor()) {
    put_tensor_index(sliced, dim, item);
    dim += consumed_dims(item) == 0 ? 1 : consumed_dims(item);
  } else if (item.is_sequence()) {
    put_tensor_index(sliced, dim, list_index(tracer, item));
    ++dim;
  } else {
    fail_unsupported("index " + item.describe());
  }
}

SlicedBase apply_slicing(Tracer& tracer, const Value& base, const Value& index) {
  // A list of ints is one index; a tuple is one item per dimension.
  const std::vector<Value> items =
      index.kind == Kind::kTuple ? index.items : std::vector<Value>{index};
  std::int64_t specified = 0;
  for (const Value& item : items) specified += consumed_dims(item);
  if (specified > base.tensor.dim()) {
    fail_input("too many indices for tensor of dimension " + std::to_string(base.tensor.dim()));
  }
  SlicedBase sliced;
  sliced.base = base;
  std::int64_t dim = 0;
  for (const Value& item : items) {
    apply_item(tracer, item, base.tensor.dim() - specified, sliced, dim);
  }
  return sliced;
}

Value sequence_item(const Value& sequence, const Value& index) {
  if (index.kind == Kind::kSlice) fail_unsupported("slice of a tuple");
  const auto length = static_cast<std::int64_t>(sequence.items.size());
  std::int64_t at = to_integer(index);
  if (at < 0) at += length;
  if (at < 0 || at >= length) fail_input("index " + std::to_string(at) + " is out of range");
  return sequence.items[static_cast<std::size_t>(at)];
}

}  // namespace

Value Tracer::get_item(const Value& base, const Value& index) {
  if (base.is_sequence()) return sequence_item(base, index);
  if (!base.is_tensor()) fail_unsupported("subscript of " + base.describe());
  SlicedBase sliced = apply_slicing(*this, base, index);
  if (sliced.has_tensor_index) {
    return call_with("aten::index", sliced.base, Value::list(std::move(sliced.tensor_indices)));
  }
  // Python never hands out the same tensor object for a subscript.
  if (sliced.base.tensor.is_same(base.tensor)) return call_with("aten::alias", base);
  return sliced.base;
}

namespace {

Value value_tensor(Tracer& tracer, const Value& base, const Value& value) {
  if (value.is_tensor()) return value;
  if (!value.is_number()) fail_unsupported("assignment of " + value.describe());
  CallArguments arguments;
  arguments.positional.push_back(value);
  arguments.keywords.emplace_back("dtype", Value::dtype(base.tensor.scalar_type()));
  return tracer.call("aten::scalar_tensor", std::move(arguments));
}

// Leading extents of 1 are dropped so that the value broadcasts like a NumPy assignment.
Value drop_leading_ones(Tracer& tracer, const Value& value) {
  std::int64_t first = 0;
  while (first < value.tensor.dim() && value.tensor.size(first) == 1) ++first;
  if (first == 0) return value;
  return tracer.call_with(
      "aten::view", value,
      Value::integers(value.tensor.sizes().slice(static_cast<std::size_t>(first))));
}

}  // namespace

void Tracer::set_item(const Value& base, const Value& index, const Value& value) {
  if (!base.is_tensor()) fail_unsupported("item assignment to " + base.describe());
  const Value source = value_tensor(*this, base, value);
  SlicedBase sliced = apply_slicing(*this, base, index);
  if (sliced.has_tensor_index) {
    call_with("aten::index_put_", sliced.base, Value::list(std::move(sliced.tensor_indices)),
              drop_leading_ones(*this, source));
    return;
  }
  if (sliced.base.tensor.is_same(source.tensor)) return;
  if (sliced.base.tensor.sizes() == source.tensor.sizes()) {
    call_with("aten::copy_", sliced.base, source);
  } else if (source.tensor.dim() == 0) {
    call_with("aten::fill_", sliced.base, source);
  } else {
    const Value trimmed = drop_leading_ones(*this, source);
    call_with("aten::copy_", sliced.base,
              call_with("aten::expand", trimmed, Value::integers(sliced.base.tensor.sizes())));
  }
}

}  // namespace graphnet::eager
