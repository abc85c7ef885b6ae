// SPDX-License-Identifier: MIT
#include "tensorrt/library_network.h"

#include <utility>

#include "graphnet/failure.h"
#include "tensorrt/types.h"

namespace graphnet::tensorrt {

using lowering::LoweringError;

namespace {

nv::Dims to_dims(const Shape& shape) {
  if (shape.size() > static_cast<std::size_t>(nv::kMaxDims)) {
    throw LoweringError("TensorRT has at most 8 dimensions, here are " +
                        std::to_string(shape.size()));
  }
  nv::Dims dims;
  dims.count = static_cast<std::int32_t>(shape.size());
  for (std::size_t i = 0; i < shape.size(); ++i) dims.extents[i] = shape[i];
  return dims;
}

std::int32_t narrow(std::int64_t value) {
  return static_cast<std::int32_t>(value);
}

}  // namespace

LibraryNetwork::LibraryNetwork(const Library& library, void* builder)
    : library_(&library),
      network_(library.make(GN_STATUS_COMPILE_FAILED, "makes no network",
                            Slot::kBuilderCreateNetwork, builder,
                            facts_of(library.flavour()).network_flags)) {}

std::int32_t LibraryNetwork::num_layers() const {
  return call<std::int32_t>(Slot::kNetworkGetNumLayers);
}

void LibraryNetwork::refuse(const std::string& what) {
  const std::string reason = process_log().take_reason();
  throw LoweringError("TensorRT refuses " + what + (reason.empty() ? "" : ": " + reason));
}

void* LibraryNetwork::begin_layer(Slot slot, void* layer) {
  layer_ = facts_of(slot).name;
  layer_.erase(0, layer_.find(' ') + 1);
  if (layer == nullptr) refuse(layer_);
  // TensorRT wants each name once, and shows them in its messages.
  const std::string name = origin_ + " #" + std::to_string(num_named_++);
  const bool is_attention =
      slot == Slot::kNetworkAddAttention || slot == Slot::kNetworkAddAttentionV2;
  if (is_attention) {
    library_->call<bool>(Slot::kAttentionSetName, layer, name.c_str());
  } else {
    set(Slot::kLayerSetName, layer, name.c_str());
    set(Slot::kLayerSetMetadata, layer, origin_.c_str());
  }
  return layer;
}

// Layers that do not fit their operands are made, too; what they lack is the shape of their
// results.
Tensor LibraryNetwork::tensor_of(void* tensor) {
  if (tensor == nullptr) refuse(layer_);
  const auto dims = library_->call<nv::Dims>(Slot::kTensorGetDims, tensor);
  if (dims.count < 0) refuse(layer_);
  const auto type = from_nv(library_->call<nv::DataType>(Slot::kTensorGetType, tensor));
  if (!type) refuse(layer_ + ", whose result is of another type than any of ours");
  Entry entry;
  entry.tensor = tensor;
  entry.dims = dims;
  entries_.push_back(std::move(entry));
  return {narrow(static_cast<std::int64_t>(entries_.size()) - 1), *type,
          Shape(dims.extents, dims.extents + dims.count)};
}

Tensor LibraryNetwork::result(void* layer, std::int32_t index) {
  return tensor_of(library_->call<void*>(Slot::kLayerGetOutput, layer, index));
}

// A constant becomes a layer when a layer reads it as a tensor.
void* LibraryNetwork::at(const Tensor& x) {
  const auto position = static_cast<std::size_t>(x.id);
  if (entries_[position].tensor == nullptr) {
    const nv::Dims dims = entries_[position].dims;
    const nv::Weights weights = *entries_[position].weights;
    const std::string reader = layer_;
    void* const layer = add(Slot::kNetworkAddConstant, &dims, weights);
    name_weights(weights, entries_[position].name);
    entries_[position].tensor =
        library_->call<void*>(Slot::kLayerGetOutput, layer, std::int32_t{0});
    layer_ = reader;
  }
  return entries_[position].tensor;
}

void LibraryNetwork::name_weights(const nv::Weights& weights, const std::string& name) {
  if (name.empty()) return;
  const bool is_named = call<bool>(Slot::kNetworkSetWeightsName, weights, name.c_str()) &&
                        call<bool>(Slot::kNetworkMarkWeightsRefittable, name.c_str());
  if (!is_named) refuse("weights " + name);
  named_weights_.insert(name);
}

Tensor LibraryNetwork::input(const std::string& name, Type type, const Shape& shape) {
  layer_ = "addInput";
  const nv::Dims dims = to_dims(shape);
  return tensor_of(call<void*>(Slot::kNetworkAddInput, name.c_str(), *to_nv(type), &dims));
}

void LibraryNetwork::mark_output(const Tensor& x, const std::string& name) {
  void* const tensor = at(x);
  set(Slot::kTensorSetName, tensor, name.c_str());
  call<void>(Slot::kNetworkMarkOutput, tensor);
}

Tensor LibraryNetwork::constant(Type type, const Shape& shape, std::string_view bytes,
                                const std::string& name) {
  Entry entry;
  entry.weights = nv::Weights{*to_nv(type), bytes.data(), lowering::num_elements(shape)};
  entry.dims = to_dims(shape);
  entry.name = name;
  entries_.push_back(std::move(entry));
  return {narrow(static_cast<std::int64_t>(entries_.size()) - 1), type, shape};
}

Tensor LibraryNetwork::identity(const Tensor& x) {
  return result(add(Slot::kNetworkAddIdentity, at(x)));
}

Tensor LibraryNetwork::cast(const Tensor& x, Type type) {
  return result(add(Slot::kNetworkAddCast, at(x), *to_nv(type)));
}

Tensor LibraryNetwork::unary(nv::Unary kind, const Tensor& x) {
  return result(add(Slot::kNetworkAddUnary, at(x), kind));
}

Tensor LibraryNetwork::activation(nv::Activation kind, const Tensor& x, double alpha, double beta) {
  void* const layer = add(Slot::kNetworkAddActivation, at(x), kind);
  set(Slot::kActivationSetAlpha, layer, static_cast<float>(alpha));
  set(Slot::kActivationSetBeta, layer, static_cast<float>(beta));
  return result(layer);
}

Tensor LibraryNetwork::elementwise(nv::Elementwise kind, const Tensor& a, const Tensor& b) {
  return result(add(Slot::kNetworkAddElementwise, at(a), at(b), kind));
}

Tensor LibraryNetwork::select(const Tensor& condition, const Tensor& yes, const Tensor& no) {
  return result(add(Slot::kNetworkAddSelect, at(condition), at(yes), at(no)));
}

Tensor LibraryNetwork::transpose(const Tensor& x, const Shape& permutation) {
  void* const layer = add(Slot::kNetworkAddShuffle, at(x));
  nv::Permutation order;
  for (std::size_t i = 0; i < permutation.size(); ++i) order.order[i] = narrow(permutation[i]);
  set(Slot::kShuffleSetFirstTranspose, layer, &order);
  return result(layer);
}

Tensor LibraryNetwork::reshape(const Tensor& x, const Shape& shape) {
  void* const layer = add(Slot::kNetworkAddShuffle, at(x));
  const nv::Dims dims = to_dims(shape);
  set(Slot::kShuffleSetZeroIsPlaceholder, layer, false);
  set(Slot::kShuffleSetReshape, layer, &dims);
  return result(layer);
}

Tensor LibraryNetwork::slice(const Tensor& x, const Shape& start, const Shape& size,
                             const Shape& stride) {
  const nv::Dims starts = to_dims(start);
  const nv::Dims sizes = to_dims(size);
  const nv::Dims strides = to_dims(stride);
  return result(add(Slot::kNetworkAddSlice, at(x), &starts, &sizes, &strides));
}

Tensor LibraryNetwork::slice_filled(const Tensor& x, const Shape& start, const Shape& size,
                                    const Tensor& fill) {
  constexpr std::int32_t kFillInput = 4;
  const nv::Dims starts = to_dims(start);
  const nv::Dims sizes = to_dims(size);
  const nv::Dims strides = to_dims(Shape(size.size(), 1));
  void* const value = at(fill);
  void* const layer = add(Slot::kNetworkAddSlice, at(x), &starts, &sizes, &strides);
  set(Slot::kSliceSetMode, layer, nv::SampleMode::kFill);
  library_->call<void>(Slot::kLayerSetInput, layer, kFillInput, value);
  return result(layer);
}

Tensor LibraryNetwork::concatenate(const std::vector<Tensor>& parts, std::int64_t axis) {
  std::vector<void*> tensors;
  for (const Tensor& part : parts) tensors.push_back(at(part));
  void* const* const first = tensors.data();
  void* const layer =
      add(Slot::kNetworkAddConcatenation, first, narrow(static_cast<std::int64_t>(tensors.size())));
  set(Slot::kConcatenationSetAxis, layer, narrow(axis));
  return result(layer);
}

Tensor LibraryNetwork::reduce(nv::Reduce kind, const Tensor& x, std::uint32_t axes) {
  return result(add(Slot::kNetworkAddReduce, at(x), kind, axes, false));
}

std::pair<Tensor, Tensor> LibraryNetwork::top_k(nv::TopK kind, const Tensor& x, std::int64_t k,
                                                std::int64_t axis) {
  void* const layer = add(Slot::kNetworkAddTopK, at(x), kind, narrow(k), std::uint32_t{1} << axis,
                          nv::DataType::kInt64);
  const Tensor values = result(layer, 0);
  return {values, result(layer, 1)};
}

Tensor LibraryNetwork::cumulative_sum(const Tensor& x, std::int64_t axis) {
  // In static storage: constants are read until the engine is built.
  static constexpr std::int32_t kAxes[nv::kMaxDims] = {0, 1, 2, 3, 4, 5, 6, 7};
  const auto* const bytes = reinterpret_cast<const char*>(&kAxes[axis]);
  const Tensor where = constant(Type::kI32, {}, {bytes, sizeof(std::int32_t)}, "");
  void* const position = at(where);
  return result(
      add(Slot::kNetworkAddCumulative, at(x), position, nv::Cumulative::kSum, false, false));
}

void LibraryNetwork::set_padding(void* layer, Slot pre, Slot post, const Shape& low,
                                 const Shape& high) const {
  const nv::Dims before = to_dims(low);
  const nv::Dims behind = to_dims(high);
  set(pre, layer, &before);
  set(post, layer, &behind);
}

Tensor LibraryNetwork::pooling(const Tensor& x, const PoolingLayer& pool) {
  const nv::Dims window = to_dims(pool.window);
  void* const layer = add(Slot::kNetworkAddPooling, at(x), pool.kind, &window);
  set(Slot::kPoolingSetExcludesPadding, layer, false);
  set_padding(layer, Slot::kPoolingSetPrePadding, Slot::kPoolingSetPostPadding, pool.pre,
              pool.post);
  const nv::Dims stride = to_dims(pool.stride);
  set(Slot::kPoolingSetStride, layer, &stride);
  return result(layer);
}

Tensor LibraryNetwork::matrix_multiply(const Tensor& a, bool a_is_turned, const Tensor& b,
                                       bool b_is_turned) {
  const auto operation = [](bool is_turned) {
    return is_turned ? nv::MatrixOperation::kTranspose : nv::MatrixOperation::kNone;
  };
  return result(add(Slot::kNetworkAddMatrixMultiply, at(a), operation(a_is_turned), at(b),
                    operation(b_is_turned)));
}

// A kernel that is constant is given as weights, any other as the second input of the layer.
Tensor LibraryNetwork::convolution(const Tensor& x, const Tensor& kernel,
                                   const ConvolutionLayer& layer) {
  const Entry& entry = entries_[static_cast<std::size_t>(kernel.id)];
  const nv::Weights given = entry.weights.value_or(nv::Weights{*to_nv(kernel.type), nullptr, 0});
  const nv::Weights bias = {*to_nv(kernel.type), nullptr, 0};
  const std::string weights_name = entry.name;
  const bool is_dynamic = !entry.weights.has_value();
  void* const tensor = is_dynamic ? at(kernel) : nullptr;
  const nv::Dims size = to_dims(layer.kernel);
  const Slot slot =
      layer.is_transposed ? Slot::kNetworkAddDeconvolution : Slot::kNetworkAddConvolution;
  void* const made = add(slot, at(x), layer.out, &size, given, bias);
  if (is_dynamic) {
    library_->call<void>(Slot::kLayerSetInput, made, std::int32_t{1}, tensor);
  } else {
    name_weights(given, weights_name);
  }
  // Both kinds of layers have these at the same places.
  set(Slot::kConvolutionSetGroups, made, layer.groups);
  set_padding(made, Slot::kConvolutionSetPrePadding, Slot::kConvolutionSetPostPadding, layer.pre,
              layer.post);
  const nv::Dims stride = to_dims(layer.stride);
  const nv::Dims dilation = to_dims(layer.dilation);
  set(Slot::kConvolutionSetStride, made, &stride);
  set(Slot::kConvolutionSetDilation, made, &dilation);
  return result(made);
}

Tensor LibraryNetwork::gather(const Tensor& x, const Tensor& indices, std::int64_t axis) {
  void* const positions = at(indices);
  void* const layer = add(Slot::kNetworkAddGather, at(x), positions, nv::GatherMode::kDefault);
  set(Slot::kGatherSetAxis, layer, narrow(axis));
  return result(layer);
}

Tensor LibraryNetwork::gather_nd(const Tensor& x, const Tensor& indices) {
  void* const positions = at(indices);
  return result(add(Slot::kNetworkAddGather, at(x), positions, nv::GatherMode::kNd));
}

Tensor LibraryNetwork::scatter_nd(const Tensor& x, const Tensor& indices, const Tensor& updates) {
  void* const positions = at(indices);
  void* const values = at(updates);
  return result(add(Slot::kNetworkAddScatter, at(x), positions, values, nv::ScatterMode::kNd));
}

Tensor LibraryNetwork::softmax(const Tensor& x, std::int64_t axis) {
  void* const layer = add(Slot::kNetworkAddSoftMax, at(x));
  set(Slot::kSoftMaxSetAxes, layer, std::uint32_t{1} << axis);
  return result(layer);
}

Tensor LibraryNetwork::normalization(const Tensor& x, const Tensor& scale, const Tensor& bias,
                                     const NormalizationLayer& norm) {
  void* const factor = at(scale);
  void* const offset = at(bias);
  void* const layer = add(Slot::kNetworkAddNormalization, at(x), factor, offset, norm.axes);
  set(Slot::kNormalizationSetEpsilon, layer, static_cast<float>(norm.epsilon));
  set(Slot::kNormalizationSetGroups, layer, norm.groups);
  return result(layer);
}

Tensor LibraryNetwork::resize(const Tensor& x, const ResizeLayer& given) {
  constexpr float kCubicCoefficient = -0.75F;  // ATen's
  void* const layer = add(Slot::kNetworkAddResize, at(x));
  const nv::Dims dims = to_dims(given.shape);
  set(Slot::kResizeSetOutputDims, layer, &dims);
  set(Slot::kResizeSetMode, layer, given.mode);
  set(Slot::kResizeSetCoordinates, layer, given.coordinates);
  set(Slot::kResizeSetRounding, layer, nv::Rounding::kFloor);
  set(Slot::kResizeSetCubicCoefficient, layer, kCubicCoefficient);
  return result(layer);
}

void* LibraryNetwork::add_attention(const std::vector<Tensor>& operands, nv::CausalMask causal) {
  void* const query = at(operands[0]);
  void* const key = at(operands[1]);
  void* const value = at(operands[2]);
  if (library_->flavour() == Flavour::kTen) {
    return add(Slot::kNetworkAddAttention, query, key, value, nv::AttentionNormalization::kSoftmax,
               causal != nv::CausalMask::kNone);
  }
  return add(Slot::kNetworkAddAttentionV2, query, key, value, nv::AttentionNormalization::kSoftmax,
             causal);
}

// Decomposable: without it the build fails where no fused kernel fits.
Tensor LibraryNetwork::attention(const std::vector<Tensor>& operands, nv::CausalMask causal) {
  void* const made = add_attention(operands, causal);
  if (!library_->call<bool>(Slot::kAttentionSetDecomposable, made, true)) {
    refuse("an attention in several kernels");
  }
  return tensor_of(library_->call<void*>(Slot::kAttentionGetOutput, made, std::int32_t{0}));
}

}  // namespace graphnet::tensorrt
