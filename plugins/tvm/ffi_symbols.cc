// SPDX-License-Identifier: MIT
//
// Stands in for libtvm_ffi at link time. Were the plugin linked to it, a machine without the wheel
// could not even ask the plugin what it lacks, and the library's SIGSEGV handler would stay. Each
// function is a jump through a slot that is filled when the plugin is loaded: before the static
// constructors of its other files, since those of tvm-ffi's headers call.
#include "tvm_plugin/ffi_symbols.h"

#include <dlfcn.h>

#include <csignal>
#include <cstdlib>

#include "graphnet/wheel_folder.h"
#include "tvm_plugin/kept_signal.h"

#define GN_TVM_FFI(name) extern "C" __attribute__((visibility("hidden"))) void* gn_slot_##name;
#include "tvm_plugin/ffi_symbols.def"
#undef GN_TVM_FFI
#define GN_TVM_FFI(name) void* gn_slot_##name = nullptr;
#include "tvm_plugin/ffi_symbols.def"
#undef GN_TVM_FFI

#if defined(__x86_64__)
#define GN_TVM_JUMP(name) "jmpq *gn_slot_" name "(%rip)\n"
#elif defined(__aarch64__)
#define GN_TVM_JUMP(name) \
  "adrp x16, gn_slot_" name "\nldr x16, [x16, :lo12:gn_slot_" name "]\nbr x16\n"
#else
#error "no jump for this processor"
#endif

#define GN_TVM_FFI(name)                                                               \
  asm(".text\n.globl " #name "\n.hidden " #name "\n.type " #name ", @function\n" #name \
      ":\n" GN_TVM_JUMP(#name));
#include "tvm_plugin/ffi_symbols.def"
#undef GN_TVM_FFI

namespace graphnet::tvm {

namespace {

/// What an empty slot calls; static constructors take any number.
int no_function() {
  return 0;
}

std::string& failure() {
  static std::string text;
  return text;
}

void fill_slot(void** slot, void* library, const char* name) {
  *slot = library == nullptr ? nullptr : dlsym(library, name);
  if (*slot != nullptr) return;
  if (failure().empty()) failure() = "libtvm_ffi.so lacks the function " + std::string(name);
  *slot = reinterpret_cast<void*>(no_function);
}

// 101 is the first priority that is not the compiler's own.
__attribute__((constructor(101))) void load_ffi() {
  const KeptSignal kept(SIGSEGV);
  const std::string file = tvm_folder() + "/tvm_ffi/lib/libtvm_ffi.so";
  // Global: the code that LLVM emits finds the functions that it calls among the process's own.
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) failure() = dlerror();
#define GN_TVM_FFI(name) fill_slot(&gn_slot_##name, library, #name);
#include "tvm_plugin/ffi_symbols.def"
#undef GN_TVM_FFI
}

}  // namespace

std::string tvm_folder() {
  const char* const given = std::getenv("GRAPHNET_TVM");
  return given != nullptr && *given != '\0' ? given : wheel_folder(GN_TVM_PINNED_FOLDER);
}

const std::string& ffi_failure() {
  return failure();
}

}  // namespace graphnet::tvm
