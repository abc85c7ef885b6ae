// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bladedisc/compiler.h"
#include "bladedisc/protocol.h"
#include "lowering/stablehlo/program.h"

namespace graphnet::bladedisc {

/// A tensor of @main: where it is in the shared file, and which of the graph's inputs, weights or
/// outputs it is.
struct Slot {
  gn_disc_tensor tensor = {};
  std::uint32_t index = 0;
};

/// All that is needed to run a compiled graph: what disc_compiler_main made, and @main's tensors.
struct Package {
  std::string library;
  std::string metadata;
  std::vector<Slot> arguments;  ///< in @main's order
  std::vector<Slot> results;    ///< the same
  std::uint64_t memory_bytes = 0;
};

/// errors   Failure UNSUPPORTED: a tensor of more dimensions than the protocol has
Package make_package(const lowering::stablehlo::LoweredProgram& program, Compiled compiled);

/// A package as bytes, with what decides what is compiled (describe_compiler()).
std::string store(const Package& package, const std::string& maker);

/// errors   Failure INVALID_ARGUMENT: none of this plugin's, damaged, or another maker's
Package load(std::string_view bytes, const std::string& maker);

}  // namespace graphnet::bladedisc
