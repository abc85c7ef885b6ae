// SPDX-License-Identifier: MIT
#include "proof/imports.h"

#include <dlfcn.h>

#include <algorithm>
#include <set>

#include "proof/elf_symbols.h"

namespace graphnet::proof {

namespace {

constexpr const char* kLookups[] = {"dlopen", "dlmopen", "dlsym", "dlvsym"};

// The loader binds a plugin's imports to the first definition in the program and its libraries.
bool is_bound_to_denied(const std::string& symbol, const std::vector<Region>& regions) {
  const auto address = reinterpret_cast<std::uintptr_t>(::dlsym(RTLD_DEFAULT, symbol.c_str()));
  return std::any_of(regions.begin(), regions.end(), [&](const Region& region) {
    return region.kind == RegionKind::kDeny && region.mapping.contains(address);
  });
}

}  // namespace

std::vector<Imports> audit_imports(const std::vector<Region>& regions) {
  std::set<std::string> files;
  for (const Region& region : regions) {
    if (region.kind == RegionKind::kExpect) files.insert(region.mapping.path);
  }
  std::vector<Imports> audit;
  for (const std::string& file : files) {
    const auto symbols = undefined_symbols(file);
    if (!symbols.is_ok()) continue;  // generated code
    Imports imports;
    imports.module = module_name(file);
    for (const std::string& symbol : *symbols) {
      const auto is_same = [&](const char* lookup) { return symbol == lookup; };
      imports.looks_up =
          imports.looks_up || std::any_of(std::begin(kLookups), std::end(kLookups), is_same);
      if (!is_bound_to_denied(symbol, regions)) continue;
      imports.denied.push_back(without_arguments(demangled(symbol)));
    }
    audit.push_back(std::move(imports));
  }
  return audit;
}

}  // namespace graphnet::proof
