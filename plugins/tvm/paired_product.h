// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <cstring>

namespace graphnet::tvm {

/// Columns of a panel of ir::PairedDot, and a panel's pairs are a multiple of this: a tile of the
/// processor's matrix unit (AMX) has so many of both.
inline constexpr std::int64_t kPairedColumns = 16;
inline constexpr std::int64_t kPairsOfTile = 16;

/// The number that the bits of a bfloat16 are.
inline float from_bf16(std::uint16_t bits) {
  const std::uint32_t wide = static_cast<std::uint32_t>(bits) << 16;
  float value = 0;
  std::memcpy(&value, &wide, sizeof(value));
  return value;
}

/// ir::PairedDot and its operands, dense arrays.
///
/// shapes   left: bfloat16 [batch, rows, depth]; panels: bfloat16 [batch, num_panels(), pairs,
///          kPairedColumns, 2]; out: float32 [batch, rows, columns]
struct PairedProduct {
  std::int64_t batch = 0;
  std::int64_t rows = 0;
  std::int64_t depth = 0;
  std::int64_t columns = 0;
  std::int64_t pairs = 0;  ///< a multiple of kPairsOfTile, 2 * pairs >= depth
  const std::uint16_t* left = nullptr;
  const std::uint16_t* panels = nullptr;
  float* out = nullptr;

  std::int64_t num_panels() const { return (columns + kPairedColumns - 1) / kPairedColumns; }
};

/// Whether the processor multiplies tiles of bfloat16 (AMX-BF16) and the system lets this process
/// do so, which the first call asks for.
bool has_matrix_unit();

/// Whether the processor multiplies vectors of pairs of bfloat16 (AVX512-BF16).
bool has_paired_vectors();

/// Parts of a product that can be computed at the same time.
std::int64_t num_paired_parts(const PairedProduct& product);

/// Parts [begin, end), by the matrix unit if there is one, else by vectors if the processor has
/// those. Both take subnormal numbers to be 0.
void run_paired_product(const PairedProduct& product, std::int64_t begin, std::int64_t end);
/// The same by vectors, which must be there.
void run_paired_product_by_vectors(const PairedProduct& product, std::int64_t begin,
                                   std::int64_t end);
/// The same without both.
void run_paired_product_plainly(const PairedProduct& product, std::int64_t begin, std::int64_t end);

}  // namespace graphnet::tvm
