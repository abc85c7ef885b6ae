// SPDX-License-Identifier: MIT
//
// Operations with a region: reductions, windows, sorting, scatter; and gather.
#include <algorithm>
#include <cmath>
#include <limits>

#include "lowering/builder.h"
#include "lowering/stablehlo/emitter.h"
#include "lowering/stablehlo/syntax.h"

namespace graphnet::lowering::stablehlo {

namespace {

std::string array_text(const Shape& values) {
  return "array<i64: " + join(values) + ">";
}

const char* reducer_name(Reduction kind) {
  switch (kind) {
    case Reduction::kSum:
      return "stablehlo.add";
    case Reduction::kProduct:
      return "stablehlo.multiply";
    case Reduction::kMax:
    case Reduction::kMaxNumber:
      return "stablehlo.maximum";
    case Reduction::kMin:
      return "stablehlo.minimum";
    case Reduction::kAnd:
      return "stablehlo.and";
    case Reduction::kOr:
      return "stablehlo.or";
  }
  return "";
}

// XLA's CPU libraries drop NaN from maxima whatever their flags say; a select is not handed to
// them.
bool needs_select(Reduction kind, Type type) {
  return is_float(type) && (kind == Reduction::kMax || kind == Reduction::kMin);
}

// The body of a region over two scalars %p, %q of this type. Names in regions have a letter:
// numbers are those of the lines around.
std::string reducer_body(Reduction kind, Type type) {
  const std::string scalar = type_text(type, {});
  if (!needs_select(kind, type)) {
    return "%s = " + std::string(reducer_name(kind)) + " %p, %q : " + scalar +
           " stablehlo.return %s : " + scalar;
  }
  const std::string pair = " : (" + scalar + ", " + scalar + ") -> tensor<i1> ";
  return std::string("%s = stablehlo.compare ") + (kind == Reduction::kMax ? "GT" : "LT") +
         ", %p, %q, FLOAT" + pair + "%t = stablehlo.compare NE, %p, %p, FLOAT" + pair +
         "%u = stablehlo.or %s, %t : tensor<i1> %v = stablehlo.select %u, %p, %q : tensor<i1>, " +
         scalar + " stablehlo.return %v : " + scalar;
}

std::string binary_region(Reduction kind, Type type) {
  const std::string scalar = type_text(type, {});
  return "({ ^bb0(%p: " + scalar + ", %q: " + scalar + "): " + reducer_body(kind, type) + " })";
}

// Takes the left pair (value %p, index %i) if it is larger (smaller), NaN above all, and of equal
// ones the first: for any order in which pairs meet.
std::string index_region(bool largest, Type type) {
  const std::string scalar = type_text(type, {});
  const std::string values = " : (" + scalar + ", " + scalar + ") -> tensor<i1> ";
  const std::string compare_type =
      is_float(type) ? "FLOAT" : (type == Type::kBool || type == Type::kU8 ? "UNSIGNED" : "SIGNED");
  const auto compare = [&](const char* to, const char* how, const char* a, const char* b) {
    return std::string(to) + " = stablehlo.compare " + how + ", " + a + ", " + b + ", " +
           compare_type + values;
  };
  const auto logic = [](const char* to, const char* op, const char* a, const char* b) {
    return std::string(to) + " = stablehlo." + op + " " + a + ", " + b + " : tensor<i1> ";
  };
  std::string body = compare("%r0", largest ? "GT" : "LT", "%p", "%q") +
                     compare("%r1", "NE", "%p", "%p") + compare("%r2", "NE", "%q", "%q") +
                     compare("%r3", "EQ", "%p", "%q");
  body += "%r4 = stablehlo.not %r2 : tensor<i1> " + logic("%r5", "and", "%r1", "%r4") +
          logic("%r6", "or", "%r0", "%r5") + logic("%r7", "and", "%r1", "%r2") +
          logic("%r8", "or", "%r3", "%r7") +
          "%r9 = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1> " +
          logic("%r10", "and", "%r8", "%r9") + logic("%r11", "or", "%r6", "%r10");
  body += "%r12 = stablehlo.select %r11, %p, %q : tensor<i1>, " + scalar +
          " %r13 = stablehlo.select %r11, %i, %j : tensor<i1>, tensor<i32> stablehlo.return %r12, "
          "%r13 : " +
          scalar + ", tensor<i32>";
  return "({ ^bb0(%p: " + scalar + ", %i: tensor<i32>, %q: " + scalar +
         ", %j: tensor<i32>): " + body + " })";
}

std::string order_region(bool descending, Type type) {
  const std::string scalar = type_text(type, {});
  const std::string values = " : (" + scalar + ", " + scalar + ") -> tensor<i1> ";
  const std::string head =
      "({ ^bb0(%p: " + scalar + ", %q: " + scalar + ", %i: tensor<i32>, %j: tensor<i32>): ";
  const char* const how = descending ? "GT" : "LT";
  if (!is_float(type)) {
    const char* compare_type = type == Type::kBool || type == Type::kU8 ? "UNSIGNED" : "SIGNED";
    return head + "%r0 = stablehlo.compare " + how + ", %p, %q, " + compare_type + values +
           "stablehlo.return %r0 : tensor<i1> })";
  }
  // NaN is the largest: first when descending, last when ascending.
  const char* const nan_first = descending ? "%p" : "%q";
  const char* const number = descending ? "%q" : "%p";
  return head + "%r0 = stablehlo.compare " + how + ", %p, %q, FLOAT" + values +
         "%r1 = stablehlo.compare NE, " + nan_first + ", " + nan_first + ", FLOAT" + values +
         "%r2 = stablehlo.compare EQ, " + number + ", " + number + ", FLOAT" + values +
         "%r3 = stablehlo.and %r1, %r2 : tensor<i1> %r4 = stablehlo.or %r0, %r3 : tensor<i1> "
         "stablehlo.return %r4 : tensor<i1> })";
}

}  // namespace

Tensor Emitter::start_value(Reduction kind, Type type) {
  const double infinity = std::numeric_limits<double>::infinity();
  switch (kind) {
    case Reduction::kSum:
    case Reduction::kOr:
      return splat(type, {}, 0);
    case Reduction::kProduct:
    case Reduction::kAnd:
      return splat(type, {}, 1);
    case Reduction::kMax:
    case Reduction::kMaxNumber:
    case Reduction::kMin:
      break;
  }
  const double sign = kind == Reduction::kMin ? 1 : -1;
  if (is_float(type)) return splat(type, {}, sign * infinity);
  if (type == Type::kBool || type == Type::kU8) {
    return splat(type, {}, sign < 0 ? 0 : (type == Type::kBool ? 1 : 255));
  }
  const double limit = std::ldexp(1.0, static_cast<int>(8 * bytes_of(type) - 1));
  return splat(type, {}, sign < 0 ? -limit : limit - 1);
}

Tensor Emitter::reduce(Reduction kind, const Tensor& x, const Shape& dims) {
  const Tensor start = start_value(kind, x.type);
  const Shape positions = memory_positions(x);
  Shape memory_dims;
  for (const std::int64_t dim : dims) {
    memory_dims.push_back(positions[static_cast<std::size_t>(dim)]);
  }
  std::sort(memory_dims.begin(), memory_dims.end());
  const Shape memory = without_dims(line(x).shape, memory_dims);
  const std::string types =
      " : (" + memory_type(x) + ", " + memory_type(start) + ") -> " + type_text(x.type, memory);
  std::string text;
  if (needs_select(kind, x.type)) {
    text = "\"stablehlo.reduce\"(" + name(x) + ", " + name(start) + ") " +
           binary_region(kind, x.type) + " {dimensions = " + array_text(memory_dims) + "}" + types;
  } else {
    text = "stablehlo.reduce(" + name(x) + " init: " + name(start) + ") applies " +
           reducer_name(kind) + " across dimensions = [" + join(memory_dims) + "]" + types;
  }
  Tensor result = add(text, {x, start}, x.type, memory);
  result.shape = without_dims(x.shape, dims);
  if (!x.layout.empty()) {
    // What is left keeps its order in memory; dimensions are numbered anew.
    for (const std::int64_t dim : x.layout) {
      if (std::find(dims.begin(), dims.end(), dim) != dims.end()) continue;
      std::int64_t renumbered = dim;
      for (const std::int64_t dropped : dims) renumbered -= dropped < dim ? 1 : 0;
      result.layout.push_back(renumbered);
    }
    if (std::is_sorted(result.layout.begin(), result.layout.end())) result.layout.clear();
  }
  return result;
}

Tensor Emitter::add_part(const std::string& text, const std::vector<Tensor>& operands,
                         std::size_t num_results, std::size_t index, Type type, Shape shape) {
  const Tensor whole = add(text, operands, type, shape);
  lines_[static_cast<std::size_t>(whole.id)].num_results = num_results;
  const std::string types = type_text(type, shape);
  return add("stablehlo.reshape " + name(whole) + "#" + std::to_string(index) + " : (" + types +
                 ") -> " + types,
             {whole}, type, shape);
}

std::pair<Tensor, Tensor> Emitter::reduce_index(bool largest, const Tensor& x, std::int64_t dim) {
  const Tensor values = in_order(x);
  const Tensor indices = iota(Type::kI32, x.shape, dim);
  const Tensor value_start = start_value(largest ? Reduction::kMax : Reduction::kMin, x.type);
  const Tensor index_start = splat(Type::kI32, {}, std::numeric_limits<std::int32_t>::max());
  const Shape shape = without_dims(x.shape, {dim});
  const std::string text = "\"stablehlo.reduce\"(" + name(values) + ", " + name(indices) + ", " +
                           name(value_start) + ", " + name(index_start) + ") " +
                           index_region(largest, x.type) + " {dimensions = " + array_text({dim}) +
                           "} : (" + memory_type(values) + ", " + memory_type(indices) + ", " +
                           memory_type(value_start) + ", tensor<i32>) -> (" +
                           type_text(x.type, shape) + ", " + type_text(Type::kI32, shape) + ")";
  const std::vector<Tensor> operands = {values, indices, value_start, index_start};
  const Tensor value = add_part(text, operands, 2, 0, x.type, shape);
  const Tensor index = add_part(text, operands, 2, 1, Type::kI32, shape);
  return {value, convert(index, Type::kI64)};
}

Tensor Emitter::reduce_window(Reduction kind, const Tensor& x, const Window& window) {
  const Tensor start = start_value(kind, x.type);
  const Shape size = to_memory(x, window.size);
  const Shape stride = to_memory(x, window.stride);
  const Shape dilation = to_memory(x, window.dilation);
  const Shape low = to_memory(x, window.low);
  const Shape high = to_memory(x, window.high);
  std::string padding;
  Shape memory = line(x).shape;
  for (std::size_t i = 0; i < memory.size(); ++i) {
    padding +=
        (i == 0 ? "[" : ", [") + std::to_string(low[i]) + ", " + std::to_string(high[i]) + "]";
    const std::int64_t reach = dilation[i] * (size[i] - 1) + 1;
    memory[i] = (memory[i] + low[i] + high[i] - reach) / stride[i] + 1;
  }
  const std::string text =
      "\"stablehlo.reduce_window\"(" + name(x) + ", " + name(start) + ") " +
      binary_region(kind, x.type) + " {window_dimensions = " + array_text(size) +
      ", window_strides = " + array_text(stride) + ", window_dilations = " + array_text(dilation) +
      ", padding = dense<[" + padding + "]> : tensor<" + std::to_string(memory.size()) +
      "x2xi64>} : (" + memory_type(x) + ", " + memory_type(start) + ") -> " +
      type_text(x.type, memory);
  Tensor result = add(text, {x, start}, x.type, memory);
  result.shape = to_logical(x, memory);
  result.layout = x.layout;
  return result;
}

Tensor Emitter::gather(const Tensor& x, const Tensor& starts, const Shape& dims,
                       std::int64_t batch_position) {
  const Tensor source = in_order(x);
  const Tensor start_indices = in_order(starts);
  const Shape batch(starts.shape.begin(), starts.shape.end() - 1);
  const Shape rest = without_dims(x.shape, dims);
  Shape shape(rest.begin(), rest.begin() + batch_position);
  shape.insert(shape.end(), batch.begin(), batch.end());
  shape.insert(shape.end(), rest.begin() + batch_position, rest.end());
  if (num_elements(shape) == 0) return splat(x.type, shape, 0);
  Shape offsets;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(rest.size()); ++i) {
    offsets.push_back(i < batch_position ? i : i + static_cast<std::int64_t>(batch.size()));
  }
  Shape collapsed = dims;
  std::sort(collapsed.begin(), collapsed.end());
  const std::string text = "\"stablehlo.gather\"(" + name(source) + ", " + name(start_indices) +
                           ") {dimension_numbers = #stablehlo.gather<offset_dims = [" +
                           join(offsets) + "], collapsed_slice_dims = [" + join(collapsed) +
                           "], start_index_map = [" + join(dims) +
                           "], index_vector_dim = " + std::to_string(batch.size()) +
                           ">, slice_sizes = " + array_text(with_ones(x.shape, dims)) +
                           ", indices_are_sorted = false} : (" + memory_type(source) + ", " +
                           memory_type(start_indices) + ") -> " + type_text(x.type, shape);
  return add(text, {source, start_indices}, x.type, shape);
}

