// SPDX-License-Identifier: MIT
#include "lowering/tutorial/c_source.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <optional>

#include "lowering/builder.h"
#include "lowering/ir/composite.h"
#include "lowering/ir/passes/layout.h"

namespace graphnet::tutorial {

namespace {

using namespace lowering;      // NOLINT(google-build-using-namespace): operations and their kinds
using namespace lowering::ir;  // NOLINT(google-build-using-namespace)
using Text = std::string;
using Texts = std::vector<Text>;

Text text_of(std::int64_t value) {
  return std::to_string(value) + "L";
}

/// Exact, and what C has no literals of.
Text literal(Type type, double value) {
  if (!is_float(type)) {
    if (value >= 0x1p63) return "9223372036854775807L";
    if (value <= -0x1p63) return "(-9223372036854775807L - 1)";
    return text_of(static_cast<std::int64_t>(value));
  }
  if (std::isnan(value)) return "NAN";
  if (std::isinf(value)) return value > 0 ? "INFINITY" : "-INFINITY";
  std::array<char, 64> text = {};
  std::snprintf(text.data(), text.size(), "%a", value);
  return text.data();
}

// In the order of Type; nothing for halves and complex numbers.
constexpr std::array<const char*, 12> kTypes = {
    "unsigned char", "unsigned char", "signed char", "short",  "int",   "long",
    nullptr,         nullptr,         "float",       "double", nullptr, nullptr};
const char* c_type(Type type) {
  const char* const text = kTypes[static_cast<std::size_t>(type)];
  if (text == nullptr) throw LoweringError(std::string("this compiler has no ") + type_name(type));
  return text;
}

Text joined(const Texts& texts, const char* separator) {
  Text all;
  for (const Text& each : texts) all += (all.empty() ? "" : separator) + each;
  return all;
}

/// The position of an element in dense row-major memory.
Text flat(const Texts& indices, const Shape& shape) {
  Text index = "0";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    index = i == 0 ? indices[0] : "(" + index + ") * " + text_of(shape[i]) + " + " + indices[i];
  }
  return index;
}

// In the order of Unary and Binary, on variables x and y; of the second for integers.
constexpr std::array<const char*, 17> kUnary = {
    "(x < 0 ? -x : x)", "-x",      "(x > 0) - (x < 0)", "floor(x)", "ceil(x)",     "exp(x)",
    "expm1(x)",         "log(x)",  "log1p(x)",          "sqrt(x)",  "1 / sqrt(x)", "sin(x)",
    "cos(x)",           "tanh(x)", "1 / (1 + exp(-x))", "erf(x)",   "~x"};
constexpr std::array<const char*, 11> kBinary = {"x + y",
                                                 "x - y",
                                                 "x * y",
                                                 "x / y",
                                                 "fmod(x, y)",
                                                 "pow(x, y)",
                                                 "(x > y || x != x ? x : y)",
                                                 "(x < y || x != x ? x : y)",
                                                 "x & y",
                                                 "x | y",
                                                 "x ^ y"};
constexpr std::array<const char*, 6> kCompare = {" == ", " != ", " < ", " <= ", " > ", " >= "};

Text unary_form(Unary kind, Type type) {
  if (kind > Unary::kNot) throw LoweringError("this compiler has no complex numbers");
  return kind == Unary::kNot && type == Type::kBool ? "!x" : kUnary[static_cast<std::size_t>(kind)];
}

Text binary_form(Binary kind, Type type) {
  if (kind == Binary::kComplex) throw LoweringError("this compiler has no complex numbers");
  if (!is_float(type) && kind == Binary::kRemainder) return "x % y";
  if (!is_float(type) && kind == Binary::kPower) return "integer_power(x, y)";
  return kBinary[static_cast<std::size_t>(kind)];
}

Binary combination(Reduction kind) {
  constexpr Binary kKinds[] = {Binary::kAdd,     Binary::kMultiply, Binary::kMaximum,
                               Binary::kMinimum, Binary::kMaximum,  Binary::kAnd,
                               Binary::kOr};
  return kKinds[static_cast<std::size_t>(kind)];
}

/// The loops of one node.
class NodeWriter {
 public:
  NodeWriter(const Graph& graph, const Node& node) : graph_(graph), node_(node) {}

