// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "base/result.h"

namespace graphnet::config {

/// Checks from the first bytes that a file is a shared library this machine can load: ELF magic,
/// 64 bit, byte order, machine, type. The dynamic linker's own messages for these are misleading
/// ("No such file" for a foreign machine). Runs no code of the file; symbols and dependencies are
/// checked in the worker.
///
/// errors   kPlugin: not found, not an ELF shared library, other machine
/// source   System V gABI, ELF header
base::Status check_shared_library(const std::filesystem::path& path);

}  // namespace graphnet::config
