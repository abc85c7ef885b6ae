// SPDX-License-Identifier: MIT
#include "tvm_plugin/extern_functions.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>

#include "graphnet/failure.h"
#include "lowering/builder.h"
#include "lowering/ir/array.h"
#include "lowering/ir/operation.h"
#include "tvm_plugin/array_steps.h"
#include "tvm_plugin/attention.h"
#include "tvm_plugin/expression.h"
#include "tvm_plugin/paired_product.h"
#include "tvm_plugin/thread_pool.h"
#include "tvm_plugin/winograd.h"

namespace graphnet::tvm {

using lowering::Reduction;

namespace {

/// As float32, for comparisons and sums.
float from_f16(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const int fraction = bits & 1023;
  const float sign = (bits & 0x8000) != 0 ? -1.0F : 1.0F;
  if (exponent == 31) return fraction == 0 ? sign * INFINITY : NAN;
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(fraction), -24);
  return sign * std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
}

struct Bf16 {
  std::uint16_t bits = 0;
};
struct F16 {
  std::uint16_t bits = 0;
};

template <typename T>
T key_of(T value) {
  return value;
}
float key_of(Bf16 value) {
  return from_bf16(value.bits);
}
float key_of(F16 value) {
  return from_f16(value.bits);
}

template <typename T>
bool is_nan(T key) {
  return key != key;
}

/// One line of elements, `stride` apart.
template <typename T>
void sort_line(const T* in, T* out, std::int64_t* indices, std::int64_t count, std::int64_t stride,
               bool descending) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  // NaN is the largest.
  const auto is_less = [&](std::int64_t a, std::int64_t b) {
    const auto x = key_of(in[a * stride]);
    const auto y = key_of(in[b * stride]);
    return !is_nan(x) && (is_nan(y) || x < y);
  };
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return descending ? is_less(b, a) : is_less(a, b);
  });
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t from = order[static_cast<std::size_t>(i)];
    out[i * stride] = in[from * stride];
    indices[i * stride] = from;
  }
}

/// What is sorted, as the graph has it: the buffer has the shape of the loops that wrote it.
struct SortAttributes {
  std::int64_t outer;
  std::int64_t count;
  std::int64_t inner;
  bool descending;
};

template <typename T>
void sort_lines(const DLTensor& x, const SortAttributes& attributes, const DLTensor& values,
                const DLTensor& indices) {
  const auto [outer, count, inner, descending] = attributes;
  for (std::int64_t o = 0; o < outer; ++o) {
    for (std::int64_t i = 0; i < inner; ++i) {
      const std::int64_t first = o * count * inner + i;
      sort_line(static_cast<const T*>(x.data) + first, static_cast<T*>(values.data) + first,
                static_cast<std::int64_t*>(indices.data) + first, count, inner, descending);
    }
  }
}

template <typename T>
T combined(Reduction kind, T a, T b) {
  switch (kind) {
    case Reduction::kProduct:
      return static_cast<T>(a * b);
    case Reduction::kMax:
    case Reduction::kMaxNumber:
      return a > b || is_nan(a) ? a : b;
    case Reduction::kMin:
      return a < b || is_nan(a) ? a : b;
    case Reduction::kAnd:
      return static_cast<T>(a != T{} && b != T{});
    case Reduction::kOr:
      return static_cast<T>(a != T{} || b != T{});
    default:
      return static_cast<T>(a + b);
  }
}

/// Lists with their length first: dims, reduction or -1.
struct ScatterAttributes {
  std::vector<std::int64_t> dims;
  std::int64_t reduction = -1;
};

/// Strides of a dense tensor.
std::vector<std::int64_t> strides_of(const DLTensor& x) {
  std::vector<std::int64_t> strides(static_cast<std::size_t>(x.ndim), 1);
  for (int i = x.ndim - 2; i >= 0; --i) {
    strides[static_cast<std::size_t>(i)] =
        strides[static_cast<std::size_t>(i) + 1] * x.shape[i + 1];
  }
  return strides;
}

