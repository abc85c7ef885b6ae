// SPDX-License-Identifier: MIT
#include "tvm_plugin/kernel.h"

#include <algorithm>
#include <array>
#include <string>

#include "lowering/builder.h"
#include "tvm_plugin/arithmetic.h"
#include "tvm_plugin/element.h"
#include "tvm_plugin/legalize.h"
#include "tvm_plugin/stage.h"
#include "tvm_plugin/vector_unit.h"

namespace graphnet::tvm {

using ir::ValueId;
using lowering::num_elements;
using lowering::Reduction;

namespace {

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
constexpr std::int64_t kFewestLanes = 4;

class KernelWriter {
 public:
  KernelWriter(const ir::Graph& graph, const KernelPlan& plan, const Kernel& kernel)
      : graph_(graph), plan_(plan), kernel_(kernel), writer_(graph, plan, kernel.root) {}

  KernelFunction write() {
    Array<Ref> tensors;
    if (kernel_.kind == KernelKind::kPair) {
      write_pair();
    } else {
      if (kernel_.kind == KernelKind::kRows) write_row_stages();
      if (kernel_.kind == KernelKind::kAnchor) write_anchor();
      write_out();
    }
    result_.shape.moves_columns = moves_columns();
    for (const auto& [id, placeholder] : writer_.placeholders()) {
      result_.inputs.push_back(id);
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
  const ir::Node& node(ValueId id) const { return graph_.maker(id); }
  const Shape& shape_of(ValueId id) const { return graph_.type(id).shape; }
  Type type_of(ValueId id) const { return graph_.type(id).type; }
  template <typename Kind>
  const Kind* as(ValueId id) const {
    return std::get_if<Kind>(&node(id).operation);
  }
  const Shape& storage(ValueId id) const { return plan_.storage[static_cast<std::size_t>(id)]; }

  void add_result(ValueId id, const Shape& shape) {
    result_.results.push_back({id, storage_type(type_of(id)), shape});
  }

  bool moves_columns() const {
    return std::any_of(kernel_.members.begin(), kernel_.members.end(), [&](ValueId id) {
      const auto* each = as<ir::Transpose>(id);
      return each != nullptr &&
             each->permutation.back() + 1 != static_cast<std::int64_t>(each->permutation.size());
    });
  }

  /// Loops of a stage, whose extents are known wherever their variables are in an index.
  Axes known(Axes axes, const Shape& shape) {
    for (std::size_t i = 0; i < shape.size(); ++i) writer_.set_extent(axes.variables[i], shape[i]);
    return axes;
  }
  Axes loops_of(const Shape& shape) { return known(loops_over(shape), shape); }
  Axes reduced_loops(const Shape& shape) { return known(reductions_over(shape), shape); }

  // ---- rows ----

  void write_row_stages() {
    std::vector<ValueId> reductions = kernel_.reductions;
    std::sort(reductions.begin(), reductions.end());
    for (const ValueId id : reductions) {
      const ValueId operand = node(id).operands[0];
      const Shape& from = shape_of(operand);
      const auto rank = static_cast<std::ptrdiff_t>(from.size() - as<ir::Reduce>(id)->dims.size());
      share_costly(operand);
      write_row_reduction(
          id, {operand, {from.begin(), from.begin() + rank}, {from.begin() + rank, from.end()}});
    }
  }

  // A costly element is computed once for the reduction and for what follows it.
  void share_costly(ValueId id) {
    if (id == kernel_.root || plan_.uses[static_cast<std::size_t>(id)] < 2 ||
        !is_costly_within(graph_, kernel_, id)) {
      return;
    }
    const std::int64_t columns = num_elements(shape_of(id)) / kernel_.rows;
    const Shape shape = {kernel_.rows, columns};
    const Axes axes = loops_of(shape);
    const Expr body = writer_.body(id, writer_.reshaped(axes.variables, shape, shape_of(id)));
    writer_.set_stage(id, compute(block_name(BlockRole::kShared, num_shared_++), axes, body),
                      shape);
  }

  struct LongRow {
    std::int64_t columns;
    std::int64_t lanes;
  };

  /// Parallel sums of a row, a power of two; each adds two elements or more.
  static std::int64_t lanes_of_row(std::int64_t columns) {
    std::int64_t lanes = kLanes;
    while (2 * lanes > columns) lanes /= 2;
    return lanes < kFewestLanes ? 1 : lanes;
  }

  /// What is reduced: rows over the first dimensions of a value, columns over the others.
  struct RowElement {
    ValueId operand;
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

  void write_row_reduction(ValueId id, const RowElement& element) {
    const std::int64_t columns = num_elements(element.trailing);
    const int number = num_reduced_++;
    const std::string name = block_name(BlockRole::kReduced, number);
    const std::int64_t lanes = lanes_of_row(columns);
    const Ref stage = lanes == 1 ? write_chain(id, element, 0, columns, name)
                                 : write_long_row(id, element, {columns, lanes}, number);
    writer_.set_stage(id, stage, {kernel_.rows});
    if (id == kernel_.root && storage_type(type_of(id)) == type_of(id)) {
      outputs_.push_back(stage);
      add_result(id, storage(id));
    }
  }

  // The compiler may not reorder additions; so each lane adds up its own, and long rows do so in
  // blocks, which also keeps the error of a sum of millions near that of eager's. What fills no
  // vector is added after: a guard within the loop would be gone by the time that a guarded index
  // is read, as TVM evaluates both sides of a choice between vectors.
  Ref write_long_row(ValueId id, const RowElement& element, const LongRow& row, int number) {
    const Reduction kind = as<ir::Reduce>(id)->kind;
    const Type type = value_type(type_of(id));
    const std::int64_t chains = row.columns / row.lanes;
    const std::int64_t blocks = round_up(chains, kLongestChain) / kLongestChain;
    const std::int64_t steps = chains / blocks;
    const std::int64_t covered = blocks * steps * row.lanes;
    const Ref lanes = write_lanes(id, element, {blocks, steps, row.lanes},
                                  block_name(BlockRole::kPartial, number));
    const Axes rows = loops_of({kernel_.rows});
    const Expr& at = rows.variables[0];
    Expr joined;
    if (blocks == 1) {
      Exprs parts;
      for (std::int64_t lane = 0; lane < row.lanes; ++lane) {
        parts.push_back(load(lanes, {at, integer(0), integer(lane)}));
      }
      joined = combine_in_pairs(kind, type, std::move(parts));
    } else {
      const Axes over = reduced_loops({blocks, row.lanes});
      const Expr across = load(lanes, {at, over.variables[0], over.variables[1]});
      const Ref most = compute(block_name(BlockRole::kReduced, number), rows,
                               reduced(kind, type_of(id), across, over));
      if (covered == row.columns) return most;
      joined = load(most, rows.variables);
    }
    if (covered < row.columns) {
      const Ref rest =
          write_chain(id, element, covered, row.columns, block_name(BlockRole::kRest, number));
      joined = combine(kind, type, joined, load(rest, rows.variables));
    }
    return compute(block_name(BlockRole::kJoined, number), rows, joined);
  }

  /// Columns [begin, end) of each row, one after the other.
  Ref write_chain(ValueId id, const RowElement& element, std::int64_t begin, std::int64_t end,
                  const std::string& name) {
    const Axes axes = loops_of({kernel_.rows});
    const Axes over = reduced_loops({end - begin});
    const Expr column =
        begin == 0 ? over.variables[0] : tvm::add(over.variables[0], integer(begin));
    return compute(name, axes,
                   reduced(as<ir::Reduce>(id)->kind, type_of(id),
                           row_element(element, axes.variables[0], column), over));
  }

  /// Blocks, steps of a block, lanes.
  Ref write_lanes(ValueId id, const RowElement& element, const std::array<std::int64_t, 3>& parts,
                  const std::string& name) {
    const auto [blocks, steps, lanes] = parts;
    const Axes axes = loops_of({kernel_.rows, blocks, lanes});
    const Axes over = reduced_loops({steps});
    const Expr step = tvm::add(multiply(axes.variables[1], integer(steps)), over.variables[0]);
    const Expr column = tvm::add(multiply(step, integer(lanes)), axes.variables[2]);
    return compute(name, axes,
                   reduced(as<ir::Reduce>(id)->kind, type_of(id),
                           row_element(element, axes.variables[0], column), over));
  }

  // ---- anchors ----

  void write_anchor() {
    if (as<ir::PackedDot>(kernel_.anchor) != nullptr) return write_packed_dot();
    if (as<ir::Dot>(kernel_.anchor) != nullptr) return write_dot();
    if (const auto* each = as<ir::PackedConvolution>(kernel_.anchor))
      return write_convolution(*each);
    if (const auto* each = as<ir::Convolution>(kernel_.anchor)) return write_depthwise(*each);
    write_reduction();
  }

  Expr in_range(const Expr& index, std::int64_t extent, std::int64_t padded) {
    return padded == extent ? index : minimum(index, integer(extent - 1));
  }

  Expr factor(ValueId id, const Exprs& indices, Type type) {
    const Expr element = writer_.body(id, indices);
    return value_type(type_of(id)) == type ? element : cast(element, type);
  }

  // Sums of products over `over`; `width` of 0: acc has no panels.
  void set_product(const Axes& axes, const Axes& over, const Expr& left, const Expr& right,
                   std::int64_t width) {
    const Expr product = operation("Mul", left, right);
    tiled_ = compute(block_name(BlockRole::kAcc), axes,
                     reduced(Reduction::kSum, type_of(kernel_.anchor), product, over));
    tiled_width_ = width;
    result_.shape.has_panels = width > 0;
    result_.shape.num_spatial = static_cast<std::int64_t>(axes.variables.size());
  }

  ValueId anchor_operand(std::size_t index) const { return node(kernel_.anchor).operands[index]; }
  Expr anchor_factor(std::size_t index, const Exprs& indices) {
    return factor(anchor_operand(index), indices, type_of(kernel_.anchor));
  }

  void write_dot() {
    const Shape& shape = shape_of(kernel_.anchor);
    const Axes axes = loops_of(shape);
    const Axes over = reduced_loops({shape_of(anchor_operand(1))[1]});
    const Exprs& v = axes.variables;
    const Expr& k = over.variables[0];
    result_.shape.anchor = AnchorKind::kProduct;
    set_product(axes, over, anchor_factor(0, {v[0], v[1], k}), anchor_factor(1, {v[0], k, v[2]}),
                0);
  }

  void write_packed_dot() {
    const Shape& shape = shape_of(kernel_.anchor);
    const Shape& panels = shape_of(anchor_operand(1));
    const std::int64_t width = panels[3];
    const std::int64_t tile = tile_of(shape[1], plan_.unit.rows_of_product(shape[1], width));
    const std::int64_t rows = round_up(shape[1], tile);
    const Axes axes = loops_of({shape[0], rows, panels[1], width});
    const Axes over = reduced_loops({panels[2]});
    const Exprs& v = axes.variables;
    const Expr& k = over.variables[0];
    result_.shape.anchor = AnchorKind::kProduct;
    result_.shape.row_tile = tile;
    set_product(axes, over, anchor_factor(0, {v[0], in_range(v[1], shape[1], rows), k}),
                anchor_factor(1, {v[0], v[2], k, v[3]}), width);
  }

  /// Where a convolution's taps meet its input, without the channel.
  Exprs source_positions(const Shape& loops, const Axes& axes, const Axes& over,
                         const Shape& stride, const Shape& dilation) {
    const Shape& shape = shape_of(kernel_.anchor);
    Exprs source = {axes.variables[0]};
    for (std::size_t i = 0; i < stride.size(); ++i) {
      const Expr position = in_range(axes.variables[i + 1], shape[i + 1], loops[i + 1]);
      source.push_back(tvm::add(multiply(position, integer(stride[i])),
                                multiply(over.variables[i], integer(dilation[i]))));
    }
    return source;
  }

  void write_convolution(const ir::PackedConvolution& each) {
    const Shape& shape = shape_of(kernel_.anchor);
    const Shape& panels = shape_of(anchor_operand(1));
    const std::size_t count = each.stride.size();
    const std::int64_t width = panels.back();
    const std::int64_t tile = tile_of(shape[count], plan_.unit.rows_of_convolution(width));
    Shape loops = shape;
    loops[count] = round_up(shape[count], tile);
    loops.back() = panels[0];
    loops.push_back(width);
    const Axes axes = loops_of(loops);
    const Axes over = reduced_loops({panels.begin() + 1, panels.end() - 1});
    Exprs source = source_positions(loops, axes, over, each.stride, each.kernel_dilation);
    Expr channel = over.variables[count];
    if (each.groups > 1) {
      const std::int64_t panels_per_group = each.out / each.groups / width;
      const Expr group = floor_divide(axes.variables[count + 1], panels_per_group);
      channel = tvm::add(multiply(group, integer(panels[count + 1])), channel);
    }
    source.push_back(channel);
    Exprs weight = over.variables;
    weight.insert(weight.begin(), axes.variables[count + 1]);
    weight.push_back(axes.variables[count + 2]);
    result_.shape.anchor = AnchorKind::kConvolution;
    result_.shape.row_tile = tile;
    set_product(axes, over, anchor_factor(0, source), anchor_factor(1, weight), width);
  }

  /// Kernel [taps..., 1, out].
  void write_depthwise(const ir::Convolution& each) {
    const lowering::ConvolutionAttributes& window = each.window;
    const Shape& shape = shape_of(kernel_.anchor);
    const Shape& taps = shape_of(anchor_operand(1));
    const std::size_t count = window.stride.size();
    const std::int64_t lanes = plan_.unit.channels_of_depthwise(shape.back());
    const std::int64_t tile = tile_of(shape[count], plan_.unit.rows_of_convolution(lanes));
    Shape loops = shape;
    loops[count] = round_up(shape[count], tile);
    const Axes axes = loops_of(loops);
    const Axes over = reduced_loops({taps.begin(), taps.end() - 2});
    Exprs source = source_positions(loops, axes, over, window.stride, window.kernel_dilation);
    const Expr& out = axes.variables[count + 1];
    source.push_back(floor_divide(out, shape.back() / window.groups));
    Exprs weight = over.variables;
    weight.insert(weight.end(), {integer(0), out});
    result_.shape.anchor = AnchorKind::kDepthwise;
    result_.shape.lanes = lanes;
    result_.shape.row_tile = tile;
    set_product(axes, over, anchor_factor(0, source), anchor_factor(1, weight), 0);
  }

  void write_reduction() {
    const ValueId anchor = kernel_.anchor;
    const Axes axes = loops_of(shape_of(anchor));
    const auto* window = as<ir::ReduceWindow>(anchor);
    Shape extents_over;
    if (window != nullptr) {
      extents_over = window->window.size;
    } else {
      for (const std::int64_t dim : as<ir::Reduce>(anchor)->dims) {
        extents_over.push_back(shape_of(anchor_operand(0))[static_cast<std::size_t>(dim)]);
      }
    }
    const Axes over = reduced_loops(extents_over);
    const Reduction kind = window != nullptr ? window->kind : as<ir::Reduce>(anchor)->kind;
    const Expr element = window != nullptr ? window_element(*window, axes, over)
                                           : column_element(*as<ir::Reduce>(anchor), axes, over);
    tiled_ =
        compute(block_name(BlockRole::kAcc), axes, reduced(kind, type_of(anchor), element, over));
    tiled_width_ = 0;
    result_.shape.anchor = AnchorKind::kReduction;
    result_.shape.num_spatial = static_cast<std::int64_t>(axes.variables.size());
  }

  Expr column_element(const ir::Reduce& reduce, const Axes& axes, const Axes& over) {
    Exprs indices;
    std::size_t kept = 0;
    std::size_t dropped = 0;
    for (std::size_t dim = 0; dim < shape_of(anchor_operand(0)).size(); ++dim) {
      const bool is_reduced =
          dropped < reduce.dims.size() && reduce.dims[dropped] == static_cast<std::int64_t>(dim);
      indices.push_back(is_reduced ? over.variables[dropped++] : axes.variables[kept++]);
    }
    return writer_.body(anchor_operand(0), indices);
  }

  Expr window_element(const ir::ReduceWindow& each, const Axes& axes, const Axes& over) {
    const lowering::Window& window = each.window;
    const Shape& extents_in = shape_of(anchor_operand(0));
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
      if (window.high[i] > 0) require("LT", extents_in[i]);
      indices.push_back(index);
    }
    const Expr element = writer_.body(anchor_operand(0), indices);
    if (!is_inside.defined()) return element;
    return choose(is_inside, element, identity(each.kind, type_of(kernel_.anchor)));
  }

  // ---- results ----

  void write_out() {
    if (!outputs_.empty()) return;  // a reduction that nothing follows
    const Shape& shape = storage(kernel_.root);
    const Axes axes = loops_of(shape);
    if (tiled_.defined()) {
      const ValueId anchor = kernel_.anchor;
      const bool is_plain = tiled_width_ == 0 && result_.shape.row_tile == 1 &&
                            storage_type(type_of(anchor)) == type_of(anchor);
      if (kernel_.root == anchor && is_plain) {
        outputs_.push_back(tiled_);
        add_result(kernel_.root, shape);
        return;
      }
      writer_.set_stage(anchor, tiled_, shape_of(anchor), tiled_width_);
    }
    const Exprs indices = writer_.reshaped(axes.variables, shape, shape_of(kernel_.root));
    const Expr element = writer_.body(kernel_.root, indices);
    outputs_.push_back(
        compute(block_name(BlockRole::kOut), axes, to_storage(element, type_of(kernel_.root))));
    add_result(kernel_.root, shape);
  }

  void write_pair() {
    const ir::Node& own = node(kernel_.root);
    const auto& reduce = std::get<ir::ReduceIndex>(own.operation);
    const Shape& result = shape_of(kernel_.root);
    const Shape shape = result.empty() ? Shape{1} : result;
    const Axes axes = loops_of(shape);
    const Axes over =
        reduced_loops({shape_of(own.operands[0])[static_cast<std::size_t>(reduce.dim)]});
    Exprs indices = result.empty() ? Exprs{} : axes.variables;
    indices.insert(indices.begin() + reduce.dim, over.variables[0]);
    const Expr element = writer_.body(own.operands[0], indices);
    const Ref reducer = index_reducer(reduce.largest, type_of(kernel_.root));
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
    for (const ValueId id : own.results) result_.results.push_back({id, type_of(id), shape});
  }

  const ir::Graph& graph_;
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

KernelFunction write_kernel(const ir::Graph& graph, const KernelPlan& plan, const Kernel& kernel) {
  return KernelWriter(graph, plan, kernel).write();
}

}  // namespace graphnet::tvm
