// SPDX-License-Identifier: MIT
#include "tvm_plugin/gpu_lowering.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "graphnet/failure.h"
#include "tvm_plugin/expression.h"
#include "tvm_plugin/schedule.h"

namespace graphnet::tvm {

namespace {

// ---- what TVM asks for by name ----

constexpr const char* kHeader = R"(#include <cstdint>

// The larger and the smaller of two, NaN if one is.
template <typename T>
static __device__ __forceinline__ T graphnet_maximum(T a, T b) {
  return a != a || b != b ? a + b : fmax(a, b);
}
template <typename T>
static __device__ __forceinline__ T graphnet_minimum(T a, T b) {
  return a != a || b != b ? a + b : fmin(a, b);
}
)";

// What TVM writes of half and CUDA 13.0 lacks; source: cuda_fp16.h.
constexpr const char* kHalf = R"(#include <cuda_fp16.h>

[[maybe_unused]] static __device__ __forceinline__ half max(half a, half b) { return __hgt(a, b) ? a : b; }
[[maybe_unused]] static __device__ __forceinline__ half min(half a, half b) { return __hlt(a, b) ? a : b; }
[[maybe_unused]] static __device__ __forceinline__ half hpow(half a, half b) {
  return __float2half_rn(powf(__half2float(a), __half2float(b)));
}
)";

/// The head of CUDA source; tags say what the kernels below it use.
String header_of(const Array<String>& tags) {
  std::string text = kHeader;
  for (const String& given : tags) {
    const std::string tag = given;
    if (tag == "math_constants") {
      text += "#include <math_constants.h>\n";
    } else if (tag == "fp16") {
      text += kHalf;
    } else {
      throw ffi::Error("ValueError", "no head of CUDA source for '" + tag + "'", "");
    }
  }
  return text + "\n";
}

std::string cuda_folder() {
  const char* const home = std::getenv("CUDA_HOME");
  return home == nullptr || *home == '\0' ? "/usr/local/cuda" : home;
}

/// CUDA's library of functions in LLVM's form; empty where there is none.
String libdevice_file() {
  const std::string file = cuda_folder() + "/nvvm/libdevice/libdevice.10.bc";
  return std::filesystem::exists(file) ? file : "";
}

Ref extern_call(const Ref& like, const std::string& name, const Array<Ref>& arguments,
                std::size_t first) {
  Array<Ref> all = {make("ir.StringImm", String(name), nullptr)};
  for (std::size_t i = first; i < arguments.size(); ++i) all.push_back(arguments[i]);
  return make("ir.Call", field(like, "ty").cast<Ref>(),
              make("ir.GetOp", String("tirx.call_pure_extern")), all, nullptr, Array<Ref>{},
              nullptr);
}

/// arithmetic.cc takes maxima from LLVM, which CUDA's own compiler does not let one name.
Ref without_llvm(const Ref& expression) {
  const auto arguments = field(expression, "args").cast<Array<Ref>>();
  const auto id_of = [](const char* name) {
    return call("target.llvm_lookup_intrinsic_id", String(name)).cast<std::int64_t>();
  };
  static const std::int64_t maximum = id_of("llvm.maximum");
  static const std::int64_t minimum = id_of("llvm.minimum");
  std::int64_t id = -1;
  if (!is_constant(arguments[0], id) || (id != maximum && id != minimum)) return expression;
  return extern_call(expression, id == maximum ? "graphnet_maximum" : "graphnet_minimum", arguments,
                     1);
}

/// CUDA's own functions for the bits of a number: TVM would take the address of a constant.
Ref with_bits(const Ref& expression) {
  struct Row {
    DLDataType to;
    DLDataType from;
    const char* function;
  };
  static constexpr Row kRows[] = {
      {{kDLFloat, 32, 1}, {kDLInt, 32, 1}, "__int_as_float"},
      {{kDLInt, 32, 1}, {kDLFloat, 32, 1}, "__float_as_int"},
      {{kDLFloat, 64, 1}, {kDLInt, 64, 1}, "__longlong_as_double"},
      {{kDLInt, 64, 1}, {kDLFloat, 64, 1}, "__double_as_longlong"},
  };
  const auto type_of = [](const Ref& e) {
    return field(field(e, "ty").cast<Ref>(), "dtype").cast<DLDataType>();
  };
  const auto arguments = field(expression, "args").cast<Array<Ref>>();
  for (const Row& row : kRows) {
    if (type_of(expression) != row.to || type_of(arguments[0]) != row.from) continue;
    return extern_call(expression, row.function, arguments, 0);
  }
  return expression;
}

/// A function of the C library as libdevice names it.
Ref with_libdevice(const Ref& expression) {
  const auto arguments = field(expression, "args").cast<Array<Ref>>();
  const std::string name = field(arguments[0], "value").cast<String>();
  if (name.rfind("__nv_", 0) == 0) return expression;
  return extern_call(expression, "__nv_" + name, arguments, 1);
}

