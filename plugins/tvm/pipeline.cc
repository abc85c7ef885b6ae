// SPDX-License-Identifier: MIT
#include "tvm_plugin/pipeline.h"

#include <algorithm>

#include "graphnet/failure.h"
#include "tvm_plugin/on_cores.h"
#include "tvm_plugin/statements.h"
#include "tvm_plugin/vector_math.h"

namespace graphnet::tvm {

namespace {

// A module costs LLVM some milliseconds by itself.
constexpr std::size_t kFewestKernels = 4;
// LLVM takes 22 ms a function and 0.33 ms a statement (measured): a function by itself is as 66
// statements.
constexpr std::int64_t kFunctionCost = 66;

/// A step of lowering: a pass of s_tir or tirx without arguments.
struct Step {
  const char* prefix;
  const char* name;
};
constexpr const char* kS = "s_tir.transform.";
constexpr const char* kT = "tirx.transform.";

// Order as in TVM's python/tvm/s_tir/pipeline.py, what only GPUs need left out.
constexpr Step kBeforeCompaction[] = {{kS, "CanonicalizeLoop"},
                                      {kS, "LowerInitBlock"},
                                      {kS, "PlanAndUpdateBufferAllocationLocation"},
                                      {kS, "ConvertBlocksToOpaque"}};
constexpr Step kBeforeNarrowing[] = {{kS, "LowerMatchBuffer"},      {kT, "StmtSimplify"},
                                     {kS, "AnnotateIrregularLoop"}, {kS, "LowerOpaqueBlock"},
                                     {kT, "FlattenBuffer"},         {kT, "BF16ComputeLegalize"}};
// SkipAssert drops the checks of every argument's type, shape, strides and device that
// MakePackedAPI writes: they were half of what LLVM compiled, and program_executable checks what
// callers give.
// CommonSubexprElim, HoistIfThenElse, RemoveNoOp and RenormalizeSplitPattern are left out: a tenth
// of the time, for what LLVM does anyway.
constexpr Step kAfterVectors[] = {{kT, "StorageRewrite"},  {kT, "UnrollLoop"},
                                  {kT, "StmtSimplify"},    {kS, "RewriteUnsafeSelect"},
                                  {kT, "VerifyMemory"},    {kT, "AnnotateEntryFunc"},
                                  {kT, "SplitHostDevice"}, {kT, "MakePackedAPI"},
                                  {kT, "SkipAssert"},      {kT, "BF16StorageLegalize"}};
constexpr Step kLast[] = {{kT, "LowerTVMBuiltin"}, {kT, "LowerIntrin"}};

template <std::size_t count>
Ref run_steps(Ref module, const Step (&steps)[count]) {
  for (const Step& step : steps) {
    module = run_pass(std::move(module), std::string(step.prefix) + step.name);
  }
  return module;
}

using Functions = Map<Ref, Ref>;

/// All passes but those that write calls of TVM's runtime and of vector functions.
Ref lower_kernels(Ref module, const Target& target) {
  const Ref with_host = make("target.WithHost", target.target, target.target);
  module = run_pass(std::move(module), "tirx.transform.BindTarget", with_host);
  module = run_steps(std::move(module), kBeforeCompaction);
  module = run_pass(std::move(module), "s_tir.transform.CompactBufferAllocation", true);
  module = run_steps(std::move(module), kBeforeNarrowing);
  module = run_pass(std::move(module), "tirx.transform.NarrowDataType", 32);
  module = run_pass(std::move(module), "s_tir.transform.LoopPartition");
  module = run_pass(std::move(module), "tirx.transform.VectorizeLoop", true);
  module = run_steps(std::move(module), kAfterVectors);
  for (const auto& [variable, function] : field(module, "functions").cast<Functions>()) {
    call("ir.Module_Add", module, variable, with_tiles_on_stack(function), true);
  }
  return module;
}

/// A module's functions find by name what one of them imports.
Ref with_vector_functions(Ref module) {
  const std::string text = take_vector_functions();
  if (text.empty()) return module;
  const auto [variable, function] = *field(module, "functions").cast<Functions>().begin();
  const Ref code = make("ir.StringImm", String(text), nullptr);
  const Ref body = make("tirx.AttrStmt", code, String("pragma_import_llvm"), code,
                        field(function, "body").cast<Ref>(), nullptr);
  call("ir.Module_Add", module, variable, with_field(function, "body", body), true);
  return module;
}

/// Machine code of lowered kernels.
Ref build_lowered(const Ref& module, const Target& target) {
  take_vector_functions();  // of a module that TVM refused
  return make("target.build.llvm", with_vector_functions(run_steps(module, kLast)), target.target);
}

struct NamedFunction {
  std::string name;
  Ref variable;
  Ref function;
  std::int64_t cost = 1;  ///< of compiling it, beside others'
};

std::vector<NamedFunction> functions_of(const Ref& module) {
  std::vector<NamedFunction> functions;
  for (const auto& [variable, function] : field(module, "functions").cast<Functions>()) {
    functions.push_back({field(variable, "name_hint").cast<String>(), variable, function});
  }
  std::sort(functions.begin(), functions.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return functions;
}

/// A share of a module's kernels, for one thread.
struct Part {
  Functions functions;
  std::string first;  ///< name of one of them
  std::int64_t cost = 0;

  void add(const NamedFunction& each) {
    functions.Set(each.variable, each.function);
    first = each.name;
    cost += each.cost;
  }
};

/// About equal ones: the costliest function first, each to the part that costs least so far.
std::vector<Part> parts_of(std::vector<NamedFunction> functions) {
  if (functions.empty()) return {};
  const std::size_t most = std::max<std::size_t>(functions.size() / kFewestKernels, 1);
  std::vector<Part> parts(std::min(usable_cores(), most));
  std::stable_sort(functions.begin(), functions.end(),
                   [](const auto& a, const auto& b) { return a.cost > b.cost; });
  for (const NamedFunction& each : functions) {
    std::min_element(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
      return a.cost < b.cost;
    })->add(each);
  }
  return parts;
}

Ref module_of_part(const Part& part, const Ref& attributes) {
  return make("ir.IRModule", part.functions, attributes, Map<String, Any>{});
}

/// The module's functions after lowering, with what each costs LLVM. Before it all count the same,
/// so kernels of one kind, whose names are in a row, take turns.
std::vector<NamedFunction> lowered(const Ref& module, const Target& target) {
  const std::vector<Part> parts = parts_of(functions_of(module));
  const Ref attributes = field(module, "attrs").cast<Ref>();
  std::vector<std::vector<NamedFunction>> made(parts.size());
  for_each_on_cores(parts.size(), [&](std::size_t i) {
    made[i] = functions_of(lower_kernels(module_of_part(parts[i], attributes), target));
    for (NamedFunction& each : made[i]) each.cost = kFunctionCost + num_statements(each.function);
  });
  std::vector<NamedFunction> all;
  for (const auto& each : made) all.insert(all.end(), each.begin(), each.end());
  return all;
}

const char* processor_level() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool has_v3 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 &&
                      __builtin_cpu_supports("bmi2") != 0;
  const bool has_v4 =
      __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
      __builtin_cpu_supports("avx512cd") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
      __builtin_cpu_supports("avx512vl") != 0;
  return has_v4 ? "x86-64-v4" : (has_v3 ? "x86-64-v3" : "x86-64");
#else
  return "";
#endif
}

VectorUnit unit_of(const Ref& target) {
  const auto has = [&](const char* feature) {
    return call("target.target_has_feature", String(feature), target).cast<bool>();
  };
  if (has("avx512f")) return kAvx512;
  return has("avx2") ? kAvx2 : kSse;
}

}  // namespace

