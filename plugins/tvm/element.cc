// SPDX-License-Identifier: MIT
#include "tvm_plugin/element.h"

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

#include "tvm_plugin/arithmetic.h"
#include "tvm_plugin/legalize.h"

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

Expr ElementWriter::body(ir::ValueId id, const Exprs& indices) {
  return in_scope([&] { return at(id, indices); });
}

void ElementWriter::set_stage(ir::ValueId id, Ref tensor, Shape extents, std::int64_t panel) {
  stages_[id] = {std::move(tensor), std::move(extents), panel};
}

Expr ElementWriter::load_stage(const StageTensor& stage, ir::ValueId id, const Exprs& indices) {
  Exprs coordinates = reshaped(indices, shape(id), stage.shape);
  if (stage.panel > 0) {
    const Expr last = coordinates.back();
    coordinates.back() = floor_divide(last, stage.panel);
    coordinates.push_back(floor_remainder(last, stage.panel));
  }
  return load(stage.tensor, coordinates);
}

Expr ElementWriter::at(ir::ValueId id, const Exprs& indices) {
  const auto stage = stages_.find(id);
  const ir::Operation& operation = node(id).operation;
  if (stage != stages_.end()) return load_stage(stage->second, id, indices);
  if (plan_.is_stored[static_cast<std::size_t>(id)] && id != root_) {
    return load_stored(id, indices);
  }
  if (const auto* splat = std::get_if<ir::Splat>(&operation))
    return literal(type(id), splat->value);
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const Memo& known = scope->known[id];
    const auto found = known.find(indices);
    if (found != known.end()) return found->second;
  }
  Expr element = write(id, indices);
  const bool is_copied = is_view(operation) || std::holds_alternative<ir::Iota>(operation);
  if (plan_.uses[static_cast<std::size_t>(id)] > 1 && !is_copied) {
    element = variable_of(element, type(id));
  }
  scopes_.back().known[id].emplace(indices, element);
  return element;
}

// TVM's analysis refuses vectors of bool that a variable stands for; float32 it takes.
Expr ElementWriter::variable_of(const Expr& element, Type given) {
  const bool is_bool = given == Type::kBool;
  const Type kept = is_bool ? Type::kF32 : value_type(given);
  const Expr variable = make("ir.Var", String("v"), make("ir.PrimType", tvm_type(kept)), nullptr);
  const Expr value = is_bool ? select(element, literal(kept, 1), literal(kept, 0)) : element;
  scopes_.back().variables.emplace_back(variable, value);
  return is_bool ? operation("GT", variable, literal(kept, 0.5)) : variable;
}

Expr ElementWriter::write(ir::ValueId id, const Exprs& indices) {
  const ir::Operation& own = node(id).operation;
  if (is_elementwise(own)) return write_elementwise(id, indices);
  if (is_view(own)) return write_view(id, indices);
  if (const auto* iota = std::get_if<ir::Iota>(&own)) {
    const Expr& index = indices[static_cast<std::size_t>(iota->dim)];
    return type(id) == Type::kI64 ? index : cast(index, type(id));
  }
  if (std::holds_alternative<ir::Pad>(own)) return write_pad(id, indices);
  if (std::holds_alternative<ir::Concatenate>(own)) return write_concatenate(id, indices);
  if (std::holds_alternative<ir::Gather>(own)) return write_gather(id, indices);
  throw lowering::LoweringError("a reduction that is no stage of its kernel");
}

Expr ElementWriter::write_elementwise(ir::ValueId id, const Exprs& indices) {
  const ir::Node& own = node(id);
  Exprs operands;
  for (const ir::ValueId operand : own.operands) operands.push_back(at(operand, indices));
  const Type given = type(own.operands[0]);
  if (const auto* each = std::get_if<ir::UnaryOperation>(&own.operation)) {
    return unary(each->kind, given, operands[0]);
  }
  if (const auto* each = std::get_if<ir::BinaryOperation>(&own.operation)) {
    const bool is_share = each->kind == lowering::Binary::kDivide && given == Type::kF32 &&
                          is_softmax_sum(own.operands[1]);
    if (!is_share) return binary(each->kind, given, operands[0], operands[1]);
    // One division a row: a vector's takes as long as half an exponential.
    const Expr part = binary(each->kind, given, literal(given, 1), operands[1]);
    return binary(lowering::Binary::kMultiply, given, operands[0], part);
  }
  if (const auto* each = std::get_if<ir::CompareOperation>(&own.operation)) {
    return compare(each->kind, given, operands[0], operands[1]);
  }
  if (std::holds_alternative<ir::Convert>(own.operation)) {
    return convert(operands[0], given, type(id));
  }
  return select(operands[0], operands[1], operands[2]);
}

