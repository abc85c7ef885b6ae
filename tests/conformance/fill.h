// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/dtype.h"
#include "base/result.h"

namespace graphnet::conformance {

/// What a parameter holds.
///
///     normal                  standard normal numbers
///     uniform LOW HIGH
///     integers LOW HIGH       both included
///     permutation             0 to n - 1 in random order, less n / 2
///     values V...             these, again and again; nan, inf and -inf are numbers too
///     ... with V...           every eleventh element, from the fourth, takes the next of these
struct Fill {
  enum class Kind : std::uint8_t { kNormal, kUniform, kIntegers, kPermutation, kValues };
  Kind kind = Kind::kNormal;
  double low = 0;
  double high = 0;
  std::vector<double> values = {};  ///< kValues
  std::vector<double> with = {};
};

/// errors   kInput naming the word that is not understood
base::Result<Fill> parse_fill(const std::string& text);

/// Floats and complex numbers: normal; integers: -5 to 5 (uint8: 0 to 9); bools: 0 and 1.
Fill default_fill(base::DType dtype);

/// The elements, row-major; the same for the same seed. Complex numbers get both parts.
///
/// shapes   result: [count * dtype_bytes(dtype)]
std::vector<std::byte> filled(const Fill& fill, base::DType dtype, std::size_t count,
                              std::uint64_t seed);

/// Of a parameter, from the case's name and the parameter's position.
///
/// source   FNV-1a, 64 bit
std::uint64_t seed_of(const std::string& name, std::size_t parameter);

}  // namespace graphnet::conformance
