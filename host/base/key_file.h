// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace graphnet::base {

/// The number behind `key` in a file of lines "key number ...", as the kernel writes them; nothing
/// without such a file or line.
std::optional<std::int64_t> read_key(const std::filesystem::path& file, const std::string& key);

}  // namespace graphnet::base
