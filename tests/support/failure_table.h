// SPDX-License-Identifier: MIT
#pragma once

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

#include "support/folders.h"

namespace graphnet::tests {

/// Functions that a source file looks up by name in a library: what it puts in quotes behind a
/// bracket and that begins so.
inline std::set<std::string> looked_up(const std::string& file, const std::string& beginning) {
  std::ifstream source(source_dir() + "/" + file);
  const std::string text((std::istreambuf_iterator<char>(source)), {});
  const std::regex quoted("\\(\"(" + beginning + "[A-Z]\\w+)\"");
  std::set<std::string> names;
  for (std::sregex_iterator found(text.begin(), text.end(), quoted), end; found != end; ++found) {
    names.insert((*found)[1]);
  }
  return names;
}

/// Prints a row "function | code | message" if GRAPHNET_PRINT_FAILURES is set.
inline void print_failure(const std::string& function, int code, const std::string& message) {
  if (std::getenv("GRAPHNET_PRINT_FAILURES") == nullptr) return;
  std::cout << function << " | " << code << " | " << message << "\n";
}

}  // namespace graphnet::tests
