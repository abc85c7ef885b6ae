// SPDX-License-Identifier: MIT
#include "eager/dispatch_record.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "eager/call_expression.h"
#include "eager/trace_error.h"
#include "eager/vector_math.h"

namespace graphnet::eager {

namespace {

constexpr c10::DispatchKey kKey = c10::DispatchKey::Fake;

/// What makes two tensors the same view of the same memory.
using Key = std::tuple<const c10::StorageImpl*, std::int64_t, std::vector<std::int64_t>,
                       std::vector<std::int64_t>, at::ScalarType, bool, bool>;

Key key_of(const at::Tensor& tensor) {
  return {tensor.storage().unsafeGetStorageImpl(),
          tensor.storage_offset(),
          tensor.sizes().vec(),
          tensor.strides().vec(),
          tensor.scalar_type(),
          tensor.is_conj(),
          tensor.is_neg()};
}

/// Names that torch.fx does not give: Python's own, and those of the program's language.
constexpr std::array<std::string_view, 24> kTakenNames = {
    "abs",  "all",   "any",  "bin",   "bool",  "complex", "device", "divmod",
    "eval", "float", "hash", "hex",   "inf",   "int",     "len",    "max",
    "min",  "nan",   "pow",  "range", "round", "slice",   "sum",    "torch"};

class Names {
 public:
  std::string make(const std::string& base) {
    int& next = counts_[base];
    for (;; ++next) {
      std::string name = next == 0 ? base : base + "_" + std::to_string(next);
      const bool is_taken =
          std::find(kTakenNames.begin(), kTakenNames.end(), name) != kTakenNames.end();
      if (!is_taken && known_.insert(name).second) {
        ++next;
        return name;
      }
    }
  }

 private:
  std::map<std::string, int> counts_;
  std::set<std::string> known_;
};

DispatchedValue named_value(std::string name, std::size_t call, std::vector<std::int64_t> path) {
  DispatchedValue value;
  value.name = std::move(name);
  value.call = static_cast<std::int32_t>(call);
  value.path = std::move(path);
  return value;
}

/// "aten::squeeze_.dim" to "aten::squeeze.dim".
std::string without_underscore(std::string name) {
  const std::size_t end = std::min(name.find('.'), name.size());
  return name.erase(end - 1, 1);
}

/// "empty", "empty_like", "new_empty" and the like.
bool makes_blank(const std::string& name) {
  return name.rfind("empty", 0) == 0 || name.rfind("new_empty", 0) == 0;
}

/// Whether the tensor is an argument that the call writes to.
bool is_written(const Overload& overload, const c10::Stack& arguments, const at::Tensor& tensor) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const bool is_it = arguments[i].isTensor() && arguments[i].toTensor().is_same(tensor);
    if (is_it && writes(overload, arguments, i)) return true;
  }
  return false;
}

bool gives_views(const Overload& overload) {
  const auto& returns = overload.handle.schema().returns();
  return !returns.empty() && returns[0].alias_info() != nullptr &&
         !returns[0].alias_info()->isWrite();
}

}  // namespace

struct DispatchRecord::State {
  /// The record that lives: what the dispatcher calls is a plain function.
  static State* current;

  static void dispatch(const c10::OperatorHandle& op, c10::DispatchKeySet keys, c10::Stack* stack);
  void record(const c10::OperatorHandle& op, c10::DispatchKeySet keys, c10::Stack& stack);
  std::optional<DispatchedCall> describe(const c10::OperatorHandle& op,
                                         const c10::Stack& arguments);
  void note_results(const c10::IValue* results, std::size_t num_results, DispatchedCall call);
  ValueId result(const at::Tensor& tensor, const std::string& name, std::vector<std::int64_t> path);
  ValueId add(const at::Tensor& tensor, DispatchedValue value);
  ValueId find(const at::Tensor& tensor);
  ValueId add_literal(const at::Tensor& tensor);
  bool is_blank(ValueId id) const {
    return blank.count(values[static_cast<std::size_t>(id)].storage) > 0;
  }
  void fail(const std::string& reason) {
    if (problem.empty()) problem = reason;
  }

