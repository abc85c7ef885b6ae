// SPDX-License-Identifier: MIT
#include "tvm_plugin/kernel.h"

#include <algorithm>
#include <string>

#include "lowering/builder.h"
#include "tvm_plugin/arithmetic.h"
#include "tvm_plugin/element.h"
#include "tvm_plugin/emitter.h"
#include "tvm_plugin/stage.h"

namespace graphnet::tvm {

using lowering::num_elements;
using lowering::Reduction;

namespace {

std::int64_t round_up(std::int64_t value, std::int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

/// In the order of BlockRole.
struct RoleRow {
  BlockRole role;
  const char* name;
  bool is_numbered;
};
constexpr RoleRow kRoles[] = {
    {BlockRole::kOut, "out", false},        {BlockRole::kAcc, "acc", false},
    {BlockRole::kShared, "shared", true},   {BlockRole::kPartial, "lanes", true},
    {BlockRole::kReduced, "reduced", true}, {BlockRole::kRest, "reduced_rest", true},
    {BlockRole::kJoined, "joined", true},
};

/// Additions one after the other in one lane.
constexpr std::int64_t kLongestChain = 512;

class KernelWriter {
 public:
  KernelWriter(const Program& program, const KernelPlan& plan, const Kernel& kernel)
      : program_(program), plan_(plan), kernel_(kernel), writer_(program, plan, kernel.root) {}

  KernelFunction write() {
    Array<Ref> tensors;
    if (kernel_.kind == KernelKind::kPair) {
      write_pair();
    } else {
      if (kernel_.kind == KernelKind::kRows) write_row_stages();
      if (kernel_.kind == KernelKind::kAnchor) write_anchor();
      write_out();
    }
    for (const auto& [node, placeholder] : writer_.placeholders()) {
      result_.inputs.push_back(node);
      tensors.push_back(placeholder);
    }
    for (const Ref& output : outputs_) tensors.push_back(output);
    // Indices are 64-bit already; the override that TVM offers would change values, too.
    const Ref named = make("te.CreatePrimFunc", tensors, nullptr);
    Any moved(named);
    result_.function =
        make("ir.BaseFuncWithoutAttr", ffi::RValueRef<Ref>(std::move(moved).cast<Ref>()),
             String("global_symbol"));
    return std::move(result_);
  }

 private:
  const Node& node(std::int32_t id) const { return program_.at(id); }
  const Shape& storage(std::int32_t id) const {
    return plan_.storage[static_cast<std::size_t>(id)];
  }

  void add_result(std::int32_t id, const Shape& shape) {
    result_.results.push_back({id, storage_type(node(id).type), shape});
  }

  // ---- rows ----

  void write_row_stages() {
    std::vector<std::int32_t> reductions = kernel_.reductions;
    std::sort(reductions.begin(), reductions.end());
    for (const std::int32_t id : reductions) {
      const Node& own = node(id);
      const Node& operand = node(own.operands[0]);
      const auto rank = operand.shape.size() - own.first.size();
      const Shape leading(operand.shape.begin(),
                          operand.shape.begin() + static_cast<std::ptrdiff_t>(rank));
      const Shape trailing(operand.shape.begin() + static_cast<std::ptrdiff_t>(rank),
                           operand.shape.end());
      share_costly(own.operands[0]);
      write_row_reduction(id, leading, trailing);
    }
  }

  // A costly element is computed once for the reduction and for what follows it.
  void share_costly(std::int32_t id) {
    const Node& own = node(id);
    const bool is_costly_node =
        own.kind == NodeKind::kUnary && is_costly(static_cast<lowering::Unary>(own.which));
    const auto found = std::find(kernel_.members.begin(), kernel_.members.end(), id);
    if (!is_costly_node || found == kernel_.members.end() || id == kernel_.root ||
        plan_.uses[static_cast<std::size_t>(id)] < 2) {
      return;
    }
    const std::int64_t columns = num_elements(own.shape) / kernel_.rows;
    const Shape shape = {kernel_.rows, columns};
    const Axes axes = loops_over(shape);
    const Expr body = writer_.body(id, writer_.reshaped(axes.variables, shape, own.shape));
    writer_.set_stage(id, compute(block_name(BlockRole::kShared, num_shared_++), axes, body),
                      shape);
  }

  /// What is reduced: rows over the first dimensions of a node, columns over the others.
  struct RowElement {
    std::int32_t operand;
    Shape leading;
    Shape trailing;
  };

  Expr row_element(const RowElement& element, const Expr& row, const Expr& column) {
    Exprs indices = writer_.reshaped({row}, {kernel_.rows}, element.leading);
    const Exprs rest =
        writer_.reshaped({column}, {num_elements(element.trailing)}, element.trailing);
    indices.insert(indices.end(), rest.begin(), rest.end());
    return writer_.body(element.operand, indices);
  }

  void write_row_reduction(std::int32_t id, const Shape& leading, const Shape& trailing) {
    const Node& own = node(id);
    const std::int64_t columns = num_elements(trailing);
    const int number = num_reduced_++;
    const RowElement element = {own.operands[0], leading, trailing};
    const std::string name = block_name(BlockRole::kReduced, number);
    const Ref stage = columns < 2 * kLanes ? write_chain(id, element, 0, columns, name)
                                           : write_long_row(id, element, columns, number);
    writer_.set_stage(id, stage, {kernel_.rows});
    if (id == kernel_.root && storage_type(own.type) == own.type) {
      outputs_.push_back(stage);
      add_result(id, storage(id));
    }
  }

  // The compiler may not reorder additions; so each lane adds up its own, and long rows do so in
  // blocks, which also keeps the error of a sum of millions near that of eager's. What fills no
  // vector is added after: a guard within the loop would be gone by the time that a guarded index
  // is read, as TVM evaluates both sides of a choice between vectors.
  Ref write_long_row(std::int32_t id, const RowElement& element, std::int64_t columns, int number) {
    const Node& own = node(id);
    const auto kind = static_cast<Reduction>(own.which);
    const std::int64_t chains = columns / kLanes;
    const std::int64_t blocks = round_up(chains, kLongestChain) / kLongestChain;
    const std::int64_t steps = chains / blocks;
    const std::int64_t covered = blocks * steps * kLanes;
    const Ref lanes =
        write_lanes(id, element, {blocks, steps}, block_name(BlockRole::kPartial, number));
    const Axes axes = loops_over({kernel_.rows});
    const Axes over = reductions_over({blocks, kLanes});
    const Expr across = load(lanes, {axes.variables[0], over.variables[0], over.variables[1]});
    const Ref most = compute(block_name(BlockRole::kReduced, number), axes,
                             reduced(kind, own.type, across, over));
    if (covered == columns) return most;
    const Ref rest =
        write_chain(id, element, covered, columns, block_name(BlockRole::kRest, number));
    const Axes rows = loops_over({kernel_.rows});
    return compute(block_name(BlockRole::kJoined, number), rows,
                   combine(kind, value_type(own.type), load(most, rows.variables),
                           load(rest, rows.variables)));
  }

  /// Columns [begin, end) of each row, one after the other.
  Ref write_chain(std::int32_t id, const RowElement& element, std::int64_t begin, std::int64_t end,
                  const std::string& name) {
    const Node& own = node(id);
    const Axes axes = loops_over({kernel_.rows});
    const Axes over = reductions_over({end - begin});
    const Expr column =
        begin == 0 ? over.variables[0] : tvm::add(over.variables[0], integer(begin));
    return compute(name, axes,
                   reduced(static_cast<Reduction>(own.which), own.type,
                           row_element(element, axes.variables[0], column), over));
  }

  Ref write_lanes(std::int32_t id, const RowElement& element, const Shape& blocks_and_steps,
                  const std::string& name) {
    const Node& own = node(id);
    const std::int64_t steps = blocks_and_steps[1];
    const Axes axes = loops_over({kernel_.rows, blocks_and_steps[0], kLanes});
    const Axes over = reductions_over({steps});
    const Expr step = tvm::add(multiply(axes.variables[1], integer(steps)), over.variables[0]);
    const Expr column = tvm::add(multiply(step, integer(kLanes)), axes.variables[2]);
    return compute(name, axes,
                   reduced(static_cast<Reduction>(own.which), own.type,
                           row_element(element, axes.variables[0], column), over));
  }

  // ---- anchors ----

  void write_anchor() {
    const Node& anchor = node(kernel_.anchor);
    result_.shape.anchor = anchor.kind;
    switch (anchor.kind) {
      case NodeKind::kDot:
        return write_dot(anchor);
      case NodeKind::kConvolution:
        return write_convolution(anchor);
      default:
        return write_reduction(anchor);
    }
  }

  Expr in_range(const Expr& index, std::int64_t extent, std::int64_t padded) {
    return padded == extent ? index : minimum(index, integer(extent - 1));
  }

  Expr factor(std::int32_t id, const Exprs& indices, Type type) {
    const Expr element = writer_.body(id, indices);
    return value_type(node(id).type) == type ? element : cast(element, type);
  }

  void write_dot(const Node& anchor) {
    const Shape& shape = anchor.shape;
    const std::int32_t left = anchor.operands[0];
    const std::int32_t right = anchor.operands[1];
    const bool has_panels = !anchor.first.empty();
    const Shape& right_shape = node(right).shape;
    const std::int64_t depth = has_panels ? right_shape[2] : right_shape[1];
    const std::int64_t width = has_panels ? right_shape[3] : 1;
    const std::int64_t most = width > 2 * kLanes ? 4 : (width > kLanes ? 8 : 14);
    const std::int64_t tile = has_panels ? tile_of(shape[1], most) : 1;
    const std::int64_t rows = round_up(shape[1], tile);
    Shape loops = {shape[0], rows, shape[2]};
    if (has_panels) loops = {shape[0], rows, right_shape[1], width};
    Axes axes = loops_over(loops);
    const Axes over = reductions_over({depth});
    const Exprs& v = axes.variables;
    const Expr a =
        factor(left, {v[0], in_range(v[1], shape[1], rows), over.variables[0]}, anchor.type);
    const Expr b = has_panels ? factor(right, {v[0], v[2], over.variables[0], v[3]}, anchor.type)
                              : factor(right, {v[0], over.variables[0], v[2]}, anchor.type);
    const Ref stage = compute(block_name(BlockRole::kAcc), axes,
                              reduced(Reduction::kSum, anchor.type, operation("Mul", a, b), over));
    result_.shape.row_tile = tile;
    result_.shape.has_panels = has_panels;
    result_.shape.num_spatial = static_cast<std::int64_t>(loops.size());
    set_tiled_stage(stage, has_panels, width);
  }

  /// acc has rows and panels beyond those of the node.
  void set_tiled_stage(const Ref& stage, bool has_panels, std::int64_t width) {
    tiled_ = stage;
    tiled_width_ = has_panels ? width : 0;
  }

  void write_convolution(const Node& anchor) {
    const lowering::ConvolutionAttributes& a = anchor.convolution;
    const std::size_t count = a.stride.size();
    const Shape& kernel_shape = node(anchor.operands[1]).shape;
    const bool is_depthwise = kernel_shape.size() == count + 1;
    const std::int64_t width = is_depthwise ? kLanes : kernel_shape.back();
    const std::int64_t tile = tile_of(anchor.shape[count], width > kLanes ? 7 : 12);
    Shape loops = anchor.shape;
    loops[count] = round_up(anchor.shape[count], tile);
    if (!is_depthwise) {
      loops.back() = kernel_shape[0];
      loops.push_back(width);
    }
    Axes axes = loops_over(loops);
    Shape taps(kernel_shape.begin() + (is_depthwise ? 0 : 1), kernel_shape.end());
    taps.resize(is_depthwise ? count : count + 1);
    const Axes over = reductions_over(taps);
    Exprs source = {axes.variables[0]};
    for (std::size_t i = 0; i < count; ++i) {
      const Expr position = in_range(axes.variables[i + 1], anchor.shape[i + 1], loops[i + 1]);
      source.push_back(tvm::add(multiply(position, integer(a.stride[i])),
                                multiply(over.variables[i], integer(a.kernel_dilation[i]))));
    }
    source.push_back(input_channel(anchor, axes, over, is_depthwise, width));
    Exprs weight = over.variables;
    if (is_depthwise) {
      weight.push_back(axes.variables[count + 1]);
    } else {
      weight.insert(weight.begin(), axes.variables[count + 1]);
      weight.push_back(axes.variables[count + 2]);
    }
    const Expr product = operation("Mul", factor(anchor.operands[0], source, anchor.type),
                                   factor(anchor.operands[1], weight, anchor.type));
    const Ref stage = compute(block_name(BlockRole::kAcc), axes,
                              reduced(Reduction::kSum, anchor.type, product, over));
    result_.shape.row_tile = tile;
    result_.shape.is_depthwise = is_depthwise;
    result_.shape.has_panels = !is_depthwise;
    result_.shape.num_spatial = static_cast<std::int64_t>(loops.size());
    set_tiled_stage(stage, !is_depthwise, width);
  }

  Expr input_channel(const Node& anchor, const Axes& axes, const Axes& over, bool is_depthwise,
                     std::int64_t width) {
    const std::size_t count = anchor.convolution.stride.size();
    const std::int64_t out = anchor.first[0];
    const std::int64_t per_group = out / anchor.convolution.groups;
    if (is_depthwise) return floor_divide(axes.variables[count + 1], per_group);
    const Expr channel = over.variables[count];
    if (anchor.convolution.groups == 1) return channel;
    const std::int64_t panels_per_group = per_group / width;
    const Expr group = floor_divide(axes.variables[count + 1], panels_per_group);
    const std::int64_t in = node(anchor.operands[1]).shape[count + 1];
    return tvm::add(multiply(group, integer(in)), channel);
  }

  void write_reduction(const Node& anchor) {
    const Node& operand = node(anchor.operands[0]);
    Axes axes = loops_over(anchor.shape);
    const bool is_window = anchor.kind == NodeKind::kReduceWindow;
    Shape extents_over;
    if (is_window) {
      extents_over = anchor.window.size;
    } else {
      for (const std::int64_t dim : anchor.first) {
        extents_over.push_back(operand.shape[static_cast<std::size_t>(dim)]);
      }
    }
    const Axes over = reductions_over(extents_over);
    const auto kind = static_cast<Reduction>(anchor.which);
    const Expr element =
        is_window ? window_element(anchor, axes, over) : column_element(anchor, axes, over);
    const Ref stage =
        compute(block_name(BlockRole::kAcc), axes, reduced(kind, anchor.type, element, over));
    result_.shape.num_spatial = static_cast<std::int64_t>(anchor.shape.size());
    tiled_ = stage;
    tiled_width_ = 0;
  }

  Expr column_element(const Node& anchor, const Axes& axes, const Axes& over) {
    const Node& operand = node(anchor.operands[0]);
    Exprs indices;
    std::size_t kept = 0;
    std::size_t dropped = 0;
    for (std::size_t dim = 0; dim < operand.shape.size(); ++dim) {
      const bool is_reduced =
          dropped < anchor.first.size() && anchor.first[dropped] == static_cast<std::int64_t>(dim);
      indices.push_back(is_reduced ? over.variables[dropped++] : axes.variables[kept++]);
    }
    return writer_.body(anchor.operands[0], indices);
  }

  Expr window_element(const Node& anchor, const Axes& axes, const Axes& over) {
    const lowering::Window& window = anchor.window;
    const Node& operand = node(anchor.operands[0]);
    Exprs indices;
    Expr is_inside;
    for (std::size_t i = 0; i < window.size.size(); ++i) {
      Expr index = tvm::add(multiply(axes.variables[i], integer(window.stride[i])),
                            multiply(over.variables[i], integer(window.dilation[i])));
      if (window.low[i] != 0) index = subtract(index, integer(window.low[i]));
      const auto require = [&](const char* name, std::int64_t bound) {
        const Expr condition = operation(name, index, integer(bound));
        is_inside = is_inside.defined() ? operation("And", is_inside, condition) : condition;
      };
      if (window.low[i] > 0) require("GE", 0);
      if (window.high[i] > 0) require("LT", operand.shape[i]);
      indices.push_back(index);
    }
    const Expr element = writer_.body(anchor.operands[0], indices);
    if (!is_inside.defined()) return element;
    return choose(is_inside, element, identity(static_cast<Reduction>(anchor.which), anchor.type));
  }

  // ---- results ----

  void write_out() {
    if (!outputs_.empty()) return;  // a reduction that nothing follows
    const Shape& shape = storage(kernel_.root);
    const Axes axes = loops_over(shape);
    if (tiled_.defined()) {
      const std::int32_t anchor = kernel_.anchor;
      const bool is_plain = tiled_width_ == 0 && result_.shape.row_tile == 1 &&
                            storage_type(node(anchor).type) == node(anchor).type;
      if (kernel_.root == anchor && is_plain) {
        outputs_.push_back(tiled_);
        add_result(kernel_.root, shape);
        return;
      }
      writer_.set_stage(anchor, tiled_, node(anchor).shape, tiled_width_);
    }
    const Exprs indices = writer_.reshaped(axes.variables, shape, node(kernel_.root).shape);
    const Expr element = writer_.body(kernel_.root, indices);
    outputs_.push_back(
        compute(block_name(BlockRole::kOut), axes, to_storage(element, node(kernel_.root).type)));
    add_result(kernel_.root, shape);
  }

  void write_pair() {
    const Node& own = node(kernel_.root);
    const Node& operand = node(own.operands[0]);
    const Shape& shape = own.shape.empty() ? Shape{1} : own.shape;
    Axes axes = loops_over(shape);
    const auto dim = static_cast<std::size_t>(own.dim);
    const Axes over = reductions_over({operand.shape[dim]});
    Exprs indices = own.shape.empty() ? Exprs{} : axes.variables;
    indices.insert(indices.begin() + own.dim, over.variables[0]);
    const Expr element = writer_.body(own.operands[0], indices);
    const Ref reducer = index_reducer(own.which != 0, own.type);
    // TE compares what both share by address.
    const Array<Ref> source = {element, over.variables[0]};
    const Expr always = literal(Type::kBool, 1);
    const Array<Ref> no_start;
    Array<Ref> bodies;
    for (const int i : {0, 1}) {
      bodies.push_back(
          make("te.Reduce", reducer, source, over.iterators, always, i, no_start, nullptr));
    }
    const Ref op = make("te.ComputeOp", String(block_name(BlockRole::kAcc)), String(""), nullptr,
                        axes.iterators, bodies);
    for (const int i : {0, 1}) outputs_.push_back(make("te.OpGetOutput", op, i));
    result_.results.push_back({kernel_.root, own.type, shape});
    result_.results.push_back({kernel_.root, Type::kI64, shape});
  }

  const Program& program_;
  const KernelPlan& plan_;
  const Kernel& kernel_;
  ElementWriter writer_;
  KernelFunction result_;
  std::vector<Ref> outputs_;
  Ref tiled_;
  std::int64_t tiled_width_ = 0;
  int num_reduced_ = 0;
  int num_shared_ = 0;
};

}  // namespace

std::string block_name(BlockRole role, int number) {
  const RoleRow& row = kRoles[static_cast<std::size_t>(role)];
  return row.is_numbered ? row.name + std::to_string(number) : row.name;
}

BlockRole role_of(const std::string& name) {
  const std::string without_number = name.substr(0, name.find_last_not_of("0123456789") + 1);
  for (const RoleRow& row : kRoles) {
    if (without_number == row.name) return row.role;
  }
  return BlockRole::kOut;
}

KernelFunction write_kernel(const Program& program, const KernelPlan& plan, const Kernel& kernel) {
  return KernelWriter(program, plan, kernel).write();
}

}  // namespace graphnet::tvm
