// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "proof/regions.h"

namespace graphnet::proof {

/// What a file of the plugin asks the loader for. A fact beside the proof: what is imported need
/// not be called, and what is looked up by name at run time is not in the list.
struct Imports {
  std::string module;
  std::vector<std::string> denied;  ///< functions that the loader took from denied libraries
  bool looks_up = false;            ///< it can look up others itself: dlopen, dlsym
};

/// Imports of every file behind an expected region; files that cannot be read are left out.
std::vector<Imports> audit_imports(const std::vector<Region>& regions);

}  // namespace graphnet::proof
