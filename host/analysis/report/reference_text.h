// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "record/reference.h"

namespace graphnet::report {

/// Outputs of one side beside a reference's: "equal" (to the bit), "ok 61/64" (of upstream's levels
/// the worst output passes so many), "differs 12/64", "unclear 12/64", "-" if not compared.
std::string reference_cell(const record::ReferenceSide& side);
/// The same of the side that says worse; "none": there is no reference.
std::string reference_cell(const record::Reference& reference);

/// "1.25x", "-".
std::string ratio_cell(const std::optional<double>& ratio);

/// Why there is no reference, or what differs, in one line; empty: nothing.
std::string reference_line(const record::Reference& reference);

/// Counts of comparisons with a reference.
struct ReferenceTally {
  int compared = 0;
  int equal = 0;  ///< to the bit, whatever was compared
  int differing = 0;
  int missing = 0;

  void add(const record::Reference& reference);
  /// "3 compared, 2 equal to the bit, 1 differs, 0 without a reference".
  std::string text() const;
};

}  // namespace graphnet::report
