// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "proof/execute_deny.h"
#include "proof/moments.h"

namespace graphnet::proof {

/// Denied code that was entered.
struct Finding {
  std::string symbol;  ///< function, or "<module>+0x<offset>" if the file's symbols do not say
  std::string module;  ///< name of the file
  std::string caller;  ///< "<module>+0x<offset>" of where it returns to; "" if that is not known
  int thread = 0;
  /// The first byte of a function, called by code that is not denied: what somebody asked for, as
  /// opposed to what that called in turn.
  bool is_entry = false;
};

/// What a module did in the traced calls.
struct ModuleUse {
  std::string module;
  RegionKind kind = RegionKind::kHost;
  std::string epoch;  ///< of its mapping; see Region
  std::size_t text_bytes = 0;
  std::size_t windows = 0;           ///< different ones that were entered
  std::vector<std::string> symbols;  ///< of the first five windows
};

/// Hits with their names.
struct Trace {
  std::vector<Finding> denied;
  std::vector<Finding> allowed;    ///< in denied modules, but no operator: see is_allowed()
  std::vector<ModuleUse> modules;  ///< all that were traced, those not entered too
  /// Each hit: what somebody called in denied code by its name, everything else by its module.
  std::vector<Moment> moments;
  std::size_t num_threads = 0;
};

/// Names hits by the symbols of their files.
///
/// order    findings as they were hit; regions by address
Trace name_hits(const std::vector<Hit>& hits, const std::vector<Region>& regions);

/// The functions that hold these addresses: symbols, or "<module>+0x<offset>" where they do not
/// say.
///
/// order    regions by address
std::vector<std::string> name_addresses(const std::vector<std::uintptr_t>& addresses,
                                        const std::vector<Region>& regions);

/// True for functions in libtorch's files that are no work of an operator: the C++ library's
/// templates for types of its own, of which every file has copies and the loader binds all users to
/// the first one loaded; and the linker's jump tables, which lead to what is then seen itself.
bool is_allowed(const std::string& symbol);

/// Whether code equal to this function's may come from elsewhere: MKL's kernels for products, which
/// libtorch holds in its file, are generated at run time by oneDNN byte by byte, so a compiler that
/// uses oneDNN has them without having copied anything. They are no operators.
///
/// shapes   a name as name_addresses() gives it
bool is_generated_elsewhere(const std::string& symbol);

/// What to call the functions of findings that are entries, or that are not: each once,
/// "at::_ops::relu_::call" as "aten::relu_".
std::vector<std::string> operators_of(const std::vector<Finding>& findings, bool entries);

}  // namespace graphnet::proof
