// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "tvm_plugin/program.h"

namespace graphnet::tvm {

/// SHA-256 of all that decides what a program computes. Source locations are no part of it: equal
/// graphs of different files are one program.
std::string digest_of(const Program& program);

}  // namespace graphnet::tvm
