// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace graphnet::base {

/// A program or shared object that the loader has mapped into this process.
struct LoadedObject {
  std::uintptr_t start = 0;  ///< of its first segment
  std::uintptr_t end = 0;    ///< behind its last segment
  std::string build_id;      ///< lower-case hexadecimal; empty if the linker wrote none

  bool contains(std::uintptr_t address) const { return start <= address && address < end; }
};

/// All of them now. A file keeps its build id under every name and in every folder.
///
/// order    of the loader
/// source   dl_iterate_phdr(3)
std::vector<LoadedObject> loaded_objects();

}  // namespace graphnet::base
