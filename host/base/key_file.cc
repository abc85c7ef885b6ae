// SPDX-License-Identifier: MIT
#include "base/key_file.h"

#include <fstream>
#include <sstream>

namespace graphnet::base {

std::optional<std::int64_t> read_key(const std::filesystem::path& file, const std::string& key) {
  std::ifstream stream(file);
  std::string line;
  while (std::getline(stream, line)) {
    std::istringstream words(line);
    std::string name;
    std::int64_t number = 0;
    if (words >> name >> number && name == key) return number;
  }
  return std::nullopt;
}

}  // namespace graphnet::base
