// SPDX-License-Identifier: MIT
#include "tvm_plugin/fusion.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "lowering/ir/passes/stage.h"

namespace graphnet::tvm {

using ir::ValueId;
using lowering::num_elements;

namespace {

/// The functions that cost more than a load.
bool is_costly(lowering::Unary kind) {
  switch (kind) {
    case lowering::Unary::kExp:
    case lowering::Unary::kExpm1:
    case lowering::Unary::kLog:
    case lowering::Unary::kLog1p:
    case lowering::Unary::kSin:
    case lowering::Unary::kCos:
    case lowering::Unary::kTanh:
    case lowering::Unary::kLogistic:
    case lowering::Unary::kErf:
      return true;
    default:
      return false;
  }
}

template <typename... Kinds>
bool is_one_of(const ir::Operation& operation) {
  return (std::holds_alternative<Kinds>(operation) || ...);
}

}  // namespace

bool is_argument(const ir::Operation& operation) {
  return is_one_of<ir::Parameter, ir::Constant>(operation);
}

bool is_view(const ir::Operation& operation) {
  return is_one_of<ir::Broadcast, ir::Reshape, ir::Transpose, ir::Slice, ir::Reverse>(operation);
}

bool is_elementwise(const ir::Operation& operation) {
  return is_one_of<ir::Convert, ir::UnaryOperation, ir::BinaryOperation, ir::CompareOperation,
                   ir::Select>(operation);
}

namespace {

// TVM's passes are recursive and some are quadratic.
constexpr std::size_t kMostMembers = 40;
// Times that a value may appear in a kernel's expressions: TVM's simplifier puts the values of
// variables in their place unless they load from memory.
constexpr std::int64_t kMostCopies = 32;
constexpr std::int64_t kMuchRecomputed = 4;
// Longer rows leave the cache between a reduction and what follows, and are too few for all cores.
constexpr std::int64_t kLongestRow = 1 << 14;

bool is_leaf(const ir::Operation& operation) {
  return is_argument(operation) || is_one_of<ir::Splat, ir::Iota>(operation);
}

bool is_product(const ir::Operation& operation) {
  return is_one_of<ir::Dot, ir::Convolution, ir::PackedDot, ir::PackedConvolution>(operation);
}

bool is_extern(const ir::Operation& operation) {
  return is_one_of<ir::Scatter, ir::Sort, ir::PairedDot, ir::WinogradInput, ir::WinogradKernel,
                   ir::WinogradOutput, ir::Attention>(operation);
}

/// Times that an operation names an operand.
std::int64_t copies_of_operand(const ir::Operation& operation) {
  const auto* unary = std::get_if<ir::UnaryOperation>(&operation);
  return unary != nullptr && unary->kind == lowering::Unary::kExpm1 ? 10 : 1;
}

bool reduces_trailing_dims(const ir::Reduce& reduce, std::int64_t rank) {
  const auto count = static_cast<std::int64_t>(reduce.dims.size());
  for (std::int64_t i = 0; i < count; ++i) {
    if (reduce.dims[static_cast<std::size_t>(i)] != rank - count + i) return false;
  }
  return true;
}

/// A value outside views that is made from a value, and the views between, the reader's operand
/// first.
struct Reading {
  ValueId reader = -1;
  std::vector<ValueId> views;
};

class Planner {
 public:
  explicit Planner(const ir::Graph& graph) : graph_(graph), stages_(ir::stages_of(graph)) {
    const std::size_t count = graph.values.size();
    plan_.is_stored.resize(count);
    plan_.storage.resize(count);
    plan_.uses.resize(count);
    needed_.resize(count);
    must_store_.resize(count);
    kernel_of_.assign(count, -1);
    copies_.assign(count, 1);
    readings_.resize(count);
  }

  KernelPlan run() {
    for (const ValueId id : graph_.outputs) {
      needed_[index(id)] = true;
      must_store_[index(id)] = true;
    }
    for (auto id = static_cast<std::int32_t>(graph_.values.size()) - 1; id >= 0; --id) {
      if (needed_[index(id)]) visit(id);
    }
    std::reverse(kernels_.begin(), kernels_.end());
    for (Kernel& kernel : kernels_) {
      finish(kernel);
      kernel.is_bound = is_bound(kernel.root);
      auto& list = kernel.is_bound ? plan_.bind : plan_.call;
      list.push_back(std::move(kernel));
    }
    return std::move(plan_);
  }