std::int64_t count_of(const DLTensor& x) {
  return std::accumulate(x.shape, x.shape + x.ndim, std::int64_t{1}, std::multiplies<>());
}

std::int64_t coordinate(const DLTensor& starts, std::int64_t at) {
  return starts.dtype.bits == 64 ? static_cast<const std::int64_t*>(starts.data)[at]
                                 : static_cast<const std::int32_t*>(starts.data)[at];
}

/// The elements of `out` that one index addresses, without the dimensions of its coordinates: runs
/// of elements side by side.
struct Runs {
  std::vector<std::int64_t> offsets = {0};
  std::int64_t length = 1;
};

Runs runs_of(const DLTensor& out, const std::vector<std::int64_t>& dims) {
  const std::vector<std::int64_t> strides = strides_of(out);
  const std::int64_t last = dims.empty() ? -1 : *std::max_element(dims.begin(), dims.end());
  Runs runs;
  for (int dim = 0; dim < out.ndim; ++dim) {
    if (dim > last) {
      runs.length *= out.shape[dim];
      continue;
    }
    if (std::find(dims.begin(), dims.end(), dim) != dims.end()) continue;
    std::vector<std::int64_t> longer;
    for (const std::int64_t offset : runs.offsets) {
      for (std::int64_t i = 0; i < out.shape[dim]; ++i) {
        longer.push_back(offset + i * strides[static_cast<std::size_t>(dim)]);
      }
    }
    runs.offsets = std::move(longer);
  }
  return runs;
}

/// The kind of combining is asked once a run, so that the sum of a run is one loop of vectors.
template <typename T>
void combine_run(std::int64_t reduction, const T* from, T* to, std::int64_t length) {
  if (reduction < 0) {
    std::copy(from, from + length, to);
  } else if (static_cast<Reduction>(reduction) == Reduction::kSum) {
    for (std::int64_t i = 0; i < length; ++i) to[i] = static_cast<T>(to[i] + from[i]);
  } else {
    for (std::int64_t i = 0; i < length; ++i) {
      to[i] = combined(static_cast<Reduction>(reduction), to[i], from[i]);
    }
  }
}

template <typename T>
void scatter_into(const DLTensor& starts, const DLTensor& updates,
                  const ScatterAttributes& attributes, const DLTensor& out) {
  const std::vector<std::int64_t> strides = strides_of(out);
  const Runs runs = runs_of(out, attributes.dims);
  const auto num_dims = static_cast<std::int64_t>(attributes.dims.size());
  const std::int64_t num_slices = num_dims == 0 ? 1 : count_of(starts) / num_dims;
  const T* next = static_cast<const T*>(updates.data);
  T* const data = static_cast<T*>(out.data);
  for (std::int64_t slice = 0; slice < num_slices; ++slice) {
    std::int64_t base = 0;
    for (std::int64_t k = 0; k < num_dims; ++k) {
      const auto dim = static_cast<std::size_t>(attributes.dims[static_cast<std::size_t>(k)]);
      base += coordinate(starts, slice * num_dims + k) * strides[dim];
    }
    for (const std::int64_t offset : runs.offsets) {
      combine_run(attributes.reduction, next, data + base + offset, runs.length);
      next += runs.length;
    }
  }
}

/// Calls body<T>() with the C++ type of an element.
template <typename Body>
void with_type(DLDataType type, Body body) {
  const int key = type.code * 1000 + type.bits;
  switch (key) {
    case kDLFloat * 1000 + 32:
      return body(float());
    case kDLFloat * 1000 + 64:
      return body(double());
    case kDLInt * 1000 + 64:
      return body(std::int64_t());
    case kDLInt * 1000 + 32:
      return body(std::int32_t());
    case kDLInt * 1000 + 16:
      return body(std::int16_t());
    case kDLInt * 1000 + 8:
      return body(std::int8_t());
    case kDLUInt * 1000 + 8:
    case kDLBool * 1000 + 8:
      return body(std::uint8_t());
    default:
      throw Failure(GN_STATUS_RUNTIME_FAILED, "an element type that graphnet's functions lack");
  }
}

