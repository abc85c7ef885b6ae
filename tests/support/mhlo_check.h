// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace graphnet::test {

/// Reads an MHLO module line by line, without MLIR: brackets close, every value is assigned once
/// and before it is read, an operation has as many operands as types and is one that DISC has, and
/// the entry attribute names as many arguments and results as @main has. It knows no shapes.
///
/// Empty if all of that holds; else what does not, with the line.
///
/// source   DISC's operations: those that its last commit generates code for or has a library for
std::string mhlo_mistake(const std::string& text);

}  // namespace graphnet::test
