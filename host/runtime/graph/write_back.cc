// SPDX-License-Identifier: MIT
#include "graph/write_back.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <string_view>
#include <utility>

#include "graph/node_builder.h"

namespace graphnet::graph {

namespace {

using Ids = std::pair<ValueId, ValueId>;  // base, view

std::size_t dim_of(const WrittenView& written) {
  const std::int64_t dim = integer_of(written.node, "dim");
  const auto rank = static_cast<std::int64_t>(written.base.shape.size());
  return static_cast<std::size_t>(dim < 0 ? dim + rank : dim);
}

WriteBack into_slice(const WrittenView& written, Ids ids, std::int64_t start, std::int64_t step) {
  const std::size_t dim = dim_of(written);
  const std::int64_t end = start + written.view.shape[dim] * step;
  return {"aten::slice_scatter",
          {value_argument("self", ids.first), value_argument("src", ids.second),
           attribute_argument("dim", static_cast<std::int64_t>(dim)),
           attribute_argument("start", start), attribute_argument("end", end),
           attribute_argument("step", step)}};
}

WriteBack into_select(const WrittenView& written, Ids ids, std::int64_t index) {
  return {"aten::select_scatter",
          {value_argument("self", ids.first), value_argument("src", ids.second),
           attribute_argument("dim", static_cast<std::int64_t>(dim_of(written))),
           attribute_argument("index", index)}};
}

WriteBack select(const WrittenView& written, Ids ids) {
  return into_select(written, ids, integer_of(written.node, "index"));
}

WriteBack unbind(const WrittenView& written, Ids ids) {
  return into_select(written, ids, static_cast<std::int64_t>(written.result));
}

std::int64_t from_the_front(std::int64_t start, std::int64_t extent) {
  if (start < 0) start += extent;
  return std::min(std::max<std::int64_t>(start, 0), extent);
}

WriteBack slice(const WrittenView& written, Ids ids) {
  const Attribute& start = find_argument(written.node, "start")->attribute;
  const auto* given = std::get_if<std::int64_t>(&start);
  const std::int64_t extent = written.base.shape[dim_of(written)];
  return into_slice(written, ids, from_the_front(given == nullptr ? 0 : *given, extent),
                    integer_of(written.node, "step"));
}

WriteBack narrow(const WrittenView& written, Ids ids) {
  const std::int64_t extent = written.base.shape[dim_of(written)];
  return into_slice(written, ids, from_the_front(integer_of(written.node, "start"), extent), 1);
}

WriteBack split(const WrittenView& written, Ids ids) {
  const auto part = static_cast<std::int64_t>(written.result);
  return into_slice(written, ids, part * integer_of(written.node, "split_size"), 1);
}

WriteBack split_with_sizes(const WrittenView& written, Ids ids) {
  const bool is_split = written.node.op == "aten::split.sizes";
  const auto sizes = integers_of(written.node, is_split ? "split_size" : "split_sizes");
  const auto end = sizes.begin() + static_cast<std::ptrdiff_t>(written.result);
  return into_slice(written, ids, std::accumulate(sizes.begin(), end, std::int64_t{0}), 1);
}

WriteBack chunk(const WrittenView& written, Ids ids) {
  const std::int64_t extent = written.base.shape[dim_of(written)];
  const std::int64_t chunks = integer_of(written.node, "chunks");
  const auto part = static_cast<std::int64_t>(written.result);
  return into_slice(written, ids, part * ((extent + chunks - 1) / chunks), 1);
}

WriteBack diagonal(const WrittenView& written, Ids ids) {
  WriteBack back{"aten::diagonal_scatter",
                 {value_argument("self", ids.first), value_argument("src", ids.second)}};
  for (const char* name : {"offset", "dim1", "dim2"}) {
    back.arguments.push_back(*find_argument(written.node, name));
  }
  return back;
}

// Views that only group extents differently.
WriteBack reshape(const WrittenView& written, Ids ids) {
  if (base::num_elements(written.base.shape) != base::num_elements(written.view.shape)) return {};
  return {"aten::reshape",
          {value_argument("self", ids.second), attribute_argument("shape", written.base.shape)}};
}

WriteBack whole(const WrittenView&, Ids ids) {
  return {"aten::alias", {value_argument("self", ids.second)}};
}

WriteBack transpose(const WrittenView& written, Ids ids) {
  return {"aten::transpose.int",
          {value_argument("self", ids.second), *find_argument(written.node, "dim0"),
           *find_argument(written.node, "dim1")}};
}

WriteBack matrix_transpose(const WrittenView&, Ids ids) {
  return {"aten::t", {value_argument("self", ids.second)}};
}

WriteBack permute(const WrittenView& written, Ids ids) {
  const std::vector<std::int64_t> dims = integers_of(written.node, "dims");
  const auto rank = static_cast<std::int64_t>(dims.size());
  std::vector<std::int64_t> inverse(dims.size());
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const std::int64_t dim = dims[i] < 0 ? dims[i] + rank : dims[i];
    inverse[static_cast<std::size_t>(dim)] = static_cast<std::int64_t>(i);
  }
  return {"aten::permute",
          {value_argument("self", ids.second), attribute_argument("dims", std::move(inverse))}};
}

WriteBack view_as_real(const WrittenView&, Ids ids) {
  return {"aten::view_as_complex", {value_argument("self", ids.second)}};
}

WriteBack view_as_complex(const WrittenView&, Ids ids) {
  return {"aten::view_as_real", {value_argument("self", ids.second)}};
}

struct Row {
  std::string_view op;
  WriteBack (*undo)(const WrittenView& written, Ids ids);
};

constexpr Row kRows[] = {
    {"aten::select.int", select},
    {"aten::slice.Tensor", slice},
    {"aten::narrow", narrow},
    {"aten::split.Tensor", split},
    {"aten::split.sizes", split_with_sizes},
    {"aten::split_with_sizes", split_with_sizes},
    {"aten::chunk", chunk},
    {"aten::unbind.int", unbind},
    {"aten::diagonal", diagonal},
    {"aten::view", reshape},
    {"aten::view_as", reshape},
    {"aten::reshape", reshape},
    {"aten::reshape_as", reshape},
    {"aten::_unsafe_view", reshape},
    {"aten::flatten.using_ints", reshape},
    {"aten::unflatten.int", reshape},
    {"aten::unsqueeze", reshape},
    {"aten::squeeze", reshape},
    {"aten::squeeze.dim", reshape},
    {"aten::squeeze.dims", reshape},
    {"aten::expand", reshape},
    {"aten::expand_as", reshape},
    {"aten::alias", whole},
    {"aten::detach", whole},
    {"aten::transpose.int", transpose},
    {"aten::t", matrix_transpose},
    {"aten::permute", permute},
    {"aten::view_as_real", view_as_real},
    {"aten::view_as_complex", view_as_complex},
};

}  // namespace

WriteBack write_back(const WrittenView& written, ValueId base_id, ValueId view_id) {
  for (const Row& row : kRows) {
    if (row.op == written.node.op) return row.undo(written, {base_id, view_id});
  }
  return {};
}

}  // namespace graphnet::graph