void sort(const ffi::Tensor& x, const ffi::Shape& attributes, const ffi::Tensor& values,
          const ffi::Tensor& indices) {
  const DLTensor& in = *x.GetDLTensorPtr();
  const SortAttributes read = {attributes[0], attributes[1], attributes[2], attributes[3] != 0};
  const auto run = [&](auto zero) {
    sort_lines<decltype(zero)>(in, read, *values.GetDLTensorPtr(), *indices.GetDLTensorPtr());
  };
  if (in.dtype.bits == 16 && in.dtype.code == kDLFloat) return run(F16());
  if (attributes[4] != 0) return run(Bf16());
  with_type(in.dtype, run);
}

void scatter(const ffi::Tensor& x, const ffi::Tensor& starts, const ffi::Tensor& updates,
             const ffi::Shape& attributes, const ffi::Tensor& result) {
  const DLTensor& in = *x.GetDLTensorPtr();
  const DLTensor& out = *result.GetDLTensorPtr();
  const auto num_bytes = static_cast<std::size_t>(count_of(in) * in.dtype.bits / 8);
  std::memcpy(out.data, in.data, num_bytes);
  ScatterAttributes read;
  read.reduction = attributes[0];
  read.dims.assign(attributes.begin() + 1, attributes.end());
  const DLTensor& given = *updates.GetDLTensorPtr();
  const bool only_moves = read.reduction < 0 && in.dtype.bits == 16;
  const DLDataType type = only_moves ? DLDataType{kDLInt, 16, 1} : in.dtype;
  with_type(type, [&](auto zero) {
    scatter_into<decltype(zero)>(*starts.GetDLTensorPtr(), given, read, out);
  });
}

const float* floats_of(const ffi::Tensor& x) {
  return static_cast<const float*>(x.GetDLTensorPtr()->data);
}
float* floats_in(const ffi::Tensor& x) {
  return static_cast<float*>(x.GetDLTensorPtr()->data);
}

/// Buffers that are read, the steps, the buffer that is written.
void arrays(const ffi::AnyView* arguments, std::int32_t count, Any* /*result*/) {
  std::vector<const float*> inputs;
  for (std::int32_t i = 0; i + 2 < count; ++i) {
    inputs.push_back(floats_of(arguments[i].cast<ffi::Tensor>()));
  }
  const auto steps = arguments[count - 2].cast<ffi::Shape>();
  const auto result = arguments[count - 1].cast<ffi::Tensor>();
  run_array_steps({steps.begin(), steps.end()}, inputs, floats_in(result),
                  count_of(*result.GetDLTensorPtr()));
}

/// Extents of an image and its tiles, in the order of WinogradImage.
WinogradImage read_image(const ffi::Shape& from) {
  return {from[0], from[1], from[2], from[3], from[4], from[5]};
}

void transform_input(const ffi::Tensor& x, const ffi::Shape& attributes,
                     const ffi::Tensor& result) {
  const WinogradImage image = read_image(attributes);
  parallel(image.num_rows(), [&](std::int64_t begin, std::int64_t end) {
    winograd_input(image, attributes[6], attributes[7], {begin, end}, floats_of(x),
                   floats_in(result));
  });
}

void transform_kernel(const ffi::Tensor& kernel, const ffi::Shape& attributes,
                      const ffi::Tensor& result) {
  winograd_kernel(attributes[0], attributes[1], attributes[2], floats_of(kernel),
                  floats_in(result));
}

void transform_output(const ffi::Tensor& sums, const ffi::Shape& attributes,
                      const ffi::Tensor& result) {
  const WinogradImage image = read_image(attributes);
  parallel(image.num_rows(), [&](std::int64_t begin, std::int64_t end) {
    winograd_output(image, {begin, end}, floats_of(sums), floats_in(result));
  });
}

