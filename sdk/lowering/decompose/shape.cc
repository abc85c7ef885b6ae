// SPDX-License-Identifier: MIT
//
// Views and rearrangements. A view's shape is the one that eager recorded.
#include <algorithm>

#include "lowering/decompose.h"
#include "lowering/decompose/operands.h"

namespace graphnet::lowering::decomposition {

namespace {

/// Extents of the parts of a split, by the operator's own rule.
Shape part_sizes(Call& call, std::int64_t extent) {
  if (call.has("split_sizes")) return call.integers("split_sizes");
  if (call.has("sections")) {
    const std::int64_t count = call.integer("sections");
    Shape sizes(static_cast<std::size_t>(count), extent / count);
    std::fill_n(sizes.begin(), extent % count, extent / count + 1);
    return sizes;
  }
  std::int64_t size = 0;
  if (call.has("chunks")) {
    const std::int64_t chunks = call.integer("chunks");
    size = (extent + chunks - 1) / chunks;
  } else {
    const Shape given = call.integers("split_size");
    if (call.op() == "aten::split.sizes") return given;
    size = given.at(0);
  }
  Shape sizes;
  for (std::int64_t begin = 0; begin < extent; begin += size) {
    sizes.push_back(std::min(size, extent - begin));
  }
  return sizes;
}

struct Range {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t step = 1;
};

// Bounds clamp as in Python.
Range range_of(Call& call, std::int64_t extent) {
  const auto bound = [&](const char* name, std::int64_t if_none) {
    std::int64_t value = call.has(name) ? call.integer(name) : if_none;
    if (value < 0) value += extent;
    return std::clamp<std::int64_t>(value, 0, extent);
  };
  Range range;
  range.begin = bound("start", 0);
  range.end = std::max(range.begin, bound("end", extent));
  range.step = call.integer("step");
  return range;
}

Tensor select_at(Builder& b, const Tensor& x, std::int64_t dim, std::int64_t index) {
  return b.reshape(b.slice(x, dim, index, index + 1), without_dims(x.shape, {dim}));
}

// Puts `source` over the given positions of one dimension.
Tensor overwrite(Builder& b, const Tensor& x, const Tensor& source, std::int64_t dim, Range range) {
  const std::int64_t extent = x.extent(dim);
  const std::int64_t count = source.extent(dim);
  if (count == 0) return x;
  if (range.step == 1) {
    Tensors parts = {source};
    if (range.begin > 0) parts.insert(parts.begin(), b.slice(x, dim, 0, range.begin));
    const std::int64_t end = range.begin + count;
    if (end < extent) parts.push_back(b.slice(x, dim, end, extent));
    return parts.size() == 1 ? source : b.emit.concatenate(parts, dim);
  }
  Shape low(x.shape.size(), 0);
  Shape high = low;
  Shape interior = low;
  const auto d = static_cast<std::size_t>(dim);
  low[d] = range.begin;
  interior[d] = range.step - 1;
  high[d] = extent - range.begin - (count - 1) * range.step - 1;
  const Tensor ones = b.convert(b.full(Type::kI32, source.shape, 1), Type::kBool);
  const Tensor mask = b.emit.pad(b.convert(ones, Type::kI32), 0, low, high, interior);
  const Tensor spread = b.emit.pad(source, 0, low, high, interior);
  return b.select(b.convert(mask, Type::kBool), spread, x);
}

}  // namespace

Tensors view(Call& call) {
  return {call.b.reshape(call.tensor("self"), call.result_shape())};
}

Tensors expand(Call& call) {
  const Tensor x = call.tensor("self");
  call.set_unexpanded(x);
  return {call.b.expand(x, call.result_shape())};
}

Tensors cat(Call& call) {
  Tensors parts;
  for (const Tensor& part : call.tensors("tensors")) {
    if (num_elements(part.shape) > 0) parts.push_back(call.b.convert(part, call.result_type()));
  }
  if (parts.empty()) return {call.b.full(call.result_type(), call.result_shape(), 0)};
  if (parts.size() == 1) return parts;
  return {call.b.emit.concatenate(parts, call.dim("dim", parts[0].rank()))};
}

Tensors stack(Call& call) {
  Builder& b = call.b;
  const Tensors tensors = call.tensors("tensors");
  const std::int64_t dim = call.dim("dim", tensors[0].rank() + 1);
  Tensors parts;
  for (const Tensor& tensor : tensors) {
    Shape shape = tensor.shape;
    shape.insert(shape.begin() + dim, 1);
    parts.push_back(b.reshape(b.convert(tensor, call.result_type()), shape));
  }
  return {parts.size() == 1 ? parts[0] : b.emit.concatenate(parts, dim)};
}

Tensors split(Call& call) {
  const Tensor x = call.tensor("self");
  const std::int64_t dim = call.dim("dim", x.rank());
  Tensors parts;
  std::int64_t begin = 0;
  for (const std::int64_t size : part_sizes(call, x.extent(dim))) {
    parts.push_back(call.b.slice(x, dim, begin, begin + size));
    begin += size;
  }
  return parts;
}

Tensors unbind(Call& call) {
  const Tensor x = call.tensor("self");
  const std::int64_t dim = call.dim("dim", x.rank());
  Tensors parts;
  for (std::int64_t i = 0; i < x.extent(dim); ++i) {
    parts.push_back(select_at(call.b, x, dim, i));
  }
  return parts;
}

Tensors select(Call& call) {
  const Tensor x = call.tensor("self");
  const std::int64_t dim = call.dim("dim", x.rank());
  return {select_at(call.b, x, dim, call.dim("index", x.extent(dim)))};
}

Tensors slice(Call& call) {
  const Tensor x = call.tensor("self");
  const std::int64_t dim = call.dim("dim", x.rank());
  const Range range = range_of(call, x.extent(dim));
  return {call.b.slice(x, dim, range.begin, range.end, range.step)};
}

Tensors narrow(Call& call) {
  const Tensor x = call.tensor("self");
  const std::int64_t dim = call.dim("dim", x.rank());
  const std::int64_t begin = call.dim("start", x.extent(dim));
  return {call.b.slice(x, dim, begin, begin + call.integer("length"))};
}

Tensors select_scatter(Call& call) {
  const Tensor x = call.tensor("self");
  const std::int64_t dim = call.dim("dim", x.rank());
  const std::int64_t index = call.dim("index", x.extent(dim));
  const Tensor source = call.b.reshape(call.tensor("src"), with_ones(x.shape, {dim}));
  return {overwrite(call.b, x, source, dim, {index, index + 1, 1})};
}

Tensors slice_scatter(Call& call) {
  const Tensor x = call.tensor("self");
  const std::int64_t dim = call.dim("dim", x.rank());
  return {overwrite(call.b, x, call.tensor("src"), dim, range_of(call, x.extent(dim)))};
}

Tensors permute(Call& call) {
  const Tensor x = call.tensor("self");
  Shape dims = call.integers("dims");
  for (std::int64_t& dim : dims) dim += dim < 0 ? x.rank() : 0;
  return {call.b.emit.transpose(x, dims)};
}

Tensors transpose(Call& call) {
  return {call.b.swap(call.tensor("self"), call.integer("dim0"), call.integer("dim1"))};
}

Tensors swapaxes(Call& call) {
  return {call.b.swap(call.tensor("self"), call.integer("axis0"), call.integer("axis1"))};
}

Tensors reverse_dims(Call& call) {
  const Tensor x = call.tensor("self");
  Shape dims = counting(x.rank());
  std::reverse(dims.begin(), dims.end());
  return {call.b.emit.transpose(x, dims)};
}

Tensors movedim(Call& call) {
  const Tensor x = call.tensor("self");
  Shape dims = counting(x.rank());
  const std::int64_t from = call.dim("source", x.rank());
  dims.erase(dims.begin() + from);
  dims.insert(dims.begin() + call.dim("destination", x.rank()), from);
  return {call.b.emit.transpose(x, dims)};
}

Tensors flip(Call& call) {
  const Tensor x = call.tensor("self");
  const Shape dims = call.integers("dims");
  if (dims.empty()) return {x};
  return {call.b.emit.reverse(x, normal_dims(dims, x.rank()))};
}

Tensors roll(Call& call) {
  Builder& b = call.b;
  const Tensor self = call.tensor("self");
  const Shape shifts = call.integers("shifts");
  Shape dims = call.integers("dims");
  Tensor x = self;
  if (dims.empty()) {
    x = b.reshape(x, {num_elements(x.shape)});
    dims = {0};
  }
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const std::int64_t dim = dims[i] < 0 ? dims[i] + x.rank() : dims[i];
    const std::int64_t extent = x.extent(dim);
    const std::int64_t shift = ((shifts[i] % extent) + extent) % extent;
    if (shift == 0) continue;
    x = b.emit.concatenate(
        {b.slice(x, dim, extent - shift, extent), b.slice(x, dim, 0, extent - shift)}, dim);
  }
  return {b.reshape(x, self.shape)};
}

