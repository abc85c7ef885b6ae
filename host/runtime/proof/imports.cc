// SPDX-License-Identifier: MIT
#include "proof/imports.h"

#include <dlfcn.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/elf_symbols.h"

namespace graphnet::proof {

namespace {

constexpr const char* kLookups[] = {"dlopen", "dlmopen", "dlsym", "dlvsym"};

// The loader binds a plugin's imports to the first definition in the program and its libraries.
bool is_bound_to_denied(const std::string& symbol, const std::vector<Region>& regions) {
  const auto address = reinterpret_cast<std::uintptr_t>(::dlsym(RTLD_DEFAULT, symbol.c_str()));
  const Region* region = find_region(regions, address);
  return region != nullptr && region->kind == RegionKind::kDeny;
}

}  // namespace

std::vector<Imports> audit_imports(const std::vector<Region>& regions) {
  std::set<std::string> files;
  for (const Region& region : regions) {
    if (region.kind == RegionKind::kExpect) files.insert(region.mapping.path);
  }
  std::vector<Imports> audit;
  for (const std::string& file : files) {
    const auto symbols = base::undefined_symbols(file);
    if (!symbols.is_ok()) continue;  // generated code
    Imports imports;
    imports.module = base::module_name(file);
    for (const std::string& symbol : *symbols) {
      const auto is_same = [&](const char* lookup) { return symbol == lookup; };
      imports.looks_up =
          imports.looks_up || std::any_of(std::begin(kLookups), std::end(kLookups), is_same);
      if (!is_bound_to_denied(symbol, regions)) continue;
      imports.denied.push_back(base::without_arguments(base::demangled(symbol)));
    }
    audit.push_back(std::move(imports));
  }
  return audit;
}

std::vector<RuntimeLookups> audit_lookups(const std::vector<Lookup>& lookups,
                                          const std::vector<Region>& regions) {
  std::map<std::string, std::set<std::string>> names;  // by module
  for (const Lookup& lookup : lookups) {
    const Region* region = find_region(regions, lookup.caller);
    if (region == nullptr || region->kind != RegionKind::kExpect) continue;
    names[base::module_name(region->mapping.path)].insert(lookup.name);
  }
  std::vector<RuntimeLookups> audit;
  for (const auto& [module, symbols] : names) {
    RuntimeLookups found;
    found.module = module;
    found.num_names = symbols.size();
    for (const std::string& symbol : symbols) {
      if (!is_bound_to_denied(symbol, regions)) continue;
      found.denied.push_back(base::without_arguments(base::demangled(symbol)));
    }
    audit.push_back(std::move(found));
  }
  return audit;
}

}  // namespace graphnet::proof