  Text take() { return std::move(text_); }

  // ---- element by element, and views: one expression an element ----

  void operator()(const Splat& each) {
    write([&](const Texts&) { return literal(out().type, each.value); });
  }
  void operator()(const Iota& each) {
    write([&](const Texts& i) { return i[static_cast<std::size_t>(each.dim)]; });
  }
  void operator()(const Convert&) {
    write(
        [&](const Texts& i) { return out().type == Type::kBool ? at(0, i) + " != 0" : at(0, i); });
  }
  void operator()(const UnaryOperation& each) {
    write([&](const Texts& i) {
      return let("x", 0, i) + unary_form(each.kind, out().type) + "; })";
    });
  }
  void operator()(const BinaryOperation& each) {
    write([&](const Texts& i) {
      return let("x", 0, i) + c_type(in(1).type) + " y = " + at(1, i) + "; " +
             binary_form(each.kind, out().type) + "; })";
    });
  }
  void operator()(const CompareOperation& each) {
    write([&](const Texts& i) {
      return at(0, i) + kCompare[static_cast<std::size_t>(each.kind)] + at(1, i);
    });
  }
  void operator()(const Select&) {
    write([&](const Texts& i) { return at(0, i) + " ? " + at(1, i) + " : " + at(2, i); });
  }
  void operator()(const Reshape&) {
    write([&](const Texts& i) { return name(0) + "[" + flat(i, out().shape) + "]"; });
  }
  void operator()(const Broadcast& each) {
    write([&](const Texts& i) {
      Texts from;
      for (std::size_t d = 0; d < each.dims.size(); ++d) {
        from.push_back(in(0).shape[d] == 1 ? "0" : i[static_cast<std::size_t>(each.dims[d])]);
      }
      return at(0, from);
    });
  }
  void operator()(const Transpose& each) {
    write([&](const Texts& i) {
      Texts from(i.size());
      for (std::size_t d = 0; d < i.size(); ++d) {
        from[static_cast<std::size_t>(each.permutation[d])] = i[d];
      }
      return at(0, from);
    });
  }
  void operator()(const Slice& each) {
    write([&](const Texts& i) {
      Texts from;
      for (std::size_t d = 0; d < i.size(); ++d) {
        from.push_back("(" + i[d] + " * " + text_of(each.step[d]) + " + " + text_of(each.begin[d]) +
                       ")");
      }
      return at(0, from);
    });
  }
  void operator()(const Reverse& each) {
    write([&](const Texts& i) {
      Texts from = i;
      for (const std::int64_t dim : each.dims) {
        Text& index = from[static_cast<std::size_t>(dim)];
        index = "(" + text_of(out().extent(dim) - 1) + " - " + index + ")";
      }
      return at(0, from);
    });
  }
  void operator()(const Pad& each) {
    write([&](const Texts& i) {
      Texts from;
      Texts inside = {"1"};
      for (std::size_t d = 0; d < i.size(); ++d) {
        const Text step = text_of(each.interior[d] + 1);
        const Text moved = "(" + i[d] + " - " + text_of(each.low[d]) + ")";
        inside.push_back(moved + " >= 0 && " + moved + " % " + step + " == 0 && " + moved + " / " +
                         step + " < " + text_of(in(0).shape[d]));
        from.push_back("(" + moved + " / " + step + ")");
      }
      return joined(inside, " && ") + " ? " + at(0, from) + " : " + literal(out().type, each.value);
    });
  }
  void operator()(const Concatenate& each) {
    write([&](const Texts& i) {
      const auto dim = static_cast<std::size_t>(each.dim);
      Text chosen;
      std::int64_t begin = 0;
      for (std::size_t k = 0; k < node_.operands.size(); ++k) {
        Texts from = i;
        from[dim] = "(" + i[dim] + " - " + text_of(begin) + ")";
        begin += in(k).shape[dim];
        const bool is_last = k + 1 == node_.operands.size();
        chosen +=
            is_last ? at(k, from) : i[dim] + " < " + text_of(begin) + " ? " + at(k, from) + " : ";
      }
      return chosen;
    });
  }
  void operator()(const Gather& each) {
    write([&](const Texts& i) {
      const auto first = i.begin() + each.batch_position;
      Texts start(first, first + in(1).rank() - 1);
      Texts rest(i.begin(), first);
      rest.insert(rest.end(), first + in(1).rank() - 1, i.end());
      start.emplace_back();
      const Shape free = without_dims(counting(in(0).rank()), each.dims);
      Texts from(in(0).shape.size());
      for (std::size_t k = 0; k < free.size(); ++k)
        from[static_cast<std::size_t>(free[k])] = rest[k];
      for (std::size_t k = 0; k < each.dims.size(); ++k) {
        start.back() = text_of(static_cast<std::int64_t>(k));
        from[static_cast<std::size_t>(each.dims[k])] = at(1, start);
      }
      return at(0, from);
    });
  }

