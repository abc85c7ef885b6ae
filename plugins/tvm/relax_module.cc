// SPDX-License-Identifier: MIT
#include "tvm_plugin/relax_module.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <utility>

#include "tvm_plugin/expression.h"
#include "tvm_plugin/extern_functions.h"
#include "tvm_plugin/kernel.h"
#include "tvm_plugin/on_cores.h"
#include "tvm_plugin/schedule.h"

namespace graphnet::tvm {

namespace {

Ref tensor_type(Type type, const Shape& shape) {
  const Ref extent_list = make("relax.ShapeExpr", extents(shape), nullptr);
  return make("relax.TensorType", extent_list, make("ir.PrimType", tvm_type(type)), -1, nullptr,
              nullptr);
}

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

  RelaxModule build() {
    write_kernels();
    std::set<ir::ValueId> wanted = reads_of(plan_.call);
    for (const ir::ValueId output : graph_.outputs) wanted.insert(output);
    if (!plan_.bind.empty()) {
      for (const Kernel& kernel : plan_.bind) add_results(kernel, wanted, result_.bind.results);
      add_function("bind", plan_.bind, result_.bind);
    }
    std::set<ir::ValueId> outputs(graph_.outputs.begin(), graph_.outputs.end());
    for (const Kernel& kernel : plan_.call) add_results(kernel, outputs, result_.main.results);
    add_function("main", plan_.call, result_.main);
    result_.num_kernels = static_cast<int>(plan_.call.size());
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

  /// Stored values that kernels read and none of them makes.
  std::set<ir::ValueId> reads_of(const std::vector<Kernel>& kernels) {
    std::set<ir::ValueId> reads;
    for (const Kernel& kernel : kernels) {
      for (const ir::ValueId id : written_.at(&kernel).function().inputs) reads.insert(id);
    }
    return reads;
  }

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

  /// What a kernel makes: its root, or the results of a pair.
  const std::vector<ir::ValueId>& results_of(const Kernel& kernel) const {
    return graph_.maker(kernel.root).results;
  }

  void add_results(const Kernel& kernel, const std::set<ir::ValueId>& wanted,
                   std::vector<ir::ValueId>& results) const {
    for (const ir::ValueId id : results_of(kernel)) {
      if (wanted.count(id) != 0) results.push_back(id);
    }
  }

  void add_function(const char* name, const std::vector<Kernel>& kernels,
                    FunctionSignature& signature) {
    std::set<ir::ValueId> parameters = reads_of(kernels);
    for (const Kernel& kernel : kernels) {
      for (const ir::ValueId id : results_of(kernel)) parameters.erase(id);
    }
    variables_.clear();
    Array<Ref> list;
    for (const ir::ValueId id : parameters) {
      const Ref type = tensor_type(storage_type(graph_.type(id).type),
                                   plan_.storage[static_cast<std::size_t>(id)]);
      const Ref variable = make("ir.Var", String("p" + std::to_string(id)), type, nullptr);
      variables_[id] = variable;
      list.push_back(variable);
      signature.parameters.push_back(id);
    }
    call("relax.BlockBuilderBeginScope", builder_, list);
    call("relax.BlockBuilderBeginDataflowBlock", builder_);
    calls_.clear();
    for (const Kernel& kernel : kernels) emit(kernel);
    Array<Ref> results;
    for (const ir::ValueId id : signature.results) results.push_back(variables_[id]);
    const Ref output = make("relax.BlockBuilderEmitOutput", builder_,
                            make("ir.Tuple", results, nullptr), String(""));
    finish_function(name, list, output);
  }

  void finish_function(const char* name, const Array<Ref>& parameters, const Ref& output) {
    const Ref block = make("relax.BlockBuilderEndBlock", builder_);
    const Ref sequence = make("relax.BlockBuilderNormalize", builder_,
                              make("relax.SeqExpr", Array<Ref>{block}, output, nullptr));
    call("relax.BlockBuilderEndScope", builder_);
    const Ref attributes = make("ffi.MakeObjectFromPackedArgs", String("ir.DictAttrs"),
                                String("__dict__"), Map<String, Any>{});
    const Ref function =
        make("relax.Function", parameters, sequence, nullptr, true, attributes, nullptr);
    call("relax.BlockBuilderAddFunction", builder_,
         make("relax.FuncWithAttrs", function, Map<String, Any>{{"global_symbol", String(name)}}),
         String(name));
  }

  void emit(const Kernel& kernel) {
    const Written& form = written_.at(&kernel);
    const KernelFunction& function = form.function();
    Array<Ref> arguments;
    for (const ir::ValueId id : function.inputs) arguments.push_back(variables_.at(id));
    Array<Ref> types;
    for (const KernelResult& result : function.results) {
      types.push_back(tensor_type(result.type, result.shape));
    }
    const std::string name = kernel_name(graph_, kernel);
    Ref value;
    if (form.call) {
      arguments.push_back(make("relax.ShapeExpr", extents(form.call->attributes), nullptr));
      value = make("relax.op.call_dps_packed",
                   make("relax.ExternFunc", String(form.call->name), nullptr, nullptr),
                   make("ir.Tuple", arguments, nullptr), types);
    } else {
      const Ref variable =
          make("relax.BlockBuilderAddFunction", builder_, function.function, String(name));
      const std::string symbol = field(variable, "name_hint").cast<String>();
      ++calls_[symbol];
      if (seen_.insert(symbol).second) pending_.push_back({variable, &kernel, function});
      value = make("relax.op.call_tir", variable, make("ir.Tuple", arguments, nullptr), types);
    }
    const Ref result = make("relax.BlockBuilderEmit", builder_, value, String(name));
    const std::vector<ir::ValueId>& ids = results_of(kernel);
    if (ids.size() == 1) {
      variables_[ids[0]] = result;
      return;
    }
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (!plan_.is_stored[static_cast<std::size_t>(ids[i])]) continue;
      variables_[ids[i]] =
          make("relax.BlockBuilderEmit", builder_,
               make("ir.TupleGetItem", result, static_cast<std::int64_t>(i), nullptr), String(""));
    }
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
  RelaxModule result_;
  std::map<const Kernel*, Written> written_;
  std::map<std::int32_t, Ref> variables_;
  std::set<std::string> seen_;
  std::map<std::string, std::int64_t>
      calls_;  ///< of the function that was added last, "main"; by symbol
  std::vector<Pending> pending_;
};

}  // namespace

RelaxModule make_relax_module(const ir::Graph& graph, const KernelPlan& plan, Schedule schedule,
                              const Improve& improve) {
  return ModuleBuilder(graph, plan, schedule, improve).build();
}

}  // namespace graphnet::tvm
