// SPDX-License-Identifier: MIT
#include "tvm_plugin/array_steps.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <variant>

#include "graphnet/failure.h"
#include "lowering/ir/array.h"

namespace graphnet::tvm {

using ir::ValueId;
using lowering::Binary;
using lowering::num_elements;
using lowering::Unary;

namespace {

// Above it LLVM's loops gain more time than compiling them takes.
constexpr std::int64_t kMostElements = 1 << 20;

/// A step makes one array. Arrays are named by their position, and a list has its length first.
enum class Step : std::int64_t {
  kInput,        ///< position among the inputs, number of elements
  kSplat,        ///< bits of the value, number of elements
  kWalk,         ///< array, first element, extents, as many strides: elements from elsewhere
  kPad,          ///< array, bits of the value, extents, as many low pads, extents of the result
  kConcatenate,  ///< number of outer rows, arrays, elements of each in a row
  kUnary,        ///< kind, array
  kBinary,       ///< kind, array, array
};

std::int64_t bits_of(double value) {
  const auto given = static_cast<float>(value);
  std::uint32_t bits = 0;
  std::memcpy(&bits, &given, sizeof bits);
  return bits;
}

float value_of(std::int64_t bits) {
  const auto given = static_cast<std::uint32_t>(bits);
  float value = 0;
  std::memcpy(&value, &given, sizeof value);
  return value;
}

bool is_exact(Unary kind) {
  return kind == Unary::kAbs || kind == Unary::kNegate || kind == Unary::kSqrt ||
         kind == Unary::kRsqrt;
}

bool is_exact(Binary kind) {
  return kind == Binary::kAdd || kind == Binary::kSubtract || kind == Binary::kMultiply ||
         kind == Binary::kDivide;
}

/// Writes the steps of one kernel. A value that has none ends it.
class StepWriter {
 public:
  StepWriter(const ir::Graph& graph, const KernelPlan& plan, ValueId root)
      : graph_(graph), plan_(plan), root_(root) {}

  std::optional<ArrayKernel> write() {
    if (!array_of(root_)) return std::nullopt;
    return std::move(kernel_);
  }

 private:
  using Position = std::optional<std::int64_t>;

  const ir::Node& node(ValueId id) const { return graph_.maker(id); }
  const Shape& shape(ValueId id) const { return graph_.type(id).shape; }
  std::int64_t count(ValueId id) const { return num_elements(shape(id)); }

  Position array_of(ValueId id) {
    const auto found = known_.find(id);
    if (found != known_.end()) return found->second;
    if (graph_.type(id).type != Type::kF32 || count(id) > kMostElements) return std::nullopt;
    const bool is_input = plan_.is_stored[static_cast<std::size_t>(id)] && id != root_;
    const Position made =
        is_input ? input(id)
                 : std::visit([&](const auto& each) { return step(each, id); }, node(id).operation);
    if (made) known_[id] = *made;
    return made;
  }

  Position operand(ValueId id, std::size_t index) { return array_of(node(id).operands[index]); }

  Position add(Step step, std::initializer_list<std::int64_t> numbers,
               std::initializer_list<const Shape*> lists = {}) {
    kernel_.steps.push_back(static_cast<std::int64_t>(step));
    kernel_.steps.insert(kernel_.steps.end(), numbers);
    for (const Shape* list : lists) {
      kernel_.steps.push_back(static_cast<std::int64_t>(list->size()));
      kernel_.steps.insert(kernel_.steps.end(), list->begin(), list->end());
    }
    return num_arrays_++;
  }

  Position input(ValueId id) {
    kernel_.inputs.push_back(id);
    return add(Step::kInput, {static_cast<std::int64_t>(kernel_.inputs.size()) - 1, count(id)});
  }

  template <typename View>
  Position walk(const View& view, ValueId id) {
    const Position from = operand(id, 0);
    if (!from) return from;
    const ir::Walk walk = ir::walk_of(view, shape(node(id).operands[0]), shape(id));
    return add(Step::kWalk, {*from, walk.first}, {&shape(id), &walk.strides});
  }

  // ---- what an operation becomes ----

