// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>

#include "module_text.h"
#include "options.h"

namespace graphnet::inductor {

/// What compiling made.
struct Compiled {
  std::string library;  ///< bytes of a shared object; empty if it was only checked
  std::string times;    ///< "import: 2.0 s" and so on, a line each
  std::string calls;    ///< of operators, that the code leaves to its caller; see ExternCalls
};

/// Whether constants and weights are folded into the code: all of them are known.
bool is_frozen(const ModuleText& module, const Options& options);

/// Runs compile.py on a module in a process of its own, and kills that with all it started if
/// `cancelled` answers true.
///
/// errors   Failure UNSUPPORTED: torch.export does not take the graph; COMPILE_FAILED: Inductor or
///          the C++ compiler fails, the process dies, or it was cancelled; UNAVAILABLE: no Python
///          3.11, no Python parts of torch, no C++ compiler, no folder
Compiled compile(const ModuleText& module, const Options& options, bool check_only,
                 const std::function<bool()>& cancelled);

/// Whether the precompiled headers of an earlier compile are there: without them the first compile
/// takes about ten seconds longer.
bool has_warm_cache();

}  // namespace graphnet::inductor
