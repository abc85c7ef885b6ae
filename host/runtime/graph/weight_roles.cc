// SPDX-License-Identifier: MIT
#include "graph/weight_roles.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "graph/node_builder.h"

namespace graphnet::graph {

namespace {

using Shape = std::vector<std::int64_t>;

/// How an operator reads one of its arguments.
enum class Reading : std::uint8_t {
  kKernel,    // [out, in, ...]
  kMatrix,    // [..., in]
  kRight,     // [..., in, out]
  kBilinear,  // [out, in, in]
  kState,     // matrices and biases of a recurrent network, told by their rank
  kTable,
  kScale,
  kBias,
  kAddend,  // a bias or a table, told by its rank
  kSlope,
  kMean,
  kVariance,
};

struct Rule {
  std::string_view op;  // without namespace, overload and the mark of writing
  std::string_view argument;
  Reading reading;
};

// Whatever else is read.
constexpr Rule kOwnRules[] = {
    {"linear", "weight", Reading::kMatrix},     {"linear", "bias", Reading::kBias},
    {"matmul", "self", Reading::kMatrix},       {"matmul", "other", Reading::kRight},
    {"mm", "self", Reading::kMatrix},           {"mm", "mat2", Reading::kRight},
    {"bmm", "self", Reading::kMatrix},          {"bmm", "mat2", Reading::kRight},
    {"mv", "self", Reading::kMatrix},           {"mv", "vec", Reading::kMatrix},
    {"dot", "self", Reading::kMatrix},          {"dot", "tensor", Reading::kMatrix},
    {"addmm", "self", Reading::kBias},          {"addmm", "mat1", Reading::kMatrix},
    {"addmm", "mat2", Reading::kRight},         {"addmv", "self", Reading::kBias},
    {"addmv", "mat", Reading::kMatrix},         {"baddbmm", "self", Reading::kBias},
    {"baddbmm", "batch1", Reading::kMatrix},    {"baddbmm", "batch2", Reading::kRight},
    {"bilinear", "weight", Reading::kBilinear}, {"bilinear", "bias", Reading::kBias},
    {"lstm", "params", Reading::kState},        {"gru", "params", Reading::kState},
    {"rnn_tanh", "params", Reading::kState},    {"rnn_relu", "params", Reading::kState},
    {"lstm_cell", "w_ih", Reading::kMatrix},    {"lstm_cell", "w_hh", Reading::kMatrix},
    {"lstm_cell", "b_ih", Reading::kBias},      {"lstm_cell", "b_hh", Reading::kBias},
    {"gru_cell", "w_ih", Reading::kMatrix},     {"gru_cell", "w_hh", Reading::kMatrix},
    {"gru_cell", "b_ih", Reading::kBias},       {"gru_cell", "b_hh", Reading::kBias},
    {"embedding", "weight", Reading::kTable},   {"embedding_bag", "weight", Reading::kTable},
    {"prelu", "weight", Reading::kSlope},       {"_weight_norm", "g", Reading::kScale},
};

// Beside something that depends on an input.
constexpr Rule kMixedRules[] = {
    {"add", "self", Reading::kAddend},
    {"add", "other", Reading::kAddend},
    {"sub", "self", Reading::kAddend},
    {"sub", "other", Reading::kAddend},
    {"rsub", "self", Reading::kAddend},
    {"mul", "self", Reading::kScale},
    {"mul", "other", Reading::kScale},
    {"div", "self", Reading::kScale},
    {"div", "other", Reading::kScale},
    {"addcmul", "self", Reading::kAddend},
    {"addcmul", "tensor1", Reading::kScale},
    {"addcmul", "tensor2", Reading::kScale},
    {"cat", "tensors", Reading::kTable},
    {"stack", "tensors", Reading::kTable},
    {"where", "self", Reading::kTable},
    {"where", "other", Reading::kTable},
    {"index", "self", Reading::kTable},
    {"index_select", "self", Reading::kTable},
    {"gather", "self", Reading::kTable},
    {"scaled_dot_product_attention", "query", Reading::kTable},
    {"scaled_dot_product_attention", "key", Reading::kTable},
    {"scaled_dot_product_attention", "value", Reading::kTable},
    {"scaled_dot_product_attention", "attn_mask", Reading::kBias},
};

// Among weights and constants: operators of one tensor in whatever argument, and arithmetic.
constexpr std::string_view kPassing[] = {
    "view",       "reshape",      "flatten",      "unflatten",    "transpose",
    "t",          "permute",      "squeeze",      "unsqueeze",    "expand",
    "expand_as",  "repeat",       "to",           "_to_copy",     "clone",
    "contiguous", "alias",        "detach",       "slice",        "select",
    "split",      "chunk",        "narrow",       "unbind",       "movedim",
    "flip",       "roll",         "index",        "gather",       "embedding",
    "cat",        "index_select", "stack",        "mul",          "div",
    "add",        "sub",          "rsub",         "_weight_norm", "batch_norm",
    "layer_norm", "type_as",      "_unsafe_view", "view_as",      "split_with_sizes",
    "swapaxes",   "numpy_T",      "mT",
};

std::string_view base_name(std::string_view op) {
  op.remove_prefix(std::min(op.size(), op.find("::") + 2));
  op = op.substr(0, op.find('.'));
  if (op.size() > 1 && op.back() == '_') op.remove_suffix(1);
  return op;
}

bool holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

const Rule* find_rule(const Rule* begin, const Rule* end, std::string_view op,
                      std::string_view argument) {
  const auto* found = std::find_if(
      begin, end, [&](const Rule& rule) { return rule.op == op && rule.argument == argument; });
  return found == end ? nullptr : found;
}

// Normalisations and convolutions have many names and the same arguments.
const Rule* family_rule(std::string_view op, std::string_view argument) {
  static constexpr Rule kNorm[] = {{"", "weight", Reading::kScale},
                                   {"", "bias", Reading::kBias},
                                   {"", "running_mean", Reading::kMean},
                                   {"", "running_var", Reading::kVariance}};
  static constexpr Rule kConvolution[] = {{"", "weight", Reading::kKernel},
                                          {"", "bias", Reading::kBias}};
  if (holds(op, "conv")) {
    return find_rule(std::begin(kConvolution), std::end(kConvolution), "", argument);
  }
  const bool is_norm = holds(op, "_norm") && op != "_weight_norm";
  return is_norm ? find_rule(std::begin(kNorm), std::end(kNorm), "", argument) : nullptr;
}

double product(const Shape& shape, std::size_t from) {
  double result = 1;
  for (std::size_t i = from; i < shape.size(); ++i) result *= static_cast<double>(shape[i]);
  return result;
}

double kernel_fan_in(const Node& node, const Shape& shape) {
  if (shape.size() < 2) return 1;
  const bool is_transposed =
      holds(node.op, "transpose") || is_flag(node, "transposed", /*flag=*/true);
  if (!is_transposed) return product(shape, 1);
  const Argument* groups = find_argument(node, "groups");
  const double num_groups =
      groups == nullptr
          ? 1
          : static_cast<double>(std::max<std::int64_t>(1, integer_of(node, "groups")));
  return product(shape, 0) / static_cast<double>(std::max<std::int64_t>(1, shape[1])) / num_groups;
}

double right_fan_in(const Shape& shape) {
  if (shape.empty()) return 1;
  return static_cast<double>(shape[shape.size() < 2 ? 0 : shape.size() - 2]);
}

double last_extent(const Shape& shape) {
  return shape.empty() ? 1 : static_cast<double>(shape.back());
}

/// Products that an output of "bij,jk->bik" sums over the letters of operand `index`.
double einsum_fan_in(const Node& node, std::size_t index, const Shape& shape) {
  const Argument* argument = find_argument(node, "equation");
  const auto* equation =
      argument == nullptr ? nullptr : std::get_if<std::string>(&argument->attribute);
  if (equation == nullptr) return last_extent(shape);
  std::string letters = *equation;
  letters.erase(std::remove(letters.begin(), letters.end(), ' '), letters.end());
  const std::size_t arrow = letters.find("->");
  if (arrow == std::string::npos || holds(letters, ".")) return last_extent(shape);
  const std::string result = letters.substr(arrow + 2);
  std::size_t begin = 0;
  for (std::size_t i = 0; i < index; ++i) begin = letters.find(',', begin) + 1;
  double fan_in = 1;
  for (std::size_t dim = 0; dim < shape.size() && begin + dim < arrow; ++dim) {
    if (!holds(result, letters.substr(begin + dim, 1))) {
      fan_in *= static_cast<double>(shape[dim]);
    }
  }
  return fan_in;
}

bool has_two_extents(const Shape& shape) {
  return std::count_if(shape.begin(), shape.end(), [](auto extent) { return extent > 1; }) > 1;
}

WeightUse use_of(Reading reading, const Node& node, const Shape& shape) {
  switch (reading) {
    case Reading::kKernel:
      return {WeightRole::kMatrix, kernel_fan_in(node, shape)};
    case Reading::kMatrix:
      return {WeightRole::kMatrix, last_extent(shape)};
    case Reading::kRight:
      return {WeightRole::kMatrix, right_fan_in(shape)};
    case Reading::kBilinear:
      return {WeightRole::kMatrix, product(shape, 1)};
    case Reading::kState:
      return shape.size() < 2 ? WeightUse{WeightRole::kBias}
                              : WeightUse{WeightRole::kMatrix, last_extent(shape)};
    case Reading::kTable:
      return {WeightRole::kTable};
    case Reading::kScale:
      return {WeightRole::kScale};
    case Reading::kBias:
      return {WeightRole::kBias};
    case Reading::kAddend:
      return {has_two_extents(shape) ? WeightRole::kTable : WeightRole::kBias};
    case Reading::kSlope:
      return {WeightRole::kSlope};
    case Reading::kMean:
      return {WeightRole::kMean};
    case Reading::kVariance:
      return {WeightRole::kVariance};
  }
  return {};
}

// In the order in which one of two roles is chosen.
int rank_of(WeightRole role) {
  static constexpr WeightRole kOrder[] = {
      WeightRole::kMean,  WeightRole::kVariance, WeightRole::kTable, WeightRole::kMatrix,
      WeightRole::kScale, WeightRole::kBias,     WeightRole::kSlope};
  return static_cast<int>(std::find(std::begin(kOrder), std::end(kOrder), role) -
                          std::begin(kOrder));
}

class Roles {
 public:
  explicit Roles(const Graph& graph) : graph_(graph), varies_(graph.values.size(), false) {
    find_varying();
    readers_.resize(graph.values.size());
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
      for_each_read(graph.nodes[n], [&](ValueId id) { readers_[at(id)].insert(n); });
    }
  }

