// SPDX-License-Identifier: MIT
#include "tvm_plugin/fusion.h"

#include <algorithm>
#include <map>
#include <utility>

#include "lowering/tensor.h"

namespace graphnet::tvm {

using lowering::num_elements;

bool is_view(NodeKind kind) {
  switch (kind) {
    case NodeKind::kBroadcast:
    case NodeKind::kReshape:
    case NodeKind::kTranspose:
    case NodeKind::kSlice:
    case NodeKind::kReverse:
      return true;
    default:
      return false;
  }
}

bool is_elementwise(NodeKind kind) {
  switch (kind) {
    case NodeKind::kConvert:
    case NodeKind::kUnary:
    case NodeKind::kBinary:
    case NodeKind::kCompare:
    case NodeKind::kSelect:
      return true;
    default:
      return false;
  }
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

bool is_leaf(NodeKind kind) {
  return kind == NodeKind::kArgument || kind == NodeKind::kSplat || kind == NodeKind::kIota;
}

bool is_product(NodeKind kind) {
  return kind == NodeKind::kDot || kind == NodeKind::kConvolution;
}

bool is_extern(NodeKind kind) {
  return kind == NodeKind::kScatter || kind == NodeKind::kSort;
}

/// Times that an operation names an operand.
std::int64_t copies_of_operand(const Node& node) {
  const bool is_polynomial = node.kind == NodeKind::kUnary &&
                             static_cast<lowering::Unary>(node.which) == lowering::Unary::kExpm1;
  return is_polynomial ? 10 : 1;
}

bool reduces_trailing_dims(const Node& node, std::int64_t rank) {
  const auto count = static_cast<std::int64_t>(node.first.size());
  for (std::int64_t i = 0; i < count; ++i) {
    if (node.first[static_cast<std::size_t>(i)] != rank - count + i) return false;
  }
  return true;
}

/// A node outside views that reads a value, and the views between, the reader's operand first.
struct Reading {
  std::int32_t reader = -1;
  std::vector<std::int32_t> views;
};

class Planner {
 public:
  explicit Planner(const Program& program) : program_(program) {
    const std::size_t count = program.nodes.size();
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
    for (const std::int32_t id : program_.outputs) {
      needed_[index(id)] = true;
      must_store_[index(id)] = true;
    }
    for (auto id = static_cast<std::int32_t>(program_.nodes.size()) - 1; id >= 0; --id) {
      if (needed_[index(id)]) visit(id);
    }
    std::reverse(kernels_.begin(), kernels_.end());
    for (Kernel& kernel : kernels_) {
      finish(kernel);
      auto& list = program_.at(kernel.root).stage == Stage::kBind ? plan_.bind : plan_.call;
      list.push_back(std::move(kernel));
    }
    return std::move(plan_);
  }

 private:
  static std::size_t index(std::int32_t id) { return static_cast<std::size_t>(id); }
  const Node& node(std::int32_t id) const { return program_.at(id); }

  void visit(std::int32_t id) {
    const Node& own = node(id);
    if (own.kind == NodeKind::kArgument || own.kind == NodeKind::kResult) {
      plan_.is_stored[index(id)] = true;
      plan_.storage[index(id)] = stored_shape(own.shape);
    }
    if (own.kind == NodeKind::kResult) must_store_[index(own.operands[0])] = true;
    if (needs_kernel(id)) {
      const std::int32_t kernel = kernel_to_join(id);
      if (kernel >= 0) {
        copies_[index(id)] = copies(id);
        join(id, kernel);
      } else {
        start(id);
      }
    }
    for (const std::int32_t operand : own.operands) read(id, operand);
  }

  // An argument is given, a result is written by its operand's kernel, and a leaf or view that need
  // not be in memory is part of every kernel that reads it.
  bool needs_kernel(std::int32_t id) const {
    const NodeKind kind = node(id).kind;
    if (kind == NodeKind::kArgument || kind == NodeKind::kResult) return false;
    return must_store_[index(id)] || !(is_leaf(kind) || is_view(kind));
  }

  // Says to an operand who reads it.
  void read(std::int32_t id, std::int32_t operand) {
    needed_[index(operand)] = true;
    const bool is_part = kernel_of_[index(id)] < 0 && is_view(node(id).kind);
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
  bool needs_buffer(std::int32_t id, std::int32_t operand) const {
    const Node& reader = node(id);
    if (is_extern(reader.kind)) return true;
    if (reader.kind == NodeKind::kConvolution) return true;
    // TVM wants what an index is made of to be in memory.
    if (reader.kind == NodeKind::kGather) return operand == reader.operands[1];
    if (reader.kind != NodeKind::kDot) return false;
    if (operand == reader.operands[1]) return !reader.first.empty();
    return moves_last_dimension(operand);
  }

  bool moves_last_dimension(std::int32_t id) const {
    while (is_view(node(id).kind)) {
      const Node& view = node(id);
      const std::int64_t last = static_cast<std::int64_t>(view.shape.size()) - 1;
      if (view.kind == NodeKind::kTranspose &&
          view.first[index(static_cast<std::int32_t>(last))] != last) {
        return true;
      }
      id = view.operands[0];
    }
    return false;
  }

  static Shape stored_shape(const Shape& shape) { return shape.empty() ? Shape{1} : shape; }

  void start(std::int32_t id) {
    const Node& own = node(id);
    Kernel kernel;
    kernel.root = id;
    kernel.members = {id};
    if (is_extern(own.kind)) {
      kernel.kind = KernelKind::kExtern;
    } else if (own.kind == NodeKind::kReduceIndex) {
      kernel.kind = KernelKind::kPair;
    } else if (own.kind == NodeKind::kReduce && is_row_reduction(own)) {
      kernel.kind = KernelKind::kRows;
      kernel.rows = num_elements(own.shape);
      kernel.reductions = {id};
    } else if (is_product(own.kind) || own.kind == NodeKind::kReduce ||
               own.kind == NodeKind::kReduceWindow) {
      kernel.kind = KernelKind::kAnchor;
      kernel.anchor = id;
    }
    kernel_of_[index(id)] = static_cast<std::int32_t>(kernels_.size());
    plan_.is_stored[index(id)] = true;
    kernels_.push_back(std::move(kernel));
  }

  void join(std::int32_t id, std::int32_t kernel_index) {
    Kernel& kernel = kernels_[index(kernel_index)];
    const Node& own = node(id);
    kernel.members.push_back(id);
    kernel_of_[index(id)] = kernel_index;
    if (is_elementwise(own.kind) || own.kind == NodeKind::kPad ||
        own.kind == NodeKind::kConcatenate || own.kind == NodeKind::kGather) {
      return;
    }
    if (joins_as_row_reduction(id, kernel)) {
      kernel.kind = KernelKind::kRows;
      kernel.rows = num_elements(own.shape);
      kernel.reductions.push_back(id);
    } else {
      kernel.kind = KernelKind::kAnchor;
      kernel.anchor = id;
    }
  }

  // The kernel that all readings of a value are in, if the value can be computed there.
  std::int32_t kernel_to_join(std::int32_t id) const {
    const Node& own = node(id);
    if (must_store_[index(id)] || is_extern(own.kind) || own.kind == NodeKind::kReduceIndex) {
      return -1;
    }
    const std::vector<Reading>& readings = readings_[index(id)];
    const std::int32_t kernel = kernel_of_[index(readings.front().reader)];
    for (const Reading& reading : readings) {
      const std::int32_t other = kernel_of_[index(reading.reader)];
      if (other != kernel || node(reading.reader).stage != own.stage) return -1;
    }
    const Kernel& candidate = kernels_[index(kernel)];
    if (candidate.members.size() >= kMostMembers || candidate.kind == KernelKind::kExtern)
      return -1;
    return copies(id) <= kMostCopies && can_join(id, candidate) ? kernel : -1;
  }

  std::int64_t copies(std::int32_t id) const {
    std::int64_t sum = 0;
    for (const Reading& reading : readings_[index(id)]) {
      sum += copies_[index(reading.reader)] * copies_of_operand(node(reading.reader));
    }
    return sum;
  }

  bool can_join(std::int32_t id, const Kernel& kernel) const {
    const Node& own = node(id);
    const std::vector<Reading>& readings = readings_[index(id)];
    if (is_product(own.kind) || own.kind == NodeKind::kReduceWindow) {
      return is_free_of_reductions(kernel) && is_aligned(id, kernel);
    }
    if (own.kind == NodeKind::kReduce) {
      return joins_as_row_reduction(id, kernel) ||
             (is_free_of_reductions(kernel) && !is_row_reduction(own) && is_aligned(id, kernel));
    }
    return std::all_of(readings.begin(), readings.end(), [&](const Reading& reading) {
      const Node& reader = node(reading.reader);
      if (is_product(reader.kind)) return false;
      if (reader.kind == NodeKind::kReduceWindow) return own.kind == NodeKind::kPad;
      return !is_recomputed(own, reading);
    });
  }

  static bool is_free_of_reductions(const Kernel& kernel) {
    return kernel.kind == KernelKind::kSpatial;
  }

  bool is_row_reduction(const Node& own) const {
    const Node& operand = node(own.operands[0]);
    return reduces_trailing_dims(own, static_cast<std::int64_t>(operand.shape.size()));
  }

  // Repeated along anything but the end of rows, where loops keep it in a register.
  bool is_recomputed(const Node& own, const Reading& reading) const {
    const std::int64_t count = num_elements(own.shape);
    for (const std::int32_t id : reading.views) {
      const Node& view = node(id);
      if (view.kind != NodeKind::kBroadcast) continue;
      if (num_elements(view.shape) < kMuchRecomputed * count) continue;
      if (!keeps_rows(view, count)) return true;
    }
    return false;
  }

  // True if every reading of the value is at its own position in the root: through reshapes and
  // element-wise nodes alone.
  bool is_aligned(std::int32_t id, const Kernel& kernel) const {
    if (id == kernel.root) return true;
    const std::vector<Reading>& readings = readings_[index(id)];
    return std::all_of(readings.begin(), readings.end(), [&](const Reading& reading) {
      const bool is_reshaped =
          std::all_of(reading.views.begin(), reading.views.end(),
                      [&](std::int32_t view) { return node(view).kind == NodeKind::kReshape; });
      return is_reshaped && is_elementwise(node(reading.reader).kind) &&
             kernel_of_[index(reading.reader)] >= 0 && is_aligned(reading.reader, kernel);
    });
  }

  bool joins_as_row_reduction(std::int32_t id, const Kernel& kernel) const {
    const Node& own = node(id);
    if (own.kind != NodeKind::kReduce || !is_row_reduction(own)) return false;
    const std::int64_t rows = num_elements(own.shape);
    if (kernel.kind != KernelKind::kSpatial && kernel.kind != KernelKind::kRows) return false;
    if (kernel.kind == KernelKind::kRows && kernel.rows != rows) return false;
    if (num_elements(node(own.operands[0]).shape) > rows * kLongestRow) return false;
    std::map<std::int32_t, bool> known;
    return is_in_row(id, rows, kernel, known);
  }

  // True if element i of the value is read only in row i / (elements / rows) of the root.
  bool is_in_row(std::int32_t id, std::int64_t rows, const Kernel& kernel,
                 std::map<std::int32_t, bool>& known) const {
    if (num_elements(node(id).shape) % rows != 0) return false;
    if (id == kernel.root) return true;
    const auto found = known.find(id);
    if (found != known.end()) return found->second;
    const std::vector<Reading>& readings = readings_[index(id)];
    const bool result = std::all_of(readings.begin(), readings.end(), [&](const Reading& reading) {
      const Node& reader = node(reading.reader);
      const bool is_kept = is_elementwise(reader.kind) ||
                           (reader.kind == NodeKind::kReduce && is_row_reduction(reader) &&
                            num_elements(reader.shape) == rows);
      return is_kept && keep_rows(reading.views, rows) &&
             is_in_row(reading.reader, rows, kernel, known);
    });
    known[id] = result;
    return result;
  }

  bool keep_rows(const std::vector<std::int32_t>& views, std::int64_t rows) const {
    return std::all_of(views.begin(), views.end(), [&](std::int32_t id) {
      const Node& view = node(id);
      if (view.kind == NodeKind::kReshape) return num_elements(view.shape) % rows == 0;
      return view.kind == NodeKind::kBroadcast && keeps_rows(view, rows);
    });
  }

  // True if the leading dimensions that make up `rows` are those of the operand, unstretched.
  bool keeps_rows(const Node& view, std::int64_t rows) const {
    const Shape& from = node(view.operands[0]).shape;
    if (!std::is_sorted(view.first.begin(), view.first.end())) return false;
    std::int64_t leading = 1;
    std::size_t next = 0;
    for (std::size_t dim = 0; dim < view.shape.size() && leading < rows; ++dim) {
      leading *= view.shape[dim];
      const bool is_mapped =
          next < view.first.size() && view.first[next] == static_cast<std::int64_t>(dim);
      if (is_mapped && from[next] != view.shape[dim]) return false;
      if (!is_mapped && view.shape[dim] != 1) return false;
      if (is_mapped) ++next;
    }
    return leading == rows;
  }

  // How the root is stored: as the loops that write it run.
  void finish(Kernel& kernel) {
    const Shape& shape = node(kernel.root).shape;
    Shape storage = stored_shape(shape);
    if (kernel.kind == KernelKind::kRows) {
      const std::int64_t columns = num_elements(shape) / kernel.rows;
      storage = columns == 1 ? Shape{kernel.rows} : Shape{kernel.rows, columns};
    } else if (kernel.kind == KernelKind::kAnchor) {
      storage = stored_shape(node(kernel.anchor).shape);
    }
    plan_.storage[index(kernel.root)] = std::move(storage);
  }

  const Program& program_;
  KernelPlan plan_;
  std::vector<Kernel> kernels_;
  std::vector<bool> needed_;
  std::vector<bool> must_store_;
  std::vector<std::int64_t> copies_;     ///< by node: times that it appears in its kernel
  std::vector<std::int32_t> kernel_of_;  ///< by node; -1: in every kernel that reads through it
  std::vector<std::vector<Reading>> readings_;
};

}  // namespace

KernelPlan plan_kernels(const Program& program) {
  return Planner(program).run();
}

}  // namespace graphnet::tvm
