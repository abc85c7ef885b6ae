// SPDX-License-Identifier: MIT
#include "tvm_plugin/element.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "tvm_plugin/arithmetic.h"
#include "tvm_plugin/emitter.h"

namespace graphnet::tvm {

namespace {

Expr both(const Expr& a, const Expr& b) {
  return a.defined() ? operation("And", a, b) : b;
}

}  // namespace

std::vector<ShapeRun> matching_runs(const Shape& in, const Shape& out) {
  std::vector<ShapeRun> runs;
  std::size_t i = 0;
  std::size_t o = 0;
  while (i < in.size() || o < out.size()) {
    ShapeRun run = {i, i, o, o};
    std::int64_t in_count = 1;
    std::int64_t out_count = 1;
    do {
      const bool takes_in = i < in.size() && (in_count <= out_count || o == out.size());
      if (takes_in) {
        in_count *= in[i++];
      } else {
        out_count *= out[o++];
      }
    } while (in_count != out_count && (i < in.size() || o < out.size()));
    run.in_end = i;
    run.out_end = o;
    runs.push_back(run);
  }
  return runs;
}

bool ElementWriter::ByObject::operator()(const Exprs& a, const Exprs& b) const {
  return std::lexicographical_compare(
      a.begin(), a.end(), b.begin(), b.end(),
      [](const Expr& x, const Expr& y) { return std::less<const void*>()(x.get(), y.get()); });
}

template <typename Body>
Expr ElementWriter::in_scope(Body body) {
  scopes_.emplace_back();
  Expr result = body();
  std::vector<std::pair<Expr, Expr>>& variables = scopes_.back().variables;
  for (auto each = variables.rbegin(); each != variables.rend(); ++each) {
    result = make("prim.Let", each->first, each->second, result, nullptr);
  }
  scopes_.pop_back();
  return result;
}

Expr ElementWriter::body(std::int32_t id, const Exprs& indices) {
  return in_scope([&] { return at(id, indices); });
}

void ElementWriter::set_stage(std::int32_t id, Ref tensor, Shape shape, std::int64_t panel) {
  stages_[id] = {std::move(tensor), std::move(shape), panel};
}

Expr ElementWriter::load_stage(const StageTensor& stage, const Node& node, const Exprs& indices) {
  Exprs coordinates = reshaped(indices, node.shape, stage.shape);
  if (stage.panel > 0) {
    const Expr last = coordinates.back();
    coordinates.back() = floor_divide(last, stage.panel);
    coordinates.push_back(floor_remainder(last, stage.panel));
  }
  return load(stage.tensor, coordinates);
}

Expr ElementWriter::at(std::int32_t id, const Exprs& indices) {
  const auto stage = stages_.find(id);
  const Node& node = program_.at(id);
  if (stage != stages_.end()) return load_stage(stage->second, node, indices);
  if (plan_.is_stored[static_cast<std::size_t>(id)] && id != root_) {
    return load_stored(id, indices);
  }
  if (node.kind == NodeKind::kSplat) return literal(node.type, node.value);
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const Memo& known = scope->known[id];
    const auto found = known.find(indices);
    if (found != known.end()) return found->second;
  }
  Expr element = write(node, indices);
  const bool is_copied = is_view(node.kind) || node.kind == NodeKind::kIota;
  if (plan_.uses[static_cast<std::size_t>(id)] > 1 && !is_copied) {
    element = variable_of(element, node.type);
  }
  scopes_.back().known[id].emplace(indices, element);
  return element;
}

// TVM's analysis refuses vectors of bool that a variable stands for; float32 it takes.
Expr ElementWriter::variable_of(const Expr& element, Type type) {
  const bool is_bool = type == Type::kBool;
  const Type kept = is_bool ? Type::kF32 : value_type(type);
  const Expr variable = make("ir.Var", String("v"), make("ir.PrimType", tvm_type(kept)), nullptr);
  const Expr value = is_bool ? select(element, literal(kept, 1), literal(kept, 0)) : element;
  scopes_.back().variables.emplace_back(variable, value);
  return is_bool ? operation("GT", variable, literal(kept, 0.5)) : variable;
}

