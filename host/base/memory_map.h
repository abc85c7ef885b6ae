// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace graphnet::base {

/// A part of this process's address space, [start, end).
struct Mapping {
  std::uintptr_t start = 0;
  std::uintptr_t end = 0;
  int protection = 0;             ///< PROT_READ | PROT_WRITE | PROT_EXEC
  std::uint64_t file_offset = 0;  ///< of `start`, in bytes
  std::string path;  ///< of the file; "" or "[heap]" and the like for memory without one

  bool contains(std::uintptr_t address) const { return start <= address && address < end; }
};

/// Reads the text of /proc/<pid>/maps; lines that make no sense are left out.
///
/// order    by address
/// source   proc_pid_maps(5)
std::vector<Mapping> parse_memory_map(std::string_view text);

/// All mappings of this process now.
///
/// errors   kEnvironment if the kernel does not show them
Result<std::vector<Mapping>> read_memory_map();

/// Those whose code can be executed, the kernel's own page aside.
std::vector<Mapping> executable_mappings(const std::vector<Mapping>& mappings);

/// The mapping that holds an address, or null.
///
/// order    mappings by address
const Mapping* find_mapping(const std::vector<Mapping>& mappings, std::uintptr_t address);

/// The file's name without folders, "(deleted)" and the like; "anonymous" for memory without file.
std::string module_name(const std::string& path);

}  // namespace graphnet::base
