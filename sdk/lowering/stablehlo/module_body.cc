// SPDX-License-Identifier: MIT
#include "lowering/stablehlo/module_body.h"

#include <algorithm>
#include <array>
#include <limits>

#include "lowering/builder.h"
#include "lowering/stablehlo/regions.h"
#include "lowering/stablehlo/spelling.h"
#include "lowering/stablehlo/syntax.h"

namespace graphnet::lowering::stablehlo {

namespace {

// In the order of the enumerators.
constexpr std::array<const char*, 19> kUnaryNames = {
    "abs",      "negate",       "sign", "floor", "ceil", "exponential", "exponential_minus_one",
    "log",      "log_plus_one", "sqrt", "rsqrt", "sine", "cosine",      "tanh",
    "logistic", "chlo.erf",     "not",  "real",  "imag"};
constexpr std::array<const char*, 12> kBinaryNames = {
    "add",     "subtract", "multiply", "divide", "remainder", "power",
    "maximum", "minimum",  "and",      "or",     "xor",       "complex"};
constexpr std::array<const char*, 6> kComparisonNames = {"EQ", "NE", "LT", "LE", "GT", "GE"};
constexpr std::array<const char*, 4> kFourierNames = {"FFT", "IFFT", "RFFT", "IRFFT"};

template <typename Names, typename Enum>
std::string name_in(const Names& names, Enum value) {
  return names[static_cast<std::size_t>(value)];
}

std::string text_of(const ir::TensorType& type) {
  return type_text(type.type, type.shape);
}

Type part_of(Type complex) {
  return complex == Type::kC128 ? Type::kF64 : Type::kF32;
}

// "[1, 2], [0, 0]".
std::string pairs_text(const Shape& low, const Shape& high) {
  std::string text;
  for (std::size_t i = 0; i < low.size(); ++i) {
    text += (i == 0 ? "[" : ", [") + std::to_string(low[i]) + ", " + std::to_string(high[i]) + "]";
  }
  return text;
}

// "[b, 0, 1, f]": what each dimension of memory is, names for the first two logical ones.
std::string dimension_text(const Shape& layout, const char* first, const char* second) {
  std::string text;
  for (const std::int64_t dim : layout) {
    if (!text.empty()) text += ", ";
    if (dim == 0) {
      text += first;
    } else if (dim == 1) {
      text += second;
    } else {
      text += std::to_string(dim - 2);
    }
  }
  return "[" + text + "]";
}

Shape sorted(Shape dims) {
  std::sort(dims.begin(), dims.end());
  return dims;
}

/// The lines of one node: one function an operation.
class NodePrinter {
 public:
  NodePrinter(ModuleBody& body, const ir::Node& node)
      : body_(body), node_(node), out_(body.type_of(node.results[0])) {}

  void operator()(const ir::Parameter&) const { throw LoweringError("a parameter among nodes"); }
  void operator()(const ir::Constant& each) const {
    const std::int64_t count = num_elements(out_.shape);
    const Type bools = body_.spelling().bool_constant;
    const Type written = out_.type == Type::kBool ? bools : out_.type;
    const std::string constant = op("constant") + " dense<" +
                                 dense_text(written, count, each.bytes.data()) +
                                 "> : " + type_text(written, out_.shape);
    if (out_.type != Type::kBool) return line(constant);
    // MLIR has packed hexadecimal i1 in more than one way.
    line(not_zero_text(body_.helper(constant), {written, out_.shape}));
  }
  void operator()(const ir::Splat& each) const { line(splat_text(out_, each.value)); }
  void operator()(const ir::Iota& each) const {
    const Type written = out_.type == Type::kBool ? Type::kI32 : out_.type;
    const std::string iota = iota_text({written, out_.shape}, each.dim);
    if (out_.type != Type::kBool) return line(iota);
    line(not_zero_text(body_.helper(iota), {written, out_.shape}));
  }

