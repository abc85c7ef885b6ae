// SPDX-License-Identifier: MIT
#include "lowering/ir/replay.h"

#include <optional>
#include <string>
#include <utility>

namespace graphnet::lowering::ir {

namespace {

using Tensors = std::vector<Tensor>;

/// Calls the function of the emitter that has the operation's name.
class Emission {
 public:
  Emission(Emitter& emitter, const Tensors& operands, const TensorType& result)
      : emit_(emitter), in_(operands), out_(result) {}

  Tensors operator()(const Parameter&) const { throw LoweringError("a parameter among nodes"); }
  Tensors operator()(const Constant& each) const {
    return {emit_.constant(out_.type, out_.shape, each.bytes)};
  }
  Tensors operator()(const Splat& each) const {
    return {emit_.splat(out_.type, out_.shape, each.value)};
  }
  Tensors operator()(const Iota& each) const {
    return {emit_.iota(out_.type, out_.shape, each.dim)};
  }
  Tensors operator()(const Convert&) const { return {emit_.convert(in_[0], out_.type)}; }
  Tensors operator()(const UnaryOperation& each) const { return {emit_.unary(each.kind, in_[0])}; }
  Tensors operator()(const BinaryOperation& each) const {
    return {emit_.binary(each.kind, in_[0], in_[1])};
  }
  Tensors operator()(const CompareOperation& each) const {
    return {emit_.compare(each.kind, in_[0], in_[1])};
  }
  Tensors operator()(const Select&) const { return {emit_.select(in_[0], in_[1], in_[2])}; }
  Tensors operator()(const Broadcast& each) const {
    return {emit_.broadcast(in_[0], out_.shape, each.dims)};
  }
  Tensors operator()(const Reshape&) const { return {emit_.reshape(in_[0], out_.shape)}; }
  Tensors operator()(const Transpose& each) const {
    return {emit_.transpose(in_[0], each.permutation)};
  }
  Tensors operator()(const Slice& each) const {
    return {emit_.slice(in_[0], each.begin, each.end, each.step)};
  }
  Tensors operator()(const Pad& each) const {
    return {emit_.pad(in_[0], each.value, each.low, each.high, each.interior)};
  }
  Tensors operator()(const Concatenate& each) const { return {emit_.concatenate(in_, each.dim)}; }
  Tensors operator()(const Reverse& each) const { return {emit_.reverse(in_[0], each.dims)}; }
  Tensors operator()(const Reduce& each) const {
    return {emit_.reduce(each.kind, in_[0], each.dims)};
  }
  Tensors operator()(const ReduceIndex& each) const {
    return both(emit_.reduce_index(each.largest, in_[0], each.dim));
  }
  Tensors operator()(const ReduceWindow& each) const {
    return {emit_.reduce_window(each.kind, in_[0], each.window)};
  }
  Tensors operator()(const Dot& each) const {
    return {emit_.dot(in_[0], in_[1], each.contraction)};
  }
  Tensors operator()(const Convolution& each) const {
    if (!each.layout.empty() || !each.kernel_layout.empty()) {
      throw LoweringError("a convolution whose layout is chosen already");
    }
    return {emit_.convolution(in_[0], in_[1], each.window)};
  }
  Tensors operator()(const PackedDot&) const { throw LoweringError("a packed product"); }
  Tensors operator()(const PairedDot&) const { throw LoweringError("a packed product of pairs"); }
  Tensors operator()(const PackedConvolution&) const {
    throw LoweringError("a packed convolution");
  }
  Tensors operator()(const WinogradInput&) const { refuse_winograd(); }
  Tensors operator()(const WinogradKernel&) const { refuse_winograd(); }
  Tensors operator()(const WinogradOutput&) const { refuse_winograd(); }
  Tensors operator()(const Attention&) const { throw LoweringError("attention in panels"); }
  Tensors operator()(const Gather& each) const {
    return {emit_.gather(in_[0], in_[1], each.dims, each.batch_position)};
  }
  Tensors operator()(const Scatter& each) const {
    return {emit_.scatter(in_[0], in_[1], each.dims, in_[2], each.combine)};
  }
  Tensors operator()(const Sort& each) const {
    return both(emit_.sort(in_[0], each.dim, each.descending));
  }
  Tensors operator()(const FourierTransform& each) const {
    return {emit_.fourier(each.kind, in_[0], each.lengths)};
  }
  Tensors operator()(const Composite& each) const {
    if (auto results = emit_.composite(each, in_)) return *std::move(results);
    if (!each.body) throw LoweringError(each.why_not);
    return emit_body(*each.body);
  }

