// SPDX-License-Identifier: MIT
#include "measure/kernel_file.h"

#include <fstream>
#include <iterator>

namespace graphnet::measure {

std::string read_kernel_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::string read_kernel_line(const std::string& path) {
  std::string text = read_kernel_file(path);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

}  // namespace graphnet::measure