  // ---- sums: an accumulator, and loops around it ----

  void operator()(const Reduce& each) {
    accumulate(each.kind, extents(in(0).shape, each.dims), [&](const Texts& i, const Texts& k) {
      Texts from;
      std::size_t kept = 0;
      for (std::int64_t dim = 0; dim < in(0).rank(); ++dim) {
        const bool is_reduced = std::count(each.dims.begin(), each.dims.end(), dim) != 0;
        from.push_back(is_reduced ? k[position(each.dims, dim)] : i[kept++]);
      }
      return at(0, from);
    });
  }
  void operator()(const ReduceWindow& each) {
    const Window& w = each.window;
    accumulate(each.kind, w.size, [&](const Texts& i, const Texts& k) {
      Texts from;
      for (std::size_t d = 0; d < i.size(); ++d) {
        from.push_back(i[d] + " * " + text_of(w.stride[d]) + " + " + k[d] + " * " +
                       text_of(w.dilation[d]) + " - " + text_of(w.low[d]));
      }
      return guarded(from, in(0).shape, at(0, named_positions(from.size())));
    });
  }
  void operator()(const Dot& each) {
    const Contraction& c = each.contraction;
    const auto operand = [&](std::size_t index, const Shape& batch, const Shape& contracting,
                             const Texts& i, const Texts& k, std::size_t& next) {
      Texts from(in(index).shape.size());
      for (std::size_t d = 0; d < from.size(); ++d) {
        const auto dim = static_cast<std::int64_t>(d);
        if (std::count(batch.begin(), batch.end(), dim) != 0) {
          from[d] = i[position(batch, dim)];
        } else if (std::count(contracting.begin(), contracting.end(), dim) != 0) {
          from[d] = k[position(contracting, dim)];
        } else {
          from[d] = i[next++];
        }
      }
      return at(index, from);
    };
    accumulate(Reduction::kSum, extents(in(0).shape, c.left_contracting),
               [&](const Texts& i, const Texts& k) {
                 std::size_t next = c.left_batch.size();
                 const Text left = operand(0, c.left_batch, c.left_contracting, i, k, next);
                 return left + " * " + operand(1, c.right_batch, c.right_contracting, i, k, next);
               });
  }
  void operator()(const Convolution& each) {
    const ConvolutionAttributes& w = each.window;
    const Shape window(in(1).shape.begin() + 1, in(1).shape.end());
    const std::int64_t out_per_group = in(1).shape[0] / w.groups;
    accumulate(Reduction::kSum, window, [&](const Texts& i, const Texts& k) {
      Texts from = {
          i[0], i[1] + " / " + text_of(out_per_group) + " * " + text_of(window[0]) + " + " + k[0]};
      Texts weight = {i[1]};
      weight.insert(weight.end(), k.begin(), k.end());
      Texts holes = {"1"};
      for (std::size_t d = 0; d < w.stride.size(); ++d) {
        const Text spread = "(" + i[d + 2] + " * " + text_of(w.stride[d]) + " + " + k[d + 1] +
                            " * " + text_of(w.kernel_dilation[d]) + " - " + text_of(w.low[d]) + ")";
        const Text step = text_of(w.input_dilation[d]);
        holes.push_back(spread + " % " + step + " == 0");
        from.push_back("(" + spread + " < 0 ? -1 : " + spread + " / " + step + ")");
      }
      return guarded(from, in(0).shape, at(0, named_positions(from.size())) + " * " + at(1, weight),
                     joined(holes, " && "));
    });
  }