  void operator()(const ir::Convert&) const {
    const ir::TensorType& from = type_in(0);
    if (out_.type == Type::kBool) return line(not_zero_text(in(0), from));
    if (!is_complex(out_.type) || is_complex(from.type)) {
      return line(convert_text(in(0), from, out_));
    }
    const ir::TensorType part = {part_of(out_.type), out_.shape};
    const std::string real = from == part ? in(0) : body_.helper(convert_text(in(0), from, part));
    line(op("complex") + " " + real + ", " + splat(part, 0) + " : " + text_of(out_));
  }
  void operator()(const ir::UnaryOperation& each) const {
    const std::string own = text_of(type_in(0));
    std::string types = own;
    if (each.kind == Unary::kErf) types += " -> " + own;
    if (out_ != type_in(0)) types = "(" + own + ") -> " + text_of(out_);
    const std::string name = name_in(kUnaryNames, each.kind);
    line((each.kind == Unary::kErf ? name : op(name)) + " " + in(0) + " : " + types);
  }
  void operator()(const ir::BinaryOperation& each) const {
    line(op(name_in(kBinaryNames, each.kind)) + " " + in(0) + ", " + in(1) + " : " + text_of(out_));
  }
  void operator()(const ir::CompareOperation& each) const {
    line(compare_text(each.kind, in(0), in(1), type_in(0)));
  }
  void operator()(const ir::Select&) const {
    line(op("select") + " " + in(0) + ", " + in(1) + ", " + in(2) + " : " + text_of(type_in(0)) +
         ", " + text_of(type_in(1)));
  }

  void operator()(const ir::Broadcast& each) const {
    form(&Spelling::broadcast, {{"dims", each.dims}});
  }
  void operator()(const ir::Reshape&) const { line(op("reshape") + " " + in(0) + types()); }
  void operator()(const ir::Transpose& each) const {
    form(&Spelling::transpose, {{"dims", each.permutation}});
  }
  void operator()(const ir::Slice& each) const {
    std::string ranges;
    for (std::size_t i = 0; i < each.begin.size(); ++i) {
      ranges +=
          (i == 0 ? "" : ", ") + std::to_string(each.begin[i]) + ":" + std::to_string(each.end[i]);
      if (each.step[i] != 1) ranges += ":" + std::to_string(each.step[i]);
    }
    form(&Spelling::slice,
         {{"ranges", ranges}, {"begin", each.begin}, {"end", each.end}, {"step", each.step}});
  }
  void operator()(const ir::Pad& each) const {
    const ir::TensorType scalar = {out_.type, {}};
    form(&Spelling::pad, {{"x", in(0) + ", " + splat(scalar, each.value)},
                          {"types", " : (" + text_of(type_in(0)) + ", " + text_of(scalar) +
                                        ") -> " + text_of(out_)},
                          {"low", each.low},
                          {"high", each.high},
                          {"interior", each.interior}});
  }
  void operator()(const ir::Concatenate& each) const {
    form(&Spelling::concatenate, {{"dim", std::to_string(each.dim)}});
  }
  void operator()(const ir::Reverse& each) const {
    form(&Spelling::reverse, {{"dims", each.dims}});
  }

  void operator()(const ir::Reduce& each) const;
  void operator()(const ir::ReduceIndex& each) const;
  void operator()(const ir::ReduceWindow& each) const;
  void operator()(const ir::Dot& each) const;
  void operator()(const ir::Convolution& each) const;
  void operator()(const ir::PackedDot&) const { refuse_packed(); }
  void operator()(const ir::PairedDot&) const { refuse_packed(); }
  void operator()(const ir::PackedConvolution&) const { refuse_packed(); }
  void operator()(const ir::WinogradInput&) const { refuse_packed(); }
  void operator()(const ir::WinogradKernel&) const { refuse_packed(); }
  void operator()(const ir::WinogradOutput&) const { refuse_packed(); }
  void operator()(const ir::Attention&) const { refuse_packed(); }
  void operator()(const ir::Composite& each) const {
    throw LoweringError(each.op + " is printed by its body");
  }
  void operator()(const ir::Gather& each) const;
  void operator()(const ir::Scatter& each) const;
  void operator()(const ir::Sort& each) const;
  void operator()(const ir::FourierTransform& each) const {
    form(&Spelling::fourier,
         {{"kind", name_in(kFourierNames, each.kind)}, {"lengths", each.lengths}});
  }

