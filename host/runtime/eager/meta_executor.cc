// SPDX-License-Identifier: MIT
#include "eager/meta_executor.h"

#include <ATen/core/List.h>
#include <ATen/ops/empty_strided.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "eager/flop_count.h"
#include "eager/shape_rules.h"
#include "eager/trace_error.h"

namespace graphnet::eager {

namespace {

bool is_wrapped_number(const at::Tensor& tensor) {
  return tensor.unsafeGetTensorImpl()->is_wrapped_number();
}

template <typename Visit>
void for_each_tensor(const c10::Stack& stack, Visit visit) {
  for (const c10::IValue& value : stack) {
    if (value.isTensor()) {
      visit(value.toTensor());
    } else if (value.isList()) {
      for (const c10::IValue& item : value.toListRef()) {
        if (item.isTensor()) visit(item.toTensor());
      }
    }
  }
}

/// Arguments moved to the Meta device, and the way back.
class MetaArguments {
 public:
  c10::Stack convert(const Overload& overload, const c10::Stack& stack) {
    c10::Stack converted;
    for (std::size_t i = 0; i < stack.size(); ++i) {
      const bool is_device = overload.parameters[i].type == ParameterType::kDevice;
      converted.push_back(is_device ? c10::IValue(c10::Device(c10::kMeta)) : convert(stack[i]));
    }
    return converted;
  }

  /// Results that are an argument itself become the caller's tensor again.
  void restore(c10::Stack& results) const {
    for (c10::IValue& result : results) {
      if (!result.isTensor()) continue;
      for (const auto& [real, meta] : pairs_) {
        if (result.toTensor().is_same(meta)) result = real;
      }
    }
  }

 private:
  at::Tensor convert(const at::Tensor& tensor) {
    if (!tensor.defined() || tensor.is_meta() || is_wrapped_number(tensor)) return tensor;
    at::Tensor meta = at::empty_strided(tensor.sizes(), tensor.strides(),
                                        tensor.options().device(c10::Device(c10::kMeta)));
    pairs_.emplace_back(tensor, meta);
    return meta;
  }

  c10::IValue convert(const c10::IValue& value) {
    if (value.isTensor()) return convert(value.toTensor());
    if (value.isTensorList()) {
      c10::List<at::Tensor> list;
      for (const at::Tensor& item : value.toTensorVector()) list.push_back(convert(item));
      return list;
    }
    if (!value.isOptionalTensorList()) return value;
    c10::List<std::optional<at::Tensor>> list;
    for (const std::optional<at::Tensor>& item : value.toOptionalTensorVector()) {
      list.push_back(item ? std::optional<at::Tensor>(convert(*item)) : std::nullopt);
    }
    return list;
  }

  std::vector<std::pair<at::Tensor, at::Tensor>> pairs_;
};

bool is_small(const c10::Stack& results) {
  std::int64_t total = 0;
  for_each_tensor(results, [&total](const at::Tensor& tensor) {
    const std::int64_t count = tensor.defined() ? tensor.numel() : 0;
    if (__builtin_add_overflow(total, count, &total)) total = kMostKnownElements + 1;
  });
  return total <= kMostKnownElements;
}

// Results follow from values, but are no larger than the arguments.
bool reads_values(const std::string& name) {
  constexpr std::string_view kNames[] = {"aten::item",          "aten::nonzero",
                                         "aten::argwhere",      "aten::where",
                                         "aten::index.Tensor",  "aten::equal",
                                         "aten::masked_select", "aten::nonzero_numpy",
                                         "aten::is_nonzero",    "aten::_local_scalar_dense"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

bool is_random(const Overload& overload) {
  return overload.handle.hasTag(at::Tag::nondeterministic_seeded);
}

}  // namespace

bool MetaExecutor::is_known(const at::Tensor& tensor) const {
  if (!tensor.defined()) return true;
  if (tensor.is_meta()) return false;
  return std::none_of(forgotten_.begin(), forgotten_.end(),
                      [&](const at::Tensor& written) { return tensor.is_alias_of(written); });
}

bool MetaExecutor::are_known(const c10::Stack& stack) const {
  bool known = true;
  for_each_tensor(stack, [&](const at::Tensor& tensor) { known = known && is_known(tensor); });
  return known;
}

// Leaves the results on the stack.
void MetaExecutor::infer(const Overload& overload, c10::Stack& stack) {
  if (const ShapeRule rule = find_shape_rule(overload.name)) {
    c10::Stack results = rule(SchemaView(overload, stack), notes_);
    stack = std::move(results);
    return;
  }
  try {
    overload.handle.callBoxed(&stack);
  } catch (const c10::NotImplementedError&) {
    fail_unsupported("no shape rule for " + overload.name);
  }
}

void MetaExecutor::forget_written(const Overload& overload, const c10::Stack& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!writes(overload, arguments, i) || !arguments[i].isTensor()) continue;
    const at::Tensor& tensor = arguments[i].toTensor();
    if (!tensor.defined() || tensor.is_meta() || !is_known(tensor)) continue;
    // A single element may be read on the host at any time, past this class.
    if (tensor.numel() == 1) fail_unsupported(overload.name + " hides a value");
    forgotten_.push_back(tensor);
  }
}

// A known mask selects what it selects, even of unknown values: in arguments of index.Tensor //
// positions replace it.
c10::Stack MetaExecutor::with_known_masks_selected(c10::Stack arguments) const {
  c10::List<std::optional<at::Tensor>> indices;
  for (const std::optional<at::Tensor>& index : arguments[1].toOptionalTensorVector()) {
    const bool is_known_mask = index && index->defined() && is_known(*index) &&
                               index->scalar_type() == at::ScalarType::Bool && index->dim() > 0;
    if (!is_known_mask) {
      indices.push_back(index);
      continue;
    }
    for (const at::Tensor& positions : index->nonzero().unbind(1)) indices.push_back(positions);
  }
  arguments[1] = std::move(indices);
  return arguments;
}

void MetaExecutor::execute(const Overload& overload, c10::Stack& stack) {
  const c10::Stack arguments = stack;
  const bool known = are_known(arguments) && !is_random(overload);
  if (known && reads_values(overload.name)) {
    overload.handle.callBoxed(&stack);
    record(overload, stack, count_flop(overload, arguments, stack));
    return;
  }
  MetaArguments meta;
  const bool is_index = overload.name == "aten::index.Tensor";
  const c10::Stack converted =
      meta.convert(overload, is_index ? with_known_masks_selected(arguments) : arguments);
  c10::Stack results = converted;
  infer(overload, results);
  const double flop = count_flop(overload, converted, results);
  if (known && is_small(results)) {
    overload.handle.callBoxed(&stack);
  } else {
    meta.restore(results);
    forget_written(overload, arguments);
    stack = std::move(results);
  }
  record(overload, stack, flop);
}

}  // namespace graphnet::eager
