// SPDX-License-Identifier: MIT
//
// The walk, and operations that compute or move elements one by one.
#include "lowering/ir/interpret.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numeric>
#include <type_traits>
#include <utility>

namespace graphnet::lowering::ir {

namespace {

[[noreturn]] void refuse(const char* what) {
  throw LoweringError(std::string("the interpreter has no ") + what);
}

// Functions in the order of their enumerators; null: there is none.
constexpr double (*kUnaryOfFloats[])(double) = {
    [](double x) { return std::abs(x); },
    [](double x) { return -x; },
    [](double x) { return std::isnan(x) || x == 0 ? x : std::copysign(1.0, x); },
    [](double x) { return std::floor(x); },
    [](double x) { return std::ceil(x); },
    [](double x) { return std::exp(x); },
    [](double x) { return std::expm1(x); },
    [](double x) { return std::log(x); },
    [](double x) { return std::log1p(x); },
    [](double x) { return std::sqrt(x); },
    [](double x) { return 1 / std::sqrt(x); },
    [](double x) { return std::sin(x); },
    [](double x) { return std::cos(x); },
    [](double x) { return std::tanh(x); },
    [](double x) { return 1 / (1 + std::exp(-x)); },
    [](double x) { return std::erf(x); },
};
constexpr double (*kBinaryOfFloats[])(double, double) = {
    [](double a, double b) { return a + b; },
    [](double a, double b) { return a - b; },
    [](double a, double b) { return a * b; },
    [](double a, double b) { return a / b; },
    [](double a, double b) { return std::fmod(a, b); },
    [](double a, double b) { return std::pow(a, b); },
    [](double a, double b) { return a > b || std::isnan(a) ? a : b; },
    [](double a, double b) { return a < b || std::isnan(a) ? a : b; },
};

double of_kind(Unary kind, double x) {
  const auto i = static_cast<std::size_t>(kind);
  if (i >= std::size(kUnaryOfFloats)) refuse("such function of floats");
  return kUnaryOfFloats[i](x);
}

double of_kind(Binary kind, double a, double b) {
  const auto i = static_cast<std::size_t>(kind);
  if (i >= std::size(kBinaryOfFloats)) refuse("such operation on floats");
  return kBinaryOfFloats[i](a, b);
}

std::int64_t of_kind(Unary kind, std::int64_t x) {
  switch (kind) {
    case Unary::kAbs:
      return x < 0 ? -x : x;
    case Unary::kNegate:
      return -x;
    case Unary::kSign:
      return (x > 0 ? 1 : 0) - (x < 0 ? 1 : 0);
    case Unary::kFloor:
    case Unary::kCeil:
      return x;
    case Unary::kNot:
      return ~x;
    default:
      refuse("such function of integers");
  }
}

Complex of_kind(Unary kind, Complex x) {
  if (kind == Unary::kNegate) return -x;
  if (kind == Unary::kExp) return std::exp(x);
  refuse("such function of complex numbers");
}

std::int64_t power(std::int64_t base, std::int64_t exponent) {
  if (exponent < 0) return base == 1 ? 1 : (base == -1 ? (exponent % 2 != 0 ? -1 : 1) : 0);
  std::uint64_t result = 1;
  auto factor = static_cast<std::uint64_t>(base);
  for (auto left = static_cast<std::uint64_t>(exponent); left != 0; left >>= 1U, factor *= factor) {
    if ((left & 1U) != 0) result *= factor;
  }
  return static_cast<std::int64_t>(result);
}

// Sums and products wrap.
std::int64_t of_kind(Binary kind, std::int64_t a, std::int64_t b) {
  const auto x = static_cast<std::uint64_t>(a);
  const auto y = static_cast<std::uint64_t>(b);
  switch (kind) {
    case Binary::kAdd:
      return static_cast<std::int64_t>(x + y);
    case Binary::kSubtract:
      return static_cast<std::int64_t>(x - y);
    case Binary::kMultiply:
      return static_cast<std::int64_t>(x * y);
    case Binary::kDivide:
      return b == 0 ? 0 : (b == -1 ? static_cast<std::int64_t>(0 - x) : a / b);
    case Binary::kRemainder:
      return b == 0 || b == -1 ? 0 : a % b;
    case Binary::kPower:
      return power(a, b);
    case Binary::kMaximum:
      return std::max(a, b);
    case Binary::kMinimum:
      return std::min(a, b);
    case Binary::kAnd:
      return a & b;
    case Binary::kOr:
      return a | b;
    case Binary::kXor:
      return a ^ b;
    default:
      refuse("such operation on integers");
  }
}

Complex of_kind(Binary kind, Complex a, Complex b) {
  switch (kind) {
    case Binary::kAdd:
      return a + b;
    case Binary::kSubtract:
      return a - b;
    case Binary::kMultiply:
      return a * b;
    case Binary::kDivide:
      return a / b;
    default:
      refuse("such operation on complex numbers");
  }
}

template <typename Element>
bool holds(Comparison kind, Element a, Element b) {
  if (kind == Comparison::kEq) return a == b;
  if (kind == Comparison::kNe) return a != b;
  if constexpr (std::is_same_v<Element, Complex>) {
    refuse("order of complex numbers");
  } else {
    if (kind == Comparison::kLt) return a < b;
    if (kind == Comparison::kLe) return a <= b;
    return kind == Comparison::kGt ? a > b : a >= b;
  }
}

template <typename To, typename From>
To converted(Type type, From value) {
  if constexpr (std::is_same_v<To, Complex>) {
    if constexpr (std::is_integral_v<From>) {
      return Complex(static_cast<double>(value));
    } else {
      return Complex(value);
    }
  } else if constexpr (std::is_same_v<From, Complex>) {
    refuse("conversion of complex numbers to real ones");
  } else if constexpr (std::is_same_v<To, double>) {
    return static_cast<double>(value);
  } else if constexpr (std::is_same_v<From, double>) {
    return to_integer(type, value);
  } else {
    return value;
  }
}

/// Elements of a type, from a function of their position.
template <typename Function>
Elements computed(const TensorType& type, Function function) {
  Elements elements = zeros(type.type, static_cast<std::size_t>(num_elements(type.shape)));
  std::visit(
      [&](auto& to) {
        using Element = typename std::decay_t<decltype(to)>::value_type;
        for (std::size_t i = 0; i < to.size(); ++i) to[i] = function(i, Element());
      },
      elements);
  return elements;
}

template <typename Element>
const std::vector<Element>& elements_of(const Array& array) {
  return std::get<std::vector<Element>>(array.elements);
}

class Evaluation {
 public:
  Evaluation(const std::vector<const Array*>& operands, const std::vector<TensorType>& results)
      : in_(operands), out_(results) {}

