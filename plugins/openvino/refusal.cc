// SPDX-License-Identifier: MIT
#include "refusal.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <utility>

#include "decoder.h"
#include "graphnet/plugin.h"
#include "types.h"

namespace graphnet::openvino {

namespace {

/// A node and the values it reads and makes.
struct Site {
  const gn_graph_body& body;
  const gn_node& node;

  const gn_value& value(std::int64_t id) const { return body.values[id]; }
  const gn_value* tensor(const char* name) const {
    const gn_argument* found = find_argument(node, name);
    return found == nullptr || found->kind != GN_ARGUMENT_VALUE ? nullptr
                                                                : &value(found->integers[0]);
  }
  bool has(const char* name) const {
    const gn_argument* found = find_argument(node, name);
    return found != nullptr && found->kind != GN_ARGUMENT_NONE;
  }
  bool is_integer(const char* name) const {
    const gn_value* found = tensor(name);
    return found != nullptr && (found->dtype.code == kDLInt || found->dtype.code == kDLUInt);
  }
  double number(const char* name) const {
    const gn_argument* found = find_argument(node, name);
    if (found == nullptr) return 0;
    return found->kind == GN_ARGUMENT_FLOAT ? found->number : static_cast<double>(found->integer);
  }
  bool is_any_set(const char* name) const {
    const gn_argument* found = find_argument(node, name);
    if (found == nullptr) return false;
    const View<std::int64_t> values = integers_of(*found);
    return std::any_of(values.begin(), values.end(), [](std::int64_t each) { return each != 0; });
  }
  std::string_view text(const char* name) const {
    const gn_argument* found = find_argument(node, name);
    return found == nullptr ? std::string_view() : from_gn(found->text);
  }
};

const gn_value* resized(const Site& at) {
  return at.tensor("input") != nullptr ? at.tensor("input") : at.tensor("self");
}

// Whether a resize was given a scale that is not the ratio of its sizes.
bool has_own_scale(const Site& at) {
  const gn_value* input = resized(at);
  if (input == nullptr || at.node.results[0] < 0) return false;
  const gn_value& output = at.value(at.node.results[0]);
  const auto is_ratio = [&](int dim, double scale) {
    return static_cast<double>(input->shape[dim]) * scale == static_cast<double>(output.shape[dim]);
  };
  const gn_argument* factors = find_argument(at.node, "scale_factors");
  if (factors != nullptr && factors->kind == GN_ARGUMENT_FLOATS) {
    for (std::uint64_t i = 0; i < factors->count; ++i) {
      if (!is_ratio(static_cast<int>(i) + 2, factors->numbers[i])) return true;
    }
  }
  return (at.has("scales") && !is_ratio(2, at.number("scales"))) ||
         (at.has("scales_h") && !is_ratio(2, at.number("scales_h"))) ||
         (at.has("scales_w") && !is_ratio(3, at.number("scales_w")));
}

// To one element from several: the frontend aligns corners, which says nothing there.
bool resizes_to_one(const Site& at) {
  const gn_value* input = resized(at);
  if (input == nullptr || at.node.results[0] < 0) return false;
  const gn_value& output = at.value(at.node.results[0]);
  for (int dim = 2; dim < output.rank; ++dim) {
    if (output.shape[dim] == 1 && input->shape[dim] > 1) return true;
  }
  return false;
}

// An integer by a number that is none; decoder.cc writes quotients of integers itself.
bool divides_integers(const Site& at) {
  const std::int64_t result = at.node.results[0];
  return at.is_integer("self") && result >= 0 && at.value(result).dtype.code == kDLFloat;
}

/// `op` as a prefix: all overloads. The first row that applies counts.
struct Rule {
  std::string_view op;
  bool (*applies)(const Site&);
  const char* reason;
};

constexpr const char* kOwnScale = "OpenVINO resizes by the ratio of sizes, not by the scale";

constexpr Rule kRules[] = {
    {"aten::floor_divide", divides_integers, "OpenVINO divides integers toward zero"},
    {"aten::div.",
     [](const Site& at) { return at.text("rounding_mode") == "floor" && divides_integers(at); },
     "OpenVINO divides integers toward zero"},
    {"aten::slice_scatter", [](const Site& at) { return at.number("step") != 1; },
     "this plugin writes slices with step 1 only"},
    {"aten::softplus", [](const Site& at) { return at.number("beta") != 1; },
     "OpenVINO ignores beta of softplus"},
    {"aten::baddbmm", [](const Site& at) { return at.number("beta") == 0; },
     "OpenVINO multiplies by beta 0, which keeps NaN"},
    {"aten::avg_pool",
     [](const Site& at) { return at.number("ceil_mode") != 0 && at.is_any_set("padding"); },
     "OpenVINO counts other elements in average pooling with ceil_mode and padding"},
    {"aten::upsample_", has_own_scale, kOwnScale},
    {"aten::_upsample_", has_own_scale, kOwnScale},
    {"aten::upsample_bi", resizes_to_one, "OpenVINO takes another element in a resize to one"},
    {"aten::_upsample_", [](const Site& at) { return at.number("align_corners") != 0; },
     "OpenVINO ignores align_corners where it smooths"},
};

// Operators that the frontend has no rule for; without their overloads.
constexpr std::string_view kNoRule[] = {"aten::diag", "aten::index_put"};

// Nothing for a type that OpenVINO computes with as eager does.
const char* type_refusal(const gn_value& value) {
  const ov::element::Type type = element_type(value.dtype);
  if (type == ov::element::dynamic) return "this plugin passes no complex numbers on";
  if (type == ov::element::f64) return "OpenVINO computes float64 in float32";
  return nullptr;
}

// OpenVINO keeps int64 in 32 bits.
bool is_wide(const gn_value& value) {
  if (value.data == nullptr || value.dtype.code != kDLInt || value.dtype.bits != 64) return false;
  std::int64_t count = 1;
  for (int d = 0; d < value.rank; ++d) count *= value.shape[d];
  const auto* elements = static_cast<const std::int64_t*>(value.data);
  return std::any_of(elements, elements + count, [](std::int64_t each) {
    return each < std::numeric_limits<std::int32_t>::min() ||
           each > std::numeric_limits<std::int32_t>::max();
  });
}

// A number of its own beyond 32 bits, in arithmetic of integers; ends of slices mean "to the end".
bool has_wide_number(const Site& at) {
  const std::int64_t result = at.node.num_results == 0 ? -1 : at.node.results[0];
  const std::string_view op = from_gn(at.node.op);
  if (result < 0 || at.value(result).dtype.code != kDLInt) return false;
  if (op.substr(0, 11) == "aten::slice") return false;
  const View<gn_argument> arguments = arguments_of(at.node);
  return std::any_of(arguments.begin(), arguments.end(), [](const gn_argument& each) {
    return each.kind == GN_ARGUMENT_INT && each.integer != static_cast<std::int32_t>(each.integer);
  });
}

const char* refusal_of(const Site& at) {
  const std::string_view op = from_gn(at.node.op);
  if (std::find(std::begin(kNoRule), std::end(kNoRule), op.substr(0, op.find('.'))) !=
      std::end(kNoRule)) {
    return "OpenVINO's frontend has no rule for it";
  }
  if (makes_nothing(at.body, at.node)) return nullptr;
  const bool leaves_empty_out = op == "aten::cat" || op == "aten::concat";
  const auto check = [&](std::int64_t id) -> const char* {
    if (id < 0) return nullptr;
    const gn_value& value = at.value(id);
    if (is_empty(value)) return leaves_empty_out ? nullptr : "OpenVINO has no empty tensors";
    return is_wide(value) ? "OpenVINO computes int64 in 32 bits" : type_refusal(value);
  };
  for (const gn_argument& argument : arguments_of(at.node)) {
    if (argument.kind != GN_ARGUMENT_VALUE && argument.kind != GN_ARGUMENT_VALUES) continue;
    for (const std::int64_t id : integers_of(argument)) {
      if (const char* reason = check(id)) return reason;
    }
  }
  for (const std::int64_t id : results_of(at.node)) {
    if (const char* reason = check(id)) return reason;
  }
  if (has_wide_number(at)) return "OpenVINO computes int64 in 32 bits";
  for (const Rule& rule : kRules) {
    if (op.substr(0, rule.op.size()) == rule.op && rule.applies(at)) return rule.reason;
  }
  return nullptr;
}

}  // namespace

std::vector<Refusal> refusals_of(const gn_graph_body& body) {
  std::vector<Refusal> refusals;
  for (const gn_node& node : nodes_of(body)) {
    const char* reason = refusal_of({body, node});
    if (reason == nullptr) continue;
    refusals.push_back({std::string(from_gn(node.op)), std::string(from_gn(node.where)), reason});
  }
  return refusals;
}

std::string describe(const std::vector<Refusal>& refusals) {
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> grouped;
  for (const Refusal& each : refusals) grouped[{each.op, each.reason}].push_back(each.where);
  std::string text = std::to_string(refusals.size()) + (refusals.size() == 1 ? " node" : " nodes");
  const char* separator = ": ";
  for (const auto& [what, where] : grouped) {
    text += separator + what.first;
    if (where.size() > 1) text += " (" + std::to_string(where.size()) + " times)";
    if (!where.front().empty()) text += " at " + where.front();
    text += ": " + what.second;
    separator = "; ";
  }
  return text;
}

}  // namespace graphnet::openvino