Expr ElementWriter::write(const Node& node, const Exprs& indices) {
  if (is_elementwise(node.kind)) return write_elementwise(node, indices);
  if (is_view(node.kind)) return write_view(node, indices);
  switch (node.kind) {
    case NodeKind::kIota: {
      const Expr& index = indices[static_cast<std::size_t>(node.dim)];
      return node.type == Type::kI64 ? index : cast(index, node.type);
    }
    case NodeKind::kPad:
      return write_pad(node, indices);
    case NodeKind::kConcatenate:
      return write_concatenate(node, indices);
    case NodeKind::kGather:
      return write_gather(node, indices);
    default:
      throw lowering::LoweringError("a reduction that is no stage of its kernel");
  }
}

Expr ElementWriter::write_elementwise(const Node& node, const Exprs& indices) {
  Exprs operands;
  for (const std::int32_t operand : node.operands) operands.push_back(at(operand, indices));
  const Type type = program_.at(node.operands[0]).type;
  switch (node.kind) {
    case NodeKind::kConvert:
      return convert(operands[0], type, node.type);
    case NodeKind::kUnary:
      return unary(static_cast<lowering::Unary>(node.which), type, operands[0]);
    case NodeKind::kBinary:
      return binary(static_cast<lowering::Binary>(node.which), type, operands[0], operands[1]);
    case NodeKind::kCompare:
      return compare(static_cast<lowering::Comparison>(node.which), type, operands[0], operands[1]);
    default:
      return select(operands[0], operands[1], operands[2]);
  }
}

Expr ElementWriter::write_view(const Node& node, const Exprs& indices) {
  const Node& operand = program_.at(node.operands[0]);
  Exprs source;
  switch (node.kind) {
    case NodeKind::kBroadcast:
      for (std::size_t i = 0; i < operand.shape.size(); ++i) {
        source.push_back(operand.shape[i] == 1 ? integer(0)
                                               : indices[static_cast<std::size_t>(node.first[i])]);
      }
      break;
    case NodeKind::kReshape:
      source = reshaped(indices, node.shape, operand.shape);
      break;
    case NodeKind::kTranspose:
      for (const std::int64_t dim : inverse(node.first)) {
        source.push_back(indices[static_cast<std::size_t>(dim)]);
      }
      break;
    case NodeKind::kSlice:
      for (std::size_t i = 0; i < indices.size(); ++i) {
        const Expr moved =
            node.third[i] == 1 ? indices[i] : multiply(indices[i], integer(node.third[i]));
        source.push_back(node.first[i] == 0 ? moved : add(moved, integer(node.first[i])));
      }
      break;
    default:  // kReverse
      source = indices;
      for (const std::int64_t dim : node.first) {
        Expr& index = source[static_cast<std::size_t>(dim)];
        index = subtract(integer(node.shape[static_cast<std::size_t>(dim)] - 1), index);
      }
  }
  return at(node.operands[0], source);
}

Expr ElementWriter::write_pad(const Node& node, const Exprs& indices) {
  const Node& operand = program_.at(node.operands[0]);
  Expr is_inside;
  Exprs source;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const std::int64_t step = node.third[i] + 1;
    const std::int64_t reach = (operand.shape[i] - 1) * step + 1;
    const Expr moved =
        node.first[i] == 0 ? indices[i] : subtract(indices[i], integer(node.first[i]));
    if (node.first[i] > 0) is_inside = both(is_inside, operation("GE", moved, integer(0)));
    if (node.first[i] + reach < node.shape[i]) {
      is_inside = both(is_inside, operation("LT", moved, integer(reach)));
    }
    if (step > 1) {
      is_inside = both(is_inside, operation("EQ", floor_remainder(moved, step), integer(0)));
    }
    source.push_back(floor_divide(moved, step));
  }
  if (!is_inside.defined()) return at(node.operands[0], source);
  return choose(is_inside, in_scope([&] { return at(node.operands[0], source); }),
                literal(node.type, node.value));
}

