// SPDX-License-Identifier: MIT
#include "proof/regions.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>

namespace graphnet::proof {

namespace {

constexpr const char* kLastEpoch = "run";

struct NamedLibrary {
  const char* prefix;  // of the file's name
  RegionKind kind;
};

// libtorch, libtorch_cpu, libtorch_cuda, ... hold the operators, libtorch_cpu the maths libraries
// that are linked into it too.
constexpr NamedLibrary kLibraries[] = {
    {"libtorch", RegionKind::kDeny}, {"libc10", RegionKind::kWatch},
    {"libgomp", RegionKind::kWatch}, {"libiomp", RegionKind::kWatch},
    {"libomp", RegionKind::kWatch},  {"libmkl", RegionKind::kWatch},
    {"libdnnl", RegionKind::kWatch}, {"libmkldnn", RegionKind::kWatch},
    {"libblas", RegionKind::kWatch}, {"libopenblas", RegionKind::kWatch},
    {"libblis", RegionKind::kWatch},
};

bool is_before_plugin(const std::string& epoch) {
  return epoch == "start" || epoch == "eager";
}

RegionKind kind_of(const base::Mapping& mapping, const std::string& epoch) {
  const std::string name = base::module_name(mapping.path);
  for (const NamedLibrary& library : kLibraries) {
    if (name.rfind(library.prefix, 0) != 0) continue;
    if (library.kind == RegionKind::kDeny || is_before_plugin(epoch)) return library.kind;
  }
  return is_before_plugin(epoch) ? RegionKind::kHost : RegionKind::kExpect;
}

std::string build_id_of(const base::Mapping& mapping,
                        const std::vector<base::LoadedObject>& objects) {
  for (const base::LoadedObject& object : objects) {
    if (object.contains(mapping.start)) return object.build_id;
  }
  return {};
}

// A copy under another name keeps the build id of what it is a copy of.
void deny_renamed_copies(const std::vector<base::LoadedObject>& objects,
                         std::vector<Region>& regions) {
  std::set<std::string> denied;
  for (const Region& region : regions) {
    if (region.kind == RegionKind::kDeny) denied.insert(build_id_of(region.mapping, objects));
  }
  denied.erase("");
  for (Region& region : regions) {
    if (region.kind != RegionKind::kExpect) continue;
    if (denied.count(build_id_of(region.mapping, objects)) > 0) region.kind = RegionKind::kDeny;
  }
}

base::Mapping part_of(const base::Mapping& mapping, std::uintptr_t start, std::uintptr_t end) {
  base::Mapping part = mapping;
  part.start = start;
  part.end = end;
  part.file_offset += mapping.path.empty() ? 0 : start - mapping.start;
  return part;
}

// Splits `part` into what `known` holds already and what it does not.
void split(const base::Mapping& part, const std::vector<base::Mapping>& known,
           std::vector<base::Mapping>& inside, std::vector<base::Mapping>& outside) {
  std::uintptr_t at = part.start;
  for (const base::Mapping& old : known) {
    if (old.end <= at || old.path != part.path) continue;
    if (old.start >= part.end) break;
    const std::uintptr_t from = std::max(at, old.start);
    const std::uintptr_t to = std::min(part.end, old.end);
    if (from > at) outside.push_back(part_of(part, at, from));
    inside.push_back(part_of(part, from, to));
    at = to;
  }
  if (at < part.end) outside.push_back(part_of(part, at, part.end));
}

}  // namespace

const char* region_kind_name(RegionKind kind) {
  constexpr const char* kNames[] = {"deny", "watch", "expect", "host"};
  return kNames[static_cast<int>(kind)];
}

const Region* find_region(const std::vector<Region>& regions, std::uintptr_t address) {
  const auto after = std::upper_bound(
      regions.begin(), regions.end(), address,
      [](std::uintptr_t wanted, const Region& region) { return wanted < region.mapping.start; });
  if (after == regions.begin()) return nullptr;
  const Region& before = *std::prev(after);
  return before.mapping.contains(address) ? &before : nullptr;
}

void MapHistory::note(const std::string& epoch, const std::vector<base::Mapping>& mappings) {
  epochs_.push_back({epoch, base::executable_mappings(mappings)});
}

std::vector<Region> MapHistory::regions(const std::vector<base::Mapping>& mappings,
                                        const std::vector<base::LoadedObject>& objects) const {
  std::vector<Region> regions;
  std::vector<base::Mapping> left = base::executable_mappings(mappings);
  const auto add = [&](const std::vector<base::Mapping>& parts, const std::string& epoch) {
    for (const base::Mapping& part : parts) regions.push_back({part, kind_of(part, epoch), epoch});
  };
  for (const Epoch& epoch : epochs_) {
    std::vector<base::Mapping> inside;
    std::vector<base::Mapping> outside;
    for (const base::Mapping& part : left) split(part, epoch.executable, inside, outside);
    add(inside, epoch.name);
    left = std::move(outside);
  }
  add(left, kLastEpoch);
  std::sort(regions.begin(), regions.end(),
            [](const Region& a, const Region& b) { return a.mapping.start < b.mapping.start; });
  deny_renamed_copies(objects, regions);
  return regions;
}

}  // namespace graphnet::proof
