// SPDX-License-Identifier: MIT
#include "proof/findings.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <map>
#include <set>
#include <tuple>

#include "proof/elf_symbols.h"

namespace graphnet::proof {

namespace {

constexpr std::size_t kMostSymbols = 5;

std::uint64_t place_in(const Mapping& mapping, std::uintptr_t address) {
  return address - mapping.start + (mapping.path.empty() ? 0 : mapping.file_offset);
}

std::string place_text(const Mapping& mapping, std::uintptr_t address) {
  char place[32];
  std::snprintf(place, sizeof place, "+0x%llx",
                static_cast<unsigned long long>(place_in(mapping, address)));
  return module_name(mapping.path) + place;
}

/// The names of many addresses, one pass over each file.
class NameTable {
 public:
  NameTable(const std::vector<Hit>& hits, const std::vector<Region>& regions) {
    std::map<std::string, std::map<std::uint64_t, std::uintptr_t>> by_file;  // place to address
    for (const Hit& hit : hits) {
      const Mapping& mapping = regions[hit.region].mapping;
      by_file[mapping.path].emplace(place_in(mapping, hit.instruction), hit.instruction);
    }
    for (const auto& [file, wanted] : by_file) {
      std::vector<std::uint64_t> places;
      for (const auto& [place, address] : wanted) places.push_back(place);
      const auto found = name_places(file, places);
      if (!found.is_ok()) continue;  // generated code, or a file that is gone
      std::size_t next = 0;
      for (const auto& [place, address] : wanted) names_[address] = (*found)[next++];
    }
  }

  /// Null if the file's symbols do not say.
  const SymbolName* find(std::uintptr_t address) const {
    const auto found = names_.find(address);
    return found == names_.end() || found->second.name.empty() ? nullptr : &found->second;
  }

 private:
  std::map<std::uintptr_t, SymbolName> names_;
};

std::vector<ModuleUse> modules_of(const std::vector<Region>& regions) {
  std::vector<ModuleUse> modules;
  for (const Region& region : regions) {
    if (region.kind == RegionKind::kHost) continue;
    ModuleUse use;
    use.module = module_name(region.mapping.path);
    use.kind = region.kind;
    use.epoch = region.epoch;
    modules.push_back(use);
  }
  const auto key = [](const ModuleUse& use) {
    return std::make_tuple(static_cast<int>(use.kind), use.module, use.epoch);
  };
  std::sort(modules.begin(), modules.end(),
            [&](const ModuleUse& a, const ModuleUse& b) { return key(a) < key(b); });
  const auto end = std::unique(modules.begin(), modules.end(),
                               [&](const auto& a, const auto& b) { return key(a) == key(b); });
  modules.erase(end, modules.end());
  return modules;
}

bool is_of(const ModuleUse& use, const Region& region) {
  return use.kind == region.kind && use.epoch == region.epoch &&
         use.module == module_name(region.mapping.path);
}

void count_windows(const std::vector<Hit>& hits, const std::vector<Region>& regions,
                   ModuleUse& use) {
  std::set<std::uintptr_t> windows;
  for (const Region& region : regions) {
    if (is_of(use, region)) use.text_bytes += region.mapping.end - region.mapping.start;
  }
  for (const Hit& hit : hits) {
    if (is_of(use, regions[hit.region])) windows.insert(hit.window);
  }
  use.windows = windows.size();
}

void add_symbol(ModuleUse& use, const std::string& symbol) {
  const bool is_known =
      std::find(use.symbols.begin(), use.symbols.end(), symbol) != use.symbols.end();
  if (!is_known && use.symbols.size() < kMostSymbols) use.symbols.push_back(symbol);
}

Finding make_finding(const Hit& hit, const std::vector<Region>& regions, const NameTable& names) {
  const Mapping& mapping = regions[hit.region].mapping;
  const SymbolName* name = names.find(hit.instruction);
  Finding finding;
  finding.symbol = name != nullptr ? name->name : place_text(mapping, hit.instruction);
  finding.module = module_name(mapping.path);
  finding.thread = hit.thread;
  for (const Region& region : regions) {
    if (!region.mapping.contains(hit.return_word)) continue;
    finding.caller = place_text(region.mapping, hit.return_word);
    finding.is_entry = name != nullptr && name->offset == 0 && region.kind != RegionKind::kDeny;
  }
  return finding;
}

}  // namespace

Trace name_hits(const std::vector<Hit>& hits, const std::vector<Region>& regions) {
  Trace trace;
  const NameTable names(hits, regions);
  trace.modules = modules_of(regions);
  for (ModuleUse& use : trace.modules) count_windows(hits, regions, use);
  std::set<int> threads;
  for (const Hit& hit : hits) {
    const Finding finding = make_finding(hit, regions, names);
    threads.insert(hit.thread);
    for (ModuleUse& use : trace.modules) {
      if (is_of(use, regions[hit.region])) add_symbol(use, finding.symbol);
    }
    if (regions[hit.region].kind != RegionKind::kDeny) continue;
    (is_allowed(finding.symbol) ? trace.allowed : trace.denied).push_back(finding);
  }
  trace.num_hits = hits.size();
  trace.num_threads = threads.size();
  return trace;
}

bool is_allowed(const std::string& symbol) {
  if (symbol == kJumpTable) return true;
  constexpr const char* kStandard[] = {"std", "__gnu_cxx"};
  const auto is_word = [](char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
  };
  bool is_standard = false;
  for (std::size_t colons = symbol.find("::"); colons != std::string::npos;
       colons = symbol.find("::", colons + 2)) {
    std::size_t start = colons;
    while (start > 0 && is_word(symbol[start - 1])) --start;
    const bool is_outermost = start < colons && (start == 0 || symbol[start - 1] != ':');
    if (!is_outermost) continue;
    const std::string name = symbol.substr(start, colons - start);
    is_standard =
        std::find(std::begin(kStandard), std::end(kStandard), name) != std::end(kStandard);
    if (!is_standard) return false;
  }
  return is_standard;
}

std::vector<std::string> operators_of(const std::vector<Finding>& findings, bool entries) {
  std::vector<std::string> names;
  for (const Finding& finding : findings) {
    if (finding.is_entry != entries) continue;
    constexpr const char* kDispatched = "at::_ops::";
    std::string name = finding.symbol;
    if (name.rfind(kDispatched, 0) == 0) {
      const std::size_t first = std::string(kDispatched).size();
      name = "aten::" + name.substr(first, name.find("::", first) - first);
    }
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

}  // namespace graphnet::proof