 private:
  static std::size_t index(ValueId id) { return static_cast<std::size_t>(id); }
  const ir::Node& node(ValueId id) const { return graph_.maker(id); }
  const ir::Operation& operation(ValueId id) const { return node(id).operation; }
  const Shape& shape(ValueId id) const { return graph_.type(id).shape; }
  bool is_bound(ValueId id) const { return stages_[index(id)] != ir::Stage::kCall; }
  template <typename Kind>
  const Kind* as(ValueId id) const {
    return std::get_if<Kind>(&operation(id));
  }

  void visit(ValueId id) {
    const ir::Node& own = node(id);
    const bool is_second = id != own.results[0];
    if (is_argument(own.operation) || is_second) {
      plan_.is_stored[index(id)] = true;
      plan_.storage[index(id)] = stored_shape(shape(id));
    }
    // What writes the first result writes both.
    if (is_second) needed_[index(own.results[0])] = must_store_[index(own.results[0])] = true;
    if (is_argument(own.operation) || is_second) return;
    if (own.results.size() > 1) must_store_[index(id)] = true;
    if (needs_kernel(id)) {
      const std::int32_t kernel = kernel_to_join(id);
      if (kernel >= 0) {
        copies_[index(id)] = copies(id);
        join(id, kernel);
      } else {
        start(id);
      }
    }
    for (const ValueId operand : own.operands) read(id, operand);
  }

  // A leaf or view that need not be in memory is part of every kernel that reads it.
  bool needs_kernel(ValueId id) const {
    return must_store_[index(id)] || !(is_leaf(operation(id)) || is_view(operation(id)));
  }

  // Says to an operand who reads it.
  void read(ValueId id, ValueId operand) {
    needed_[index(operand)] = true;
    const bool is_part = kernel_of_[index(id)] < 0 && is_view(operation(id));
    std::vector<Reading>& readings = readings_[index(operand)];
    if (is_part) {
      plan_.uses[index(operand)] += plan_.uses[index(id)];
      for (const Reading& reading : readings_[index(id)]) {
        readings.push_back(reading);
        readings.back().views.push_back(id);
      }
    } else {
      ++plan_.uses[index(operand)];
      readings.push_back({id, {}});
    }
    if (needs_buffer(id, operand)) must_store_[index(operand)] = true;
  }

  // Functions of this plugin read buffers, products read panels, and what is read again and again
  // is best read in order.
  bool needs_buffer(ValueId id, ValueId operand) const {
    const ir::Node& reader = node(id);
    if (is_extern(reader.operation)) return true;
    if (is_one_of<ir::Convolution, ir::PackedConvolution>(reader.operation)) return true;
    // TVM wants what an index is made of to be in memory.
    if (as<ir::Gather>(id) != nullptr) return operand == reader.operands[1];
    const bool has_panels = as<ir::PackedDot>(id) != nullptr;
    if (!has_panels && as<ir::Dot>(id) == nullptr) return false;
    if (operand == reader.operands[1]) return has_panels;
    return is_scattered(operand);
  }

  // Whether rows are read column by column, or are some steps apart.
  bool is_scattered(ValueId id) const {
    for (; is_view(operation(id)); id = node(id).operands[0]) {
      if (const auto* slice = as<ir::Slice>(id)) {
        const bool has_steps = std::any_of(slice->step.begin(), slice->step.end(),
                                           [](std::int64_t step) { return step != 1; });
        if (has_steps) return true;
      }
      const auto* transpose = as<ir::Transpose>(id);
      if (transpose == nullptr) continue;
      const auto last = static_cast<std::int64_t>(transpose->permutation.size()) - 1;
      if (transpose->permutation.back() != last) return true;
    }
    return false;
  }

  static Shape stored_shape(const Shape& given) { return given.empty() ? Shape{1} : given; }

  void start(ValueId id) {
    const ir::Operation& own = operation(id);
    Kernel kernel;
    kernel.root = id;
    kernel.members = {id};
    if (is_extern(own)) {
      kernel.kind = KernelKind::kExtern;
    } else if (as<ir::ReduceIndex>(id) != nullptr) {
      kernel.kind = KernelKind::kPair;
    } else if (is_row_reduction(id)) {
      kernel.kind = KernelKind::kRows;
      kernel.rows = num_elements(shape(id));
      kernel.reductions = {id};
    } else if (is_product(own) || is_one_of<ir::Reduce, ir::ReduceWindow>(own)) {
      kernel.kind = KernelKind::kAnchor;
      kernel.anchor = id;
    }
    kernel_of_[index(id)] = static_cast<std::int32_t>(kernels_.size());
    plan_.is_stored[index(id)] = true;
    kernels_.push_back(std::move(kernel));
  }