// Of a softmax of libtorch's: one of them is that of 0, or all are 0 and a safe softmax puts 1 in
// the sum's place. So its reciprocal is a normal number, of which sums in other programs may have
// none.
bool ElementWriter::is_softmax_sum(ir::ValueId id) const {
  const auto chosen = [&](ir::ValueId from) {  // beside what a condition puts in its place
    while (true) {
      const ir::Operation& own = node(from).operation;
      if (!is_view(own) && !std::holds_alternative<ir::Select>(own)) return from;
      from = node(from).operands[is_view(own) ? 0 : 2];
    }
  };
  const ir::Node& sum = node(chosen(id));
  const auto* reduce = std::get_if<ir::Reduce>(&sum.operation);
  if (reduce == nullptr || reduce->kind != lowering::Reduction::kSum || sum.origin < 0)
    return false;
  if (!is_softmax(graph_.origins[static_cast<std::size_t>(sum.origin)].op)) return false;
  const auto* summed = std::get_if<ir::UnaryOperation>(&node(chosen(sum.operands[0])).operation);
  return summed != nullptr && summed->kind == lowering::Unary::kExp;
}

Expr ElementWriter::write_view(ir::ValueId id, const Exprs& indices) {
  const ir::Node& own = node(id);
  const Shape& from = shape(own.operands[0]);
  Exprs source;
  if (const auto* broadcast = std::get_if<ir::Broadcast>(&own.operation)) {
    for (std::size_t i = 0; i < from.size(); ++i) {
      const auto dim = static_cast<std::size_t>(broadcast->dims[i]);
      source.push_back(from[i] == 1 ? integer(0) : indices[dim]);
    }
  } else if (const auto* transpose = std::get_if<ir::Transpose>(&own.operation)) {
    source.resize(indices.size());
    for (std::size_t i = 0; i < indices.size(); ++i) {
      source[static_cast<std::size_t>(transpose->permutation[i])] = indices[i];
    }
  } else if (const auto* slice = std::get_if<ir::Slice>(&own.operation)) {
    for (std::size_t i = 0; i < indices.size(); ++i) {
      const Expr moved =
          slice->step[i] == 1 ? indices[i] : multiply(indices[i], integer(slice->step[i]));
      source.push_back(slice->begin[i] == 0 ? moved : add(moved, integer(slice->begin[i])));
    }
  } else if (const auto* reverse = std::get_if<ir::Reverse>(&own.operation)) {
    source = indices;
    for (const std::int64_t dim : reverse->dims) {
      Expr& index = source[static_cast<std::size_t>(dim)];
      index = subtract(integer(from[static_cast<std::size_t>(dim)] - 1), index);
    }
  } else {
    source = reshaped(indices, shape(id), from);
  }
  return at(own.operands[0], source);
}

