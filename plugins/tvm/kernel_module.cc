// SPDX-License-Identifier: MIT
#include "tvm_plugin/kernel_module.h"

#include <cctype>
#include <optional>
#include <set>
#include <utility>

#include "tvm_plugin/expression.h"
#include "tvm_plugin/extern_functions.h"
#include "tvm_plugin/on_cores.h"
#include "tvm_plugin/schedule.h"

namespace graphnet::tvm {

namespace {

// "aten::add.Tensor" as "aten_add_Tensor".
std::string kernel_name(const ir::Graph& graph, const Kernel& kernel) {
  const std::int32_t origin = graph.maker(kernel.anchor >= 0 ? kernel.anchor : kernel.root).origin;
  std::string name;
  if (origin >= 0) {
    for (const char c : graph.origins[static_cast<std::size_t>(origin)].op) {
      const bool is_word = std::isalnum(static_cast<unsigned char>(c)) != 0;
      if (is_word) {
        name += c;
      } else if (!name.empty() && name.back() != '_') {
        name += '_';
      }
    }
  }
  return name.empty() ? "layout" : name;
}

class ModuleBuilder {
 public:
  ModuleBuilder(const ir::Graph& graph, const KernelPlan& plan, Schedule schedule,
                const Improve& improve)
      : graph_(graph),
        plan_(plan),
        schedule_(schedule),
        improve_(improve),
        builder_(make("relax.BlockBuilderCreate", nullptr)) {}

  KernelModule build() {
    write_kernels();
    for (const Kernel& kernel : plan_.bind) result_.bind.push_back(call_of(kernel));
    for (const Kernel& kernel : plan_.call) result_.main.push_back(call_of(kernel));
    for (const KernelCall& each : result_.main) {
      if (!each.is_extern) ++calls_[each.function];
    }
    result_.module = make("relax.BlockBuilderFinalize", builder_);
    if (schedule_ != Schedule::kNone) arrange();
    return std::move(result_);
  }

 private:
  /// A kernel as a function to compile, or as a call of one of this plugin's.
  struct Written {
    KernelFunction compiled;
    std::optional<ExternCall> call;

    const KernelFunction& function() const { return call ? call->function : compiled; }
  };
  struct Pending {
    Ref variable;
    const Kernel* kernel = nullptr;
    KernelFunction function;

    std::string name() const { return field(variable, "name_hint").cast<String>(); }
  };
  struct Scheduled {
    Ref schedule;
    std::string rule;
    std::string refusal;  ///< empty: TVM took the rule's
  };

  void write_kernels() {
    std::vector<const Kernel*> kernels;
    for (const auto* list : {&plan_.bind, &plan_.call}) {
      for (const Kernel& kernel : *list) kernels.push_back(&kernel);
    }
    std::vector<Written> made(kernels.size());
    for_each_on_cores(made.size(), [&](std::size_t i) { made[i] = write(*kernels[i]); });
    for (std::size_t i = 0; i < made.size(); ++i) written_[kernels[i]] = std::move(made[i]);
  }

  Written write(const Kernel& kernel) const {
    Written made;
    made.call = extern_call(graph_, plan_, kernel, schedule_ != Schedule::kNone);
    if (!made.call) made.compiled = write_kernel(graph_, plan_, kernel);
    return made;
  }

  KernelCall call_of(const Kernel& kernel) {
    const Written& form = written_.at(&kernel);
    const KernelFunction& function = form.function();
    KernelCall made;
    made.inputs = function.inputs;
    for (const KernelResult& result : function.results) {
      made.results.push_back(result.value);
      result_.results[result.value] = result;
    }
    if (form.call) {
      made.function = form.call->name;
      made.is_extern = true;
      made.attributes = form.call->attributes;
      return made;
    }
    const Ref variable = make("relax.BlockBuilderAddFunction", builder_, function.function,
                              String(kernel_name(graph_, kernel)));
    made.function = field(variable, "name_hint").cast<String>();
    if (seen_.insert(made.function).second) pending_.push_back({variable, &kernel, function});
    return made;
  }

  void arrange() {
    std::vector<Scheduled> made(pending_.size());
    for_each_on_cores(made.size(), [&](std::size_t i) { made[i] = schedule_of(pending_[i]); });
    std::vector<ArrangedKernel> arranged;
    for (std::size_t i = 0; i < made.size(); ++i) {
      const Pending& each = pending_[i];
      ++result_.rules[made[i].rule];
      if (!made[i].refusal.empty()) result_.refusals.push_back(each.name() + made[i].refusal);
      call("ir.Module_Add", result_.module, each.variable,
           function_of(module_with(made[i].schedule)), true);
      arranged.push_back({each.name(), made[i].rule, each.function.function, made[i].schedule,
                          buffers_of(each.function), calls_[each.name()]});
    }
    if (!improve_) return;
    const std::vector<Ref> better = improve_(arranged);
    for (std::size_t i = 0; i < pending_.size(); ++i) {
      if (!better[i].defined()) continue;
      call("ir.Module_Add", result_.module, pending_[i].variable, better[i], true);
    }
  }

  std::vector<BufferShape> buffers_of(const KernelFunction& function) const {
    std::vector<BufferShape> buffers;
    for (const ir::ValueId id : function.inputs) {
      buffers.push_back(
          {storage_type(graph_.type(id).type), plan_.storage[static_cast<std::size_t>(id)]});
    }
    for (const KernelResult& result : function.results) {
      buffers.push_back({result.type, result.shape});
    }
    return buffers;
  }

  Scheduled schedule_of(const Pending& each) const {
    Scheduled made;
    try {
      made.schedule = schedule_kernel(*each.kernel, each.function, plan_.threads, made.rule);
    } catch (const ffi::Error& error) {
      made.refusal = " (" + made.rule + "): " + std::string(error.message());
      made.rule = "none";
      made.schedule = plain_schedule(each.function);
    }
    return made;
  }

  const ir::Graph& graph_;
  const KernelPlan& plan_;
  Schedule schedule_;
  const Improve& improve_;
  Ref builder_;
  KernelModule result_;
  std::map<const Kernel*, Written> written_;
  std::set<std::string> seen_;
  std::map<std::string, std::int64_t> calls_;  ///< of `main`, by function
  std::vector<Pending> pending_;
};

}  // namespace

KernelModule make_kernel_module(const ir::Graph& graph, const KernelPlan& plan, Schedule schedule,
                                const Improve& improve) {
  return ModuleBuilder(graph, plan, schedule, improve).build();
}

}  // namespace graphnet::tvm