  WeightUse find(ValueId weight) {
    chosen_ = {};
    has_use_ = false;
    is_unknown_ = false;
    seen_.clear();
    follow(weight);
    return is_unknown_ || !has_use_ ? WeightUse() : chosen_;
  }

 private:
  static std::size_t at(ValueId id) { return static_cast<std::size_t>(id); }

  void find_varying() {
    const std::set<ValueId> fixed(graph_.specialised.begin(), graph_.specialised.end());
    for (std::size_t i = 0; i < graph_.values.size(); ++i) {
      const bool is_input = graph_.values[i].kind == ValueKind::kInput;
      varies_[i] = is_input && fixed.count(static_cast<ValueId>(i)) == 0;
    }
    for (const Node& node : graph_.nodes) {
      for (const ValueId id : node.results) {
        if (id != kNoValue) varies_[at(id)] = reads_varying(node);
      }
    }
  }

  bool reads_varying(const Node& node) const {
    bool varies = false;
    for_each_read(node, [&](ValueId id) { varies = varies || varies_[at(id)]; });
    return varies;
  }

  void follow(ValueId value) {
    if (!seen_.insert(value).second) return;
    const auto& outputs = graph_.outputs;
    is_unknown_ = is_unknown_ || std::count(outputs.begin(), outputs.end(), value) > 0;
    for (const std::size_t n : readers_[at(value)]) {
      for (const Argument& argument : graph_.nodes[n].arguments) {
        for (std::size_t i = 0; i < argument.values.size(); ++i) {
          if (argument.values[i] == value) read(graph_.nodes[n], argument, i, value);
        }
      }
    }
  }