Tensor Emitter::scatter(const Tensor& x, const Tensor& starts, const Shape& dims,
                        const Tensor& updates, std::optional<Reduction> combine) {
  const Tensor target = in_order(x);
  const Tensor start_indices = in_order(starts);
  const Tensor values = in_order(updates);
  const auto batch = starts.rank() - 1;
  Shape windows = counting(updates.rank() - batch);
  for (std::int64_t& dim : windows) dim += batch;
  Shape inserted = dims;
  std::sort(inserted.begin(), inserted.end());
  const std::string scalar = type_text(x.type, {});
  const std::string region = combine ? binary_region(*combine, x.type)
                                     : "({ ^bb0(%p: " + scalar + ", %q: " + scalar +
                                           "): stablehlo.return %q : " + scalar + " })";
  const std::string text =
      "\"stablehlo.scatter\"(" + name(target) + ", " + name(start_indices) + ", " + name(values) +
      ") " + region + " {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [" +
      join(windows) + "], inserted_window_dims = [" + join(inserted) +
      "], scatter_dims_to_operand_dims = [" + join(dims) +
      "], index_vector_dim = " + std::to_string(batch) +
      ">, indices_are_sorted = false, unique_indices = false} : (" + memory_type(target) + ", " +
      memory_type(start_indices) + ", " + memory_type(values) + ") -> " + memory_type(target);
  return add(text, {target, start_indices, values}, x.type, x.shape);
}

std::pair<Tensor, Tensor> Emitter::sort(const Tensor& x, std::int64_t dim, bool descending) {
  const Tensor values = in_order(x);
  const Tensor indices = iota(Type::kI32, x.shape, dim);
  const std::string types = memory_type(values) + ", " + memory_type(indices);
  const std::string text = "\"stablehlo.sort\"(" + name(values) + ", " + name(indices) + ") " +
                           order_region(descending, x.type) +
                           " {dimension = " + std::to_string(dim) +
                           " : i64, is_stable = true} : (" + types + ") -> (" + types + ")";
  const std::vector<Tensor> operands = {values, indices};
  const Tensor sorted = add_part(text, operands, 2, 0, x.type, x.shape);
  const Tensor order = add_part(text, operands, 2, 1, Type::kI32, x.shape);
  return {sorted, convert(order, Type::kI64)};
}

}  // namespace graphnet::lowering::stablehlo
