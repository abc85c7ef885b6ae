// SPDX-License-Identifier: MIT
#include "proof/findings.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/elf_symbols.h"

namespace graphnet::proof {

namespace {

constexpr std::size_t kMostSymbols = 5;

std::uint64_t offset_in(const base::Mapping& mapping, std::uintptr_t address) {
  return address - mapping.start + (mapping.path.empty() ? 0 : mapping.file_offset);
}

std::string location_text(const base::Mapping& mapping, std::uintptr_t address) {
  char offset[32];
  std::snprintf(offset, sizeof offset, "+0x%llx",
                static_cast<unsigned long long>(offset_in(mapping, address)));
  return base::module_name(mapping.path) + offset;
}

/// The modules of regions, and which is whose.
struct Modules {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::vector<ModuleUse> uses;         // by class, name and epoch
  std::vector<std::size_t> of_region;  // index in `uses`; kNone: not traced
};

Modules modules_of(const std::vector<Region>& regions) {
  using Key = std::tuple<int, std::string, std::string>;
  std::map<Key, std::size_t> numbers;
  std::vector<const std::size_t*> of_region;
  for (const Region& region : regions) {
    if (region.kind == RegionKind::kHost) {
      of_region.push_back(nullptr);
      continue;
    }
    Key key(static_cast<int>(region.kind), base::module_name(region.mapping.path), region.epoch);
    of_region.push_back(&numbers.emplace(std::move(key), 0).first->second);
  }
  Modules modules;
  for (auto& [key, number] : numbers) {
    number = modules.uses.size();
    ModuleUse use;
    use.module = std::get<1>(key);
    use.kind = static_cast<RegionKind>(std::get<0>(key));
    use.epoch = std::get<2>(key);
    modules.uses.push_back(std::move(use));
  }
  for (std::size_t i = 0; i < regions.size(); ++i) {
    modules.of_region.push_back(of_region[i] == nullptr ? Modules::kNone : *of_region[i]);
    if (of_region[i] == nullptr) continue;
    modules.uses[*of_region[i]].text_bytes += regions[i].mapping.end - regions[i].mapping.start;
  }
  return modules;
}

/// The hits whose names are told: all in denied code, elsewhere the first few windows of a module.
/// Counts the windows of each.
std::vector<std::size_t> hits_to_name(const std::vector<Hit>& hits,
                                      const std::vector<Region>& regions, Modules& modules) {
  std::set<std::pair<std::size_t, std::uintptr_t>> seen;  // module, window
  std::vector<std::size_t> wanted;
  for (std::size_t i = 0; i < hits.size(); ++i) {
    const Hit& hit = hits[i];
    const std::size_t module = modules.of_region[hit.region];
    const bool is_new = seen.emplace(module, hit.window).second;
    if (is_new) ++modules.uses[module].windows;
    const bool is_denied = regions[hit.region].kind == RegionKind::kDeny;
    if (is_denied || (is_new && modules.uses[module].windows <= kMostSymbols)) {
      wanted.push_back(i);
    }
  }
  return wanted;
}

/// The names of many addresses, one pass over each file.
class NameTable {
 public:
  NameTable(const std::vector<Hit>& hits, const std::vector<std::size_t>& chosen,
            const std::vector<Region>& regions) {
    std::map<std::string, std::map<std::uint64_t, std::uintptr_t>> by_file;  // offset to address
    for (const std::size_t i : chosen) {
      const base::Mapping& mapping = regions[hits[i].region].mapping;
      const std::uintptr_t address = hits[i].instruction;
      by_file[mapping.path].emplace(offset_in(mapping, address), address);
    }
    for (const auto& [file, wanted] : by_file) {
      std::vector<std::uint64_t> offsets;
      for (const auto& [offset, address] : wanted) offsets.push_back(offset);
      const auto found = base::name_offsets(file, offsets);
      if (!found.is_ok()) continue;  // generated code, or a file that is gone
      std::size_t next = 0;
      for (const auto& [offset, address] : wanted) names_[address] = (*found)[next++];
    }
  }