  std::vector<DispatchedCall> calls;
  std::vector<DispatchedValue> values;
  std::map<Key, ValueId> known;
  std::map<const c10::StorageImpl*, std::int64_t> storages;
  /// No other storage may get the address of one that is gone.
  std::vector<c10::weak_intrusive_ptr<c10::StorageImpl>> addresses;
  /// Storages that were made without content and that no call has written to. What reads one finds
  /// elements that were put there by other means than calls: a literal.
  std::set<std::int64_t> blank;
  Names names;
  std::string problem;
  ReadWatch watch;
  c10::impl::IncludeDispatchKeyGuard included{kKey};
};

DispatchRecord::State* DispatchRecord::State::current = nullptr;

void DispatchRecord::State::dispatch(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                                     c10::Stack* stack) {
  const c10::impl::ExcludeDispatchKeyGuard below(kKey);
  const c10::DispatchKeySet rest =
      keys & c10::DispatchKeySet(c10::DispatchKeySet::FULL_AFTER, kKey);
  if (current == nullptr) return op.redispatchBoxed(rest, stack);
  current->record(op, rest, *stack);
}

ValueId DispatchRecord::State::add(const at::Tensor& tensor, DispatchedValue value) {
  const auto* storage = tensor.storage().unsafeGetStorageImpl();
  const auto number = static_cast<std::int64_t>(storages.size());
  const auto [found, is_new] = storages.emplace(storage, number);
  if (is_new) addresses.push_back(tensor.storage().getWeakStorageImpl());
  value.storage = found->second;
  value.type = tensor.scalar_type();
  value.shape = tensor.sizes().vec();
  value.strides = tensor.strides().vec();
  value.offset = tensor.storage_offset();
  const auto id = static_cast<ValueId>(values.size());
  values.push_back(std::move(value));
  known[key_of(tensor)] = id;
  return id;
}

ValueId DispatchRecord::State::find(const at::Tensor& tensor) {
  if (!tensor.has_storage()) fail_unsupported("a tensor without memory of its own");
  const auto found = known.find(key_of(tensor));
  return found != known.end() ? found->second : add_literal(tensor);
}

ValueId DispatchRecord::State::add_literal(const at::Tensor& tensor) {
  DispatchedCall call;
  call.expression = literal_expression(tensor);
  const ValueId id = add(tensor, named_value(names.make("_tensor_constant"), calls.size(), {}));
  call.results = {{id}};
  call.is_list = {false};
  calls.push_back(std::move(call));
  return id;
}

std::optional<DispatchedCall> DispatchRecord::State::describe(const c10::OperatorHandle& op,
                                                              const c10::Stack& arguments) {
  DispatchedCall call;
  const std::string name = c10::toString(op.operator_name());
  call.overload = find_overload(name);
  if (call.overload == nullptr) fail_unsupported("operator " + name + ", which Python cannot call");
  std::vector<ValueId> reads;
  const bool is_view = gives_views(*call.overload);
  const NameTensor number = [&](const at::Tensor& tensor) {
    reads.push_back(find(tensor));
    if (!is_view && is_blank(reads.back()) && !is_written(*call.overload, arguments, tensor)) {
      reads.back() = add_literal(tensor);
    }
    if (watch) watch(reads.back(), tensor);
    return reads.back();
  };
  call.expression = call_expression(*call.overload, arguments, number);
  call.reads = std::move(reads);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!writes(*call.overload, arguments, i) || !arguments[i].isTensor()) continue;
    if (!arguments[i].toTensor().defined()) continue;
    call.written.push_back(find(arguments[i].toTensor()));
    blank.erase(values[static_cast<std::size_t>(call.written.back())].storage);
  }
  call.is_view = is_view;
  if (!op.hasTag(at::Tag::inplace_view)) return call;
  // The view alone: what has the old one keeps it.
  call.overload = find_overload(without_underscore(name));
  if (call.overload == nullptr) fail_unsupported("operator " + name);
  call.expression.text = spelling_of(*call.overload);
  call.written.clear();
  call.is_view = true;
  return call;
}