 private:
  [[noreturn]] static void refuse_winograd() { throw LoweringError("a part of a convolution"); }
  // All of it belongs to the composite: it fails once, and its nodes have the composite's origin.
  Tensors emit_body(const Graph& body) const {
    Tensors values(body.values.size());
    const auto value = [&values](ValueId id) -> Tensor& {
      return values[static_cast<std::size_t>(id)];
    };
    for (const Node& node : body.nodes) {
      if (const auto* parameter = std::get_if<Parameter>(&node.operation)) {
        value(node.results[0]) = in_[static_cast<std::size_t>(parameter->index)];
        continue;
      }
      Tensors operands;
      for (const ValueId id : node.operands) operands.push_back(value(id));
      const Emission emission(emit_, operands, body.type(node.results[0]));
      const Tensors results = std::visit(emission, node.operation);
      for (std::size_t i = 0; i < results.size(); ++i) value(node.results[i]) = results[i];
    }
    Tensors outputs;
    for (const ValueId id : body.outputs) outputs.push_back(value(id));
    return outputs;
  }

  static Tensors both(const std::pair<Tensor, Tensor>& results) {
    return {results.first, results.second};
  }

  Emitter& emit_;
  const Tensors& in_;
  const TensorType& out_;
};

class Replay {
 public:
  Replay(const Graph& graph, Emitter& emitter, const MakeParameter& make_parameter)
      : graph_(graph),
        emitter_(emitter),
        make_parameter_(make_parameter),
        values_(graph.values.size()) {}

  Lowered run() {
    for (const Node& node : graph_.nodes) emit(node);
    Lowered lowered;
    lowered.failures = std::move(failures_);
    if (!lowered.failures.empty()) return lowered;
    for (const ValueId output : graph_.outputs) {
      const Emitted& value = emitted(output);
      // An output may be a parameter that nobody else reads.
      if (value.tensor) {
        lowered.outputs.push_back(*value.tensor);
      } else {
        lowered.failures.push_back({"output", "", value.why_not});
      }
    }
    return lowered;
  }

 private:
  struct Emitted {
    std::optional<Tensor> tensor;
    std::string why_not;  ///< of a parameter; empty: what made it is counted as a failure
  };

  Emitted& emitted(ValueId id) { return values_[static_cast<std::size_t>(id)]; }

  void emit(const Node& node) {
    if (const auto* parameter = std::get_if<Parameter>(&node.operation)) {
      return emit_parameter(*parameter, node.results[0]);
    }
    Tensors operands;
    for (const ValueId id : node.operands) {
      const Emitted& operand = emitted(id);
      if (!operand.tensor && operand.why_not.empty()) return fail_by_itself(node);
      if (!operand.tensor) return fail(node, operand.why_not);
      operands.push_back(*operand.tensor);
    }
    begin(node.origin);
    try {
      const Emission emission(emitter_, operands, graph_.value(node.results[0]).type);
      const Tensors results = std::visit(emission, node.operation);
      for (std::size_t i = 0; i < results.size(); ++i) emitted(node.results[i]).tensor = results[i];
    } catch (const LoweringError& error) {
      fail(node, error.what());
    }
  }

  void emit_parameter(const Parameter& parameter, ValueId id) {
    try {
      emitted(id).tensor = make_parameter_(parameter, graph_.value(id).type);
    } catch (const LoweringError& error) {
      emitted(id).why_not = error.what();
    }
  }

  void begin(std::int32_t origin) {
    if (origin < 0 || origin == begun_) return;
    begun_ = origin;
    const Origin& from = graph_.origins[static_cast<std::size_t>(origin)];
    emitter_.begin_node(from.op, from.where);
  }

  // A node that lacks an operand; it counts if it would fail with it, too.
  void fail_by_itself(const Node& node) {
    const auto* composite = std::get_if<Composite>(&node.operation);
    if (composite != nullptr && !composite->body) fail(node, composite->why_not);
  }

  // One operator may have many nodes; it fails once.
  void fail(const Node& node, std::string reason) {
    Failure failure = {"constant", "", std::move(reason)};
    if (node.origin >= 0) {
      const Origin& from = graph_.origins[static_cast<std::size_t>(node.origin)];
      failure.op = from.op;
      failure.where = from.where;
      if (node.origin == failed_) return;
      failed_ = node.origin;
    }
    failures_.push_back(std::move(failure));
  }

  const Graph& graph_;
  Emitter& emitter_;
  const MakeParameter& make_parameter_;
  std::vector<Emitted> values_;
  std::vector<Failure> failures_;
  std::int32_t begun_ = -1;
  std::int32_t failed_ = -1;
};

}  // namespace

Lowered replay(const Graph& graph, Emitter& emitter, const MakeParameter& make_parameter) {
  return Replay(graph, emitter, make_parameter).run();
}

}  // namespace graphnet::lowering::ir