  /// Null if the file's symbols do not say.
  const base::SymbolName* find(std::uintptr_t address) const {
    const auto found = names_.find(address);
    return found == names_.end() || found->second.name.empty() ? nullptr : &found->second;
  }

 private:
  std::map<std::uintptr_t, base::SymbolName> names_;
};

void add_symbol(ModuleUse& use, const std::string& symbol) {
  const bool is_known =
      std::find(use.symbols.begin(), use.symbols.end(), symbol) != use.symbols.end();
  if (!is_known && use.symbols.size() < kMostSymbols) use.symbols.push_back(symbol);
}

Finding make_finding(const Hit& hit, const std::vector<Region>& regions, const NameTable& names) {
  const base::Mapping& mapping = regions[hit.region].mapping;
  const base::SymbolName* name = names.find(hit.instruction);
  Finding finding;
  finding.symbol = name != nullptr ? name->name : location_text(mapping, hit.instruction);
  finding.module = base::module_name(mapping.path);
  finding.thread = hit.thread;
  const Region* caller = find_region(regions, hit.return_word);
  if (caller == nullptr) return finding;
  finding.caller = location_text(caller->mapping, hit.return_word);
  finding.is_entry = name != nullptr && name->offset == 0 && caller->kind != RegionKind::kDeny;
  return finding;
}

}  // namespace

Trace name_hits(const std::vector<Hit>& hits, const std::vector<Region>& regions) {
  Trace trace;
  Modules modules = modules_of(regions);
  const std::vector<std::size_t> wanted = hits_to_name(hits, regions, modules);
  const NameTable names(hits, wanted, regions);
  for (const Hit& hit : hits) {
    const ModuleUse& use = modules.uses[modules.of_region[hit.region]];
    trace.moments.push_back({hit.time_ns, hit.thread, use.module});
  }
  for (const std::size_t i : wanted) {
    const Finding finding = make_finding(hits[i], regions, names);
    add_symbol(modules.uses[modules.of_region[hits[i].region]], finding.symbol);
    if (regions[hits[i].region].kind != RegionKind::kDeny) continue;
    const bool allowed = is_allowed(finding.symbol);
    if (finding.is_entry && !allowed) trace.moments[i].what = finding.symbol;
    (allowed ? trace.allowed : trace.denied).push_back(finding);
  }
  std::set<int> threads;
  for (const Hit& hit : hits) threads.insert(hit.thread);
  trace.modules = std::move(modules.uses);
  trace.num_threads = threads.size();
  return trace;
}

std::vector<std::string> name_addresses(const std::vector<std::uintptr_t>& addresses,
                                        const std::vector<Region>& regions) {
  std::vector<Hit> hits;
  std::vector<std::size_t> known;
  for (const std::uintptr_t address : addresses) {
    const Region* region = find_region(regions, address);
    Hit hit;
    hit.instruction = address;
    if (region != nullptr) {
      hit.region = static_cast<std::size_t>(region - regions.data());
      known.push_back(hits.size());
    }
    hits.push_back(hit);
  }
  const NameTable table(hits, known, regions);
  std::vector<std::string> names(addresses.size(), "unknown");
  for (const std::size_t i : known) {
    const base::SymbolName* name = table.find(addresses[i]);
    names[i] =
        name != nullptr ? name->name : location_text(regions[hits[i].region].mapping, addresses[i]);
  }
  return names;
}

bool is_generated_elsewhere(const std::string& symbol) {
  constexpr const char* kKernels = "mkl_blas_";
  return symbol.rfind(kKernels, 0) == 0 && symbol.find("_kernel_") != std::string::npos;
}

bool is_allowed(const std::string& symbol) {
  if (symbol == base::kJumpTable) return true;
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
