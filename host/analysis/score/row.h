// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/outcome.h"

namespace graphnet::score {

/// Upstream's tolerance levels t = -10 ... 5.
inline constexpr int kFirstLevel = -10;
inline constexpr int kLastLevel = 5;
inline constexpr std::size_t kNumLevels = kLastLevel - kFirstLevel + 1;

/// Index of level t in Row::correct; t from kFirstLevel to kLastLevel.
constexpr std::size_t level_index(int t) {
  return static_cast<std::size_t>(t - kFirstLevel);
}

using record::Failure;
using record::kNumFailures;

/// Upstream's word for it: "accuracy", "nan", "type_mismatch", "shape_mismatch", "runtime_fail",
/// "compile_fail", "eager_fail"; "correct" for kNone.
const char* failure_name(Failure failure);

/// One line, for `graphnet help words`.
const char* failure_meaning(Failure failure);

/// What a score column is about: results of different backends or conditions never share one.
struct Backend {
  std::string name;  ///< variant of the plugin, or upstream's compiler
  /// What else distinguishes columns, name to value: "version", "weights", "math", "device",
  /// "hardware", "threads", "protocol", "option.<name>", "source" ("journal", "log"), "file" if
  /// asked for.
  std::map<std::string, std::string> facets;

  bool operator==(const Backend& other) const {
    return name == other.name && facets == other.facets;
  }
  bool operator<(const Backend& other) const {
    return name != other.name ? name < other.name : facets < other.facets;
  }
};

/// Result of one sample with one backend, as scores see it; from a record or an upstream log.
struct Row {
  std::string sample;  ///< "<family>/<model>", with subgraphs "<family>/<model>/subgraph_<n>"
  std::string family;
  Backend backend;
  /// Of the record; of a log `ok`, `accuracy_mismatch`, or failure_name().
  record::Word<record::Outcome> outcome;
  record::Counting counting = record::Counting::kCounted;  ///< of a record Record::counting()
  Failure failure = Failure::kNone;
  std::array<bool, kNumLevels> correct = {};  ///< by level_index(); all false if `failure` is set
  std::optional<double> speedup;              ///< eager time by backend time; above 0 and finite
  /// Why the row enters no score; empty: it does. A reason of record/left_out.h, a flag,
  /// "unstable", "empty" or an outcome.
  std::string left_out;
  /// Index among the rows as read, by which all else that is known of it can be found.
  std::size_t number = 0;
  /// False if there is nothing to count (skipped, cut off), whatever Settings::keep says.
  bool can_be_kept = true;
};

/// First level from which on the row is correct at every level; nothing if there is none.
std::optional<int> first_correct_level(const Row& row);

}  // namespace graphnet::score
