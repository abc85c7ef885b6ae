// SPDX-License-Identifier: MIT
// Shapes of convolutions, normalisations, attention, embeddings, pools and image operators.
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/empty_like.h>

#include <algorithm>
#include <utility>

#include "eager/shape_rules.h"
#include "eager/trace_error.h"

namespace graphnet::eager {

namespace {

using Sizes = std::vector<std::int64_t>;
using Notes = std::set<std::string>;

at::MemoryFormat format_of(const at::Tensor& input, const at::Tensor& weight) {
  const at::MemoryFormat format = input.suggest_memory_format();
  return format == at::MemoryFormat::Contiguous ? weight.suggest_memory_format() : format;
}

/// What the forms of convolution have in common.
struct Window {
  Sizes stride;
  Sizes padding;
  Sizes dilation;
  bool is_same = false;  // padding such that sizes stay
};

Window window_of(const SchemaView& call, std::size_t dims) {
  Window window;
  window.stride = call.integers("stride", dims);
  window.dilation = call.integers("dilation", dims);
  if (!call["padding"].isString()) {
    window.padding = call.integers("padding", dims);
  } else {
    window.is_same = call["padding"].toStringRef() == "same";
    window.padding.assign(dims, 0);
  }
  return window;
}

// The result in the image's own rank: a missing batch dimension stays missing.
c10::Stack image_result(const at::Tensor& input, const at::Tensor& weight, std::size_t dims,
                        std::int64_t channels, const Sizes& spatial) {
  Sizes sizes(input.sizes().begin(), input.sizes().end() - static_cast<std::ptrdiff_t>(dims) - 1);
  sizes.push_back(channels);
  sizes.insert(sizes.end(), spatial.begin(), spatial.end());
  const bool is_batched = sizes.size() == dims + 2;
  const at::MemoryFormat format =
      is_batched ? format_of(input, weight) : at::MemoryFormat::Contiguous;
  return {
      meta_tensor(sizes, input.scalar_type(), dims == 1 ? at::MemoryFormat::Contiguous : format)};
}

void check_rank(const at::Tensor& input, const at::Tensor& weight) {
  if (weight.dim() < 3 || input.dim() < weight.dim() - 1 || input.dim() > weight.dim()) {
    fail_input("convolution of ranks " + std::to_string(input.dim()) + " and " +
               std::to_string(weight.dim()));
  }
}

c10::Stack convolution(const SchemaView& call, Notes&) {
  const at::Tensor input = call.tensor("input");
  const at::Tensor weight = call.tensor("weight");
  check_rank(input, weight);
  const auto dims = static_cast<std::size_t>(weight.dim() - 2);
  const Window window = window_of(call, dims);
  Sizes spatial;
  for (std::size_t i = 0; i < dims; ++i) {
    const auto dim = static_cast<std::int64_t>(i);
    const std::int64_t own = input.size(input.dim() - weight.dim() + 2 + dim);
    const std::int64_t reach = window.dilation[i] * (weight.size(dim + 2) - 1) + 1;
    const std::int64_t room = own + 2 * window.padding[i] - reach;
    spatial.push_back(window.is_same ? own : room / window.stride[i] + 1);
  }
  return image_result(input, weight, dims, weight.size(0), spatial);
}

c10::Stack transposed_convolution(const SchemaView& call, Notes&) {
  const at::Tensor input = call.tensor("input");
  const at::Tensor weight = call.tensor("weight");
  check_rank(input, weight);
  const auto dims = static_cast<std::size_t>(weight.dim() - 2);
  const Window window = window_of(call, dims);
  const Sizes extra = call.integers("output_padding", dims);
  Sizes spatial;
  for (std::size_t i = 0; i < dims; ++i) {
    const auto dim = static_cast<std::int64_t>(i);
    const std::int64_t own = input.size(input.dim() - weight.dim() + 2 + dim);
    const std::int64_t reach = window.dilation[i] * (weight.size(dim + 2) - 1);
    spatial.push_back((own - 1) * window.stride[i] - 2 * window.padding[i] + reach + extra[i] + 1);
  }
  return image_result(input, weight, dims, weight.size(1) * call.integer("groups"), spatial);
}

c10::Stack general_convolution(const SchemaView& call, Notes& notes) {
  return call.flag("transposed") ? transposed_convolution(call, notes) : convolution(call, notes);
}

c10::Stack image_norm(const SchemaView& call, Notes&) {
  const at::Tensor input = call.tensor("input");
  return {meta_tensor(input.sizes(), input.scalar_type(), input.suggest_memory_format())};
}

c10::Stack dense_norm(const SchemaView& call, Notes&) {
  const at::Tensor input = call.tensor("input");
  return {meta_tensor(input.sizes(), input.scalar_type())};
}

// Masks that the fused kernel takes.
//
// source   ATen/native/transformers/sdp_utils_cpp.h, check_attn_mask_shape
bool is_fusable_mask(const at::Tensor& mask, const at::Tensor& query, const at::Tensor& key) {
  if (!mask.defined()) return true;
  const auto fits = [](std::int64_t own, std::int64_t wanted) { return own == 1 || own == wanted; };
  if (mask.dim() != 2 && mask.dim() != 4) return false;
  if (!fits(mask.size(-2), query.size(2)) || !fits(mask.size(-1), key.size(2))) return false;
  return mask.dim() == 2 ||
         (fits(mask.size(0), query.size(0)) && fits(mask.size(1), query.size(1)));
}

bool is_fusable(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) {
  for (const at::Tensor& tensor : {query, key, value}) {
    if (tensor.dim() != 4 || (tensor.stride(3) != 1 && tensor.size(3) != 1)) return false;
    if (tensor.size(0) != query.size(0) || tensor.size(1) != query.size(1)) return false;
    if (tensor.size(3) != query.size(3) || tensor.size(2) == 0) return false;
  }
  return true;
}

// The fused CPU kernel keeps the layout of the query.
c10::Stack attention(const SchemaView& call, Notes&) {
  const at::Tensor query = call.tensor("query");
  const at::Tensor key = call.tensor("key");
  const at::Tensor value = call.tensor("value");
  if (is_fusable(query, key, value) && is_fusable_mask(call.tensor("attn_mask"), query, key)) {
    return {at::empty_like(query)};
  }
  Sizes sizes = query.sizes().vec();
  sizes.back() = value.size(-1);
  return {meta_tensor(sizes, query.scalar_type())};
}

c10::Stack packed_attention(const SchemaView& call, Notes&) {
  const at::Tensor query = call.tensor("query");
  if (call.flag("need_weights")) fail_unsupported("packed attention with weights");
  return {meta_tensor(query.sizes(), query.scalar_type()), at::Tensor()};
}

c10::Stack embedding(const SchemaView& call, Notes&) {
  const at::Tensor weight = call.tensor("weight");
  Sizes sizes = call.tensor("indices").sizes().vec();
  const at::IntArrayRef row = weight.sizes().slice(1);
  sizes.insert(sizes.end(), row.begin(), row.end());
  return {meta_tensor(sizes, weight.scalar_type())};
}

template <int kDims>
c10::Stack adaptive_average_pool(const SchemaView& call, Notes&) {
  const at::Tensor input = call.tensor("self");
  Sizes sizes = input.sizes().vec();
  const Sizes wanted = call.integers("output_size", kDims);
  std::copy(wanted.begin(), wanted.end(), sizes.end() - kDims);
  const bool has_format = input.dim() == kDims + 2 && kDims > 1;
  return {meta_tensor(sizes, input.scalar_type(),
                      has_format ? input.suggest_memory_format() : at::MemoryFormat::Contiguous)};
}

// Positions of a sliding window along one dimension.
std::int64_t num_positions(std::int64_t extent, std::int64_t kernel, std::int64_t dilation,
                           std::int64_t padding, std::int64_t stride) {
  return (extent + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1;
}

c10::Stack image_to_columns(const SchemaView& call, Notes&) {
  const at::Tensor input = call.tensor("self");
  const Sizes kernel = call.integers("kernel_size", 2);
  const Sizes dilation = call.integers("dilation", 2);
  const Sizes padding = call.integers("padding", 2);
  const Sizes stride = call.integers("stride", 2);
  std::int64_t positions = 1;
  for (std::size_t i = 0; i < 2; ++i) {
    positions *= num_positions(input.size(static_cast<std::int64_t>(i) - 2), kernel[i], dilation[i],
                               padding[i], stride[i]);
  }
  Sizes sizes(input.sizes().begin(), input.sizes().end() - 3);
  sizes.push_back(input.size(-3) * kernel[0] * kernel[1]);
  sizes.push_back(positions);
  return {meta_tensor(sizes, input.scalar_type())};
}

c10::Stack columns_to_image(const SchemaView& call, Notes&) {
  const at::Tensor input = call.tensor("self");
  const Sizes kernel = call.integers("kernel_size", 2);
  const Sizes image = call.integers("output_size", 2);
  Sizes sizes(input.sizes().begin(), input.sizes().end() - 2);
  sizes.push_back(input.size(-2) / (kernel[0] * kernel[1]));
  sizes.insert(sizes.end(), image.begin(), image.end());
  return {meta_tensor(sizes, input.scalar_type())};
}

c10::Stack grid_sample(const SchemaView& call, Notes&) {
  const at::Tensor input = call.tensor("input");
  const at::Tensor grid = call.tensor("grid");
  Sizes sizes = {input.size(0), input.size(1)};
  sizes.insert(sizes.end(), grid.sizes().begin() + 1, grid.sizes().end() - 1);
  return {meta_tensor(sizes, input.scalar_type())};
}

// Pairs of `pad` count from the last dimension.
c10::Stack padding(const SchemaView& call, Notes&) {
  const at::Tensor input = call.tensor("self");
  if (call.has("mode") && call["mode"].toStringRef() == "constant") {
    return {at::constant_pad_nd(input, call.integers("pad"))};
  }
  const Sizes pad = call.integers(call.has("pad") ? "pad" : "padding");
  Sizes sizes = input.sizes().vec();
  for (std::size_t i = 0; i + 1 < pad.size(); i += 2) {
    sizes.at(sizes.size() - 1 - i / 2) += pad[i] + pad[i + 1];
  }
  return {meta_tensor(sizes, input.scalar_type(), input.suggest_memory_format())};
}

}  // namespace

const std::vector<ShapeRow> kLayerShapes = {
    {"aten::conv1d", convolution},
    {"aten::conv2d", convolution},
    {"aten::conv3d", convolution},
    {"aten::conv1d.padding", convolution},
    {"aten::conv2d.padding", convolution},
    {"aten::conv3d.padding", convolution},
    {"aten::conv_transpose1d", transposed_convolution},
    {"aten::conv_transpose2d.input", transposed_convolution},
    {"aten::conv_transpose3d.input", transposed_convolution},
    {"aten::convolution", general_convolution},
    {"aten::batch_norm", image_norm},
    {"aten::instance_norm", dense_norm},
    {"aten::layer_norm", dense_norm},
    {"aten::group_norm", image_norm},
    {"aten::rms_norm", dense_norm},
    {"aten::scaled_dot_product_attention", attention},
    {"aten::_native_multi_head_attention", packed_attention},
    {"aten::embedding", embedding},
    {"aten::adaptive_avg_pool1d", adaptive_average_pool<1>},
    {"aten::adaptive_avg_pool2d", adaptive_average_pool<2>},
    {"aten::adaptive_avg_pool3d", adaptive_average_pool<3>},
    {"aten::im2col", image_to_columns},
    {"aten::col2im", columns_to_image},
    {"aten::grid_sampler", grid_sample},
    {"aten::reflection_pad1d", padding},
    {"aten::reflection_pad2d", padding},
    {"aten::reflection_pad3d", padding},
    {"aten::replication_pad1d", padding},
    {"aten::replication_pad2d", padding},
    {"aten::replication_pad3d", padding},
    {"aten::pad", padding},
};

}  // namespace graphnet::eager
