// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/dtype.h"
#include "base/result.h"

namespace graphnet::sample {

/// One number of a `data` literal, as Python wrote it: an int stays an int.
struct LiteralNumber {
  enum class Kind : std::uint8_t { kInteger, kFloat, kBool } kind = Kind::kInteger;
  std::int64_t integer = 0;  ///< kInteger, kBool (0 or 1)
  double number = 0;         ///< kFloat

  /// The nearest double.
  double as_double() const { return kind == Kind::kFloat ? number : static_cast<double>(integer); }
};

inline LiteralNumber integer_literal(std::int64_t value) {
  return {LiteralNumber::Kind::kInteger, value, 0};
}

inline LiteralNumber float_literal(double value) {
  return {LiteralNumber::Kind::kFloat, 0, value};
}

/// Description of one argument of forward(), from a class of weight_meta.py.
///
/// source   GraphNet weight_meta.py: attributes name, shape, dtype, device, mean, std, data,
///          min_val, max_val, original_name
struct TensorMeta {
  std::string class_name;  ///< arguments are drawn in ascending byte order of this
  std::string name;
  std::string original_name;  ///< from before upstream's renaming; empty: not renamed
  std::vector<std::int64_t> shape;
  base::DType dtype = base::DType::kFloat32;
  std::string device = "cpu";
  /// Absent attributes and None are told apart where upstream does: see arguments.h.
  std::optional<double> mean;  ///< nothing: None
  std::optional<double> std;   ///< nothing: None
  bool has_mean = false;       ///< attribute is present (an absent one defaults to 0.0)
  bool has_std = false;        ///< attribute is present (an absent one defaults to 1.0)
  std::optional<std::vector<LiteralNumber>> data;
  /// Finite or infinite. Of an integer tensor always kInteger: an int64 does not fit a double.
  std::optional<LiteralNumber> min_val;
  std::optional<LiteralNumber> max_val;
  std::int32_t line = 0;
};

/// Reads a weight_meta.py or input_meta.py (an empty text is an empty list).
///
/// order    file order
/// errors   kInput "file:line:column" for anything that is not the known grammar: unknown
///          attribute, wrong type (also a string as `data`), negative extent, more than 2^40
///          elements, literal whose length is not the element count, bounds that cannot be drawn
///          from, duplicate attribute, class or name, missing name
base::Result<std::vector<TensorMeta>> parse_tensor_meta(std::string_view text,
                                                        const std::string& file);

}  // namespace graphnet::sample
