// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tensorrt/library.h"
#include "tensorrt/network.h"

namespace graphnet::tensorrt {

/// A network that a TensorRT library holds. After each layer it asks the library for type and shape
/// of what came out.
class LibraryNetwork final : public Network {
 public:
  /// errors   COMPILE_FAILED: the library makes no network
  LibraryNetwork(const Library& library, void* builder);

  void* object() const { return network_.get(); }
  std::int32_t num_layers() const;
  /// Names of the constants with one that a layer reads: the weights that can be refitted.
  const std::set<std::string>& named_weights() const { return named_weights_; }

  void begin_node(const std::string& origin) override { origin_ = origin; }
  Tensor input(const std::string& name, Type type, const Shape& shape) override;
  void mark_output(const Tensor& x, const std::string& name) override;
  Tensor constant(Type type, const Shape& shape, std::string_view bytes,
                  const std::string& name) override;
  Tensor identity(const Tensor& x) override;
  Tensor cast(const Tensor& x, Type type) override;
  Tensor unary(nv::Unary kind, const Tensor& x) override;
  Tensor activation(nv::Activation kind, const Tensor& x, double alpha, double beta) override;
  Tensor elementwise(nv::Elementwise kind, const Tensor& a, const Tensor& b) override;
  Tensor select(const Tensor& condition, const Tensor& yes, const Tensor& no) override;
  Tensor transpose(const Tensor& x, const Shape& permutation) override;
  Tensor reshape(const Tensor& x, const Shape& shape) override;
  Tensor slice(const Tensor& x, const Shape& start, const Shape& size,
               const Shape& stride) override;
  Tensor slice_filled(const Tensor& x, const Shape& start, const Shape& size,
                      const Tensor& fill) override;
  Tensor concatenate(const std::vector<Tensor>& parts, std::int64_t axis) override;
  Tensor reduce(nv::Reduce kind, const Tensor& x, std::uint32_t axes) override;
  std::pair<Tensor, Tensor> top_k(nv::TopK kind, const Tensor& x, std::int64_t k,
                                  std::int64_t axis) override;
  Tensor cumulative_sum(const Tensor& x, std::int64_t axis) override;
  Tensor pooling(const Tensor& x, const PoolingLayer& layer) override;
  Tensor matrix_multiply(const Tensor& a, bool a_is_turned, const Tensor& b,
                         bool b_is_turned) override;
  Tensor convolution(const Tensor& x, const Tensor& kernel, const ConvolutionLayer& layer) override;
  Tensor gather(const Tensor& x, const Tensor& indices, std::int64_t axis) override;
  Tensor gather_nd(const Tensor& x, const Tensor& indices) override;
  Tensor scatter_nd(const Tensor& x, const Tensor& indices, const Tensor& updates) override;
  Tensor softmax(const Tensor& x, std::int64_t axis) override;
  Tensor normalization(const Tensor& x, const Tensor& scale, const Tensor& bias,
                       const NormalizationLayer& layer) override;
  Tensor resize(const Tensor& x, const ResizeLayer& layer) override;
  Tensor attention(const std::vector<Tensor>& operands, nv::CausalMask causal) override;

 private:
  /// A tensor of the library, or a constant that no layer holds yet.
  struct Entry {
    void* tensor = nullptr;
    std::optional<nv::Weights> weights;
    nv::Dims dims;
    std::string name;  ///< of refittable weights
  };

  template <typename Result, typename... Arguments>
  Result call(Slot slot, Arguments... arguments) const {
    return library_->call<Result>(slot, network_.get(), arguments...);
  }
  /// A layer by the function that adds it.
  template <typename... Arguments>
  void* add(Slot slot, Arguments... arguments) {
    process_log().clear();
    return begin_layer(slot, call<void*>(slot, arguments...));
  }
  template <typename Value>
  void set(Slot slot, void* layer, Value value) const {
    library_->call<void>(slot, layer, value);
  }
  void* begin_layer(Slot slot, void* layer);
  [[noreturn]] static void refuse(const std::string& what);
  Tensor result(void* layer, std::int32_t index = 0);
  Tensor tensor_of(void* tensor);
  void* at(const Tensor& x);
  void name_weights(const nv::Weights& weights, const std::string& name);
  void set_padding(void* layer, Slot pre, Slot post, const Shape& low, const Shape& high) const;
  void* add_attention(const std::vector<Tensor>& operands, nv::CausalMask causal);

  const Library* library_;
  Object network_;
  std::vector<Entry> entries_;
  std::set<std::string> named_weights_;
  std::string origin_;
  std::string layer_;  ///< "addSlice", for messages
  std::size_t num_named_ = 0;
};

}  // namespace graphnet::tensorrt
