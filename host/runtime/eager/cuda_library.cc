// SPDX-License-Identifier: MIT
#include "eager/cuda_library.h"

#include <ATen/Context.h>
#include <dlfcn.h>

#include "eager/wall.h"

namespace graphnet::eager {

base::Status load_cuda() {
  // Found as libtorch itself is, by GRAPHNET_TORCH or this program's run path. Its operators are
  // registered as it is opened; other libraries of libtorch's find its symbols.
  if (::dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_GLOBAL) != nullptr) return base::Status::ok();
  const char* const why = ::dlerror();
  return base::Status(base::Code::kEnvironment, "this libtorch has no CUDA part")
      .add_context(why == nullptr ? "libtorch_cuda.so" : why)
      .add_hint(
          "set GRAPHNET_TORCH to a folder that holds torch/ and nvidia/ of a torch 2.11.0 with "
          "CUDA "
          "13.0");
}

base::Status allow_tf32(bool is_allowed) {
  return guarded([&] {
    at::globalContext().setAllowTF32CuBLAS(is_allowed);
    at::globalContext().setAllowTF32CuDNN(is_allowed);
  });
}

}  // namespace graphnet::eager
