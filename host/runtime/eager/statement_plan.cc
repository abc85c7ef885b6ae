// SPDX-License-Identifier: MIT
#include "eager/statement_plan.h"

#include <ATen/core/Tensor.h>
#include <c10/core/InferenceMode.h>

#include <utility>

#include "eager/argument_tensor.h"
#include "eager/meta_executor.h"
#include "eager/scalar_type.h"
#include "eager/tracer.h"
#include "eager/wall.h"

namespace graphnet::eager {

namespace {

/// Plans calls and keeps the names of their operators.
class NameWatch final : public CallExecutor {
 public:
  void execute(const Overload& overload, c10::Stack& stack) override {
    names_.push_back(overload.name.substr(0, overload.name.find('.')));
    inner_.execute(overload, stack);
  }
  std::vector<std::string> take() { return std::exchange(names_, {}); }

 private:
  MetaExecutor inner_;
  std::vector<std::string> names_;
};

const at::Tensor* first_tensor(const Value& value) {
  if (value.is_tensor()) return &value.tensor;
  for (const Value& item : value.items) {
    if (const at::Tensor* found = first_tensor(item)) return found;
  }
  return nullptr;
}

void describe(const Value& value, StatementFacts& facts) {
  const at::Tensor* tensor = first_tensor(value);
  if (tensor == nullptr) return;
  const auto dtype = from_scalar_type(tensor->scalar_type());
  facts.dtype = dtype ? base::dtype_name(*dtype) : c10::toString(tensor->scalar_type());
  facts.shape = tensor->sizes().vec();
}

}  // namespace

base::Result<std::vector<StatementFacts>> plan_statements(
    const graph::Program& program, const std::vector<PlanArgument>& arguments) {
  std::vector<StatementFacts> all;
  GN_RETURN_IF_ERROR(guarded([&] {
    const c10::InferenceMode inference(true);
    const DefaultTypeGuard default_type(program.default_dtype);
    std::vector<at::Tensor> tensors;
    for (const PlanArgument& argument : arguments) tensors.push_back(meta_tensor(argument));
    NameWatch watch;
    Tracer tracer(program, tensors, &watch);
    tracer.watch_statements([&](std::size_t statement, const std::vector<Value>& variables) {
      if (statement == 0) return;
      StatementFacts facts{watch.take(), {}, {}};
      const graph::VariableId target = program.statements[statement - 1].target;
      if (target >= 0) describe(variables[static_cast<std::size_t>(target)], facts);
      all.push_back(std::move(facts));
    });
    tracer.run();
  }));
  return all;
}

}  // namespace graphnet::eager
