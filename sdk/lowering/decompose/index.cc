// SPDX-License-Identifier: MIT
//
// Elements at positions that other tensors hold.
#include <algorithm>
#include <limits>

#include "lowering/decompose.h"
#include "lowering/decompose/operands.h"

namespace graphnet::lowering::decomposition {

namespace {

Shape with_last(Shape shape, std::int64_t extent) {
  shape.push_back(extent);
  return shape;
}

/// The elements of x that gather or scatter along a dimension addresses. If the index was expanded
/// over a whole dimension of x, the elements along it move together: one row for each start index
/// instead of one element.
struct StartIndices {
  Tensor starts;  ///< [batch..., dims], coordinates of x
  Shape dims;     ///< of x, those that starts hold; the others move as a whole
  Shape order;    ///< of the index's dimensions: those of the batch, then the others
};

StartIndices start_indices_of(Call& call, const Tensor& x) {
  Builder& b = call.b;
  const Shape shape = call.tensor("index").shape;
  const auto rank = static_cast<std::int64_t>(shape.size());
  const std::int64_t dim = call.dim("dim", x.rank());
  Tensor index = call.unexpanded("index");
  Shape aligned(shape.size() - index.shape.size(), 1);
  aligned.insert(aligned.end(), index.shape.begin(), index.shape.end());
  index = b.reshape(index, aligned);
  StartIndices at;
  Shape whole;
  Shape batch;
  for (std::int64_t d = 0; d < rank; ++d) {
    const bool moves_whole = d != dim && index.extent(d) == 1 && shape.at(d) == x.extent(d);
    (moves_whole ? whole : at.dims).push_back(d);
    if (!moves_whole) batch.push_back(shape.at(d));
  }
  index = b.expand(b.reshape(index, without_dims(index.shape, whole)), batch);
  Tensors parts;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const Tensor part =
        at.dims[i] == dim ? index : b.emit.iota(index.type, batch, static_cast<std::int64_t>(i));
    parts.push_back(b.reshape(part, with_last(batch, 1)));
  }
  at.starts = parts.size() == 1
                  ? parts[0]
                  : b.emit.concatenate(parts, static_cast<std::int64_t>(batch.size()));
  at.order = at.dims;
  at.order.insert(at.order.end(), whole.begin(), whole.end());
  return at;
}

Tensor permuted(Builder& b, const Tensor& x, const Shape& order) {
  return order == counting(x.rank()) ? x : b.emit.transpose(x, order);
}

/// The tensor indices of x[...], broadcast together as coordinates.
struct IndexSet {
  Shape dims;
  Tensor starts;  ///< [batch..., dims]
  std::int64_t batch_position = 0;
};

IndexSet index_set(Call& call, const Tensor& x) {
  Builder& b = call.b;
  const auto indices = call.optional_tensors("indices");
  IndexSet set;
  Shape batch;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (!indices[i]) continue;
    if (indices[i]->type == Type::kBool || indices[i]->type == Type::kU8) {
      throw LoweringError("index by a mask: the result's shape depends on data");
    }
    set.dims.push_back(static_cast<std::int64_t>(i));
    batch = broadcast_shape(batch, indices[i]->shape);
  }
  Tensors parts;
  for (const std::int64_t dim : set.dims) {
    const Tensor& index = *indices[static_cast<std::size_t>(dim)];
    const Tensor wrapped = b.wrap_indices(b.convert(index, Type::kI64), x.extent(dim));
    parts.push_back(b.reshape(b.expand(wrapped, batch), with_last(batch, 1)));
  }
  set.starts = parts.size() == 1
                   ? parts[0]
                   : b.emit.concatenate(parts, static_cast<std::int64_t>(batch.size()));
  // Indices side by side keep their position; with a gap between them the result's dimensions go
  // first.
  const bool adjacent =
      set.dims.back() - set.dims.front() == static_cast<std::int64_t>(set.dims.size()) - 1;
  set.batch_position = adjacent ? set.dims.front() : 0;
  return set;
}

// x[mask] = values where all selected elements get the same value: the values' shape then does not
// depend on how many there are.
std::optional<Tensor> put_by_mask(Call& call, const Tensor& x) {
  Builder& b = call.b;
  const auto indices = call.optional_tensors("indices");
  if (indices.size() != 1 || !indices[0] || indices[0]->type != Type::kBool) return std::nullopt;
  const std::int64_t rank = indices[0]->rank();
  Tensor values = b.convert(call.tensor("values"), x.type);
  // One row for all of them counts as none.
  if (values.rank() == x.rank() - rank + 1 && values.extent(0) == 1) {
    values = b.reshape(values, Shape(values.shape.begin() + 1, values.shape.end()));
  }
  if (values.rank() > x.rank() - rank || call.flag("accumulate")) {
    throw LoweringError("assignment through a mask with a value for each element");
  }
  const Tensor mask = b.emit.broadcast(*indices[0], x.shape, counting(rank));
  return b.select(mask, values, x);
}

std::optional<Reduction> reduction_of(const std::string& name) {
  if (name == "sum" || name == "mean") return Reduction::kSum;
  if (name == "prod") return Reduction::kProduct;
  if (name == "amax") return Reduction::kMax;
  if (name == "amin") return Reduction::kMin;
  throw LoweringError("scatter_reduce by '" + name + "'");
}