  Elements operator()(const Constant& each) const {
    return read_array(out_[0], each.bytes.data()).elements;
  }
  Elements operator()(const Splat& each) const {
    return computed(out_[0], [&](std::size_t, auto element) {
      return converted<decltype(element)>(out_[0].type, each.value);
    });
  }
  Elements operator()(const Iota& each) const {
    const auto dim = static_cast<std::size_t>(each.dim);
    const std::int64_t stride = strides_of(out_[0].shape)[dim];
    const std::int64_t extent = out_[0].shape[dim];
    return computed(out_[0], [&](std::size_t i, auto element) {
      return converted<decltype(element)>(out_[0].type,
                                          static_cast<std::int64_t>(i) / stride % extent);
    });
  }
  Elements operator()(const Convert&) const {
    return std::visit(
        [&](const auto& from) {
          return computed(out_[0], [&](std::size_t i, auto element) {
            return converted<decltype(element)>(out_[0].type, from[i]);
          });
        },
        in_[0]->elements);
  }
  Elements operator()(const UnaryOperation& each) const {
    if (each.kind == Unary::kReal || each.kind == Unary::kImag) {
      const auto& from = elements_of<Complex>(*in_[0]);
      return computed(out_[0], [&](std::size_t i, auto element) {
        const double part = each.kind == Unary::kReal ? from[i].real() : from[i].imag();
        return converted<decltype(element)>(out_[0].type, part);
      });
    }
    if (each.kind == Unary::kNot && out_[0].type == Type::kBool) {
      return computed(out_[0], [&](std::size_t i, auto element) {
        return static_cast<decltype(element)>(elements_of<std::int64_t>(*in_[0])[i] == 0 ? 1 : 0);
      });
    }
    return computed(out_[0], [&](std::size_t i, auto element) {
      return of_kind(each.kind, elements_of<decltype(element)>(*in_[0])[i]);
    });
  }
  Elements operator()(const BinaryOperation& each) const {
    if (each.kind == Binary::kComplex) {
      const auto& real = elements_of<double>(*in_[0]);
      const auto& imag = elements_of<double>(*in_[1]);
      std::vector<Complex> result;
      for (std::size_t i = 0; i < real.size(); ++i) result.emplace_back(real[i], imag[i]);
      return result;
    }
    return computed(out_[0], [&](std::size_t i, auto element) {
      return of_kind(each.kind, elements_of<decltype(element)>(*in_[0])[i],
                     elements_of<decltype(element)>(*in_[1])[i]);
    });
  }
  Elements operator()(const CompareOperation& each) const {
    return std::visit(
        [&](const auto& a) -> Elements {
          using Element = typename std::decay_t<decltype(a)>::value_type;
          const auto& b = elements_of<Element>(*in_[1]);
          std::vector<std::int64_t> result;
          for (std::size_t i = 0; i < a.size(); ++i) result.push_back(holds(each.kind, a[i], b[i]));
          return result;
        },
        in_[0]->elements);
  }
  Elements operator()(const Select&) const {
    const auto& condition = elements_of<std::int64_t>(*in_[0]);
    return computed(out_[0], [&](std::size_t i, auto element) {
      return elements_of<decltype(element)>(condition[i] != 0 ? *in_[1] : *in_[2])[i];
    });
  }