Expr ElementWriter::write_concatenate(const Node& node, const Exprs& indices) {
  const auto dim = static_cast<std::size_t>(node.dim);
  std::int64_t known = 0;
  const bool is_known = is_constant(indices[dim], known);
  std::vector<std::int64_t> begins = {0};
  for (const std::int32_t operand : node.operands) {
    begins.push_back(begins.back() + program_.at(operand).shape[dim]);
  }
  const auto part = [&](std::size_t i) {
    Exprs source = indices;
    source[dim] = subtract(indices[dim], integer(begins[i]));
    return at(node.operands[i], source);
  };
  if (is_known) {
    std::size_t i = 0;
    while (begins[i + 1] <= known) ++i;
    return part(i);
  }
  Expr result;
  for (std::size_t i = node.operands.size(); i-- > 0;) {
    const Expr element = in_scope([&] { return part(i); });
    result = result.defined()
                 ? choose(operation("LT", indices[dim], integer(begins[i + 1])), element, result)
                 : element;
  }
  return result;
}

Expr ElementWriter::write_gather(const Node& node, const Exprs& indices) {
  const Node& x = program_.at(node.operands[0]);
  const Node& starts = program_.at(node.operands[1]);
  const std::size_t num_batch = starts.shape.size() - 1;
  const auto position = static_cast<std::size_t>(node.dim);
  const auto begin = indices.begin() + static_cast<std::ptrdiff_t>(position);
  const Exprs batch(begin, begin + static_cast<std::ptrdiff_t>(num_batch));
  Exprs remaining(indices.begin(), begin);
  remaining.insert(remaining.end(), begin + static_cast<std::ptrdiff_t>(num_batch), indices.end());
  Exprs source;
  std::size_t next = 0;
  for (std::size_t dim = 0; dim < x.shape.size(); ++dim) {
    const auto found =
        std::find(node.first.begin(), node.first.end(), static_cast<std::int64_t>(dim));
    if (found == node.first.end()) {
      source.push_back(remaining[next++]);
      continue;
    }
    Exprs coordinate = batch;
    coordinate.push_back(integer(found - node.first.begin()));
    source.push_back(cast(at(node.operands[1], coordinate), Type::kI64));
  }
  return at(node.operands[0], source);
}

Expr ElementWriter::load_stored(std::int32_t id, const Exprs& indices) {
  const Node& node = program_.at(id);
  const Shape& storage = plan_.storage[static_cast<std::size_t>(id)];
  auto found = placeholders_.find(id);
  if (found == placeholders_.end()) {
    const std::string name = "p" + std::to_string(placeholders_.size());
    const Ref placeholder =
        make("te.Placeholder", extents(storage),
             make("ir.PrimType", tvm_type(storage_type(node.type))), String(name));
    found = placeholders_.emplace(id, placeholder).first;
  }
  return from_storage(load(found->second, reshaped(indices, node.shape, storage)), node.type);
}

Expr ElementWriter::flattened(const Exprs& indices, const Shape& shape, std::size_t begin,
                              std::size_t end) {
  Exprs parts;
  Shape part_extents;
  for (std::size_t i = begin; i < end; ++i) {
    if (shape[i] == 1) continue;
    parts.push_back(indices[i]);
    part_extents.push_back(shape[i]);
  }
  const Memo& splits = splits_[part_extents];
  const auto whole = splits.find(parts);
  if (whole != splits.end()) return whole->second;
  Expr index = integer(0);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    index = i == 0 ? parts[i] : add(multiply(index, integer(part_extents[i])), parts[i]);
  }
  return index;
}

Exprs ElementWriter::reshaped(const Exprs& indices, const Shape& from, const Shape& to) {
  if (from == to) return indices;
  Exprs result(to.size());
  for (const ShapeRun& run : matching_runs(from, to)) {
    Expr rest = flattened(indices, from, run.in_begin, run.in_end);
    std::vector<std::size_t> dims;
    for (std::size_t i = run.out_begin; i < run.out_end; ++i) {
      if (to[i] == 1) {
        result[i] = integer(0);
      } else {
        dims.push_back(i);
      }
    }
    if (dims.size() == 1) {
      result[dims[0]] = rest;
      continue;
    }
    const Expr whole = rest;
    for (std::size_t k = dims.size(); k-- > 0;) {
      result[dims[k]] = k == 0 ? rest : floor_remainder(rest, to[dims[k]]);
      if (k > 0) rest = floor_divide(rest, to[dims[k]]);
    }
    Exprs parts;
    Shape part_extents;
    for (const std::size_t dim : dims) {
      parts.push_back(result[dim]);
      part_extents.push_back(to[dim]);
    }
    if (!parts.empty()) splits_[part_extents].emplace(std::move(parts), whole);
  }
  return result;
}

}  // namespace graphnet::tvm
