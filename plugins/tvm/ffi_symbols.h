// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace graphnet::tvm {

/// The folder with tvm/lib and tvm_ffi/lib: $GRAPHNET_TVM, else that of the pinned wheels.
std::string tvm_folder();

/// Why libtvm_ffi could not be loaded with this plugin; empty if it was. If not empty, none of its
/// functions may be called.
const std::string& ffi_failure();

}  // namespace graphnet::tvm