void DispatchRecord::State::record(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                                   c10::Stack& stack) {
  const std::size_t num_arguments = op.schema().arguments().size();
  const c10::Stack arguments(stack.end() - static_cast<std::ptrdiff_t>(num_arguments), stack.end());
  std::optional<DispatchedCall> call;
  std::string reason;
  try {
    call = describe(op, arguments);
  } catch (const TraceError& error) {
    reason = error.what();
  }
  op.redispatchBoxed(keys, &stack);
  const std::size_t num_results = op.schema().returns().size();
  const c10::IValue* results = stack.data() + (stack.size() - num_results);
  const bool has_tensors = std::any_of(results, results + num_results, [](const c10::IValue& one) {
    return one.isTensor() || one.isTensorList();
  });
  // A number that the host reads stands in the calls that it is given to.
  if (!has_tensors && (!call || call->written.empty())) return;
  if (!call) return fail(reason);
  try {
    note_results(results, num_results, std::move(*call));
  } catch (const TraceError& error) {
    fail(error.what());
  }
}

void DispatchRecord::State::note_results(const c10::IValue* results, std::size_t num_results,
                                         DispatchedCall call) {
  const std::string name = call.overload->operator_name();
  for (std::size_t i = 0; i < num_results; ++i) {
    const bool is_list = results[i].isTensorList();
    const auto place = static_cast<std::int64_t>(i);
    std::vector<ValueId> ids;
    if (is_list) {
      for (const at::Tensor& item : results[i].toTensorVector()) {
        std::vector<std::int64_t> path = {static_cast<std::int64_t>(ids.size())};
        if (num_results > 1) path.insert(path.begin(), place);
        ids.push_back(result(item, "getitem", std::move(path)));
      }
    } else if (results[i].isTensor()) {
      const bool is_alone = num_results == 1;
      ids.push_back(result(results[i].toTensor(), is_alone ? name : "getitem",
                           is_alone ? std::vector<std::int64_t>() : std::vector{place}));
    }
    call.results.push_back(std::move(ids));
    call.is_list.push_back(is_list);
  }
  if (makes_blank(name)) {
    for (const auto& ids : call.results) {
      for (const ValueId id : ids) blank.insert(values[static_cast<std::size_t>(id)].storage);
    }
  }
  calls.push_back(std::move(call));
}

ValueId DispatchRecord::State::result(const at::Tensor& tensor, const std::string& name,
                                      std::vector<std::int64_t> path) {
  if (!tensor.defined()) return kNoValue;
  if (!tensor.has_storage()) fail_unsupported("a tensor without memory of its own");
  const auto found = known.find(key_of(tensor));
  if (found != known.end()) return found->second;
  return add(tensor, named_value(names.make(name), calls.size(), std::move(path)));
}

DispatchRecord::DispatchRecord() {
  resolve_vector_math();  // later it would be recorded
  static const c10::RegistrationHandleRAII registration =
      c10::Dispatcher::singleton().registerFallback(
          kKey, c10::KernelFunction::makeFromBoxedFunction<&State::dispatch>(), "graphnet");
  state_ = std::make_unique<State>();
  State::current = state_.get();
}

DispatchRecord::~DispatchRecord() {
  State::current = nullptr;
}

ValueId DispatchRecord::give(const at::Tensor& tensor, const std::string& name) {
  DispatchedValue value;
  value.name = state_->names.make(name);
  return state_->add(tensor, std::move(value));
}

ValueId DispatchRecord::find(const at::Tensor& tensor) {
  const c10::impl::ExcludeDispatchKeyGuard below(kKey);
  return state_->find(tensor);
}

const std::vector<DispatchedCall>& DispatchRecord::calls() const {
  return state_->calls;
}

const std::vector<DispatchedValue>& DispatchRecord::values() const {
  return state_->values;
}

const std::string& DispatchRecord::problem() const {
  return state_->problem;
}

void DispatchRecord::watch_reads(ReadWatch watch) {
  state_->watch = std::move(watch);
}

}  // namespace graphnet::eager
