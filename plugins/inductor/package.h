// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compiler.h"
#include "graphnet/abi.h"
#include "module_text.h"
#include "options.h"

namespace graphnet::inductor {

/// Compiled code and what it is called with; all that is stored of an executable.
struct Package {
  std::string library;              ///< bytes of a shared object
  std::vector<Argument> arguments;  ///< of a call, in order
  /// An attribute whose elements are known and which the code does not hold itself.
  struct Constant {
    std::string name;  ///< "c<number>"
    DLDataType dtype = {};
    std::vector<std::int64_t> shape;
    std::size_t offset = 0;  ///< in `data`
  };
  std::vector<Constant> constants;
  std::string data;
  std::string times;       ///< of compiling
  std::string calls;       ///< that the code leaves to its caller; see ExternCalls
  bool is_frozen = false;  ///< constants and weights are in the code
};

Package make_package(const gn_graph_body& body, ModuleText module, Compiled compiled,
                     bool is_frozen);

/// What decides which code compiling makes of a graph: compiler, options, processor.
std::string maker_text(const Options& options);

std::string store(const Package& package, const std::string& maker);

/// errors   Failure INVALID_ARGUMENT: damaged, or made by another maker
Package load(std::string_view bytes, const std::string& maker);

}  // namespace graphnet::inductor