  // ---- whole operators: kNative says which come here ----

  void operator()(const Composite& each) {
    const auto dim = value_of<std::int64_t>(each, "dim");
    const auto d = static_cast<std::size_t>(dim < 0 ? dim + out().rank() : dim);
    Shape heads = out().shape;
    heads[d] = 1;
    Texts i = open(heads, "i");
    i[d] = "k";
    const Text loop = "for (long k = 0; k < " + text_of(out().shape[d]) + "; ++k) ";
    text_ += "double most = -INFINITY, sum = 0;\n";
    text_ += loop + "most = " + at(0, i) + " > most ? " + at(0, i) + " : most;\n";
    text_ += loop + "sum += exp(" + at(0, i) + " - most);\n";
    text_ +=
        loop + target() + "[" + flat(i, out().shape) + "] = exp(" + at(0, i) + " - most) / sum;\n";
    text_ += "}\n";
  }

  template <typename Other>
  void operator()(const Other&) {
    throw LoweringError("this compiler has no such operation");
  }

 private:
  const TensorType& in(std::size_t index) const { return graph_.type(node_.operands[index]); }
  const TensorType& out() const { return graph_.type(node_.results[0]); }
  Text name(std::size_t operand) const { return "v" + std::to_string(node_.operands[operand]); }
  Text target() const { return "v" + std::to_string(node_.results[0]); }
  Text at(std::size_t operand, const Texts& indices) const {
    return name(operand) + "[" + flat(indices, in(operand).shape) + "]";
  }
  // A GNU statement expression, which its caller ends.
  Text let(const char* variable, std::size_t operand, const Texts& i) const {
    return Text("({ ") + c_type(in(operand).type) + " " + variable + " = " + at(operand, i) + "; ";
  }
  static std::size_t position(const Shape& dims, std::int64_t dim) {
    return static_cast<std::size_t>(std::find(dims.begin(), dims.end(), dim) - dims.begin());
  }
  static Shape extents(const Shape& shape, const Shape& dims) {
    Shape result;
    for (const std::int64_t dim : dims) result.push_back(shape[static_cast<std::size_t>(dim)]);
    return result;
  }
  static Texts named_positions(std::size_t count) {
    Texts names;
    for (std::size_t d = 0; d < count; ++d) names.push_back("p" + std::to_string(d));
    return names;
  }
  // `element` at positions p0, p1, ..., if they exist; else the accumulator's start.
  static Text guarded(const Texts& positions, const Shape& shape, const Text& element,
                      const Text& condition = "1") {
    Text text = "({ ";
    Texts inside = {condition};
    for (std::size_t d = 0; d < positions.size(); ++d) {
      const Text p = "p" + std::to_string(d);
      text += "long " + p + " = " + positions[d] + "; ";
      inside.push_back(p + " >= 0 && " + p + " < " + text_of(shape[d]));
    }
    return text + "if (!(" + joined(inside, " && ") + ")) continue; " + element + "; })";
  }

  Texts open(const Shape& shape, const char* prefix) {
    Texts names;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      const Text index = prefix + std::to_string(d);
      text_ += "for (long " + index + " = 0; " + index + " < " + text_of(shape[d]) + "; ++" +
               index + ") ";
      names.push_back(index);
    }
    text_ += "{\n";
    return names;
  }

  template <typename Element>
  void write(Element element) {
    const Texts i = open(out().shape, "i");
    text_ += target() + "[" + flat(i, out().shape) + "] = " + element(i) + ";\n";
    text_ += "}\n";
  }

