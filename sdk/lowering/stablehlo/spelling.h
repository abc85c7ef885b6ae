// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "lowering/tensor.h"

namespace graphnet::lowering::stablehlo {

/// Who reads the module.
enum class Dialect : std::uint8_t {
  kStableHlo,  ///< StableHLO, as XLA of today parses it
  /// MHLO as of mid-2023, which BladeDISC's last commits parse: most operations have the generic
  /// form only, and lists of integers are dense attributes.
  kMhlo2023,
};

/// All that dialects write differently. Texts have places: {dialect}, and those that who fills them
/// names. Of a list, {dims} is "1, 2" and {#dims} an attribute.
///
/// source   MHLO: parsed and verified by jaxlib 0.4.13 of 2023-06-22
/// (tests/unit/bladedisc/parse_mhlo.py)
struct Spelling {
  std::string_view dialect;  ///< what names of operations and attributes begin with
  std::string_view list;     ///< an attribute of integers: {values}, {count} of them
  std::string_view empty_list;
  std::string_view iota;
  std::string_view broadcast;
  std::string_view transpose;
  std::string_view slice;
  std::string_view pad;
  std::string_view concatenate;
  std::string_view reverse;
  std::string_view dot;
  std::string_view dot_batch;      ///< part of `dot`; left out if there are no batch dimensions
  std::string_view dot_precision;  ///< part of `dot`, of floats
  std::string_view fourier;
  /// Maxima and minima of floats inside reductions are written as comparison and selection, for
  /// compilers whose maximum drops NaN. Without: one operation, for compilers that take no other.
  bool selects_in_reductions = false;
  /// What constants of bools are written as, and compared with 0.
  Type bool_constant = Type::kU8;
};

const Spelling& spelling_of(Dialect dialect);

/// Integers as an attribute: "array<i64: 1, 2>".
std::string list_text(const Spelling& spelling, const Shape& values);

/// What stands in one place of a text.
using Place = std::pair<std::string_view, std::variant<std::string, Shape>>;

/// A text of the spelling with its places filled.
std::string fill(const Spelling& spelling, std::string_view text, const std::vector<Place>& places);

}  // namespace graphnet::lowering::stablehlo
