// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lowering/ir/interpret.h"
#include "tensorrt/write_network.h"

namespace graphnet::tensorrt {

namespace ir = lowering::ir;

/// The walk of write_network(): a function for each operation.
class NetworkWriter {
 public:
  NetworkWriter(const ir::Graph& graph, Network& network, BoundWeights bound);

  WrittenNetwork run();

  Tensor operator()(const ir::Parameter&) { return {}; }
  Tensor operator()(const ir::Constant&) { return {}; }
  Tensor operator()(const ir::Splat&) { return {}; }
  Tensor operator()(const ir::Iota& each);
  Tensor operator()(const ir::Convert&);
  Tensor operator()(const ir::UnaryOperation& each);
  Tensor operator()(const ir::BinaryOperation& each);
  Tensor operator()(const ir::CompareOperation& each);
  Tensor operator()(const ir::Select&);
  Tensor operator()(const ir::Broadcast& each);
  Tensor operator()(const ir::Reshape&);
  Tensor operator()(const ir::Transpose& each);
  Tensor operator()(const ir::Slice& each);
  Tensor operator()(const ir::Pad& each);
  Tensor operator()(const ir::Concatenate& each);
  Tensor operator()(const ir::Reverse& each);
  Tensor operator()(const ir::Reduce& each);
  Tensor operator()(const ir::ReduceWindow& each);
  Tensor operator()(const ir::Dot& each);
  Tensor operator()(const ir::Convolution& each);
  Tensor operator()(const ir::Gather& each);
  Tensor operator()(const ir::Scatter& each);
  Tensor operator()(const ir::Sort& each);
  Tensor operator()(const ir::Composite& each);
  template <typename Other>
  Tensor operator()(const Other&) {
    throw lowering::LoweringError("TensorRT has no such operation");
  }

 private:
  /// A constant's bytes, which become a tensor of whatever shape a layer wants.
  struct Source {
    std::string_view bytes;
    std::string name;
  };
  /// What is there for a value of the graph.
  struct Held {
    std::optional<Tensor> tensor;  ///< extents as the value's, or 1 where it repeats
    std::optional<Source> source;
    std::shared_ptr<const ir::Array> known;
    std::optional<ir::Number> uniform;  ///< of a value that is one number everywhere

    bool is_there() const { return tensor || source || known || uniform; }
  };

  Held& held(ir::ValueId id) { return held_[static_cast<std::size_t>(id)]; }
  const ir::TensorType& in(std::size_t operand) const {
    return graph_.type(node_->operands[operand]);
  }
  const ir::TensorType& out() const { return graph_.type(node_->results[0]); }

  void write(const ir::Node& node);
  void write_parameter(const ir::Parameter& parameter, ir::ValueId id);
  bool compute_now(const ir::Node& node);
  bool compute_uniform(const ir::Node& node);
  /// Leaves out a logical operation or a selection that one operand decides. TensorRT's compiler
  /// fails at some of those.
  bool decide_now(const ir::Node& node);
  std::shared_ptr<const ir::Array> known_array(ir::ValueId id);
  void check(const ir::Node& node, const Tensor& made) const;
  void write_outputs();
  void begin(const ir::Node& node);
  void fail(const ir::Node& node, const std::string& reason);

  /// An operand as a tensor; extents of 1 where it repeats.
  Tensor narrow(std::size_t operand) { return narrow_value(node_->operands[operand]); }
  Tensor narrow_value(ir::ValueId id);
  /// An operand as a tensor of its whole shape.
  Tensor whole(std::size_t operand) { return whole_value(node_->operands[operand]); }
  Tensor whole_value(ir::ValueId id);
  /// An operand with as many elements in another shape.
  Tensor reshaped(std::size_t operand, const Shape& shape) {
    return reshaped_value(node_->operands[operand], shape);
  }
  Tensor reshaped_value(ir::ValueId id, const Shape& shape);
  Tensor reshaped(const Tensor& x, const Shape& shape) {
    return x.shape == shape ? x : network_.reshape(x, shape);
  }
  Tensor transposed(const Tensor& x, const Shape& permutation);
  Tensor scalar_like(const Tensor& x, double value) {
    return constants().scalar(network_, x.type, x.rank(), value);
  }
  Constants& constants() { return written_.constants; }

  Tensor log1p(const Tensor& x);
  Tensor compared(ir::ValueId a, lowering::Comparison kind, ir::ValueId b);
  Tensor pooled(const Tensor& x, lowering::Reduction kind, const lowering::Window& window);
  Tensor ordered_back(const Tensor& moved, const Shape& order);
  Tensor spread(Tensor x, const Shape& step);
  /// The weight [in, out / groups, spatial...] of a transposed convolution, if the graph turned one
  /// into this kernel.
  std::optional<ir::ValueId> turned_weight(ir::ValueId kernel, std::int64_t groups) const;
  /// [batch..., rows, depth], or rows and depth in the other order.
  struct Side {
    Tensor tensor;
    bool is_turned = false;
  };
  Side side_of(Tensor x, const Shape& batch, const Shape& contracting, bool depth_first);
  bool is_read_as(ir::ValueId id, Type type) const;
  std::int64_t most_read(ir::ValueId id, std::int64_t dim) const;

  const ir::Graph& graph_;
  Network& network_;
  BoundWeights bound_;
  WrittenNetwork written_;
  const ir::Node* node_ = nullptr;
  std::vector<Held> held_;                             ///< by value
  std::vector<std::vector<const ir::Node*>> readers_;  ///< by value
  std::vector<bool> is_output_;                        ///< by value
  std::vector<std::int32_t>
      taken_;  ///< tensors that cannot be made outputs: they are, or are inputs
};

/// errors   LoweringError: layers do not compute with elements of this type
void require_computable(Type type);

}  // namespace graphnet::tensorrt
