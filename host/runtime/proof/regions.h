// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/loaded_objects.h"
#include "base/memory_map.h"

namespace graphnet::proof {

/// What it means when code of a mapping runs in a traced call.
///
/// | class  | what is in it                                                         | if entered |
/// |--------|-----------------------------------------------------------------------|------------|
/// | deny   | libtorch, whenever it was mapped: a second copy that a plugin brings  | a finding  |
/// |        | counts too, by its name or, renamed, by its build id                  |            |
/// | watch  | libraries that eager and plugin may share: OpenMP, BLAS, and libc10,  | a fact     |
/// |        | which holds no operator (allocator, reference counts, thread pool)    |            |
/// | expect | the plugin's file, what it brought and what it made since             | the proof  |
/// | host   | everything else that was there before the plugin: not traced          | -          |
enum class RegionKind { kDeny, kWatch, kExpect, kHost };

/// "deny", "watch", "expect", "host".
const char* region_kind_name(RegionKind kind);

/// Executable memory of one class.
struct Region {
  base::Mapping mapping;
  RegionKind kind = RegionKind::kHost;
  /// When it was first seen: "start", "eager", "load", "compile", or "run" if after all of them.
  std::string epoch;
};

/// The region that holds an address, or null.
///
/// order    regions by address
const Region* find_region(const std::vector<Region>& regions, std::uintptr_t address);

/// What was executable when. Eager's own generated code is there before the plugin is, so that
/// memory without a file is the plugin's only if it appeared after it.
///
/// order    note() once for each epoch as it ends: "start", "eager" (before the plugin is loaded),
///          "load", "compile"; then regions()
class MapHistory {
 public:
  void note(const std::string& epoch, const std::vector<base::Mapping>& mappings);

  /// The executable mappings with their classes; one that has grown is split where it has.
  ///
  /// order    by address
  /// shapes   objects: what the loader has mapped now, for build ids; without it names decide
  std::vector<Region> regions(const std::vector<base::Mapping>& mappings,
                              const std::vector<base::LoadedObject>& objects = {}) const;

 private:
  struct Epoch {
    std::string name;
    std::vector<base::Mapping> executable;
  };
  std::vector<Epoch> epochs_;
};

}  // namespace graphnet::proof
