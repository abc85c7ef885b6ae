// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "tvm_plugin/call_plan.h"

namespace graphnet::tvm {

/// What a stored program is only good for, or was made with.
struct Origin {
  std::string tvm;        ///< versions and SHA-256 of TVM's three libraries
  std::string options;    ///< that decide what the code is
  std::string processor;  ///< SHA-256 of what it can do
};

/// A compiled program as bytes and back; weights are not part of it.
struct Artifact {
  CallPlan plan;
  std::string code;  ///< a shared library (linked_code.h)
};

std::string write_artifact(const Artifact& program, const Origin& origin);

/// `here`  what loads it
///
/// errors   Failure INVALID_ARGUMENT: not such bytes, cut off or damaged, beyond what this plugin
///          writes, or made by another TVM, with other options or for another processor. The bytes
///          are code: a hash keeps accidents out, not somebody who may write them.
Artifact read_artifact(std::string_view bytes, const Origin& here);

}  // namespace graphnet::tvm