void multiply_pairs(const ffi::Tensor& left, const ffi::Tensor& panels,
                    const ffi::Shape& attributes, const ffi::Tensor& result) {
  const PairedProduct product = {attributes[0],
                                 attributes[1],
                                 attributes[2],
                                 attributes[3],
                                 attributes[4],
                                 static_cast<const std::uint16_t*>(left.GetDLTensorPtr()->data),
                                 static_cast<const std::uint16_t*>(panels.GetDLTensorPtr()->data),
                                 floats_in(result)};
  parallel(num_paired_parts(product),
           [&](std::int64_t begin, std::int64_t end) { run_paired_product(product, begin, end); });
}

/// What follows in a list of attributes, one after another.
class AttributeReader {
 public:
  explicit AttributeReader(const ffi::Shape& from) : from_(from) {}
  std::int64_t next() { return from_[static_cast<std::size_t>(next_++)]; }
  std::vector<std::int64_t> next(std::size_t count) {
    std::vector<std::int64_t> numbers;
    while (numbers.size() < count) numbers.push_back(next());
    return numbers;
  }
  bool has_next() const { return next_ < from_.size(); }

 private:
  const ffi::Shape& from_;
  std::size_t next_ = 0;
};

/// Strides of a dense operand, 0 where the extent is 1: of the batch, of rows, of keys.
AttentionStep read_step(AttributeReader& from, std::size_t batch_rank) {
  AttentionStep step;
  step.kind = static_cast<ir::AttentionStep>(from.next());
  const Shape shape = from.next(batch_rank + 2);
  Shape strides = ir::strides_of(shape);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 1) strides[i] = 0;
  }
  step.batch_strides.assign(strides.begin(), strides.end() - 2);
  step.row_stride = strides[batch_rank];
  step.key_stride = strides[batch_rank + 1];
  return step;
}

/// In the order in which AttributesOf writes them.
Attention read_attention(const ffi::Shape& attributes) {
  AttributeReader from(attributes);
  Attention read;
  for (std::int64_t* const extent : {&read.rows, &read.depth, &read.num_keys, &read.columns,
                                     &read.key_lanes, &read.value_lanes}) {
    *extent = from.next();
  }
  read.is_safe = from.next() != 0;
  const std::int64_t fill = from.next();
  std::memcpy(&read.fill, &fill, sizeof(fill));
  const auto batch_rank = static_cast<std::size_t>(from.next());
  read.batch = from.next(batch_rank);
  while (from.has_next()) read.steps.push_back(read_step(from, batch_rank));
  return read;
}

/// Queries, keys, values, operands of the steps, attributes, the buffer that is written.
void attention(const ffi::AnyView* arguments, std::int32_t count, Any* /*result*/) {
  const auto attributes = arguments[count - 2].cast<ffi::Shape>();
  Attention read = read_attention(attributes);
  const auto operand = [&](std::size_t i) {
    return arguments[i].cast<ffi::Tensor>().GetDLTensorPtr()->data;
  };
  read.queries = static_cast<const float*>(operand(0));
  read.keys = static_cast<const float*>(operand(1));
  read.values = static_cast<const float*>(operand(2));
  for (std::size_t i = 0; i < read.steps.size(); ++i) read.steps[i].operand = operand(i + 3);
  float* const out = floats_in(arguments[count - 1].cast<ffi::Tensor>());
  parallel(num_attention_blocks(read),
           [&](std::int64_t begin, std::int64_t end) { run_attention(read, begin, end, out); });
}

/// What a function of this plugin is told beside its tensors.
class AttributesOf {
 public:
  AttributesOf(const ir::Graph& graph, const ir::Node& node) : graph_(graph), node_(node) {}

