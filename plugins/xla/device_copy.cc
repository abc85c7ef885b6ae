// SPDX-License-Identifier: MIT
#include "xla/device_copy.h"

#include <dlfcn.h>

#include "graphnet/abi.h"
#include "graphnet/failure.h"

namespace graphnet::xla {

DeviceCopy::DeviceCopy(const std::string& library) {
  void* const handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  // source   cuda.h of CUDA 13.0; the suffix is what its macros add
  copy_ =
      handle == nullptr ? nullptr : reinterpret_cast<Copy>(::dlsym(handle, "cuMemcpyDtoDAsync_v2"));
  if (copy_ == nullptr) {
    throw Failure(GN_STATUS_UNAVAILABLE, "'" + library + "' cannot copy on a CUDA device");
  }
}

void DeviceCopy::copy(void* to, const void* from, std::size_t num_bytes, void* stream) const {
  if (num_bytes == 0) return;
  const int code = copy_(reinterpret_cast<unsigned long long>(to),
                         reinterpret_cast<unsigned long long>(from), num_bytes, stream);
  if (code != 0) {
    throw Failure(GN_STATUS_RUNTIME_FAILED,
                  "CUDA cannot copy a result: error " + std::to_string(code));
  }
}

}  // namespace graphnet::xla