Target make_target(const std::string& mcpu, int threads) {
  Target made;
  made.mcpu = mcpu.empty() ? processor_level() : mcpu;
  const String triple = call("target.llvm_get_system_triple").cast<String>();
  made.threads = threads;
  Map<String, Any> description;
  description.Set("kind", String("llvm"));
  description.Set("mtriple", triple);
  description.Set("num-cores", threads);
  if (!made.mcpu.empty()) {
    if (!call("target.llvm_is_valid_cpu", String(made.mcpu), triple).cast<bool>()) {
      throw Failure(GN_STATUS_INVALID_ARGUMENT,
                    "option 'mcpu': LLVM does not know the processor '" + made.mcpu + "'");
    }
    description.Set("mcpu", String(made.mcpu));
  }
  made.target = make("target.Target", description);
  made.unit = unit_of(made.target);
  return made;
}

Ref build_kernels(const Ref& module, const Target& target) {
  return build_lowered(lower_kernels(module, target), target);
}

ffi::Function CompiledCode::kernel(const std::string& name) const {
  for (const Ref& library : libraries) {
    if (auto found = module_function(library, name.c_str())) return *std::move(found);
  }
  throw Failure(GN_STATUS_INVALID_ARGUMENT, "the program has no kernel '" + name + "'");
}

CompiledCode compile_module(const Ref& module, const Target& target) {
  const Ref kernels = run_pass(module, "relax.transform.AttachGlobalSymbol");
  const Ref attributes = field(kernels, "attrs").cast<Ref>();
  const std::vector<Part> parts = parts_of(lowered(kernels, target));
  CompiledCode code;
  code.libraries.resize(parts.size());
  for_each_on_cores(parts.size(), [&](std::size_t i) {
    code.libraries[i] = build_lowered(module_of_part(parts[i], attributes), target);
    module_function(code.libraries[i], parts[i].first.c_str());  // emits the code of all
  });
  return code;
}

}  // namespace graphnet::tvm