  Elements operator()(const Reshape&) const { return in_[0]->elements; }
  Elements operator()(const Broadcast& each) const {
    Shape steps(out_[0].shape.size(), 0);
    for (std::size_t i = 0; i < each.dims.size(); ++i) {
      const bool is_stretched = in_[0]->type.shape[i] == 1;
      steps[static_cast<std::size_t>(each.dims[i])] = is_stretched ? 0 : in_strides()[i];
    }
    return walked(0, steps);
  }
  Elements operator()(const Transpose& each) const {
    Shape steps;
    for (const std::int64_t dim : each.permutation) {
      steps.push_back(in_strides()[static_cast<std::size_t>(dim)]);
    }
    return walked(0, steps);
  }
  Elements operator()(const Slice& each) const {
    Shape steps = in_strides();
    std::int64_t first = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      first += each.begin[i] * steps[i];
      steps[i] *= each.step[i];
    }
    return walked(first, steps);
  }
  Elements operator()(const Reverse& each) const {
    Shape steps = in_strides();
    std::int64_t first = 0;
    for (const std::int64_t dim : each.dims) {
      std::int64_t& step = steps[static_cast<std::size_t>(dim)];
      first += (in_[0]->type.extent(dim) - 1) * step;
      step = -step;
    }
    return walked(first, steps);
  }
  Elements operator()(const Pad& each) const {
    const Shape& shape = in_[0]->type.shape;
    const Shape strides = in_strides();
    const auto source_of = [&](const Shape& index) {
      std::int64_t source = 0;
      for (std::size_t i = 0; i < index.size(); ++i) {
        const std::int64_t position = index[i] - each.low[i];
        const std::int64_t spacing = each.interior[i] + 1;
        const bool is_there =
            position >= 0 && position % spacing == 0 && position / spacing < shape[i];
        if (!is_there) return std::int64_t{-1};
        source += position / spacing * strides[i];
      }
      return source;
    };
    return moved(source_of, each.value);
  }
  Elements operator()(const Concatenate& each) const {
    const auto dim = static_cast<std::size_t>(each.dim);
    Elements result = zeros(out_[0].type, static_cast<std::size_t>(num_elements(out_[0].shape)));
    const Shape strides = strides_of(out_[0].shape);
    std::int64_t begin = 0;
    for (const Array* part : in_) {
      std::size_t source = 0;
      for_each_index(part->type.shape, [&](const Shape& index) {
        std::int64_t position = begin * strides[dim];
        for (std::size_t i = 0; i < index.size(); ++i) position += index[i] * strides[i];
        std::visit(
            [&](auto& to) {
              using Element = typename std::decay_t<decltype(to)>::value_type;
              to[static_cast<std::size_t>(position)] = elements_of<Element>(*part)[source++];
            },
            result);
      });
      begin += part->type.shape[dim];
    }
    return result;
  }
  Elements operator()(const Gather& each) const {
    const Shape strides = in_strides();
    const auto& starts = elements_of<std::int64_t>(*in_[1]);
    const Shape& batch_shape = in_[1]->type.shape;
    const std::size_t num_batch = batch_shape.size() - 1;
    const auto position = static_cast<std::size_t>(each.batch_position);
    const Shape start_strides = strides_of(batch_shape);
    Shape rest;
    for (std::int64_t dim = 0; dim < in_[0]->type.rank(); ++dim) {
      if (std::find(each.dims.begin(), each.dims.end(), dim) == each.dims.end())
        rest.push_back(dim);
    }
    return moved([&](const Shape& index) {
      std::int64_t start = 0;
      for (std::size_t i = 0; i < num_batch; ++i) start += index[position + i] * start_strides[i];
      std::int64_t source = 0;
      for (std::size_t k = 0; k < each.dims.size(); ++k) {
        source += starts[static_cast<std::size_t>(start) + k] *
                  strides[static_cast<std::size_t>(each.dims[k])];
      }
      for (std::size_t i = 0; i < rest.size(); ++i) {
        source +=
            index[i < position ? i : i + num_batch] * strides[static_cast<std::size_t>(rest[i])];
      }
      return source;
    });
  }