 private:
  [[noreturn]] static void refuse_packed() { throw LoweringError("HLO has no packed operands"); }
  const std::string& in(std::size_t index) const { return body_.name_of(node_.operands[index]); }
  const ir::TensorType& type_in(std::size_t index) const {
    return body_.type_of(node_.operands[index]);
  }
  // " : (operands) -> result".
  std::string types() const {
    std::string text;
    for (const ir::ValueId operand : node_.operands) {
      text += (text.empty() ? "" : ", ") + text_of(body_.type_of(operand));
    }
    return " : (" + text + ") -> " + text_of(out_);
  }
  void line(const std::string& text) const { body_.add_line(in_result(0), text); }
  const std::string& in_result(std::size_t index) const {
    return body_.name_of(node_.results[index]);
  }

  std::string dialect() const { return std::string(body_.spelling().dialect); }
  /// "stablehlo.add".
  std::string op(const std::string& name) const { return dialect() + "." + name; }
  /// The same in quotes, before operands in parentheses.
  std::string generic(const std::string& name) const { return "\"" + op(name) + "\""; }
  /// A line of a form that dialects write differently. Places beside those given: {x}, the
  /// operands; {type}, that of the result; {types}.
  void form(std::string_view Spelling::*text, std::vector<Place> places) const {
    std::string names;
    for (std::size_t i = 0; i < node_.operands.size(); ++i) names += (i == 0 ? "" : ", ") + in(i);
    places.insert(places.end(), {{"x", names}, {"type", text_of(out_)}, {"types", types()}});
    line(fill(body_.spelling(), body_.spelling().*text, places));
  }

  std::string iota_text(const ir::TensorType& type, std::int64_t dim) const {
    return fill(body_.spelling(), body_.spelling().iota,
                {{"dim", std::to_string(dim)}, {"type", text_of(type)}});
  }
  std::string convert_text(const std::string& x, const ir::TensorType& from,
                           const ir::TensorType& to) const {
    return op("convert") + " " + x + " : (" + text_of(from) + ") -> " + text_of(to);
  }
  std::string compare_text(Comparison kind, const std::string& a, const std::string& b,
                           const ir::TensorType& type) const {
    return op("compare") + " " + name_in(kComparisonNames, kind) + ", " + a + ", " + b + ", " +
           comparison_type(type.type) + " : (" + text_of(type) + ", " + text_of(type) + ") -> " +
           type_text(Type::kBool, type.shape);
  }
  std::string not_zero_text(const std::string& x, const ir::TensorType& type) const {
    return compare_text(Comparison::kNe, x, splat(type, 0), type);
  }
  // A helper value of equal elements.
  std::string splat(const ir::TensorType& type, double value) const {
    return body_.helper(splat_text(type, value));
  }
  std::string splat_text(const ir::TensorType& type, double value) const;
  // Lines for a pair of results, values and i32 indices, of a line with both.
  void line_of_pair(const std::string& text) const;