constexpr int kBeforeTvmsOwn = 99;

void register_callbacks() {
  static const bool is_done = [] {
    const auto set = [](const char* name, ffi::Function function) {
      ffi::Function::SetGlobal(name, std::move(function), true);
    };
    set("tirx.intrinsics.cuda.header_generator", ffi::Function::FromTyped(header_of));
    // No operation of ours is written by a callback.
    set("tirx.intrinsics.cuda.get_codegen",
        ffi::Function::FromTyped([](const String&) { return ffi::Optional<ffi::Function>(); }));
    set("tvm_callback_libdevice_path",
        ffi::Function::FromTyped([](std::int64_t) { return libdevice_file(); }));
    call("tirx.RegisterOpLowerIntrinsic", String("tirx.call_llvm_pure_intrin"),
         ffi::Function::FromTyped(without_llvm), String("cuda"), kBeforeTvmsOwn);
    call("tirx.RegisterOpLowerIntrinsic", String("tirx.reinterpret"),
         ffi::Function::FromTyped(with_bits), String("cuda"), kBeforeTvmsOwn);
    call("tirx.RegisterOpLowerIntrinsic", String("tirx.call_pure_extern"),
         ffi::Function::FromTyped(with_libdevice), String("nvptx"), kBeforeTvmsOwn);
    return true;
  }();
  static_cast<void>(is_done);
}

// ---- lowering ----

// Order as in TVM's python/tvm/s_tir/pipeline.py, what only schedules of another kind need (tensor
// cores, software pipelines) left out.
constexpr const char* kBeforeCompaction[] = {
    "s_tir.transform.CanonicalizeLoop",
    "s_tir.transform.LowerCrossThreadReduction",
    "s_tir.transform.LowerInitBlock",
    "s_tir.transform.PlanAndUpdateBufferAllocationLocation",
    "s_tir.transform.ConvertBlocksToOpaque",
    "s_tir.transform.LiftThreadBinding"};
constexpr const char* kBeforeNarrowing[] = {
    "s_tir.transform.UnifyThreadBinding", "s_tir.transform.LowerMatchBuffer",
    "tirx.transform.StmtSimplify",        "s_tir.transform.AnnotateIrregularLoop",
    "s_tir.transform.LowerOpaqueBlock",   "tirx.transform.FlattenBuffer",
    "tirx.transform.BF16ComputeLegalize"};
constexpr const char* kAfterVectors[] = {"s_tir.transform.InjectVirtualThread",
                                         "tirx.transform.StorageRewrite",
                                         "s_tir.transform.HoistIfThenElse",
                                         "tirx.transform.UnrollLoop",
                                         "s_tir.transform.RenormalizeSplitPattern",
                                         "tirx.transform.StmtSimplify",
                                         "tirx.transform.RemoveNoOp",
                                         "s_tir.transform.RewriteUnsafeSelect",
                                         "tirx.transform.CommonSubexprElim",
                                         "tirx.transform.VerifyMemory",
                                         "tirx.transform.AnnotateEntryFunc"};
constexpr const char* kSplit[] = {
    "s_tir.transform.LowerThreadAllreduce", "tirx.transform.SplitHostDevice",
    "s_tir.transform.MergeSharedMemoryAllocations", "tirx.transform.MakePackedAPI",
    "tirx.transform.BF16StorageLegalize"};
constexpr const char* kOnDevice[] = {"tirx.transform.LowerWarpMemory",
                                     "tirx.transform.StmtSimplify", "tirx.transform.LowerIntrin"};

template <std::size_t count>
Ref run_passes(Ref module, const char* const (&passes)[count]) {
  for (const char* pass : passes) module = run_pass(std::move(module), pass);
  return module;
}

Map<String, Any> attributes_of(const Ref& function) {
  return field(field(function, "attrs").cast<Ref>(), "__dict__").cast<Map<String, Any>>();
}

bool is_device_function(const Ref& function) {
  constexpr std::int64_t kDeviceKernelLaunch = 2;
  const Map<String, Any> attributes = attributes_of(function);
  return attributes.count("calling_conv") != 0 &&
         attributes["calling_conv"].cast<std::int64_t>() == kDeviceKernelLaunch;
}

Map<Ref, Ref> functions_of(const Ref& module) {
  return field(module, "functions").cast<Map<Ref, Ref>>();
}

/// True for a function of several blocks. TVM 0.27's pass for the default GPU schedule refuses
/// them: it puts a block "root" around theirs, which is called that itself.
bool has_blocks(const Ref& function) {
  const Ref root = field(field(function, "body").cast<Ref>(), "block").cast<Ref>();
  return field(root, "body").cast<Ref>()->GetTypeKey() == "tirx.SeqStmt";
}

