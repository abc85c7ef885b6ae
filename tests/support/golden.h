// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace graphnet::tests {

/// Compares text with a file of the source tree; GN_UPDATE_GOLDENS=1 writes the file instead.
inline void expect_golden(const std::filesystem::path& file, const std::string& text) {
  if (std::getenv("GN_UPDATE_GOLDENS") != nullptr) {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    return;
  }
  std::ifstream stream(file, std::ios::binary);
  ASSERT_TRUE(stream) << "no golden " << file << "; GN_UPDATE_GOLDENS=1 makes it";
  std::ostringstream kept;
  kept << stream.rdbuf();
  std::istringstream old_lines(kept.str());
  std::istringstream new_lines(text);
  std::string old_line;
  std::string new_line;
  for (int number = 1; kept.str() != text; ++number) {
    const bool has_old = static_cast<bool>(std::getline(old_lines, old_line));
    const bool has_new = static_cast<bool>(std::getline(new_lines, new_line));
    if (has_old && has_new && old_line == new_line) continue;
    ADD_FAILURE() << file << ", line " << number << "\n- " << (has_old ? old_line : "(end)")
                  << "\n+ " << (has_new ? new_line : "(end)")
                  << "\nGN_UPDATE_GOLDENS=1 accepts all changes";
    return;
  }
}

}  // namespace graphnet::tests
