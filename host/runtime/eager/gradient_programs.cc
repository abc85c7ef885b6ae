// SPDX-License-Identifier: MIT
#include "eager/gradient_programs.h"

#include <ATen/ops/as_strided.h>
#include <ATen/ops/ones.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "eager/dispatch_record.h"
#include "eager/gradient_run.h"
#include "eager/recorded_program.h"
#include "eager/scalar_type.h"
#include "eager/tensor_record.h"
#include "eager/trace_error.h"
#include "eager/wall.h"

namespace graphnet::eager {

namespace {

/// Orders dimensions so that their strides descend.
std::vector<std::int64_t> dense_order(const DispatchedValue& value) {
  std::vector<std::int64_t> order(value.shape.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return value.strides[static_cast<std::size_t>(a)] > value.strides[static_cast<std::size_t>(b)];
  });
  return order;
}

std::vector<std::int64_t> inverse(const std::vector<std::int64_t>& order) {
  std::vector<std::int64_t> inverted(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    inverted[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
  }
  return inverted;
}

/// How a value of the forward pass gets into the backward program.
struct Passing {
  bool is_made_again = false;       ///< by the view that it is of another value
  std::vector<std::int64_t> order;  ///< not empty: it is passed with its dimensions in this order
  ValueRecord record;
};

/// Decides it for each value of the forward pass that the backward pass reads.
///
/// A parameter is dense and row-major. What is not must come to the kernels as it did, so that they
/// round alike and views fit: a view is made again from its base, and a dense tensor with another
/// order of dimensions is passed in that order.
class Passings {
 public:
  explicit Passings(const DispatchRecord& record) : record_(record) {}

  void end_forward() { num_forward_ = record_.calls().size(); }
  std::size_t num_forward() const { return num_forward_; }

  /// `tensor` has the memory of the value.
  void decide(ValueId id, const at::Tensor& tensor) {
    const DispatchedValue& value = value_of(id);
    if (!is_saved(value) || passings_.count(id) > 0) return;
    const at::Tensor held =
        at::as_strided(tensor.detach(), value.shape, value.strides, value.offset);
    Passing& passing = passings_[id];
    const ValueId base = base_of(value);
    if (!held.is_contiguous() && base != kNoValue) {
      passing.is_made_again = true;
      return decide(base, tensor);
    }
    if (!held.is_contiguous() && held.is_non_overlapping_and_dense()) {
      passing.order = dense_order(value);
    }
    passing.record = record_tensor(passing.order.empty() ? held : held.permute(passing.order),
                                   /*most_elements=*/0);
  }

  const Passing* find(ValueId id) const {
    const auto found = passings_.find(id);
    return found == passings_.end() ? nullptr : &found->second;
  }
  /// A result of a forward call that is no literal.
  bool is_saved(const DispatchedValue& value) const {
    return value.call >= 0 && is_forward(static_cast<std::size_t>(value.call)) &&
           call_of(value).overload != nullptr;
  }
  bool is_forward(std::size_t call) const { return call < num_forward_; }

 private:
  const DispatchedValue& value_of(ValueId id) const {
    return record_.values()[static_cast<std::size_t>(id)];
  }
  const DispatchedCall& call_of(const DispatchedValue& value) const {
    return record_.calls()[static_cast<std::size_t>(value.call)];
  }
  /// What it is a view of; kNoValue: nothing.
  ValueId base_of(const DispatchedValue& value) const {
    const DispatchedCall& call = call_of(value);
    if (!call.is_view || call.reads.size() != 1) return kNoValue;
    const DispatchedValue& base = value_of(call.reads[0]);
    const bool is_same = base.storage == value.storage && base.type == value.type;
    return is_same ? call.reads[0] : kNoValue;
  }

  const DispatchRecord& record_;
  std::size_t num_forward_ = 0;
  std::map<ValueId, Passing> passings_;
};

/// The calls that values depend on, found from the last to the first.
class Needed {
 public:
  explicit Needed(const DispatchRecord& record) : record_(record) {}

  void want(ValueId id) {
    values.insert(id);
    storages_.insert(record_.values()[static_cast<std::size_t>(id)].storage);
  }
  bool gives_wanted(std::size_t call) const {
    const DispatchedCall& recorded = record_.calls()[call];
    return std::any_of(recorded.results.begin(), recorded.results.end(), [&](const auto& ids) {
      return std::any_of(ids.begin(), ids.end(), [&](ValueId id) {
        return id != kNoValue && values.count(id) > 0 &&
               record_.values()[static_cast<std::size_t>(id)].call ==
                   static_cast<std::int32_t>(call);
      });
    });
  }
  bool writes_wanted(std::size_t call) const {
    const auto& written = record_.calls()[call].written;
    return std::any_of(written.begin(), written.end(), [&](ValueId id) {
      return storages_.count(record_.values()[static_cast<std::size_t>(id)].storage) > 0;
    });
  }
  void keep(std::size_t call) {
    calls.push_back(call);
    for (const ValueId id : record_.calls()[call].reads) want(id);
  }

  std::set<ValueId> values;
  std::vector<std::size_t> calls;  ///< descending

 private:
  const DispatchRecord& record_;
  std::set<std::int64_t> storages_;
};

/// A recorded run of both passes.
class Recorded {
 public:
  explicit Recorded(const graph::Program& program) : program_(program) {}

  void run(const std::vector<EngineArgument>& arguments, const std::vector<bool>& requires_grad,
           WriteCopies& copies);
  GradientPrograms programs();

 private:
  void begin(const std::vector<at::Tensor>& leaves);
  bool is_made_again(std::size_t call, const Needed& needed) const;
  Needed needed_backward() const;
  BackwardParameter take_saved(ValueId id, RecordedProgram& backward);
  void make_backward(GradientPrograms& made);
  void make_forward(GradientPrograms& made, const std::vector<ValueId>& saved);
  std::vector<ValueId> saved_values(const Needed& needed) const;
  std::string saved_name(ValueId id);
  const DispatchedValue& value_of(ValueId id) const {
    return record_->values()[static_cast<std::size_t>(id)];
  }
  bool is_argument(ValueId id) const { return static_cast<std::size_t>(id) < num_arguments_; }

  const graph::Program& program_;
  std::unique_ptr<DispatchRecord> record_;
  std::unique_ptr<Passings> passings_;
  std::size_t num_arguments_ = 0;
  std::vector<ValueId> outputs_;
  std::vector<std::size_t> differentiated_;
  std::vector<ValueId> tangents_;
  std::vector<std::pair<std::size_t, ValueId>> gradients_;  ///< argument and value
  std::map<ValueId, std::string> permuted_;                 ///< names
};

void Recorded::begin(const std::vector<at::Tensor>& leaves) {
  record_.reset();
  record_ = std::make_unique<DispatchRecord>();
  passings_ = std::make_unique<Passings>(*record_);
  num_arguments_ = leaves.size();
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    record_->give(leaves[i], "primals_" + std::to_string(i + 1));
  }
}

void Recorded::run(const std::vector<EngineArgument>& arguments,
                   const std::vector<bool>& requires_grad, WriteCopies& copies) {
  GradientRun run =
      run_with_autograd(program_, arguments, requires_grad, copies,
                        [&](const std::vector<at::Tensor>& leaves) { begin(leaves); });
  for (const at::Tensor& output : run.outputs) outputs_.push_back(record_->find(output));
  passings_->end_forward();
  differentiated_ = differentiable(run.outputs);
  std::vector<at::Tensor> ones;
  {
    const DispatchRecord::Pause pause;
    for (const std::size_t i : differentiated_) {
      ones.push_back(at::ones(run.outputs[i].sizes(), run.outputs[i].options()));
      tangents_.push_back(
          record_->give(ones.back(), "tangents_" + std::to_string(tangents_.size() + 1)));
    }
  }
  record_->watch_reads(
      [&](ValueId id, const at::Tensor& tensor) { passings_->decide(id, tensor); });
  const std::vector<at::Tensor> found = gradients_of(run, differentiated_, ones);
  record_->watch_reads({});
  const DispatchRecord::Pause pause;
  std::size_t next = 0;
  for (std::size_t i = 0; i < num_arguments_; ++i) {
    if (!requires_grad[i]) continue;
    const at::Tensor& gradient = found[next++];
    if (!gradient.defined()) continue;
    gradients_.emplace_back(i, record_->find(gradient));
    passings_->decide(gradients_.back().second, gradient);
  }
  if (!record_->problem().empty()) fail_unsupported(record_->problem());
}

std::string Recorded::saved_name(ValueId id) {
  const auto found = permuted_.find(id);
  return found == permuted_.end() ? value_of(id).name : found->second;
}

// Arguments first, then values as the forward pass made them.
std::vector<ValueId> Recorded::saved_values(const Needed& needed) const {
  std::vector<ValueId> saved;
  for (const ValueId id : needed.values) {
    const Passing* passing = passings_->find(id);
    const bool is_passed = passing != nullptr && !passing->is_made_again;
    if (is_argument(id) || is_passed) saved.push_back(id);
  }
  return saved;
}

// What passes from the forward pass to the backward one ends the search.
bool Recorded::is_made_again(std::size_t call, const Needed& needed) const {
  const auto is_again = [&](ValueId id) {
    const Passing* passing = id == kNoValue ? nullptr : passings_->find(id);
    return passing != nullptr && passing->is_made_again && needed.values.count(id) > 0;
  };
  const auto& results = record_->calls()[call].results;
  return std::any_of(results.begin(), results.end(), [&](const auto& ids) {
    return std::any_of(ids.begin(), ids.end(), is_again);
  });
}

Needed Recorded::needed_backward() const {
  Needed needed(*record_);
  for (const auto& [argument, id] : gradients_) needed.want(id);
  for (std::size_t call = record_->calls().size(); call-- > 0;) {
    const bool gives = needed.gives_wanted(call);
    if (!passings_->is_forward(call)) {
      if (gives || needed.writes_wanted(call)) needed.keep(call);
      continue;
    }
    const bool is_literal = record_->calls()[call].overload == nullptr;
    if (gives && (is_literal || is_made_again(call, needed))) needed.keep(call);
  }
  return needed;
}

BackwardParameter Recorded::take_saved(ValueId id, RecordedProgram& backward) {
  const Passing* passing = passings_->find(id);
  if (passing != nullptr && !passing->order.empty()) {
    permuted_[id] = backward.free_name(value_of(id).name + "_dense");
    backward.take(permuted_[id]);
  } else {
    backward.take(id);
  }
  BackwardParameter parameter;
  parameter.name = saved_name(id);
  if (is_argument(id)) parameter.argument = static_cast<std::size_t>(id);
  if (passing != nullptr) parameter.record = passing->record;
  return parameter;
}

void Recorded::make_backward(GradientPrograms& made) {
  for (const auto& [argument, id] : gradients_) made.gradients.push_back(argument);
  const Needed needed = needed_backward();
  RecordedProgram backward(*record_, program_.file);
  const std::vector<ValueId> saved = saved_values(needed);
  for (const ValueId id : saved) made.parameters.push_back(take_saved(id, backward));
  for (const ValueId id : tangents_) {
    backward.take(id);
    made.parameters.push_back({value_of(id).name, std::nullopt, {}});
  }
  // The order of parameters is that of `saved`.
  for (std::size_t i = 0; i < saved.size(); ++i) {
    if (permuted_.count(saved[i]) == 0) continue;
    backward.define(saved[i],
                    backward.assign(value_of(saved[i]).name,
                                    permute_expression(static_cast<graph::VariableId>(i),
                                                       inverse(passings_->find(saved[i])->order))));
  }
  for (auto call = needed.calls.rbegin(); call != needed.calls.rend(); ++call) {
    backward.add(*call, needed.values);
  }
  std::vector<graph::VariableId> returned;
  for (const auto& [argument, id] : gradients_) returned.push_back(backward.variable_of(id));
  made.backward = backward.finish(returned);
  make_forward(made, saved);
}

void Recorded::make_forward(GradientPrograms& made, const std::vector<ValueId>& saved) {
  Needed needed(*record_);
  for (std::size_t i = 0; i < num_arguments_; ++i) needed.want(static_cast<ValueId>(i));
  for (const ValueId id : outputs_) needed.want(id);
  for (const ValueId id : saved) needed.want(id);
  for (std::size_t call = passings_->num_forward(); call-- > 0;) {
    if (needed.gives_wanted(call) || needed.writes_wanted(call)) needed.keep(call);
  }
  RecordedProgram forward(*record_, program_.file);
  for (std::size_t i = 0; i < num_arguments_; ++i) forward.take(static_cast<ValueId>(i));
  for (auto call = needed.calls.rbegin(); call != needed.calls.rend(); ++call) {
    forward.add(*call, needed.values);
  }
  std::vector<graph::VariableId> returned;
  for (const ValueId id : outputs_) returned.push_back(forward.variable_of(id));
  for (const ValueId id : saved) {
    const auto found = permuted_.find(id);
    returned.push_back(
        found == permuted_.end()
            ? forward.variable_of(id)
            : forward.assign(found->second, permute_expression(forward.variable_of(id),
                                                               passings_->find(id)->order)));
  }
  made.num_outputs = outputs_.size();
  made.forward = forward.finish(returned);
}

GradientPrograms Recorded::programs() {
  GradientPrograms made;
  made.tangents = differentiated_;
  make_backward(made);
  for (std::size_t i = 0; i < tangents_.size(); ++i) {
    const DispatchedValue& value = value_of(tangents_[i]);
    ValueRecord& ones = made.parameters[made.parameters.size() - tangents_.size() + i].record;
    ones.kind = ValueRecord::Kind::kTensor;
    const auto dtype = from_scalar_type(value.type);
    if (!dtype) fail_unsupported(std::string("element type ") + c10::toString(value.type));
    ones.dtype = base::dtype_name(*dtype);
    ones.shape = value.shape;
    ones.mean = 1;
    ones.deviation = 0;
  }
  return made;
}

}  // namespace

base::Result<GradientPrograms> record_gradients(const graph::Program& program,
                                                const std::vector<EngineArgument>& arguments,
                                                const std::vector<bool>& requires_grad) {
  GradientPrograms made;
  GN_RETURN_IF_ERROR(guarded([&] {
    with_write_copies([&](WriteCopies& copies) {
      Recorded recorded(program);
      recorded.run(arguments, requires_grad, copies);
      made = recorded.programs();
    });
  }));
  return made;
}

}  // namespace graphnet::eager