  /// Sums of floats are made in double.
  template <typename Element>
  void accumulate(Reduction kind, const Shape& over, Element element) {
    const Type type = is_float(out().type) ? Type::kF64 : out().type;
    const Texts i = open(out().shape, "i");
    text_ += Text(c_type(type)) + " x = " + literal(type, identity_of(kind, out().type)) + ";\n";
    const Texts k = open(over, "k");
    text_ += Text(c_type(type)) + " y = " + element(i, k) +
             ";\nx = " + binary_form(combination(kind), type) + ";\n";
    text_ += "}\n";
    text_ += target() + "[" + flat(i, out().shape) + "] = x;\n";
    text_ += "}\n";
  }

  const Graph& graph_;
  const Node& node_;
  Text text_;
};

bool is_plain_softmax(const Composite& composite, const std::vector<Tensor>& operands) {
  const Type type = operands[0].type;
  return operands[0].rank() > 0 && composite.results[0].type == type &&
         (type == Type::kF32 || type == Type::kF64);
}

constexpr Native kNative[] = {{"aten::softmax.int", is_plain_softmax}};

/// The graph as write_c() reads it: primitives, and the operators of kNative.
class Legalizer final : public LayoutEmitter {
 public:
  Legalizer() : LayoutEmitter(/*rewrites=*/false) {}
  std::optional<std::vector<Tensor>> composite(const Composite& each,
                                               const std::vector<Tensor>& operands) override {
    if (!is_native({kNative, std::size(kNative)}, each, operands)) return std::nullopt;
    return nodes(each, operands);
  }
};

}  // namespace

Built legalize(const Graph& graph) {
  Legalizer legalizer;
  return rewrite(graph, legalizer);
}

CSource write_c(const Graph& graph) {
  CSource source;
  Text body;
  for (const Node& node : graph.nodes) {
    const ValueId id = node.results[0];
    const TensorType& type = graph.type(id);
    try {
      const Text name = Text(c_type(type.type)) + "* v" + std::to_string(id) + " = ";
      if (const auto* each = std::get_if<Parameter>(&node.operation)) {
        const bool is_input = each->source == ParameterSource::kInput;
        body += name + (is_input ? "(void*)inputs[" : "(void*)weights[") + text_of(each->index) +
                "];\n";
      } else if (const auto* constant = std::get_if<Constant>(&node.operation)) {
        body += name + "(void*)constants[" + std::to_string(source.constants.size()) + "];\n";
        source.constants.emplace_back(constant->bytes.view());
      } else {
        NodeWriter writer(graph, node);
        std::visit(writer, node.operation);
        body += name + "(void*)(memory + " + std::to_string(source.memory_bytes) + ");\n" +
                writer.take();
        const auto bytes = static_cast<std::size_t>(num_elements(type.shape) * bytes_of(type.type));
        source.memory_bytes += (bytes + 63) / 64 * 64;
      }
    } catch (const LoweringError& error) {
      const Origin origin = node.origin < 0 ? Origin{"argument", ""}
                                            : graph.origins[static_cast<std::size_t>(node.origin)];
      source.failures.push_back({origin.op, origin.where, error.what()});
    }
  }
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
    const TensorType& type = graph.type(graph.outputs[i]);
    body += "memcpy(outputs[" + std::to_string(i) + "], v" + std::to_string(graph.outputs[i]) +
            ", " + std::to_string(num_elements(type.shape) * bytes_of(type.type)) + ");\n";
  }
  if (!source.failures.empty()) return source;
  source.text =
      "#include <string.h>\n#include <tgmath.h>\n"
      "static long integer_power(long x, long y) {\n"
      "  long result = y < 0 ? (x == 1 ? 1 : x == -1 ? (y % 2 ? -1 : 1) : 0) : 1;\n"
      "  for (; y > 0; --y) result *= x;\n  return result;\n}\n"
      "void run(const void* const* inputs, const void* const* weights, const void* const* "
      "constants,\n"
      "         void* const* outputs, char* memory) {\n" +
      body + "}\n";
  return source;
}

}  // namespace graphnet::tutorial
