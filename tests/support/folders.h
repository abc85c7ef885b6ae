// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace graphnet::tests {

/// Absolute paths of the tree that the tests were built from, and of its build folder. Only
/// folders.cc knows them, so that a compiler cache serves every copy of the tree.
std::string source_dir();
std::string build_dir();

}  // namespace graphnet::tests