  template <typename Other>
  Position step(const Other& /*other*/, ValueId /*id*/) {
    return std::nullopt;
  }
  Position step(const ir::Splat& each, ValueId id) {
    return add(Step::kSplat, {bits_of(each.value), count(id)});
  }
  Position step(const ir::UnaryOperation& each, ValueId id) {
    const Position x = is_exact(each.kind) ? operand(id, 0) : std::nullopt;
    return x ? add(Step::kUnary, {static_cast<std::int64_t>(each.kind), *x}) : x;
  }
  Position step(const ir::BinaryOperation& each, ValueId id) {
    if (!is_exact(each.kind)) return std::nullopt;
    const Position a = operand(id, 0);
    const Position b = a ? operand(id, 1) : a;
    return b ? add(Step::kBinary, {static_cast<std::int64_t>(each.kind), *a, *b}) : b;
  }
  // The same elements in the same order.
  Position step(const ir::Reshape& /*each*/, ValueId id) { return operand(id, 0); }
  Position step(const ir::Broadcast& each, ValueId id) { return walk(each, id); }
  Position step(const ir::Transpose& each, ValueId id) { return walk(each, id); }
  Position step(const ir::Slice& each, ValueId id) { return walk(each, id); }
  Position step(const ir::Reverse& each, ValueId id) { return walk(each, id); }
  Position step(const ir::Pad& each, ValueId id) {
    const auto is_simple = [](const Shape& pads) {
      return std::all_of(pads.begin(), pads.end(), [](std::int64_t pad) { return pad >= 0; });
    };
    const bool has_gaps = std::any_of(each.interior.begin(), each.interior.end(),
                                      [](std::int64_t gap) { return gap != 0; });
    if (has_gaps || !is_simple(each.low) || !is_simple(each.high)) return std::nullopt;
    const Position from = operand(id, 0);
    if (!from) return from;
    return add(Step::kPad, {*from, bits_of(each.value)},
               {&shape(node(id).operands[0]), &each.low, &shape(id)});
  }
  Position step(const ir::Concatenate& each, ValueId id) {
    const auto dim = static_cast<std::ptrdiff_t>(each.dim);
    const std::int64_t outer = num_elements(Shape(shape(id).begin(), shape(id).begin() + dim));
    Shape arrays;
    Shape lengths;
    for (const ValueId operand : node(id).operands) {
      const Position from = array_of(operand);
      if (!from || outer == 0) return std::nullopt;
      arrays.push_back(*from);
      lengths.push_back(count(operand) / outer);
    }
    return add(Step::kConcatenate, {outer}, {&arrays, &lengths});
  }

  const ir::Graph& graph_;
  const KernelPlan& plan_;
  ValueId root_;
  ArrayKernel kernel_;
  std::int64_t num_arrays_ = 0;
  std::map<ValueId, std::int64_t> known_;
};

// ---- running them ----

/// Elements that somebody else keeps, or its own.
struct FloatArray {
  const float* data = nullptr;
  std::int64_t count = 0;
  std::vector<float> own = {};
};

FloatArray owning(std::vector<float> elements) {
  FloatArray array = {nullptr, static_cast<std::int64_t>(elements.size()), std::move(elements)};
  array.data = array.own.data();
  return array;
}

/// Copies a strided array of `extents` from dimension `dim` on; returns where the copy ends.
float* copy_strided(const float* from, const Shape& extents, const Shape& strides, std::size_t dim,
                    float* to) {
  if (dim == extents.size()) {
    *to = *from;
    return to + 1;
  }
  const std::int64_t stride = strides[dim];
  if (dim + 1 < extents.size()) {
    for (std::int64_t i = 0; i < extents[dim]; ++i) {
      to = copy_strided(from + i * stride, extents, strides, dim + 1, to);
    }
    return to;
  }
  for (std::int64_t i = 0; i < extents[dim]; ++i) to[i] = from[i * stride];
  return to + extents[dim];
}

/// Places a dense array of `extents` into one with other strides.
const float* place(const float* from, const Shape& extents, const Shape& strides, std::size_t dim,
                   float* to) {
  if (dim == extents.size()) {
    *to = *from;
    return from + 1;
  }
  if (dim + 1 == extents.size()) {
    std::copy(from, from + extents[dim], to);
    return from + extents[dim];
  }
  for (std::int64_t i = 0; i < extents[dim]; ++i) {
    from = place(from, extents, strides, dim + 1, to + i * strides[dim]);
  }
  return from;
}

class StepRunner {
 public:
  StepRunner(const Shape& steps, const std::vector<const float*>& inputs)
      : steps_(steps), inputs_(inputs) {}

  FloatArray run() {
    while (next_ < steps_.size()) arrays_.push_back(made(static_cast<Step>(number())));
    if (arrays_.empty()) refuse();
    return std::move(arrays_.back());
  }

 private:
  [[noreturn]] static void refuse() {
    throw Failure(GN_STATUS_RUNTIME_FAILED, "steps over arrays that this plugin did not write");
  }

  std::int64_t number() {
    if (next_ >= steps_.size()) refuse();
    return steps_[next_++];
  }
  Shape list() {
    const auto length = static_cast<std::size_t>(number());
    if (length > steps_.size() - next_) refuse();
    const auto begin = steps_.begin() + static_cast<std::ptrdiff_t>(next_);
    next_ += length;
    return {begin, begin + static_cast<std::ptrdiff_t>(length)};
  }
  const FloatArray& array(std::int64_t position) const {
    if (position < 0 || static_cast<std::size_t>(position) >= arrays_.size()) refuse();
    return arrays_[static_cast<std::size_t>(position)];
  }

