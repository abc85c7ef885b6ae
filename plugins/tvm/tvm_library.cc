// SPDX-License-Identifier: MIT
#include "tvm_plugin/tvm_library.h"

#include <dlfcn.h>
#include <tvm/ffi/extra/c_env_api.h>

#include <csignal>
#include <cstdlib>
#include <optional>
#include <utility>

#include "artifact/file_digest.h"
#include "graphnet/failure.h"
#include "tvm_plugin/ffi.h"
#include "tvm_plugin/ffi_symbols.h"
#include "tvm_plugin/kept_signal.h"
#include "tvm_plugin/options.h"
#include "tvm_plugin/thread_pool.h"

namespace graphnet::tvm {

namespace {

// Of the headers that the plugin was built with. The wheel 0.1.14.post1 calls itself 0.1.15, so
// this cannot tell it from the release 0.1.15, which the file's hash does.
constexpr TVMFFIVersion kWritten = {TVM_FFI_VERSION_MAJOR, TVM_FFI_VERSION_MINOR,
                                    TVM_FFI_VERSION_PATCH};

// What the plugin calls by name; of schedule primitives, passes and operations one or two each.
constexpr const char* kNames[] = {
    "ffi.MakeObjectFromPackedArgs",
    "ffi.ModuleGetFunction",
    "ffi.ModuleLoadFromFile",
    "ffi.ModuleWriteToFile",
    "ir.BaseFuncWithAttr",
    "ir.BaseFuncWithoutAttr",
    "ir.Call",
    "ir.FloatImm",
    "ir.GetOp",
    "ir.GlobalVar",
    "ir.IRModule",
    "ir.IntImm",
    "ir.Module_Add",
    "ir.Module_Lookup_str",
    "ir.PointerType",
    "ir.PrimType",
    "ir.Range",
    "ir.StringImm",
    "ir.Var",
    "prim.Broadcast",
    "prim.Let",
    "prim.Not",
    "prim.Select",
    "prim._OpAdd",
    "prim._OpIfThenElse",
    "prim._cast",
    "prim.bitwise_and",
    "prim.bitwise_not",
    "prim.bitwise_or",
    "prim.bitwise_xor",
    "prim.left_shift",
    "prim.max_value",
    "prim.min_value",
    "prim.right_shift",
    "relax.BlockBuilderAddFunction",
    "relax.BlockBuilderCreate",
    "relax.BlockBuilderFinalize",
    "relax.transform.AttachGlobalSymbol",
    "s_tir.meta_schedule.ArgInfoFromEntryFunc",
    "s_tir.meta_schedule.CostModelPyCostModel",
    "s_tir.meta_schedule.DatabaseCommitTuningRecord",
    "s_tir.meta_schedule.DatabaseCommitWorkload",
    "s_tir.meta_schedule.DatabaseGetTopK",
    "s_tir.meta_schedule.DatabaseJSONDatabase",
    "s_tir.meta_schedule.DatabaseMemoryDatabase",
    "s_tir.meta_schedule.DatabaseQueryIRModule",
    "s_tir.meta_schedule.MutatorDefaultLLVM",
    "s_tir.meta_schedule.PostprocDefaultLLVM",
    "s_tir.meta_schedule.RunnerResult",
    "s_tir.meta_schedule.ScheduleRuleDefaultLLVM",
    "s_tir.meta_schedule.SearchStrategyEvolutionarySearch",
    "s_tir.meta_schedule.SearchStrategyGenerateMeasureCandidates",
    "s_tir.meta_schedule.SearchStrategyNotifyRunnerResults",
    "s_tir.meta_schedule.SearchStrategyPreTuning",
    "s_tir.meta_schedule.SpaceGeneratorGenerateDesignSpace",
    "s_tir.meta_schedule.SpaceGeneratorPostOrderApply",
    "s_tir.meta_schedule.TuneContext",
    "s_tir.meta_schedule.TuneContextInitialize",
    "s_tir.meta_schedule.TuningRecord",
    "s_tir.schedule.GetLoopIterType",
    "s_tir.schedule.ScheduleAnnotate",
    "s_tir.schedule.ScheduleComputeAt",
    "s_tir.schedule.ScheduleDecomposeReduction",
    "s_tir.schedule.ScheduleReverseComputeAt",
    "s_tir.schedule.ScheduleGetMod",
    "s_tir.schedule.ScheduleGetSRef",
    "s_tir.schedule.ScheduleGetState",
    "s_tir.schedule.ScheduleGetTrace",
    "s_tir.schedule.ScheduleStateReplace",
    "s_tir.schedule.TracedSchedule",
    "s_tir.transform.LowerInitBlock",
    "target.Target",
    "target.WithHost",
    "target.build.llvm",
    "target.llvm_get_system_triple",
    "target.target_has_feature",
    "target.llvm_is_valid_cpu",
    "target.llvm_lookup_intrinsic_id",
    "te.CommReducer",
    "te.ComputeOp",
    "te.CreatePrimFunc",
    "te.OpGetOutput",
    "te.Placeholder",
    "te.Reduce",
    "te.TensorLoad",
    "tirx.Evaluate",
    "tirx.IterVar",
    "tirx.RegisterOpLowerIntrinsic",
    "tirx.SeqStmt",
    "tirx.transform.MakePackedAPI",
    "transform.RunPass",
};

[[noreturn]] void refuse(const std::string& what) {
  throw Failure(GN_STATUS_UNAVAILABLE,
                what +
                    "; fetch the wheels with ./graphnet run --config tvm.yaml, or name their "
                    "folder in GRAPHNET_TVM");
}

void* open_file(const std::string& file) {
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) refuse("cannot load TVM: " + std::string(dlerror()));
  return library;
}

// Of libtvm_ffi.so in the wheel that requirements.txt pins.
constexpr const char* kPinnedFfi =
    "e44372c658f0b5b6833f29402edfdd49d14a1e8ca50999d7e099f7c1f0822baa";
constexpr const char* kFfiFile = "/tvm_ffi/lib/libtvm_ffi.so";
constexpr const char* kRuntimeFile = "/tvm/lib/libtvm_runtime.so";
constexpr const char* kCompilerFile = "/tvm/lib/libtvm_compiler.so";

std::string digest_of_file(const char* file) {
  std::optional<std::string> digest = artifact::sha256_of_file(tvm_folder() + file);
  if (!digest) refuse("cannot read '" + tvm_folder() + file + "'");
  return std::move(*digest);
}

/// What kernels call for a parallel loop.
int launch(ParallelTask task, void* data, int num_parts) {
  if (pool().run(task, data, num_parts) == 0) return 0;
  TVMFFIErrorSetRaisedFromCStr("RuntimeError", "a part of a parallel loop failed");
  return -1;
}

/// Kernels that are loaded from now on share out their loops in the plugin's pool: TVM fills the
/// slots of a module with what was registered last under their name.
void replace_pool() {
  static const int status = TVMFFIEnvModRegisterContextSymbol("__TVMBackendParallelLaunch",
                                                              reinterpret_cast<void*>(&launch));
  if (status != 0) refuse("TVM takes no other function for parallel loops");
}

void check_version() {
  const std::string version = TvmLibrary::ffi_version();
  const std::string wanted = std::to_string(kWritten.major) + "." + std::to_string(kWritten.minor) +
                             "." + std::to_string(kWritten.patch);
  if (version != wanted) {
    refuse("libtvm_ffi is " + version + ", this plugin needs " + wanted);
  }
}

/// What to know of a libtvm_ffi that is not the pinned one; empty if it is.
std::string strangeness() {
  const std::string digest = digest_of_file(kFfiFile);
  if (digest == kPinnedFfi) return "";
  return "'" + tvm_folder() + kFfiFile + "' is not that of " + pinned_packages() +
         " (its SHA-256 is " + digest + ", not " + kPinnedFfi +
         "); releases that call themselves the same crash while they write modules";
}

void check_names() {
  for (const char* name : kNames) {
    if (!ffi::Function::GetGlobal(name).has_value()) {
      refuse("TVM lacks the function " + std::string(name) + ", so it is another version");
    }
  }
}

}  // namespace

std::string TvmLibrary::ffi_version() {
  TVMFFIVersion version = {};
  TVMFFIGetVersion(&version);
  return std::to_string(version.major) + "." + std::to_string(version.minor) + "." +
         std::to_string(version.patch);
}

const std::string& TvmLibrary::identity() {
  static const std::string text = pinned_packages() + " ffi " + ffi_version() + " " +
                                  digest_of_file(kFfiFile) + " " + digest_of_file(kRuntimeFile) +
                                  " " + digest_of_file(kCompilerFile);
  return text;
}

std::string TvmLibrary::open(int threads, bool allow_other) {
  if (!ffi_failure().empty()) refuse("cannot load TVM: " + ffi_failure());
  const KeptSignal kept(SIGSEGV);
  check_version();
  const std::string strange = strangeness();
  if (!strange.empty() && !allow_other) refuse(strange + "; option allow_other_tvm tries it");
  open_file(tvm_folder() + kRuntimeFile);
  open_file(tvm_folder() + kCompilerFile);
  check_names();
  start_pool(threads);
  replace_pool();
  return strange;
}

}  // namespace graphnet::tvm