double neutral(Reduction kind) {
  switch (kind) {
    case Reduction::kProduct:
      return 1;
    case Reduction::kMax:
      return -std::numeric_limits<double>::infinity();
    case Reduction::kMin:
      return std::numeric_limits<double>::infinity();
    default:
      return 0;
  }
}

/// What is scattered, in the order of the start indices; src may be larger than index.
Tensor source_of(Call& call, const StartIndices& at) {
  const Shape shape = call.tensor("index").shape;
  const Tensor source =
      call.b.emit.slice(call.tensor("src"), Shape(shape.size(), 0), shape, Shape(shape.size(), 1));
  return permuted(call.b, source, at.order);
}

}  // namespace

Tensors embedding(Call& call) {
  return {call.b.take(call.tensor("weight"), 0, call.tensor("indices"))};
}

Tensors index_select(Call& call) {
  const Tensor x = call.tensor("self");
  Tensor index = call.tensor("index");
  if (index.rank() == 0) index = call.b.reshape(index, {1});
  return {call.b.take(x, call.dim("dim", x.rank()), index)};
}

Tensors gather(Call& call) {
  Builder& b = call.b;
  const Tensor x = call.tensor("self");
  if (x.rank() == 0) return {b.expand(x, call.tensor("index").shape)};
  const StartIndices at = start_indices_of(call, x);
  Shape back(at.order.size());
  for (std::size_t i = 0; i < back.size(); ++i) {
    back[static_cast<std::size_t>(at.order[i])] = static_cast<std::int64_t>(i);
  }
  return {permuted(b, b.emit.gather(x, at.starts, at.dims, 0), back)};
}

Tensors index(Call& call) {
  const Tensor x = call.tensor("self");
  const IndexSet set = index_set(call, x);
  return {call.b.emit.gather(x, set.starts, set.dims, set.batch_position)};
}

Tensors index_put(Call& call) {
  Builder& b = call.b;
  const Tensor x = call.tensor("self");
  if (const auto masked = put_by_mask(call, x)) return {*masked};
  const IndexSet set = index_set(call, x);
  // Values have the shape of x[indices]; scatter wants the indices' dimensions first.
  const auto position = static_cast<std::ptrdiff_t>(set.batch_position);
  const std::ptrdiff_t num_batch = set.starts.rank() - 1;
  Shape shape = without_dims(x.shape, set.dims);
  shape.insert(shape.begin() + position, set.starts.shape.begin(), set.starts.shape.end() - 1);
  Shape order = counting(static_cast<std::int64_t>(shape.size()));
  std::rotate(order.begin(), order.begin() + position, order.begin() + position + num_batch);
  Tensor values = b.expand(b.convert(call.tensor("values"), x.type), shape);
  if (position != 0) values = b.emit.transpose(values, order);
  const auto combine =
      call.flag("accumulate") ? std::optional<Reduction>(Reduction::kSum) : std::nullopt;
  return {b.emit.scatter(x, set.starts, set.dims, values, combine)};
}

Tensors scatter_add(Call& call) {
  const Tensor x = call.tensor("self");
  const StartIndices at = start_indices_of(call, x);
  return {call.b.emit.scatter(x, at.starts, at.dims, source_of(call, at), Reduction::kSum)};
}

Tensors scatter_reduce(Call& call) {
  Builder& b = call.b;
  const Tensor x = call.tensor("self");
  const std::string name = call.text("reduce");
  const Reduction kind = *reduction_of(name);
  const bool include_self = call.flag("include_self");
  const StartIndices at = start_indices_of(call, x);
  const Tensor source = source_of(call, at);
  // How many values meet at each element.
  const Tensor ones = b.full(x.type, source.shape, 1);
  const Tensor count =
      b.emit.scatter(b.full(x.type, x.shape, 0), at.starts, at.dims, ones, Reduction::kSum);
  const Tensor touched = b.compare(Comparison::kGt, count, 0);
  const Tensor start = include_self ? x : b.select(touched, b.full(x.type, {}, neutral(kind)), x);
  Tensor result = b.emit.scatter(start, at.starts, at.dims, source, kind);
  if (name == "mean") {
    const Tensor total = include_self ? b.add(count, 1) : count;
    result = b.select(touched, b.divide(result, total), result);
  }
  return {result};
}

Tensors sort(Call& call) {
  const Tensor x = call.tensor("self");
  if (x.rank() == 0) return {x, call.b.full(Type::kI64, {}, 0)};
  const auto [values, indices] =
      call.b.emit.sort(x, call.dim("dim", x.rank()), call.flag("descending"));
  return {values, indices};
}

Tensors topk(Call& call) {
  Builder& b = call.b;
  const Tensor x = call.tensor("self");
  if (x.rank() == 0) return {x, b.full(Type::kI64, {}, 0)};
  const std::int64_t dim = call.dim("dim", x.rank());
  const std::int64_t k = call.integer("k");
  const auto [values, indices] = b.emit.sort(x, dim, call.flag("largest"));
  return {b.slice(values, dim, 0, k), b.slice(indices, dim, 0, k)};
}

}  // namespace graphnet::lowering::decomposition
