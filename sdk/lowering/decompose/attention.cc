// SPDX-License-Identifier: MIT
#include <cmath>
#include <limits>

#include "lowering/decompose.h"
#include "lowering/decompose/operands.h"

namespace graphnet::lowering::decomposition {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Tensor wide(Call& call, const char* name) {
  return call.b.convert(call.tensor(name), compute_type(call.tensor(name).type));
}

// Softmax whose rows without a finite score are 0 instead of NaN, as ATen's attention has it.
Tensor safe_softmax(Builder& b, const Tensor& scores) {
  const std::int64_t dim = scores.rank() - 1;
  const Tensor largest = b.reduce(Reduction::kMaxNumber, scores, {dim}, true);
  const Tensor finite = b.select(b.compare(Comparison::kEq, largest, -kInfinity),
                                 b.full(scores.type, largest.shape, 0), largest);
  const Tensor exponentials = b.unary(Unary::kExp, b.subtract(scores, finite));
  const Tensor sum = b.reduce(Reduction::kSum, exponentials, {dim}, true);
  const Tensor divisor =
      b.select(b.compare(Comparison::kEq, sum, 0), b.full(sum.type, sum.shape, 1), sum);
  return b.divide(exponentials, divisor);
}

// Top left aligned: query i sees keys up to i.
Tensor mask_future(Builder& b, const Tensor& scores) {
  const Tensor row = b.emit.iota(Type::kI32, scores.shape, scores.rank() - 2);
  const Tensor column = b.emit.iota(Type::kI32, scores.shape, scores.rank() - 1);
  return b.select(b.compare(Comparison::kLe, column, row), scores,
                  b.full(scores.type, scores.shape, -kInfinity));
}

// Key and value heads are each used by several query heads.
Tensor share_heads(Builder& b, const Tensor& x, std::int64_t heads) {
  const std::int64_t rank = x.rank();
  if (rank < 3 || x.extent(-3) == heads) return x;
  const std::int64_t repeats = heads / x.extent(-3);
  Shape spread = x.shape;
  spread.insert(spread.end() - 2, repeats);
  Shape dims = counting(rank + 1);
  dims.erase(dims.end() - 3);
  Shape merged = x.shape;
  merged[merged.size() - 3] = heads;
  return b.reshape(b.emit.broadcast(x, spread, dims), merged);
}

}  // namespace

Tensors attention(Call& call) {
  Builder& b = call.b;
  if (call.number("dropout_p") != 0) throw LoweringError("attention with dropout");
  const Tensor query = wide(call, "query");
  Tensor key = wide(call, "key");
  Tensor value = wide(call, "value");
  if (call.has("enable_gqa") && call.flag("enable_gqa")) {
    key = share_heads(b, key, query.extent(-3));
    value = share_heads(b, value, query.extent(-3));
  }
  const double scale = call.number("scale", 1 / std::sqrt(static_cast<double>(query.extent(-1))));
  Tensor scores = b.matmul(b.multiply(query, scale), b.swap(key, -1, -2));
  const bool has_mask = call.has("attn_mask");
  if (has_mask) {
    const Tensor mask = call.tensor("attn_mask");
    scores = mask.type == Type::kBool ? b.select(mask, scores, b.full(scores.type, {}, -kInfinity))
                                      : b.add(scores, b.convert(mask, scores.type));
  }
  if (call.flag("is_causal")) scores = mask_future(b, scores);
  const Tensor weights = has_mask ? safe_softmax(b, scores) : b.softmax(scores, scores.rank() - 1);
  return {finish(call, b.matmul(weights, value))};
}

Tensors native_attention(Call& call) {
  Builder& b = call.b;
  if (call.has("mask")) throw LoweringError("native multi-head attention with a mask");
  if (call.is_read(1)) throw LoweringError("weights of native multi-head attention");
  const Tensor query = wide(call, "query");
  const std::int64_t width = call.integer("embed_dim");
  const std::int64_t heads = call.integer("num_head");
  const std::int64_t head_width = width / heads;
  const Tensor weight = wide(call, "qkv_weight");
  const Tensor bias = wide(call, "qkv_bias");
  const auto project = [&](const char* name, std::int64_t part) {
    const Tensor x = wide(call, name);
    const Tensor w = b.slice(weight, 0, part * width, (part + 1) * width);
    const Tensor offset = b.slice(bias, 0, part * width, (part + 1) * width);
    const Tensor projected = b.add(b.linear(x, w), offset);
    const Tensor split = b.reshape(projected, {x.shape[0], x.shape[1], heads, head_width});
    return b.swap(split, 1, 2);
  };
  const double scale = 1 / std::sqrt(static_cast<double>(head_width));
  const Tensor scores =
      b.matmul(b.multiply(project("query", 0), scale), b.swap(project("key", 1), -1, -2));
  const Tensor mixed = b.matmul(b.softmax(scores, 3), project("value", 2));
  const Tensor joined = b.reshape(b.swap(mixed, 1, 2), query.shape);
  const Tensor out = b.add(b.linear(joined, wide(call, "proj_weight")), wide(call, "proj_bias"));
  return {finish(call, out)};
}

}  // namespace graphnet::lowering::decomposition