Tensors repeat(Call& call) {
  Builder& b = call.b;
  const Tensor self = call.tensor("self");
  Shape repeats = call.has("repeats") ? call.integers("repeats") : call.integers("dims");
  Shape shape = self.shape;
  while (repeats.size() < shape.size()) repeats.insert(repeats.begin(), 1);
  while (shape.size() < repeats.size()) shape.insert(shape.begin(), 1);
  // Each dimension d becomes [repeats, d]; broadcasting fills the first of the two.
  Shape spread;
  Shape dims;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    spread.push_back(repeats[i]);
    dims.push_back(static_cast<std::int64_t>(spread.size()));
    spread.push_back(shape[i]);
  }
  const Tensor filled = b.emit.broadcast(b.reshape(self, shape), spread, dims);
  return {b.reshape(filled, call.result_shape())};
}

Tensors repeat_interleave(Call& call) {
  Builder& b = call.b;
  Tensor x = call.tensor("self");
  if (!call.has("dim")) x = b.reshape(x, {num_elements(x.shape)});
  const std::int64_t dim = call.has("dim") ? call.dim("dim", x.rank()) : 0;
  Shape spread = x.shape;
  spread.insert(spread.begin() + dim + 1, call.integer("repeats"));
  Shape dims = counting(x.rank() + 1);
  dims.erase(dims.begin() + dim + 1);
  return {b.reshape(b.emit.broadcast(x, spread, dims), call.result_shape())};
}

