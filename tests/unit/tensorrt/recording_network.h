// SPDX-License-Identifier: MIT
#pragma once

#include <sstream>
#include <string>

#include "tensorrt/described_network.h"

namespace graphnet::tensorrt {

/// Writes down every call with its arguments, and answers as a described network.
class RecordingNetwork final : public Network {
 public:
  std::string text() const { return text_.str(); }

  void begin_node(const std::string& origin) override { net_.begin_node(origin); }
  Tensor input(const std::string& name, Type type, const Shape& shape) override {
    return line("input " + name, {}, net_.input(name, type, shape));
  }
  void mark_output(const Tensor& x, const std::string& name) override {
    net_.mark_output(x, name);
    text_ << "output " << name << " %" << x.id << "\n";
  }
  Tensor constant(Type type, const Shape& shape, std::string_view bytes,
                  const std::string& name) override {
    return line("constant " + name, {}, net_.constant(type, shape, bytes, name));
  }
  Tensor identity(const Tensor& x) override { return line("identity", {x}, net_.identity(x)); }
  Tensor cast(const Tensor& x, Type type) override { return line("cast", {x}, net_.cast(x, type)); }
  Tensor unary(nv::Unary kind, const Tensor& x) override {
    return line("unary " + number(kind), {x}, net_.unary(kind, x));
  }
  Tensor activation(nv::Activation kind, const Tensor& x, double alpha, double beta) override {
    return line("activation " + number(kind), {x}, net_.activation(kind, x, alpha, beta));
  }
  Tensor elementwise(nv::Elementwise kind, const Tensor& a, const Tensor& b) override {
    return line("elementwise " + number(kind), {a, b}, net_.elementwise(kind, a, b));
  }
  Tensor select(const Tensor& condition, const Tensor& yes, const Tensor& no) override {
    return line("select", {condition, yes, no}, net_.select(condition, yes, no));
  }
  Tensor transpose(const Tensor& x, const Shape& permutation) override {
    return line("transpose " + list(permutation), {x}, net_.transpose(x, permutation));
  }
  Tensor reshape(const Tensor& x, const Shape& shape) override {
    return line("reshape", {x}, net_.reshape(x, shape));
  }
  Tensor slice(const Tensor& x, const Shape& start, const Shape& size,
               const Shape& stride) override {
    return line("slice " + list(start) + list(size) + list(stride), {x},
                net_.slice(x, start, size, stride));
  }
  Tensor slice_filled(const Tensor& x, const Shape& start, const Shape& size,
                      const Tensor& fill) override {
    return line("slice_filled " + list(start) + list(size), {x, fill},
                net_.slice_filled(x, start, size, fill));
  }
  Tensor concatenate(const std::vector<Tensor>& parts, std::int64_t axis) override {
    return line("concatenate " + std::to_string(axis), parts, net_.concatenate(parts, axis));
  }
  Tensor reduce(nv::Reduce kind, const Tensor& x, std::uint32_t axes) override {
    return line("reduce " + number(kind) + " axes " + std::to_string(axes), {x},
                net_.reduce(kind, x, axes));
  }
  std::pair<Tensor, Tensor> top_k(nv::TopK kind, const Tensor& x, std::int64_t k,
                                  std::int64_t axis) override {
    const auto both = net_.top_k(kind, x, k, axis);
    line("top_k " + number(kind) + " " + std::to_string(k) + " along " + std::to_string(axis), {x},
         both.first);
    return both;
  }
  Tensor cumulative_sum(const Tensor& x, std::int64_t axis) override {
    return line("cumulative_sum " + std::to_string(axis), {x}, net_.cumulative_sum(x, axis));
  }
  Tensor pooling(const Tensor& x, const PoolingLayer& layer) override {
    return line("pooling " + number(layer.kind) + " " + list(layer.window) + list(layer.stride) +
                    list(layer.pre) + list(layer.post),
                {x}, net_.pooling(x, layer));
  }
  Tensor matrix_multiply(const Tensor& a, bool a_is_turned, const Tensor& b,
                         bool b_is_turned) override {
    return line(
        std::string("matrix_multiply ") + (a_is_turned ? "T" : "N") + (b_is_turned ? "T" : "N"),
        {a, b}, net_.matrix_multiply(a, a_is_turned, b, b_is_turned));
  }
  Tensor convolution(const Tensor& x, const Tensor& kernel,
                     const ConvolutionLayer& layer) override {
    return line(std::string(layer.is_transposed ? "deconvolution " : "convolution ") +
                    list(layer.stride) + list(layer.pre) + list(layer.post) + list(layer.dilation) +
                    " groups " + std::to_string(layer.groups),
                {x, kernel}, net_.convolution(x, kernel, layer));
  }
  Tensor gather(const Tensor& x, const Tensor& indices, std::int64_t axis) override {
    return line("gather " + std::to_string(axis), {x, indices}, net_.gather(x, indices, axis));
  }
  Tensor gather_nd(const Tensor& x, const Tensor& indices) override {
    return line("gather_nd", {x, indices}, net_.gather_nd(x, indices));
  }
  Tensor scatter_nd(const Tensor& x, const Tensor& indices, const Tensor& updates) override {
    return line("scatter_nd", {x, indices, updates}, net_.scatter_nd(x, indices, updates));
  }
  Tensor softmax(const Tensor& x, std::int64_t axis) override {
    return line("softmax " + std::to_string(axis), {x}, net_.softmax(x, axis));
  }
  Tensor normalization(const Tensor& x, const Tensor& scale, const Tensor& bias,
                       const NormalizationLayer& layer) override {
    return line("normalization axes " + std::to_string(layer.axes) + " groups " +
                    std::to_string(layer.groups),
                {x, scale, bias}, net_.normalization(x, scale, bias, layer));
  }
  Tensor resize(const Tensor& x, const ResizeLayer& layer) override {
    return line("resize " + number(layer.mode) + " " + number(layer.coordinates), {x},
                net_.resize(x, layer));
  }
  Tensor attention(const std::vector<Tensor>& operands, nv::CausalMask causal) override {
    return line("attention causal " + number(causal), operands, net_.attention(operands, causal));
  }

 private:
  template <typename Kind>
  static std::string number(Kind kind) {
    return std::to_string(static_cast<int>(kind));
  }
  static std::string list(const Shape& values) {
    std::string text = "[";
    for (const std::int64_t each : values) text += (text == "[" ? "" : ",") + std::to_string(each);
    return text + "]";
  }
  Tensor line(const std::string& what, const std::vector<Tensor>& operands, const Tensor& made) {
    text_ << "%" << made.id << ": " << lowering::describe(made.type, made.shape) << " = " << what;
    for (const Tensor& each : operands) text_ << " %" << each.id;
    text_ << "\n";
    return made;
  }

  DescribedNetwork net_{DescribedNetwork::Constants::kWritten};
  std::ostringstream text_;
};

}  // namespace graphnet::tensorrt
