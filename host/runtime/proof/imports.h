// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "proof/lookups.h"
#include "proof/regions.h"

namespace graphnet::proof {

/// What a file of the plugin asks the loader for. A fact beside the proof: what is imported need
/// not be called, and what is looked up by name at run time is in RuntimeLookups.
struct Imports {
  std::string module;
  std::vector<std::string> denied;  ///< functions that the loader took from denied libraries
  bool looks_up = false;            ///< it can look up others itself: dlopen, dlsym
};

/// Imports of every file behind an expected region; files that cannot be read are left out.
std::vector<Imports> audit_imports(const std::vector<Region>& regions);

/// What a file of the plugin, or code that it generated, looked up by name at run time.
struct RuntimeLookups {
  std::string module;
  std::size_t num_names = 0;        ///< of any library
  std::vector<std::string> denied;  ///< functions that are found in denied libraries
};

/// Lookups from expected regions, by module. A name counts as denied if the program's own libraries
/// have it there, whichever handle it was asked for with.
///
/// order    regions by address
std::vector<RuntimeLookups> audit_lookups(const std::vector<Lookup>& lookups,
                                          const std::vector<Region>& regions);

}  // namespace graphnet::proof
