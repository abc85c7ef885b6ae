// SPDX-License-Identifier: MIT
// torch.nn.functional.multi_head_attention_forward, call by call as Python makes them.
//
// source   torch 2.11 nn/functional.py: multi_head_attention_forward, _in_projection_packed
#include <cmath>
#include <utility>

#include "eager/call_table.h"
#include "eager/trace_error.h"

namespace graphnet::eager {

namespace {

Value integer(std::int64_t value) {
  return Value::from_integer(value);
}

Value linear(Tracer& t, const Value& x, const Value& weight, const Value& bias) {
  return t.call_with("aten::linear", x, weight, bias);
}

struct Projected {
  Value q;
  Value k;
  Value v;
};

// [..., n*E] -> [n, ..., E], contiguous: one linear for several projections, then taken apart.
Value unpack_projection(Tracer& t, const Value& packed, std::int64_t parts, std::int64_t embed) {
  Value x = t.call_with("aten::unflatten", packed, integer(-1), Value::integers({parts, embed}));
  x = t.call_with("aten::unsqueeze", x, integer(0));
  x = t.call_with("aten::transpose", x, integer(0), integer(-2));
  x = t.call_with("aten::squeeze", x, integer(-2));
  return t.call_with("aten::contiguous", x);
}

Projected project_packed(Tracer& t, const Value& q, const Value& k, const Value& v,
                         const Value& weight, const Value& bias) {
  const std::int64_t embed = q.tensor.size(-1);
  if (k.tensor.is_same(v.tensor)) {
    if (q.tensor.is_same(k.tensor)) {
      const Value all = unpack_projection(t, linear(t, q, weight, bias), 3, embed);
      return {t.get_item(all, integer(0)), t.get_item(all, integer(1)),
              t.get_item(all, integer(2))};
    }
    const Value sections = Value::integers({embed, 2 * embed});
    const Value weights = t.call_with("aten::split_with_sizes", weight, sections);
    const Value biases = bias.is_none() ? Value::tuple({bias, bias})
                                        : t.call_with("aten::split_with_sizes", bias, sections);
    const Value projected_q = linear(t, q, weights.items[0], biases.items[0]);
    const Value both =
        unpack_projection(t, linear(t, k, weights.items[1], biases.items[1]), 2, embed);
    return {projected_q, t.get_item(both, integer(0)), t.get_item(both, integer(1))};
  }
  const Value weights = t.call_with("aten::chunk", weight, integer(3));
  const Value biases = bias.is_none() ? Value::tuple({bias, bias, bias})
                                      : t.call_with("aten::chunk", bias, integer(3));
  return {linear(t, q, weights.items[0], biases.items[0]),
          linear(t, k, weights.items[1], biases.items[1]),
          linear(t, v, weights.items[2], biases.items[2])};
}

Projected project_separate(Tracer& t, const PythonArguments& given) {
  const Value bias = given.get("in_proj_bias", Value::none());
  const Value biases = bias.is_none() ? Value::tuple({bias, bias, bias})
                                      : t.call_with("aten::chunk", bias, integer(3));
  return {linear(t, given["query"], given["q_proj_weight"], biases.items[0]),
          linear(t, given["key"], given["k_proj_weight"], biases.items[1]),
          linear(t, given["value"], given["v_proj_weight"], biases.items[2])};
}

struct Extents {
  std::int64_t target;
  std::int64_t source;
  std::int64_t batch;
  std::int64_t heads;
  std::int64_t head_dim;
};

// [L, N, E] -> [N*H, L, E/H].
Value split_heads(Tracer& t, const Value& x, const Extents& n) {
  const Value shaped = t.call_with(
      "aten::view", x, Value::integers({x.tensor.size(0), n.batch * n.heads, n.head_dim}));
  return t.call_with("aten::transpose", shaped, integer(0), integer(1));
}

Value project_out(Tracer& t, const Value& attended, const PythonArguments& given,
                  const Extents& n) {
  const Value y = linear(t, attended, given["out_proj_weight"], given["out_proj_bias"]);
  return t.call_with("aten::view", y, Value::integers({n.target, n.batch, y.tensor.size(1)}));
}

Value attend_with_weights(Tracer& t, const Projected& p, const Value& mask,
                          const PythonArguments& given, const Extents& n) {
  const double scale = std::sqrt(1.0 / static_cast<double>(n.head_dim));
  const Value scaled = t.binary("*", p.q, Value::from_float(scale));
  const Value keys = t.call_with("aten::transpose", p.k, integer(-2), integer(-1));
  Value weights = mask.is_none() ? t.call_with("aten::bmm", scaled, keys)
                                 : t.call_with("aten::baddbmm", mask, scaled, keys);
  weights = t.call_with("aten::softmax", weights, integer(-1), Value::none());
  Value y = t.call_with("aten::bmm", weights, p.v);
  y = t.call_with("aten::transpose", y, integer(0), integer(1));
  y = t.call_with("aten::contiguous", y);
  y = t.call_with("aten::view", y, Value::integers({n.target * n.batch, n.heads * n.head_dim}));
  y = project_out(t, y, given, n);
  weights =
      t.call_with("aten::view", weights, Value::integers({n.batch, n.heads, n.target, n.source}));
  if (given.get_bool("average_attn_weights", true)) {
    weights = t.call_with("aten::mean", weights, integer(1));
  }
  return Value::tuple({y, weights});
}

Value attend(Tracer& t, const Projected& p, Value mask, const PythonArguments& given,
             const Extents& n) {
  if (!mask.is_none()) {
    mask = mask.tensor.size(0) == 1 && mask.tensor.dim() == 3
               ? t.call_with("aten::unsqueeze", mask, integer(0))
               : t.call_with("aten::view", mask, Value::integers({n.batch, n.heads, -1, n.source}));
  }
  const auto four_dims = [&](const Value& x, std::int64_t length) {
    return t.call_with("aten::view", x, Value::integers({n.batch, n.heads, length, n.head_dim}));
  };
  Value y = t.call_with("aten::scaled_dot_product_attention", four_dims(p.q, n.target),
                        four_dims(p.k, n.source), four_dims(p.v, n.source), mask,
                        Value::from_float(0.0), Value::boolean(false));
  y = t.call_with("aten::permute", y, Value::integers({2, 0, 1, 3}));
  y = t.call_with("aten::contiguous", y);
  y = t.call_with("aten::view", y, Value::integers({n.batch * n.target, n.heads * n.head_dim}));
  return Value::tuple({project_out(t, y, given, n), Value::none()});
}

void refuse(const PythonArguments& given, const char* name) {
  if (given.has(name) && !given[name].is_none() && given[name].truth()) {
    fail_unsupported(std::string("multi_head_attention_forward with ") + name);
  }
  if (given.has(name) && given[name].is_tensor()) {
    fail_unsupported(std::string("multi_head_attention_forward with ") + name);
  }
}

Value multi_head_attention(Tracer& t, CallArguments arguments) {
  const PythonArguments given("multi_head_attention_forward",
                              {"query",
                               "key",
                               "value",
                               "embed_dim_to_check",
                               "num_heads",
                               "in_proj_weight",
                               "in_proj_bias",
                               "bias_k",
                               "bias_v",
                               "add_zero_attn",
                               "dropout_p",
                               "out_proj_weight",
                               "out_proj_bias",
                               "training",
                               "key_padding_mask",
                               "need_weights",
                               "attn_mask",
                               "use_separate_proj_weight",
                               "q_proj_weight",
                               "k_proj_weight",
                               "v_proj_weight",
                               "static_k",
                               "static_v",
                               "average_attn_weights",
                               "is_causal"},
                              std::move(arguments));
  for (const char* name : {"bias_k", "bias_v", "add_zero_attn", "key_padding_mask", "static_k",
                           "static_v", "is_causal"}) {
    refuse(given, name);
  }
  const Value& query = given["query"];
  Value mask = given.get("attn_mask", Value::none());
  const bool drops = given.get_bool("training", true) && given["dropout_p"].as_double() > 0;
  if (query.tensor.dim() != 3 || drops)
    fail_unsupported("this form of multi_head_attention_forward");
  const bool is_mask = mask.is_tensor() && mask.tensor.is_floating_point() &&
                       (mask.tensor.dim() == 2 || mask.tensor.dim() == 3);
  if (!mask.is_none() && !is_mask) {
    fail_unsupported("multi_head_attention_forward with mask " + mask.describe());
  }
  // [L, S] holds for all heads.
  if (is_mask && mask.tensor.dim() == 2) mask = t.call_with("aten::unsqueeze", mask, integer(0));
  const std::int64_t heads = to_integer(given["num_heads"]);
  if (heads <= 0 || query.tensor.size(2) % heads != 0)
    fail_input("heads do not divide the embedding");
  const Extents n = {query.tensor.size(0), given["key"].tensor.size(0), query.tensor.size(1), heads,
                     query.tensor.size(2) / heads};
  Projected p =
      given.get_bool("use_separate_proj_weight", false)
          ? project_separate(t, given)
          : project_packed(t, query, given["key"], given["value"], given["in_proj_weight"],
                           given.get("in_proj_bias", Value::none()));
  p = {split_heads(t, p.q, n), split_heads(t, p.k, n), split_heads(t, p.v, n)};
  return given.get_bool("need_weights", true) ? attend_with_weights(t, p, mask, given, n)
                                              : attend(t, p, mask, given, n);
}

}  // namespace

const std::vector<CallRow> kAttentionCalls = {
    {"torch.nn.functional.multi_head_attention_forward", multi_head_attention},
};

}  // namespace graphnet::eager
