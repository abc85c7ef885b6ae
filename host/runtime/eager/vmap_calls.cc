// SPDX-License-Identifier: MIT
// vmap regions without functorch. Every region of the dataset nests up to four levels over 1-D
// index vectors, in_dim 0 and out_dim 0, and holds only elementwise operators and one index. A
// value that is batched at level l is kept as a physical tensor with four leading dimensions, its
// extent at position l - 1 and 1 elsewhere: elementwise operators then broadcast, and removing the
// levels innermost first leaves exactly the result.
//
// source   torch/_functorch/vmap.py for the meaning; forms measured over all 2,495 samples
#include <utility>

#include "eager/call_table.h"
#include "eager/trace_error.h"

namespace graphnet::eager {

namespace {

constexpr std::int64_t kLevels = 4;

Value no_effect(Tracer&, CallArguments) {
  return Value::marker();
}

std::int64_t checked_level(const Value& level) {
  const std::int64_t value = to_integer(level);
  if (value < 1 || value > kLevels) fail_unsupported("vmap deeper than four levels");
  return value;
}

Value add_batch_dim(Tracer& tracer, CallArguments arguments) {
  const PythonArguments given("_add_batch_dim", {"input", "batch_dim", "level"},
                              std::move(arguments));
  const Value& input = given["input"];
  const std::int64_t level = checked_level(given["level"]);
  if (to_integer(given["batch_dim"]) != 0 || !input.is_tensor() || input.tensor.dim() != 1) {
    fail_unsupported("vmap over anything but dimension 0 of a vector");
  }
  tracer.vmap_depth = std::max<int>(tracer.vmap_depth, static_cast<int>(level));
  std::vector<std::int64_t> shape(kLevels, 1);
  shape[static_cast<std::size_t>(level - 1)] = input.tensor.size(0);
  return tracer.call_with("aten::view", input, Value::integers(shape));
}

// Innermost level of a region shallower than four: the unused inner dimensions go.
Value drop_unused_levels(Tracer& tracer, Value value) {
  for (std::int64_t dim = kLevels - 1; dim >= tracer.vmap_depth; --dim) {
    value = tracer.call_with("aten::squeeze", value, Value::from_integer(dim));
  }
  return value;
}

Value remove_batch_dim(Tracer& tracer, CallArguments arguments) {
  const PythonArguments given("_remove_batch_dim", {"input", "level", "batch_size", "out_dim"},
                              std::move(arguments));
  const std::int64_t level = checked_level(given["level"]);
  const std::int64_t extent = to_integer(given["batch_size"]);
  Value value = given["input"];
  if (to_integer(given["out_dim"]) != 0) fail_unsupported("vmap with out_dim other than 0");
  if (value.tensor.dim() < level) {
    fail_unsupported("vmap result that no level batches: " + value.describe());
  }
  if (value.tensor.size(level - 1) != extent) {
    std::vector<std::int64_t> shape = value.tensor.sizes().vec();
    shape[static_cast<std::size_t>(level - 1)] = extent;
    value = tracer.call_with("aten::expand", value, Value::integers(shape));
  }
  if (level == 1) {
    value = drop_unused_levels(tracer, std::move(value));
    tracer.vmap_depth = 0;
  }
  return value;
}

}  // namespace

const std::vector<CallRow> kVmapCalls = {
    {"torch._functorch.predispatch.lazy_load_decompositions", no_effect},
    {"torch._functorch.predispatch._vmap_increment_nesting", no_effect},
    {"torch._functorch.predispatch._vmap_decrement_nesting", no_effect},
    {"torch._functorch.predispatch._add_batch_dim", add_batch_dim},
    {"torch._functorch.predispatch._remove_batch_dim", remove_batch_dim},
    {"torch._functorch.vmap.lazy_load_decompositions", no_effect},
    {"torch._C._functorch._vmap_increment_nesting", no_effect},
    {"torch._C._functorch._vmap_decrement_nesting", no_effect},
    {"torch._C._functorch._add_batch_dim", add_batch_dim},
    {"torch._C._functorch._remove_batch_dim", remove_batch_dim},
};

}  // namespace graphnet::eager