Expr ElementWriter::write_pad(ir::ValueId id, const Exprs& indices) {
  const auto& pad = std::get<ir::Pad>(node(id).operation);
  const ir::ValueId operand = node(id).operands[0];
  Expr is_inside;
  Exprs source;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const std::int64_t step = pad.interior[i] + 1;
    const std::int64_t reach = (shape(operand)[i] - 1) * step + 1;
    const Expr moved = pad.low[i] == 0 ? indices[i] : subtract(indices[i], integer(pad.low[i]));
    if (index_arithmetic_.is_below(moved, 0) || index_arithmetic_.is_at_least(moved, reach)) {
      return literal(type(id), pad.value);  // no index is inside
    }
    if (pad.low[i] > 0 && !index_arithmetic_.is_at_least(moved, 0)) {
      is_inside = both(is_inside, operation("GE", moved, integer(0)));
    }
    if (pad.low[i] + reach < shape(id)[i] && !index_arithmetic_.is_below(moved, reach)) {
      is_inside = both(is_inside, operation("LT", moved, integer(reach)));
    }
    if (step > 1) {
      is_inside = both(is_inside, operation("EQ", floor_remainder(moved, step), integer(0)));
    }
    source.push_back(floor_divide(moved, step));
  }
  if (!is_inside.defined()) return at(operand, source);
  return choose(is_inside, in_scope([&] { return at(operand, source); }),
                literal(type(id), pad.value));
}

Expr ElementWriter::write_concatenate(ir::ValueId id, const Exprs& indices) {
  const std::vector<ir::ValueId>& operands = node(id).operands;
  const auto dim = static_cast<std::size_t>(std::get<ir::Concatenate>(node(id).operation).dim);
  const Expr& index = indices[dim];
  std::vector<std::int64_t> begins = {0};
  for (const ir::ValueId operand : operands) begins.push_back(begins.back() + shape(operand)[dim]);
  const auto part = [&](std::size_t i) {
    Exprs source = indices;
    source[dim] = subtract(index, integer(begins[i]));
    return at(operands[i], source);
  };
  // Parts that no index reaches are left out. In a branch that is never taken an index may lie
  // beyond all parts.
  std::size_t first = 0;
  std::size_t last = operands.size() - 1;
  while (first < last && index_arithmetic_.is_at_least(index, begins[first + 1])) ++first;
  while (first < last && index_arithmetic_.is_below(index, begins[last])) --last;
  if (first == last) return part(first);
  Expr result;
  for (std::size_t i = last + 1; i-- > first;) {
    const Expr element = in_scope([&] { return part(i); });
    result = result.defined()
                 ? choose(operation("LT", index, integer(begins[i + 1])), element, result)
                 : element;
  }
  return result;
}

Expr ElementWriter::write_gather(ir::ValueId id, const Exprs& indices) {
  const ir::Node& own = node(id);
  const auto& gather = std::get<ir::Gather>(own.operation);
  const auto num_batch = static_cast<std::ptrdiff_t>(shape(own.operands[1]).size()) - 1;
  const auto begin = indices.begin() + gather.batch_position;
  const Exprs batch(begin, begin + num_batch);
  Exprs remaining(indices.begin(), begin);
  remaining.insert(remaining.end(), begin + num_batch, indices.end());
  Exprs source;
  std::size_t next = 0;
  for (std::size_t dim = 0; dim < shape(own.operands[0]).size(); ++dim) {
    const auto found =
        std::find(gather.dims.begin(), gather.dims.end(), static_cast<std::int64_t>(dim));
    if (found == gather.dims.end()) {
      source.push_back(remaining[next++]);
      continue;
    }
    Exprs coordinate = batch;
    coordinate.push_back(integer(found - gather.dims.begin()));
    source.push_back(cast(at(own.operands[1], coordinate), Type::kI64));
  }
  return at(own.operands[0], source);
}

Expr ElementWriter::load_stored(ir::ValueId id, const Exprs& indices) {
  const Shape& storage = plan_.storage[static_cast<std::size_t>(id)];
  auto found = placeholders_.find(id);
  if (found == placeholders_.end()) {
    const std::string name = "p" + std::to_string(placeholders_.size());
    const Ref placeholder =
        make("te.Placeholder", extents(storage),
             make("ir.PrimType", tvm_type(storage_type(type(id)))), String(name));
    found = placeholders_.emplace(id, placeholder).first;
  }
  return from_storage(load(found->second, reshaped(indices, shape(id), storage)), type(id));
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
    for (std::size_t k = dims.size(); k-- > 1;) {
      std::tie(rest, result[dims[k]]) = index_arithmetic_.split(rest, to[dims[k]]);
    }
    if (!dims.empty()) result[dims[0]] = rest;
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