  ModuleBody& body_;
  const ir::Node& node_;
  const ir::TensorType& out_;
};

std::string NodePrinter::splat_text(const ir::TensorType& type, double value) const {
  if (num_elements(type.shape) == 0) return op("constant") + " dense<> : " + text_of(type);
  if (is_half(type.type)) {
    const ir::TensorType wide = {Type::kF32, type.shape};
    return convert_text(splat(wide, value), wide, type);
  }
  if (is_complex(type.type)) {
    const ir::TensorType part = {part_of(type.type), type.shape};
    return op("complex") + " " + splat(part, value) + ", " + splat(part, 0) + " : " + text_of(type);
  }
  return op("constant") + " dense<" + literal(type.type, value) + "> : " + text_of(type);
}

void NodePrinter::operator()(const ir::Reduce& each) const {
  const Type type = type_in(0).type;
  const std::string start = splat({type, {}}, identity_of(each.kind, type));
  const Shape dims = sorted(each.dims);
  const std::string all_types =
      " : (" + text_of(type_in(0)) + ", " + type_text(type, {}) + ") -> " + text_of(out_);
  const Spelling& spelling = body_.spelling();
  if (needs_select(spelling, each.kind, type)) {
    return line(generic("reduce") + "(" + in(0) + ", " + start + ") " +
                binary_region(spelling, each.kind, type) +
                " {dimensions = " + list_text(spelling, dims) + "}" + all_types);
  }
  line(op("reduce") + "(" + in(0) + " init: " + start + ") applies " +
       reducer_name(spelling, each.kind) + " across dimensions = [" + join(dims) + "]" + all_types);
}

void NodePrinter::line_of_pair(const std::string& text) const {
  const std::string pair = body_.helper(text, 2);
  body_.set_name(node_.results[0], pair + "#0");
  const ir::TensorType& indices = body_.type_of(node_.results[1]);
  body_.add_line(in_result(1), convert_text(pair + "#1", {Type::kI32, indices.shape}, indices));
}

void NodePrinter::operator()(const ir::ReduceIndex& each) const {
  const ir::TensorType& x = type_in(0);
  const ir::TensorType indices = {Type::kI32, x.shape};
  const double start = identity_of(each.largest ? Reduction::kMax : Reduction::kMin, x.type);
  const std::string starts = splat({x.type, {}}, start) + ", " +
                             splat({Type::kI32, {}}, std::numeric_limits<std::int32_t>::max());
  line_of_pair(generic("reduce") + "(" + in(0) + ", " + body_.helper(iota_text(indices, each.dim)) +
               ", " + starts + ") " + index_region(body_.spelling(), each.largest, x.type) +
               " {dimensions = " + list_text(body_.spelling(), {each.dim}) + "} : (" + text_of(x) +
               ", " + text_of(indices) + ", " + type_text(x.type, {}) + ", tensor<i32>) -> (" +
               text_of(out_) + ", " + type_text(Type::kI32, out_.shape) + ")");
}

void NodePrinter::operator()(const ir::ReduceWindow& each) const {
  const Type type = type_in(0).type;
  const Window& window = each.window;
  const Spelling& spelling = body_.spelling();
  line(generic("reduce_window") + "(" + in(0) + ", " +
       splat({type, {}}, identity_of(each.kind, type)) + ") " +
       binary_region(spelling, each.kind, type) +
       " {window_dimensions = " + list_text(spelling, window.size) +
       ", window_strides = " + list_text(spelling, window.stride) +
       ", window_dilations = " + list_text(spelling, window.dilation) + ", padding = dense<[" +
       pairs_text(window.low, window.high) + "]> : tensor<" + std::to_string(window.size.size()) +
       "x2xi64>} : (" + text_of(type_in(0)) + ", " + type_text(type, {}) + ") -> " + text_of(out_));
}

void NodePrinter::operator()(const ir::Dot& each) const {
  const Contraction& c = each.contraction;
  const Spelling& spelling = body_.spelling();
  std::string batch;
  if (!c.left_batch.empty()) {
    batch = fill(spelling, spelling.dot_batch, {{"left", c.left_batch}, {"right", c.right_batch}});
  }
  std::string precision;
  if (is_float(type_in(0).type)) {
    precision = fill(spelling, spelling.dot_precision, {{"precision", body_.precision()}});
  }
  form(&Spelling::dot, {{"batch", batch},
                        {"left", c.left_contracting},
                        {"right", c.right_contracting},
                        {"precision", precision}});
}

void NodePrinter::operator()(const ir::Convolution& each) const {
  const ConvolutionAttributes& window = each.window;
  const Shape in_order = counting(out_.rank());
  const std::string data = dimension_text(each.layout.empty() ? in_order : each.layout, "b", "f");
  const std::string kernel =
      dimension_text(each.kernel_layout.empty() ? in_order : each.kernel_layout, "o", "i");
  const std::string precision = "#" + dialect() + "<precision " + body_.precision() + ">";
  line(op("convolution") + "(" + in(0) + ", " + in(1) + ") dim_numbers = " + data + "x" + kernel +
       "->" + data + ", window = {stride = [" + join(window.stride) + "], pad = [" +
       pairs_text(window.low, window.high) + "], lhs_dilate = [" + join(window.input_dilation) +
       "], rhs_dilate = [" + join(window.kernel_dilation) +
       "]} {batch_group_count = 1 : i64, feature_group_count = " + std::to_string(window.groups) +
       " : i64, precision_config = [" + precision + ", " + precision + "]}" + types());
}

void NodePrinter::operator()(const ir::Gather& each) const {
  const Shape& x = type_in(0).shape;
  const std::int64_t num_batch = type_in(1).rank() - 1;
  Shape offsets = counting(static_cast<std::int64_t>(x.size() - each.dims.size()));
  for (std::int64_t& offset : offsets) offset += offset < each.batch_position ? 0 : num_batch;
  line(generic("gather") + "(" + in(0) + ", " + in(1) + ") {dimension_numbers = #" + op("gather") +
       "<offset_dims = [" + join(offsets) + "], collapsed_slice_dims = [" +
       join(sorted(each.dims)) + "], start_index_map = [" + join(each.dims) +
       "], index_vector_dim = " + std::to_string(num_batch) +
       ">, slice_sizes = " + list_text(body_.spelling(), with_ones(x, each.dims)) +
       ", indices_are_sorted = false}" + types());
}

void NodePrinter::operator()(const ir::Scatter& each) const {
  const std::int64_t num_batch = type_in(1).rank() - 1;
  Shape windows = counting(type_in(2).rank() - num_batch);
  for (std::int64_t& dim : windows) dim += num_batch;
  const std::string region = each.combine
                                 ? binary_region(body_.spelling(), *each.combine, out_.type)
                                 : replace_region(body_.spelling(), out_.type);
  line(generic("scatter") + "(" + in(0) + ", " + in(1) + ", " + in(2) + ") " + region +
       " {scatter_dimension_numbers = #" + op("scatter") + "<update_window_dims = [" +
       join(windows) + "], inserted_window_dims = [" + join(sorted(each.dims)) +
       "], scatter_dims_to_operand_dims = [" + join(each.dims) +
       "], index_vector_dim = " + std::to_string(num_batch) +
       ">, indices_are_sorted = false, unique_indices = false}" + types());
}

void NodePrinter::operator()(const ir::Sort& each) const {
  const ir::TensorType indices = {Type::kI32, out_.shape};
  const std::string pair = text_of(out_) + ", " + text_of(indices);
  line_of_pair(generic("sort") + "(" + in(0) + ", " + body_.helper(iota_text(indices, each.dim)) +
               ") " + order_region(body_.spelling(), each.descending, out_.type) +
               " {dimension = " + std::to_string(each.dim) + " : i64, is_stable = true} : (" +
               pair + ") -> (" + pair + ")");
}

// Strings of equal locations are made again: there are few nodes an operator.
std::string location_text(const ir::Origin& origin) {
  std::string location = origin.op;
  if (!origin.where.empty()) location += " " + origin.where;
  // What would end the string of a location early, if a file name holds it.
  location.erase(std::remove_if(location.begin(), location.end(),
                                [](char c) { return c == '"' || c == '\\' || c == '\n'; }),
                 location.end());
  return " loc(\"" + location + "\")";
}

}  // namespace

ModuleBody::ModuleBody(const ir::Graph& graph, Dialect dialect, const char* precision)
    : graph_(graph), spelling_(spelling_of(dialect)), precision_(precision) {
  for (std::size_t id = 0; id < graph.values.size(); ++id)
    names_.push_back("%" + std::to_string(id));
}

void ModuleBody::print(const ir::Node& node) {
  location_.clear();
  if (node.origin >= 0) {
    location_ = location_text(graph_.origins[static_cast<std::size_t>(node.origin)]);
  }
  std::visit(NodePrinter(*this, node), node.operation);
}

void ModuleBody::add_line(const std::string& name, const std::string& text) {
  text_ += "    " + name + " = " + text + location_ + "\n";
}

std::string ModuleBody::helper(const std::string& text, int num_results) {
  const auto [found, is_new] = helpers_.emplace(text, "%h" + std::to_string(helpers_.size()));
  const std::string count = num_results > 1 ? ":" + std::to_string(num_results) : "";
  if (is_new) add_line(found->second + count, text);
  return found->second;
}

}  // namespace graphnet::lowering::stablehlo