  void read(const Node& node, const Argument& argument, std::size_t index, ValueId value) {
    const std::string_view op = base_name(node.op);
    const Shape& shape = graph_.value(value).shape;
    if (op == "einsum") return choose({WeightRole::kMatrix, einsum_fan_in(node, index, shape)});
    const Rule* rule = find_rule(std::begin(kOwnRules), std::end(kOwnRules), op, argument.name);
    if (rule == nullptr) rule = family_rule(op, argument.name);
    const bool is_mixed = reads_varying(node);
    if (rule == nullptr && is_mixed) {
      rule = find_rule(std::begin(kMixedRules), std::end(kMixedRules), op, argument.name);
    }
    if (rule != nullptr) return choose(use_of(rule->reading, node, shape));
    const bool passes =
        !is_mixed && std::find(std::begin(kPassing), std::end(kPassing), op) != std::end(kPassing);
    if (!passes) {
      is_unknown_ = true;
      return;
    }
    for (const ValueId id : node.results) {
      if (id != kNoValue) follow(id);
    }
  }

  void choose(WeightUse use) {
    if (has_use_ && rank_of(chosen_.role) <= rank_of(use.role)) return;
    chosen_ = use;
    has_use_ = true;
  }

  const Graph& graph_;
  std::vector<bool> varies_;
  std::vector<std::set<std::size_t>> readers_;  // by value: nodes
  // Of the weight that is looked at.
  std::set<ValueId> seen_;
  WeightUse chosen_;
  bool has_use_ = false;
  bool is_unknown_ = false;
};

}  // namespace

std::vector<WeightUse> weight_uses(const Graph& graph) {
  Roles roles(graph);
  std::vector<WeightUse> uses;
  for (const ValueId id : graph.parameters) {
    const bool is_weight = graph.value(id).kind == ValueKind::kWeight;
    uses.push_back(is_weight ? roles.find(id) : WeightUse());
  }
  return uses;
}

}  // namespace graphnet::graph
