// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "tvm_plugin/pipeline.h"

namespace graphnet::tvm {

/// Machine code of a program as one shared library, linked by the system's `ld`, which is started
/// without a fork of this process. Empty: no kernel of the program is compiled.
///
/// errors   Failure UNAVAILABLE: not serialisable, because there is no linker, it fails, or the
///          code was loaded itself; ffi::Error
std::string link_code(const CompiledCode& code);

/// The program again. Its file lies in a folder of its own that is gone when this returns; the code
/// stays mapped as long as the program lives.
///
/// errors   Failure INVALID_ARGUMENT: the system refuses to load it; UNAVAILABLE: no such folder
CompiledCode load_code(std::string_view library);

}  // namespace graphnet::tvm
