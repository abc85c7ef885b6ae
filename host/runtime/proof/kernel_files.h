// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <vector>

#include "proof/regions.h"

namespace graphnet::proof {

/// Whose file it is that holds a kernel.
enum class KernelHolder { kPlugin, kLibtorch, kNobody };

/// A file of this process that holds the name of a kernel.
struct KernelFile {
  std::string module;  ///< the file's name
  KernelHolder holder = KernelHolder::kNobody;
};

/// Which kernels lie in files of libtorch's and of the plugin's.
struct KernelFiles {
  /// By mangled name; without those that no such file holds.
  std::map<std::string, KernelFile> by_name;
  std::string problem;  ///< why one of libtorch's could not be read; else empty
};

/// Finds kernels by their names. A program that nvcc links holds the name of each of its kernels as
/// a text in its read-only data, by which the CUDA runtime finds the code; one that has the driver
/// load code holds the name that it asks for. Kernels that are compiled in memory, and those of
/// cuBLAS and the like, which anyone may call, are not found.
///
/// Of libtorch's files only mangled names are looked for. A kernel that both hold is libtorch's,
/// unless it is a template of a library that consists of headers, for no type of libtorch's: then
/// it is nobody's.
///
/// shapes   names: mangled, as in CUPTI's records
/// order    regions by address
KernelFiles find_kernel_files(const std::vector<std::string>& names,
                              const std::vector<Region>& regions);

}  // namespace graphnet::proof
