// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace graphnet::proof {

/// Names of the kernels and functions in a module's code as a device gets it, mangled as in CUPTI's
/// records: an ELF file that holds each in a section of its own. Nothing for bytes that are no such
/// file.
///
/// source   sections ".text.<function>" of what nvcc and nvrtc write, also for other compilers'
///          PTX, which the driver turns into the same
std::vector<std::string> functions_of_cubin(std::string_view image);

}  // namespace graphnet::proof