  Shape operator()(const ir::Sort& each) const {
    const auto& sorted = graph_.type(node_.results[0]);
    const auto dim = sorted.shape.begin() + each.dim;
    const auto product = [](auto begin, auto end) {
      return std::accumulate(begin, end, std::int64_t{1}, std::multiplies<>());
    };
    return {product(sorted.shape.begin(), dim), *dim, product(dim + 1, sorted.shape.end()),
            each.descending ? 1 : 0, sorted.type == Type::kBF16 ? 1 : 0};
  }
  Shape operator()(const ir::Scatter& each) const {
    const std::int64_t reduction = each.combine ? static_cast<std::int64_t>(*each.combine) : -1;
    return lowering::joined({reduction}, each.dims);
  }
  Shape operator()(const ir::PairedDot& each) const {
    const Shape& left = graph_.type(node_.operands[0]).shape;
    const Shape& panels = graph_.type(node_.operands[1]).shape;
    return {left[0], left[1], left[2], each.columns, panels[2]};
  }
  Shape operator()(const ir::WinogradInput& each) const {
    const Shape& image = graph_.type(node_.operands[0]).shape;
    return lowering::joined(lowering::joined(image, each.tiles), each.low);
  }
  Shape operator()(const ir::WinogradKernel& each) const {
    const Shape& kernel = graph_.type(node_.operands[0]).shape;
    return {kernel[0], kernel[1], each.lanes};
  }
  Shape operator()(const ir::WinogradOutput& each) const {
    const Shape& image = graph_.type(node_.results[0]).shape;
    return lowering::joined(
        image, {ir::num_winograd_tiles(each.extents[1]), ir::num_winograd_tiles(each.extents[2])});
  }
  Shape operator()(const ir::Attention& each) const {
    const Shape& queries = graph_.type(node_.operands[0]).shape;
    const Shape& keys = graph_.type(node_.operands[1]).shape;
    const Shape& values = graph_.type(node_.operands[2]).shape;
    std::int64_t fill = 0;
    std::memcpy(&fill, &each.fill, sizeof(fill));
    Shape list = {queries[1],           queries[2], values[2],
                  each.columns,         keys[3],    values[3],
                  each.is_safe ? 1 : 0, fill,       static_cast<std::int64_t>(each.batch.size())};
    list = lowering::joined(list, each.batch);
    for (std::size_t i = 0; i < each.steps.size(); ++i) {
      list.push_back(each.steps[i]);
      list = lowering::joined(list, graph_.type(node_.operands[i + 3]).shape);
    }
    return list;
  }
  template <typename Kind>
  Shape operator()(const Kind&) const {
    throw lowering::LoweringError("no function of the plugin computes this");
  }

 private:
  const ir::Graph& graph_;
  const ir::Node& node_;
};

}  // namespace

void register_extern_functions() {
  const auto set = [](const char* name, auto function) {
    ffi::Function::SetGlobal(std::string("graphnet.") + name, ffi::Function::FromTyped(function),
                             true);
  };
  set("sort", sort);
  set("scatter", scatter);
  set("paired_dot", multiply_pairs);
  set("winograd_input", transform_input);
  set("winograd_kernel", transform_kernel);
  set("winograd_output", transform_output);
  ffi::Function::SetGlobal("graphnet.attention", ffi::Function::FromPacked(attention), true);
  ffi::Function::SetGlobal("graphnet.arrays", ffi::Function::FromPacked(arrays), true);
}

std::optional<ExternCall> extern_call(const ir::Graph& graph, const KernelPlan& plan,
                                      const Kernel& kernel, bool takes_arrays) {
  const ir::Node& node = graph.maker(kernel.root);
  ExternCall call;
  if (kernel.kind == KernelKind::kExtern) {
    call.name = "graphnet." + std::string(ir::name_of(node.operation));
    call.function.inputs = node.operands;
    call.attributes = std::visit(AttributesOf(graph, node), node.operation);
  } else {
    if (!takes_arrays || !kernel.is_bound) return std::nullopt;
    std::optional<ArrayKernel> arrays = array_kernel(graph, plan, kernel);
    if (!arrays) return std::nullopt;
    call.name = "graphnet.arrays";
    call.function.inputs = std::move(arrays->inputs);
    call.attributes = std::move(arrays->steps);
  }
  const Shape& shape = plan.storage[static_cast<std::size_t>(kernel.root)];
  for (const ir::ValueId id : node.results) {
    call.function.results.push_back({id, storage_type(graph.type(id).type), shape});
  }
  return call;
}

}  // namespace graphnet::tvm
