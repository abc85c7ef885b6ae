// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace graphnet::base {

/// The function at an offset of a file.
struct SymbolName {
  /// Demangled, without its arguments; "(linker's jump table)" in a section of such; "" if the
  /// file's symbols do not say.
  std::string name;
  std::uint64_t offset = 0;  ///< from the function's first byte
};

/// What the linker's jump tables are called: code in them only jumps to where it is named.
inline constexpr const char* kJumpTable = "(linker's jump table)";

/// Names the functions at offsets of an ELF file by its symbol tables, full and dynamic.
///
/// shapes   offsets: in the file, any order; the result has one for each
/// errors   kInput if the file cannot be read or is no 64-bit little-endian ELF file
Result<std::vector<SymbolName>> name_offsets(const std::filesystem::path& file,
                                             const std::vector<std::uint64_t>& offsets);

/// A C++ name as people write it; others stay as they are.
std::string demangled(const std::string& name);

/// A demangled function without its arguments: "at::_ops::relu_::call(at::Tensor&)" gives
/// "at::_ops::relu_::call".
std::string without_arguments(const std::string& demangled_name);

}  // namespace graphnet::base
