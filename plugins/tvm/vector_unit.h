// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <type_traits>

namespace graphnet::tvm {

/// The vector registers of a processor, as far as the schedule rules care. A product keeps a tile
/// of its sums in registers; beside it a row of the right side and an element of the left must fit.
struct VectorUnit {
  std::int64_t lanes;                 ///< float32 elements of a register
  std::int64_t product_rows[3];       ///< of a tile that spans 1, 2 and 4 registers
  std::int64_t most_product_rows[3];  ///< as above, where the usual number does not divide all rows
  std::int64_t convolution_rows[2];   ///< of a tile that spans 1 and 2 registers

  std::int64_t num_registers(std::int64_t columns) const { return (columns + lanes - 1) / lanes; }
  /// The most rows of a tile for a product of so many.
  std::int64_t rows_of_product(std::int64_t rows, std::int64_t columns) const {
    const std::int64_t count = num_registers(columns);
    const std::int64_t width = count > 2 ? 2 : count - 1;
    return rows % product_rows[width] == 0 ? product_rows[width] : most_product_rows[width];
  }
  std::int64_t rows_of_convolution(std::int64_t columns) const {
    return convolution_rows[num_registers(columns) > 1 ? 1 : 0];
  }
  /// Of a tile of a depthwise convolution: whole cache lines, where two registers are one. A part
  /// of a line would be read again for the next tile, and channels of one position lie a power of
  /// two apart from those of the next, so that the first-level cache has lost the line by then.
  std::int64_t channels_of_depthwise(std::int64_t channels) const {
    constexpr std::int64_t kLine = 16;  // float32 elements of 64 bytes
    return lanes == kLine / 2 && channels % kLine == 0 ? kLine : lanes;
  }
};

/// 32 registers, of which sums take half, or three quarters where that leaves fewer rows over.
inline constexpr VectorUnit kAvx512 = {16, {14, 8, 4}, {14, 12, 4}, {12, 7}};
/// 16 registers, of which sums take three quarters.
inline constexpr VectorUnit kAvx2 = {8, {12, 6, 2}, {12, 6, 2}, {12, 6}};
inline constexpr VectorUnit kSse = {4, {12, 6, 2}, {12, 6, 2}, {12, 6}};

/// Bytes by which a product asks for its right side before it reads it. Measured on a Xeon of
/// family 6 model 207 with a product of 11 rows (340 MiB from memory): none 7.4 GB/s, 1 KiB 9.4, 2
/// KiB 10.9, 4 KiB 12.0, 8 KiB 11.2.
inline constexpr std::int64_t kPrefetchedAhead = 4096;

/// The smallest multiple that is not below `value`, which is not negative.
template <typename Integer>
constexpr Integer round_up(Integer value, std::common_type_t<Integer> multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

}  // namespace graphnet::tvm