Tensors unfold(Call& call) {
  Builder& b = call.b;
  const Tensor x = call.tensor("self");
  const std::int64_t dim = call.dim("dimension", x.rank());
  const std::int64_t size = call.integer("size");
  const std::int64_t step = call.integer("step");
  const std::int64_t count = (x.extent(dim) - size) / step + 1;
  Tensors windows;
  for (std::int64_t i = 0; i < size; ++i) {
    const Tensor taken = b.slice(x, dim, i, i + (count - 1) * step + 1, step);
    Shape with_last = taken.shape;
    with_last.push_back(1);
    windows.push_back(b.reshape(taken, with_last));
  }
  return {windows.size() == 1 ? windows[0] : b.emit.concatenate(windows, x.rank())};
}

Tensors pad(Call& call) {
  Builder& b = call.b;
  Tensor x = call.tensor("self");
  const Shape pads = call.integers("pad");
  const std::string mode = call.has("mode") ? call.text("mode") : "constant";
  Shape low(x.shape.size(), 0);
  Shape high = low;
  for (std::size_t i = 0; 2 * i < pads.size(); ++i) {
    low[low.size() - 1 - i] = pads[2 * i];
    high[high.size() - 1 - i] = pads[2 * i + 1];
  }
  if (mode == "constant") return {b.pad(x, call.number("value", 0), low, high)};
  for (std::size_t d = 0; d < low.size(); ++d) {
    if (low[d] == 0 && high[d] == 0) continue;
    const auto dim = static_cast<std::int64_t>(d);
    const std::int64_t extent = x.extent(dim);
    std::vector<std::int64_t> indices;
    for (std::int64_t i = -low[d]; i < extent + high[d]; ++i) {
      std::int64_t from = i;
      if (mode == "reflect") {
        from = i < 0 ? -i : (i >= extent ? 2 * (extent - 1) - i : i);
      } else if (mode == "replicate") {
        from = std::clamp<std::int64_t>(i, 0, extent - 1);
      } else {
        from = ((i % extent) + extent) % extent;
      }
      indices.push_back(from);
    }
    x = b.take(x, dim, indices);
  }
  return {x};
}

Tensors pixel_shuffle(Call& call) {
  Builder& b = call.b;
  const Tensor x = call.tensor("self");
  const std::int64_t r = call.integer("upscale_factor");
  const std::int64_t channels = x.extent(-3) / (r * r);
  Shape split(x.shape.begin(), x.shape.end() - 3);
  const auto base = static_cast<std::int64_t>(split.size());
  split.insert(split.end(), {channels, r, r, x.extent(-2), x.extent(-1)});
  Shape order = counting(base);
  for (const std::int64_t dim : {0, 3, 1, 4, 2}) order.push_back(base + dim);
  return {b.reshape(b.emit.transpose(b.reshape(x, split), order), call.result_shape())};
}

Tensors pixel_unshuffle(Call& call) {
  Builder& b = call.b;
  const Tensor x = call.tensor("self");
  const std::int64_t r = call.integer("downscale_factor");
  Shape split(x.shape.begin(), x.shape.end() - 2);
  const auto base = static_cast<std::int64_t>(split.size());
  split.insert(split.end(), {x.extent(-2) / r, r, x.extent(-1) / r, r});
  Shape order = counting(base);
  for (const std::int64_t dim : {1, 3, 0, 2}) order.push_back(base + dim);
  return {b.reshape(b.emit.transpose(b.reshape(x, split), order), call.result_shape())};
}

}  // namespace graphnet::lowering::decomposition
