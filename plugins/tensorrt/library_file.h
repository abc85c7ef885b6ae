// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace graphnet::tensorrt {

/// Why a file cannot be a shared library of this machine; empty if nothing is against it. The
/// dynamic linker looks less closely: half a file, as an interrupted download leaves it, kills the
/// process.
std::string fault_of_library_file(const std::string& file);

}  // namespace graphnet::tensorrt