  void join(ValueId id, std::int32_t kernel_index) {
    Kernel& kernel = kernels_[index(kernel_index)];
    kernel.members.push_back(id);
    kernel_of_[index(id)] = kernel_index;
    if (is_elementwise(operation(id)) ||
        is_one_of<ir::Pad, ir::Concatenate, ir::Gather>(operation(id))) {
      return;
    }
    if (joins_as_row_reduction(id, kernel)) {
      kernel.kind = KernelKind::kRows;
      kernel.rows = num_elements(shape(id));
      kernel.reductions.push_back(id);
    } else {
      kernel.kind = KernelKind::kAnchor;
      kernel.anchor = id;
    }
  }

  // The kernel that all readings of a value are in, if the value can be computed there.
  std::int32_t kernel_to_join(ValueId id) const {
    if (must_store_[index(id)] || is_extern(operation(id))) return -1;
    const std::vector<Reading>& readings = readings_[index(id)];
    const std::int32_t kernel = kernel_of_[index(readings.front().reader)];
    for (const Reading& reading : readings) {
      const std::int32_t other = kernel_of_[index(reading.reader)];
      if (other != kernel || is_bound(reading.reader) != is_bound(id)) return -1;
    }
    const Kernel& candidate = kernels_[index(kernel)];
    if (candidate.members.size() >= kMostMembers || candidate.kind == KernelKind::kExtern)
      return -1;
    return copies(id) <= kMostCopies && can_join(id, candidate) ? kernel : -1;
  }

  std::int64_t copies(ValueId id) const {
    std::int64_t sum = 0;
    for (const Reading& reading : readings_[index(id)]) {
      sum += copies_[index(reading.reader)] * copies_of_operand(operation(reading.reader));
    }
    return sum;
  }

  bool can_join(ValueId id, const Kernel& kernel) const {
    const ir::Operation& own = operation(id);
    const std::vector<Reading>& readings = readings_[index(id)];
    if (is_product(own) || as<ir::ReduceWindow>(id) != nullptr) {
      return is_free_of_reductions(kernel) && is_aligned(id, kernel);
    }
    if (as<ir::Reduce>(id) != nullptr) {
      return joins_as_row_reduction(id, kernel) ||
             (is_free_of_reductions(kernel) && !is_row_reduction(id) && is_aligned(id, kernel));
    }
    return std::all_of(readings.begin(), readings.end(), [&](const Reading& reading) {
      if (is_product(operation(reading.reader))) return false;
      if (as<ir::ReduceWindow>(reading.reader) != nullptr) return as<ir::Pad>(id) != nullptr;
      return !is_recomputed(id, reading);
    });
  }

  static bool is_free_of_reductions(const Kernel& kernel) {
    return kernel.kind == KernelKind::kSpatial;
  }

  bool is_row_reduction(ValueId id) const {
    const auto* reduce = as<ir::Reduce>(id);
    return reduce != nullptr &&
           reduces_trailing_dims(*reduce, graph_.type(node(id).operands[0]).rank());
  }

  // Repeated along anything but the end of rows, where loops keep it in a register.
  bool is_recomputed(ValueId id, const Reading& reading) const {
    const std::int64_t count = num_elements(shape(id));
    for (const ValueId view : reading.views) {
      if (as<ir::Broadcast>(view) == nullptr) continue;
      if (num_elements(shape(view)) < kMuchRecomputed * count) continue;
      if (!keeps_rows(view, count)) return true;
    }
    return false;
  }

  // True if every reading of the value is at its own position in the root: through reshapes and
  // element-wise nodes alone.
  bool is_aligned(ValueId id, const Kernel& kernel) const {
    if (id == kernel.root) return true;
    const std::vector<Reading>& readings = readings_[index(id)];
    return std::all_of(readings.begin(), readings.end(), [&](const Reading& reading) {
      const bool is_reshaped =
          std::all_of(reading.views.begin(), reading.views.end(),
                      [&](ValueId view) { return as<ir::Reshape>(view) != nullptr; });
      return is_reshaped && is_elementwise(operation(reading.reader)) &&
             kernel_of_[index(reading.reader)] >= 0 && is_aligned(reading.reader, kernel);
    });
  }

  bool joins_as_row_reduction(ValueId id, const Kernel& kernel) const {
    if (!is_row_reduction(id)) return false;
    const std::int64_t rows = num_elements(shape(id));
    if (kernel.kind != KernelKind::kSpatial && kernel.kind != KernelKind::kRows) return false;
    if (kernel.kind == KernelKind::kRows && kernel.rows != rows) return false;
    if (num_elements(shape(node(id).operands[0])) > rows * kLongestRow) return false;
    std::map<ValueId, bool> known;
    return is_in_row(id, rows, kernel, known);
  }