  template <typename Other>
  Elements operator()(const Other&) const {
    refuse("such operation");
  }

 private:
  Shape in_strides() const { return strides_of(in_[0]->type.shape); }

  /// Each element from where so many steps in each dimension lead.
  Elements walked(std::int64_t first, const Shape& steps) const {
    return moved([&](const Shape& index) {
      return std::inner_product(index.begin(), index.end(), steps.begin(), first);
    });
  }

  template <typename SourceOf>
  Elements moved(SourceOf source_of, double fill = 0) const {
    std::vector<std::int64_t> sources;
    for_each_index(out_[0].shape, [&](const Shape& index) { sources.push_back(source_of(index)); });
    return taken(in_[0]->elements, sources, fill);
  }

  const std::vector<const Array*>& in_;
  const std::vector<TensorType>& out_;
};

template <typename... Kinds>
bool is_one_of(const Operation& operation) {
  return (std::holds_alternative<Kinds>(operation) || ...);
}

const Array& argument(const Parameter& parameter, const Arguments& arguments) {
  const std::array<const std::vector<Array>*, 3> sources = {&arguments.inputs, &arguments.weights,
                                                            &arguments.bound};
  return sources[static_cast<std::size_t>(parameter.source)]->at(
      static_cast<std::size_t>(parameter.index));
}

void round_elements(Array& array) {
  const Type type = array.type.type;
  if (auto* floats = std::get_if<std::vector<double>>(&array.elements)) {
    for (double& each : *floats) each = rounded(type, each);
  } else if (auto* integers = std::get_if<std::vector<std::int64_t>>(&array.elements)) {
    for (std::int64_t& each : *integers) each = wrapped(type, each);
  } else {
    for (Complex& each : std::get<std::vector<Complex>>(array.elements)) {
      each = {rounded(type, each.real()), rounded(type, each.imag())};
    }
  }
}

}  // namespace

std::vector<Array> interpret(const Graph& graph, const Arguments& arguments) {
  std::vector<Array> values(graph.values.size());
  for (const Node& node : graph.nodes) {
    std::vector<const Array*> operands;
    for (const ValueId id : node.operands)
      operands.push_back(&values[static_cast<std::size_t>(id)]);
    std::vector<TensorType> types;
    for (const ValueId id : node.results) types.push_back(graph.value(id).type);
    std::vector<Array> results;
    if (const auto* parameter = std::get_if<Parameter>(&node.operation)) {
      results = {argument(*parameter, arguments)};
    } else if (is_one_of<Reduce, ReduceIndex, ReduceWindow, Dot, Convolution, PackedDot,
                         PackedConvolution, Scatter, Sort, FourierTransform>(node.operation)) {
      results = interpret_sum(node.operation, operands, types);
    } else {
      results = {{types[0], std::visit(Evaluation(operands, types), node.operation)}};
    }
    for (std::size_t i = 0; i < results.size(); ++i) {
      round_elements(results[i]);
      values[static_cast<std::size_t>(node.results[i])] = std::move(results[i]);
    }
  }
  std::vector<Array> outputs;
  for (const ValueId id : graph.outputs) outputs.push_back(values[static_cast<std::size_t>(id)]);
  return outputs;
}

}  // namespace graphnet::lowering::ir
