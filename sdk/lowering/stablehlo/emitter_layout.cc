// SPDX-License-Identifier: MIT
//
// Operations that move elements, and the layouts they leave behind.
#include <algorithm>

#include "lowering/builder.h"
#include "lowering/stablehlo/emitter.h"
#include "lowering/stablehlo/syntax.h"

namespace graphnet::lowering::stablehlo {

namespace {

bool is_in_order(const Shape& layout) {
  return std::is_sorted(layout.begin(), layout.end());
}

// An empty layout is the order itself.
Shape full_layout(const Tensor& x) {
  return x.layout.empty() ? counting(x.rank()) : x.layout;
}

Shape short_layout(Shape layout) {
  return is_in_order(layout) ? Shape() : layout;
}

/// Runs of dimensions of two shapes that hold the same elements: [in begin, in end) becomes
/// [out begin, out end).
struct Run {
  std::size_t in_begin = 0;
  std::size_t in_end = 0;
  std::size_t out_begin = 0;
  std::size_t out_end = 0;
};

std::vector<Run> matching_runs(const Shape& in, const Shape& out) {
  std::vector<Run> runs;
  std::size_t i = 0;
  std::size_t o = 0;
  while (i < in.size()) {
    Run run = {i, i, o, o};
    if (o < out.size() && in[i] == out[o]) {
      runs.push_back({i, i + 1, o, o + 1});
      ++i;
      ++o;
      continue;
    }
    std::int64_t in_count = 1;
    std::int64_t out_count = 1;
    do {
      const bool take_in = o == out.size() || (i < in.size() && in_count <= out_count);
      if (take_in && i < in.size()) {
        in_count *= in[i++];
      } else if (o < out.size()) {
        out_count *= out[o++];
      }
    } while (in_count != out_count || i == run.in_begin);
    run.in_end = i;
    run.out_end = o;
    runs.push_back(run);
  }
  if (!runs.empty()) runs.back().out_end = out.size();  // only ones can be left
  return runs;
}

// Whether nothing but ones lies between two positions in memory.
bool has_only_ones(const Tensor& x, std::int64_t after, std::int64_t before) {
  for (std::int64_t p = after + 1; p < before; ++p) {
    if (x.shape[static_cast<std::size_t>(x.layout[static_cast<std::size_t>(p)])] != 1) return false;
  }
  return true;
}

// The layout of `shape` when memory is reshaped in place; nothing if a run is not in one piece.
std::optional<Shape> reshaped_layout(const Tensor& x, const Shape& shape) {
  const Shape positions = memory_positions(x);
  std::vector<std::pair<std::int64_t, Run>> placed;
  for (const Run& run : matching_runs(x.shape, shape)) {
    std::int64_t first = -1;
    std::int64_t last = -1;
    for (std::size_t i = run.in_begin; i < run.in_end; ++i) {
      if (x.shape[i] == 1) continue;  // lies wherever it is needed
      if (last >= 0 && (positions[i] < last || !has_only_ones(x, last, positions[i]))) {
        return std::nullopt;
      }
      last = positions[i];
      if (first < 0) first = last;
    }
    // Ones stay where they were.
    placed.emplace_back(first < 0 ? positions[run.in_begin] : first, run);
  }
  std::stable_sort(placed.begin(), placed.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  Shape layout;
  for (const auto& [position, run] : placed) {
    for (std::size_t o = run.out_begin; o < run.out_end; ++o) {
      layout.push_back(static_cast<std::int64_t>(o));
    }
  }
  return layout;
}

}  // namespace

Shape memory_positions(const Tensor& x) {
  if (x.layout.empty()) return counting(x.rank());
  Shape positions(x.layout.size());
  for (std::size_t p = 0; p < x.layout.size(); ++p) {
    positions[static_cast<std::size_t>(x.layout[p])] = static_cast<std::int64_t>(p);
  }
  return positions;
}

Shape to_memory(const Tensor& x, const Shape& logical) {
  if (x.layout.empty()) return logical;
  Shape memory;
  for (const std::int64_t dim : x.layout) memory.push_back(logical[static_cast<std::size_t>(dim)]);
  return memory;
}

Shape to_logical(const Tensor& x, const Shape& memory) {
  if (x.layout.empty()) return memory;
  Shape logical(memory.size());
  for (std::size_t i = 0; i < memory.size(); ++i) {
    logical[static_cast<std::size_t>(x.layout[i])] = memory[i];
  }
  return logical;
}

Tensor Emitter::relayout(const Tensor& x, const Shape& layout) {
  if (short_layout(x.layout) == short_layout(layout)) return x;
  Tensor wanted = x;
  wanted.layout = short_layout(layout);
  const Shape shape = to_memory(wanted, x.shape);
  const auto placed = [&](Tensor result) {
    result.shape = x.shape;
    result.layout = wanted.layout;
    return result;
  };
  const auto found = broadcasts_.find(x.id);
  if (found != broadcasts_.end()) {
    const BroadcastLine broadcast = found->second;
    // The record is in the logical dimensions of the tensor that was broadcast first.
    Shape dims;
    const Shape old_positions = memory_positions(x);
    const Shape positions = memory_positions(wanted);
    for (const std::int64_t memory_dim : broadcast.dims) {
      const std::int64_t logical = full_layout(x)[static_cast<std::size_t>(memory_dim)];
      dims.push_back(positions[static_cast<std::size_t>(logical)]);
    }
    const Tensor again =
        add("stablehlo.broadcast_in_dim " + name(broadcast.operand) + ", dims = [" + join(dims) +
                "] : (" + memory_type(broadcast.operand) + ") -> " + type_text(x.type, shape),
            {broadcast.operand}, x.type, shape, true);
    broadcasts_[again.id] = {broadcast.operand, dims};
    return placed(again);
  }
  const std::string value = line(x).one_value;
  if (!value.empty()) return placed(add_splat(value, x.type, shape));
  Shape permutation;
  const Shape positions = memory_positions(x);
  for (const std::int64_t dim : full_layout(wanted)) {
    permutation.push_back(positions[static_cast<std::size_t>(dim)]);
  }
  return placed(add("stablehlo.transpose " + name(x) + ", dims = [" + join(permutation) + "] : (" +
                        memory_type(x) + ") -> " + type_text(x.type, shape),
                    {x}, x.type, shape));
}

// The layout that costs least to agree on: that of an operand which would have to be moved in every
// call.
Shape Emitter::shared_layout(const std::vector<Tensor>& operands) const {
  for (const Tensor& operand : operands) {
    if (!operand.layout.empty() && stage(operand) == Stage::kCall &&
        broadcasts_.count(operand.id) == 0) {
      return operand.layout;
    }
  }
  return {};
}

std::vector<Tensor> Emitter::aligned(const std::vector<Tensor>& operands) {
  const Shape layout = shared_layout(operands);
  std::vector<Tensor> result;
  for (const Tensor& operand : operands) result.push_back(relayout(operand, layout));
  return result;
}

Tensor Emitter::broadcast(const Tensor& x, const Shape& shape, const Shape& dims) {
  // Where the operand has a layout and every dimension, the result follows it.
  Tensor result = {-1, x.type, shape, {}};
  if (x.shape.size() == shape.size() && std::is_sorted(dims.begin(), dims.end())) {
    result.layout = x.layout;
  }
  const Shape positions = memory_positions(result);
  Shape memory_dims;
  for (const std::int64_t dim : full_layout(x)) {
    const std::int64_t logical = dims[static_cast<std::size_t>(dim)];
    memory_dims.push_back(positions[static_cast<std::size_t>(logical)]);
  }
  const Shape memory = to_memory(result, shape);
  const Tensor line_result =
      add("stablehlo.broadcast_in_dim " + name(x) + ", dims = [" + join(memory_dims) + "] : (" +
              memory_type(x) + ") -> " + type_text(x.type, memory),
          {x}, x.type, memory, true);
  broadcasts_[line_result.id] = {x, memory_dims};
  result.id = line_result.id;
  return result;
}

Tensor Emitter::reshape(const Tensor& x, const Shape& shape) {
  Tensor source = x;
  std::optional<Shape> layout;
  if (!x.layout.empty() && num_elements(shape) > 0) layout = reshaped_layout(x, shape);
  if (!layout) source = in_order(x);
  Tensor result = {-1, x.type, shape, layout ? short_layout(*layout) : Shape()};
  const Shape memory = to_memory(result, shape);
  if (line(source).shape == memory) {
    result.id = source.id;
    return result;
  }
  result.id = add("stablehlo.reshape " + name(source) + " : (" + memory_type(source) + ") -> " +
                      type_text(x.type, memory),
                  {source}, x.type, memory, true)
                  .id;
  return result;
}

Tensor Emitter::transpose(const Tensor& x, const Shape& permutation) {
  Tensor result = x;
  Shape inverse(permutation.size());
  for (std::size_t i = 0; i < permutation.size(); ++i) {
    result.shape[i] = x.shape[static_cast<std::size_t>(permutation[i])];
    inverse[static_cast<std::size_t>(permutation[i])] = static_cast<std::int64_t>(i);
  }
  Shape layout;
  for (const std::int64_t dim : full_layout(x)) {
    layout.push_back(inverse[static_cast<std::size_t>(dim)]);
  }
  result.layout = short_layout(layout);
  return options_.rewrites ? result : in_order(result);
}

Tensor Emitter::slice(const Tensor& x, const Shape& begin, const Shape& end, const Shape& step) {
  const Shape first = to_memory(x, begin);
  const Shape last = to_memory(x, end);
  const Shape steps = to_memory(x, step);
  std::string ranges;
  Shape memory;
  for (std::size_t i = 0; i < first.size(); ++i) {
    ranges += (i == 0 ? "" : ", ") + std::to_string(first[i]) + ":" + std::to_string(last[i]);
    if (steps[i] != 1) ranges += ":" + std::to_string(steps[i]);
    memory.push_back((last[i] - first[i] + steps[i] - 1) / steps[i]);
  }
  Tensor result = add("stablehlo.slice " + name(x) + " [" + ranges + "] : (" + memory_type(x) +
                          ") -> " + type_text(x.type, memory),
                      {x}, x.type, memory, true);
  result.shape = to_logical(x, memory);
  result.layout = x.layout;
  return result;
}

Tensor Emitter::pad(const Tensor& x, double value, const Shape& low, const Shape& high,
                    const Shape& interior) {
  const Tensor fill = splat(x.type, {}, value);
  const Shape before = to_memory(x, low);
  const Shape behind = to_memory(x, high);
  const Shape between = to_memory(x, interior);
  Shape memory = line(x).shape;
  for (std::size_t i = 0; i < memory.size(); ++i) {
    memory[i] += before[i] + behind[i] + std::max<std::int64_t>(memory[i] - 1, 0) * between[i];
  }
  Tensor result =
      add("stablehlo.pad " + name(x) + ", " + name(fill) + ", low = [" + join(before) +
              "], high = [" + join(behind) + "], interior = [" + join(between) + "] : (" +
              memory_type(x) + ", " + memory_type(fill) + ") -> " + type_text(x.type, memory),
          {x, fill}, x.type, memory);
  result.shape = to_logical(x, memory);
  result.layout = x.layout;
  return result;
}

Tensor Emitter::concatenate(const std::vector<Tensor>& parts, std::int64_t dim) {
  const std::vector<Tensor> operands = aligned(parts);
  const std::int64_t position = memory_positions(operands[0])[static_cast<std::size_t>(dim)];
  Shape memory = line(operands[0]).shape;
  memory[static_cast<std::size_t>(position)] = 0;
  std::string names;
  std::string types;
  for (const Tensor& operand : operands) {
    if (!names.empty()) names += ", ";
    if (!types.empty()) types += ", ";
    names += name(operand);
    types += memory_type(operand);
    memory[static_cast<std::size_t>(position)] += operand.extent(dim);
  }
  Tensor result = add("stablehlo.concatenate " + names + ", dim = " + std::to_string(position) +
                          " : (" + types + ") -> " + type_text(parts[0].type, memory),
                      operands, parts[0].type, memory);
  result.shape = to_logical(operands[0], memory);
  result.layout = operands[0].layout;
  return result;
}

Tensor Emitter::reverse(const Tensor& x, const Shape& dims) {
  const Shape positions = memory_positions(x);
  Shape memory_dims;
  for (const std::int64_t dim : dims) {
    memory_dims.push_back(positions[static_cast<std::size_t>(dim)]);
  }
  Tensor result = add(
      "stablehlo.reverse " + name(x) + ", dims = [" + join(memory_dims) + "] : " + memory_type(x),
      {x}, x.type, line(x).shape);
  result.shape = x.shape;
  result.layout = x.layout;
  return result;
}

}  // namespace graphnet::lowering::stablehlo