/// "aten_add_Tensor_kernel<<<49, 1024>>>": a function of the device for each block of the kernel's
/// loops, as TVM names them; without extents if that is not how they came out.
std::vector<std::string> launches_of(const Ref& module, const std::string& name,
                                     const std::vector<std::string>& extents) {
  const Map<Ref, Ref> functions = functions_of(module);
  std::vector<std::string> launches;
  for (std::size_t i = 0; i < functions.size(); ++i) {
    launches.push_back(name + "_kernel" + (i == 0 ? "" : "_" + std::to_string(i)));
    if (extents.size() == functions.size()) launches.back() += extents[i];
  }
  return launches;
}

/// LLVM takes processors that it does not know for others.
bool llvm_knows(const std::string& arch) {
  Map<String, Any> description;
  description.Set("kind", String("llvm"));
  description.Set("mtriple", String("nvptx64-nvidia-cuda"));
  description.Set("mcpu", String(arch));
  const auto known = call("target.llvm_get_cpu_archlist", make("target.Target", description));
  for (const String& each : known.cast<Array<String>>()) {
    if (each == arch) return true;
  }
  return false;
}

/// PTX is to be whole: LLVM takes functions that it does not find for somebody else's.
void refuse_missing_functions(const std::string& text) {
  const std::size_t missing = text.find(".extern .func");
  if (missing == std::string::npos) return;
  const std::size_t name = std::min(text.find("__nv_", missing), text.size());
  throw Failure(GN_STATUS_UNSUPPORTED,
                "calls " + text.substr(name, text.find_first_of("\n (,", name) - name) +
                    " of CUDA's nvvm/libdevice/libdevice.10.bc, looked for in " + cuda_folder());
}

}  // namespace

GpuTarget make_gpu_target(GpuCode form, const std::string& arch, const Target& host) {
  register_callbacks();
  Map<String, Any> description;
  const bool is_cuda = form == GpuCode::kCuda;
  if (!is_cuda && !llvm_knows(arch)) {
    throw Failure(GN_STATUS_INVALID_ARGUMENT,
                  "option 'gpu_arch': LLVM does not know the processor '" + arch + "'");
  }
  description.Set("kind", String(is_cuda ? "cuda" : "nvptx"));
  description.Set(is_cuda ? "arch" : "mcpu", String(arch));
  return {form, make("target.Target", description), host.target};
}

DeviceKernel lower_for_gpu(const Ref& function, const std::string& name, const GpuTarget& target) {
  const bool is_for_pass = !has_blocks(function);
  Ref module = module_of(is_for_pass ? function : schedule_for_gpu(function));
  module = run_pass(std::move(module), "tirx.transform.BindTarget",
                    make("target.WithHost", target.device, target.host));
  if (is_for_pass) module = run_pass(std::move(module), "s_tir.transform.DefaultGPUSchedule");
  const std::vector<std::string> extents = gpu_launches(module);
  module = module_of(function_of(module), name);
  module = run_passes(std::move(module), kBeforeCompaction);
  module = run_pass(std::move(module), "s_tir.transform.CompactBufferAllocation", true);
  module = run_passes(std::move(module), kBeforeNarrowing);
  module = run_pass(std::move(module), "tirx.transform.NarrowDataType", 32);
  module = run_pass(std::move(module), "s_tir.transform.LoopPartition");
  module = run_pass(std::move(module), "tirx.transform.VectorizeLoop", true);
  module = run_passes(std::move(module), kAfterVectors);
  for (const char* scope : {"shared", "shared.dyn", "warp"}) {
    module = run_pass(std::move(module), "s_tir.transform.ThreadSync", String(scope));
  }
  module = run_passes(std::move(module), kSplit);
  module = run_pass(std::move(module), "tirx.transform.Filter",
                    ffi::Function::FromTyped(is_device_function));
  const std::vector<std::string> launches = launches_of(module, name, extents);
  return {run_passes(std::move(module), kOnDevice), launches};
}

std::string gpu_source(const std::vector<DeviceKernel>& kernels, const GpuTarget& target) {
  Map<Ref, Ref> functions;
  for (const DeviceKernel& kernel : kernels) {
    for (const auto& [variable, function] : functions_of(kernel.module)) {
      functions.Set(variable, function);
    }
  }
  const Ref module = make("ir.IRModule", functions, nullptr, Map<String, Any>{});
  const bool is_cuda = target.form == GpuCode::kCuda;
  const Ref built =
      make(is_cuda ? "target.build.cuda" : "target.build.nvptx", module, target.device);
  const std::string text =
      call("ffi.ModuleInspectSource", built, String(is_cuda ? "cuda" : "ptx")).cast<String>();
  if (!is_cuda) refuse_missing_functions(text);
  return text;
}

}  // namespace graphnet::tvm
