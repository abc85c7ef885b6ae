// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace graphnet::config {

/// A version as plugins state theirs: 1, 0.3 or 0.3.1, optionally "-rc.1" and "+build".
///
/// source   Semantic Versioning 2.0.0; unlike there, minor and patch may be left out and count as 0
struct Version {
  std::vector<std::int64_t> numbers;     ///< major, minor, patch
  std::vector<std::string> pre_release;  ///< parts after '-'; empty: a release
};

/// errors   kInput if the text is of another form
base::Result<Version> parse_version(const std::string& text);

/// Negative, 0 or positive as `left` is older than, equal to or newer than `right`. A pre-release
/// is older than its release; build names do not count.
int compare_versions(const Version& left, const Version& right);

/// A requirement on a version, such as ">=0.2, <0.4": all parts must hold.
struct VersionRange {
  struct Bound {
    std::string relation;  ///< "=", "<", "<=", ">", ">="
    Version version;
  };
  std::string text = "any";   ///< as written
  std::vector<Bound> bounds;  ///< empty: any version

  bool contains(const Version& version) const;
};

/// "any", or versions separated by commas, each with =, <, <=, > or >= before it (without: =).
///
/// errors   kInput
base::Result<VersionRange> parse_version_range(const std::string& text);

}  // namespace graphnet::config