  FloatArray made(Step step) {
    switch (step) {
      case Step::kInput: {
        const auto position = static_cast<std::size_t>(number());
        if (position >= inputs_.size()) refuse();
        return {inputs_[position], number()};
      }
      case Step::kSplat: {
        const float value = value_of(number());
        return owning(std::vector<float>(static_cast<std::size_t>(number()), value));
      }
      case Step::kWalk:
        return walked();
      case Step::kPad:
        return padded();
      case Step::kConcatenate:
        return concatenated();
      case Step::kUnary: {
        const auto kind = static_cast<Unary>(number());
        return unary(kind, array(number()));
      }
      case Step::kBinary: {
        const auto kind = static_cast<Binary>(number());
        const FloatArray& left = array(number());
        return binary(kind, left, array(number()));
      }
    }
    refuse();
  }

  FloatArray walked() {
    const FloatArray& from = array(number());
    const std::int64_t first = number();
    const Shape extents = list();
    const Shape strides = list();
    std::vector<float> result(static_cast<std::size_t>(num_elements(extents)));
    if (!result.empty()) copy_strided(from.data + first, extents, strides, 0, result.data());
    return owning(std::move(result));
  }

  FloatArray padded() {
    const FloatArray& from = array(number());
    const float value = value_of(number());
    const Shape extents = list();
    const Shape low = list();
    const Shape padded_extents = list();
    const Shape strides = ir::strides_of(padded_extents);
    std::vector<float> result(static_cast<std::size_t>(num_elements(padded_extents)), value);
    std::int64_t first = 0;
    for (std::size_t i = 0; i < low.size(); ++i) first += low[i] * strides[i];
    if (from.count > 0) place(from.data, extents, strides, 0, result.data() + first);
    return owning(std::move(result));
  }

  FloatArray concatenated() {
    const std::int64_t outer = number();
    const Shape parts = list();
    const Shape lengths = list();
    std::vector<float> result;
    for (std::int64_t row = 0; row < outer; ++row) {
      for (std::size_t i = 0; i < parts.size(); ++i) {
        const float* const from = array(parts[i]).data + row * lengths[i];
        result.insert(result.end(), from, from + lengths[i]);
      }
    }
    return owning(std::move(result));
  }

  template <typename Function>
  static FloatArray each(const FloatArray& x, Function function) {
    std::vector<float> result(static_cast<std::size_t>(x.count));
    std::transform(x.data, x.data + x.count, result.begin(), function);
    return owning(std::move(result));
  }
  static FloatArray unary(Unary kind, const FloatArray& x) {
    switch (kind) {
      case Unary::kAbs:
        return each(x, [](float e) { return std::fabs(e); });
      case Unary::kNegate:
        return each(x, [](float e) { return -e; });
      case Unary::kSqrt:
        return each(x, [](float e) { return std::sqrt(e); });
      case Unary::kRsqrt:
        return each(x, [](float e) { return 1 / std::sqrt(e); });
      default:
        refuse();
    }
  }

  template <typename Function>
  static FloatArray pairs(const FloatArray& a, const FloatArray& b, Function function) {
    if (a.count != b.count) refuse();
    std::vector<float> result(static_cast<std::size_t>(a.count));
    std::transform(a.data, a.data + a.count, b.data, result.begin(), function);
    return owning(std::move(result));
  }
  static FloatArray binary(Binary kind, const FloatArray& a, const FloatArray& b) {
    switch (kind) {
      case Binary::kAdd:
        return pairs(a, b, std::plus<float>());
      case Binary::kSubtract:
        return pairs(a, b, std::minus<float>());
      case Binary::kMultiply:
        return pairs(a, b, std::multiplies<float>());
      case Binary::kDivide:
        return pairs(a, b, std::divides<float>());
      default:
        refuse();
    }
  }

  const Shape& steps_;
  const std::vector<const float*>& inputs_;
  std::size_t next_ = 0;
  std::vector<FloatArray> arrays_;
};

}  // namespace

std::optional<ArrayKernel> array_kernel(const ir::Graph& graph, const KernelPlan& plan,
                                        const Kernel& kernel) {
  if (kernel.kind != KernelKind::kSpatial) return std::nullopt;
  return StepWriter(graph, plan, kernel.root).write();
}

void run_array_steps(const Shape& steps, const std::vector<const float*>& inputs, float* result,
                     std::int64_t num_elements) {
  const FloatArray made = StepRunner(steps, inputs).run();
  if (made.count != num_elements) {
    throw Failure(GN_STATUS_RUNTIME_FAILED, "steps over arrays that make another number");
  }
  std::copy(made.data, made.data + made.count, result);
}

}  // namespace graphnet::tvm