  // True if element i of the value is read only in row i / (elements / rows) of the root.
  bool is_in_row(ValueId id, std::int64_t rows, const Kernel& kernel,
                 std::map<ValueId, bool>& known) const {
    if (num_elements(shape(id)) % rows != 0) return false;
    if (id == kernel.root) return true;
    const auto found = known.find(id);
    if (found != known.end()) return found->second;
    const std::vector<Reading>& readings = readings_[index(id)];
    const bool result = std::all_of(readings.begin(), readings.end(), [&](const Reading& reading) {
      const bool is_kept =
          is_elementwise(operation(reading.reader)) ||
          (is_row_reduction(reading.reader) && num_elements(shape(reading.reader)) == rows);
      return is_kept && keep_rows(reading.views, rows) &&
             is_in_row(reading.reader, rows, kernel, known);
    });
    known[id] = result;
    return result;
  }

  bool keep_rows(const std::vector<ValueId>& views, std::int64_t rows) const {
    return std::all_of(views.begin(), views.end(), [&](ValueId view) {
      if (as<ir::Reshape>(view) != nullptr) return num_elements(shape(view)) % rows == 0;
      return as<ir::Broadcast>(view) != nullptr && keeps_rows(view, rows);
    });
  }

  // True if the leading dimensions that make up `rows` are those of the operand, unstretched.
  bool keeps_rows(ValueId broadcast, std::int64_t rows) const {
    const Shape& from = shape(node(broadcast).operands[0]);
    const Shape& to = shape(broadcast);
    const Shape& dims = as<ir::Broadcast>(broadcast)->dims;
    if (!std::is_sorted(dims.begin(), dims.end())) return false;
    std::int64_t leading = 1;
    std::size_t next = 0;
    for (std::size_t dim = 0; dim < to.size() && leading < rows; ++dim) {
      leading *= to[dim];
      const bool is_mapped = next < dims.size() && dims[next] == static_cast<std::int64_t>(dim);
      if (is_mapped && from[next] != to[dim]) return false;
      if (!is_mapped && to[dim] != 1) return false;
      if (is_mapped) ++next;
    }
    return leading == rows;
  }

  // How the root is stored: as the loops that write it run.
  void finish(Kernel& kernel) {
    Shape storage = stored_shape(shape(kernel.root));
    if (kernel.kind == KernelKind::kRows) {
      const std::int64_t columns = num_elements(shape(kernel.root)) / kernel.rows;
      storage = columns == 1 ? Shape{kernel.rows} : Shape{kernel.rows, columns};
    } else if (kernel.kind == KernelKind::kAnchor) {
      storage = stored_shape(shape(kernel.anchor));
    }
    plan_.storage[index(kernel.root)] = std::move(storage);
  }

  const ir::Graph& graph_;
  std::vector<ir::Stage> stages_;
  KernelPlan plan_;
  std::vector<Kernel> kernels_;
  std::vector<bool> needed_;
  std::vector<bool> must_store_;
  std::vector<std::int64_t> copies_;     ///< by value: times that it appears in its kernel
  std::vector<std::int32_t> kernel_of_;  ///< by value; -1: in every kernel that reads through it
  std::vector<std::vector<Reading>> readings_;
};

}  // namespace

bool is_costly_within(const ir::Graph& graph, const Kernel& kernel, ValueId id) {
  std::vector<ValueId> open = {id};
  std::set<ValueId> seen;
  while (!open.empty()) {
    const ValueId next = open.back();
    open.pop_back();
    const bool is_member =
        std::find(kernel.members.begin(), kernel.members.end(), next) != kernel.members.end();
    if (!is_member || !seen.insert(next).second) continue;
    const ir::Node& node = graph.maker(next);
    if (std::holds_alternative<ir::Reduce>(node.operation)) continue;  // one value a row
    const auto* unary = std::get_if<ir::UnaryOperation>(&node.operation);
    if (unary != nullptr && is_costly(unary->kind)) return true;
    open.insert(open.end(), node.operands.begin(), node.operands.end());
  }
  return false;
}

KernelPlan plan_kernels(const ir::Graph& graph, const VectorUnit& unit, int threads) {
  KernelPlan plan = Planner(graph).run();
  plan.unit = unit;
  plan.threads = threads;
  return plan;
}

}  // namespace graphnet::tvm
