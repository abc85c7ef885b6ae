// SPDX-License-Identifier: MIT
#include "tvm_plugin/paired_product.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <utility>

#include "graphnet/for_processor.h"
#include "tvm_plugin/vector_unit.h"

#if defined(__x86_64__) && defined(__linux__)
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>
#define GN_HAS_TILES 1
#endif

namespace graphnet::tvm {

namespace {

constexpr std::int64_t kTileElements = kPairsOfTile * kPairedColumns * 2;
/// Panels of a part: as many tiles of the right side as the matrix unit has registers for.
constexpr std::int64_t kPanelsOfPart = 2;

std::int64_t parts_of_batch(const PairedProduct& p) {
  return (p.num_panels() + kPanelsOfPart - 1) / kPanelsOfPart;
}

/// The panels of one part.
struct Part {
  std::int64_t batch = 0;
  std::int64_t first = 0;  ///< panel of the batch
  std::int64_t count = 0;
};

Part part_at(const PairedProduct& p, std::int64_t index) {
  const std::int64_t first = index % parts_of_batch(p) * kPanelsOfPart;
  return {index / parts_of_batch(p), first, std::min(kPanelsOfPart, p.num_panels() - first)};
}

std::int64_t panel_elements(const PairedProduct& p) {
  return p.pairs * kPairedColumns * 2;
}

const std::uint16_t* panel_at(const PairedProduct& p, const Part& part) {
  return p.panels + (part.batch * p.num_panels() + part.first) * panel_elements(p);
}

void add_panel_row(const PairedProduct& p, const std::uint16_t* left, const std::uint16_t* panel,
                   float* sums) {
  for (std::int64_t k = 0; k < p.depth; ++k) {
    const float factor = from_bf16(left[k]);
    const std::uint16_t* const row = panel + k / 2 * kPairedColumns * 2 + k % 2;
    for (std::int64_t c = 0; c < kPairedColumns; ++c) sums[c] += factor * from_bf16(row[2 * c]);
  }
}

}  // namespace

std::int64_t num_paired_parts(const PairedProduct& product) {
  return product.batch * parts_of_batch(product);
}

void run_paired_product_plainly(const PairedProduct& p, std::int64_t begin, std::int64_t end) {
  for (std::int64_t i = begin; i < end; ++i) {
    const Part part = part_at(p, i);
    for (std::int64_t panel = 0; panel < part.count; ++panel) {
      const std::int64_t column = (part.first + panel) * kPairedColumns;
      for (std::int64_t row = 0; row < p.rows; ++row) {
        const std::int64_t at = part.batch * p.rows + row;
        float sums[kPairedColumns] = {};
        add_panel_row(p, p.left + at * p.depth, panel_at(p, part) + panel * panel_elements(p),
                      sums);
        std::copy_n(sums, std::min(kPairedColumns, p.columns - column),
                    p.out + at * p.columns + column);
      }
    }
  }
}

#ifdef GN_HAS_TILES

namespace {

#define GN_FOR_TILES __attribute__((target("amx-tile,amx-bf16")))

// A block's tiles stay in the first-level cache (32 KiB of 48) while those of a set's panels, which
// stay in the second (1 MiB of 2), pass by. One block of rows reads panels once, from front
// to back.
constexpr std::int64_t kTilesOfBlock = 16;
constexpr std::int64_t kPartsOfSet = 32;
constexpr std::int64_t kRowsOfTile = 16;
constexpr std::int64_t kDepthOfTile = 2 * kPairsOfTile;
constexpr std::int64_t kRowsOfBlock = 2 * kRowsOfTile;
constexpr std::int64_t kTileRowBytes = 64;
constexpr std::int64_t kFloatBytes = sizeof(float);

/// As the processor reads it.
struct TileShapes {
  std::uint8_t palette = 1;
  std::uint8_t start_row = 0;
  std::uint8_t reserved[14] = {};
  std::uint16_t row_bytes[16] = {};
  std::uint8_t rows[16] = {};
};
static_assert(sizeof(TileShapes) == 64);

// GCC's intrinsics do not say that tiles read memory.
void finish_stores() {
  asm volatile("" : : : "memory");
}

/// Tiles 0 to 3 are sums, two panels side by side and two tiles of rows below each other; 4 and 5
/// are parts of the left side, 6 and 7 of the panels.
GN_FOR_TILES void set_shapes(std::int64_t rows) {
  TileShapes shapes;
  for (int tile = 0; tile < 8; ++tile) {
    const bool is_second = tile == 2 || tile == 3 || tile == 5;
    const std::int64_t own = is_second ? std::max<std::int64_t>(rows - kRowsOfTile, 1) : rows;
    shapes.row_bytes[tile] = kTileRowBytes;
    shapes.rows[tile] =
        static_cast<std::uint8_t>(tile > 5 ? kPairsOfTile : std::min(own, kRowsOfTile));
  }
  finish_stores();
  _tile_loadconfig(&shapes);
  asm volatile("" : : "r"(&shapes) : "memory");
}

/// Rows of the left side and a run of their depth. Its tiles lie one behind another, as they are
/// read: rows that are a power of two apart would fall on each other in the cache.
struct Block {
  std::int64_t rows = 0;
  std::int64_t first_tile = 0;  ///< of the depth
  std::int64_t num_tiles = 0;
  const std::uint16_t* left = nullptr;  ///< [tiles of rows, num_tiles, kRowsOfTile, kDepthOfTile]
  float* out = nullptr;                 ///< of its first row
};

/// Steps are elements: from a tile of the left side to the one below it, of a panel to the one
/// beside.
template <bool kTwoRows, bool kTwoPanels>
GN_FOR_TILES GN_PART void add_step(const std::uint16_t* left, std::int64_t left_step,
                                   const std::uint16_t* panel, std::int64_t panel_step) {
  _tile_loadd(6, panel, kTileRowBytes);
  _tile_loadd(4, left, kTileRowBytes);
  _tile_dpbf16ps(0, 4, 6);
  if constexpr (kTwoPanels) {
    _tile_loadd(7, panel + panel_step, kTileRowBytes);
    _tile_dpbf16ps(1, 4, 7);
  }
  if constexpr (kTwoRows) {
    _tile_loadd(5, left + left_step, kTileRowBytes);
    _tile_dpbf16ps(2, 5, 6);
    if constexpr (kTwoPanels) _tile_dpbf16ps(3, 5, 7);
  }
}

void prefetch_tile(const std::uint16_t* panel) {
  const auto* const ahead = reinterpret_cast<const char*>(panel) + kPrefetchedAhead;
  for (std::int64_t line = 0; line < kPairsOfTile; ++line) {
    __builtin_prefetch(ahead + line * kTileRowBytes);
  }
}

/// Sums of [rows, 2 * kPairedColumns] floats, `stride` elements from a row to the next.
template <bool kTwoRows, bool kTwoPanels>
GN_FOR_TILES GN_PART void load_sums(const float* sums, std::int64_t stride) {
  const float* const second = sums + stride * kRowsOfTile;
  const std::int64_t bytes = stride * kFloatBytes;
  _tile_loadd(0, sums, bytes);
  if constexpr (kTwoPanels) _tile_loadd(1, sums + kPairedColumns, bytes);
  if constexpr (kTwoRows) _tile_loadd(2, second, bytes);
  if constexpr (kTwoRows && kTwoPanels) _tile_loadd(3, second + kPairedColumns, bytes);
}
template <bool kTwoRows, bool kTwoPanels>
GN_FOR_TILES GN_PART void store_sums(float* sums, std::int64_t stride) {
  float* const second = sums + stride * kRowsOfTile;
  const std::int64_t bytes = stride * kFloatBytes;
  _tile_stored(0, sums, bytes);
  if constexpr (kTwoPanels) _tile_stored(1, sums + kPairedColumns, bytes);
  if constexpr (kTwoRows) _tile_stored(2, second, bytes);
  if constexpr (kTwoRows && kTwoPanels) _tile_stored(3, second + kPairedColumns, bytes);
}

/// Adds the product of a block and a part to sums, `stride` elements from a row to the next.
template <bool kTwoRows, bool kTwoPanels>
GN_FOR_TILES void multiply_block(const PairedProduct& p, const Block& block,
                                 const std::uint16_t* panel, float* sums, std::int64_t stride) {
  if (block.first_tile == 0) {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
  } else {
    load_sums<kTwoRows, kTwoPanels>(sums, stride);
  }
  const std::int64_t left_step = block.num_tiles * kTileElements;
  const std::int64_t panel_step = panel_elements(p);
  const bool is_read_once = p.rows <= kRowsOfBlock;
  panel += block.first_tile * kTileElements;
  for (std::int64_t k = 0; k < left_step; k += kTileElements) {
    if (is_read_once) {
      prefetch_tile(panel + k);
      if constexpr (kTwoPanels) prefetch_tile(panel + k + panel_step);
    }
    add_step<kTwoRows, kTwoPanels>(block.left + k, left_step, panel + k, panel_step);
  }
  store_sums<kTwoRows, kTwoPanels>(sums, stride);
  finish_stores();
}

using Multiply = void (*)(const PairedProduct&, const Block&, const std::uint16_t*, float*,
                          std::int64_t);

Multiply multiply_for(bool has_two_rows, bool has_two_panels) {
  if (has_two_panels)
    return has_two_rows ? multiply_block<true, true> : multiply_block<false, true>;
  return has_two_rows ? multiply_block<true, false> : multiply_block<false, false>;
}

/// Whole panels go to the result itself; of the last one only the columns that are there.
void multiply_part(const PairedProduct& p, const Block& block, const Part& part) {
  constexpr std::int64_t kColumns = kPanelsOfPart * kPairedColumns;
  const std::int64_t column = part.first * kPairedColumns;
  const std::int64_t columns = std::min(part.count * kPairedColumns, p.columns - column);
  float* const out = block.out + column;
  const Multiply multiply = multiply_for(block.rows > kRowsOfTile, part.count > 1);
  if (columns % kPairedColumns == 0) return multiply(p, block, panel_at(p, part), out, p.columns);
  float sums[kRowsOfBlock * kColumns];
  for (std::int64_t row = 0; row < block.rows && block.first_tile > 0; ++row) {
    std::copy_n(out + row * p.columns, columns, sums + row * kColumns);
  }
  finish_stores();
  multiply(p, block, panel_at(p, part), sums, kColumns);
  for (std::int64_t row = 0; row < block.rows; ++row) {
    std::copy_n(sums + row * kColumns, columns, out + row * p.columns);
  }
}

/// A row of a tile. One that spans two lines of the cache is read twice.
struct alignas(kTileRowBytes) Line {
  std::uint16_t elements[kDepthOfTile];
};

/// Writes what `block` has on its left side; zeros behind the end of the depth.
void pack(const PairedProduct& p, const std::uint16_t* left, const Block& block,
          std::uint16_t* packed) {
  const std::int64_t begin = block.first_tile * kDepthOfTile;
  const std::int64_t there = std::min(block.num_tiles * kDepthOfTile, p.depth - begin);
  for (std::int64_t row = 0; row < block.rows; ++row) {
    const std::uint16_t* const from = left + row * p.depth + begin;
    std::uint16_t* const to = packed + row / kRowsOfTile * block.num_tiles * kTileElements +
                              row % kRowsOfTile * kDepthOfTile;
    std::int64_t k = 0;
    for (; k + kDepthOfTile <= there; k += kDepthOfTile) {
      std::memcpy(to + k * kRowsOfTile, from + k, kTileRowBytes);
    }
    if (k == there) continue;
    std::uint16_t* const last = to + k * kRowsOfTile;
    std::memset(last, 0, kTileRowBytes);
    std::copy(from + k, from + there, last);
  }
}

/// Parts [begin, end) of one batch, over tiles [first_tile, + num_tiles) of the depth.
struct Set {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t first_tile = 0;
  std::int64_t num_tiles = 0;
};

void multiply_set(const PairedProduct& p, const Set& set, std::uint16_t* packed) {
  const std::int64_t batch = set.begin / parts_of_batch(p);
  std::int64_t shaped = 0;
  for (std::int64_t row = 0; row < p.rows; row += kRowsOfBlock) {
    const std::int64_t at = batch * p.rows + row;
    const Block block = {std::min(kRowsOfBlock, p.rows - row), set.first_tile, set.num_tiles,
                         packed, p.out + at * p.columns};
    pack(p, p.left + at * p.depth, block, packed);
    if (block.rows != shaped) set_shapes(shaped = block.rows);
    finish_stores();
    for (std::int64_t i = set.begin; i < set.end; ++i) multiply_part(p, block, part_at(p, i));
  }
}

GN_FOR_TILES void multiply_parts(const PairedProduct& p, std::int64_t begin, std::int64_t end) {
  const std::int64_t depth = p.pairs / kPairsOfTile;
  const std::int64_t tiles = p.rows <= kRowsOfBlock ? depth : std::min(depth, kTilesOfBlock);
  const auto packed = std::make_unique<Line[]>(static_cast<std::size_t>(kRowsOfBlock * tiles));
  while (begin < end) {
    const std::int64_t rest_of_batch = parts_of_batch(p) - begin % parts_of_batch(p);
    const std::int64_t next = begin + std::min({kPartsOfSet, rest_of_batch, end - begin});
    for (std::int64_t k = 0; k < depth; k += tiles) {
      multiply_set(p, {begin, next, k, std::min(tiles, depth - k)}, packed[0].elements);
    }
    begin = next;
  }
  _tile_release();
}

// ---- by vectors ----

#define GN_FOR_PAIRS __attribute__((target("avx512f,avx512bf16")))

// Sums of 12 rows and two panels are 24 of 32 registers.
constexpr int kMostRows = 12;

/// A pair of a row, in each pair of a vector; of an odd depth the last has a zero behind it.
GN_FOR_PAIRS GN_PART __m512bh spread_pair(const std::uint16_t* left, std::int64_t left_over) {
  std::uint32_t pair = 0;
  std::memcpy(&pair, left, left_over > 1 ? sizeof(pair) : sizeof(*left));
  return reinterpret_cast<__m512bh>(_mm512_set1_epi32(static_cast<int>(pair)));
}

/// Adds the products of one pair of each row with a row of each panel.
template <int kRows, int kPanels>
GN_FOR_PAIRS GN_PART void add_pair(const PairedProduct& p, const std::uint16_t* left,
                                   const std::uint16_t* panel, std::int64_t left_over,
                                   __m512 (&sums)[kRows][kPanels]) {
  __m512bh right[kPanels];
#pragma GCC unroll 2
  for (int i = 0; i < kPanels; ++i) {
    const std::uint16_t* const row = panel + i * panel_elements(p);
    __builtin_prefetch(reinterpret_cast<const char*>(row) + kPrefetchedAhead);
    right[i] = reinterpret_cast<__m512bh>(_mm512_loadu_si512(row));
  }
#pragma GCC unroll 12
  for (int row = 0; row < kRows; ++row) {
    const __m512bh factor = spread_pair(left + row * p.depth, left_over);
#pragma GCC unroll 2
    for (int i = 0; i < kPanels; ++i) {
      sums[row][i] = _mm512_dpbf16_ps(sums[row][i], factor, right[i]);
    }
  }
}

/// Rows times panels that lie side by side. `columns`: what there is of both panels.
template <int kRows, int kPanels>
GN_FOR_PAIRS void multiply_rows(const PairedProduct& p, const std::uint16_t* left,
                                const std::uint16_t* panel, std::int64_t columns, float* out) {
  __m512 sums[kRows][kPanels] = {};
  std::int64_t k = 0;
  for (; k + 2 <= p.depth; k += 2) {
    add_pair<kRows, kPanels>(p, left + k, panel + k * kPairedColumns, 2, sums);
  }
  if (k < p.depth) add_pair<kRows, kPanels>(p, left + k, panel + k * kPairedColumns, 1, sums);
#pragma GCC unroll 2
  for (int i = 0; i < kPanels; ++i) {
    const std::int64_t count = std::min(kPairedColumns, columns - i * kPairedColumns);
    const auto there = static_cast<__mmask16>((1U << static_cast<unsigned>(count)) - 1U);
#pragma GCC unroll 12
    for (int row = 0; row < kRows; ++row) {
      _mm512_mask_storeu_ps(out + row * p.columns + i * kPairedColumns, there, sums[row][i]);
    }
  }
}

using MultiplyRows = void (*)(const PairedProduct&, const std::uint16_t*, const std::uint16_t*,
                              std::int64_t, float*);

template <int kPanels, int... kRows>
constexpr std::array<MultiplyRows, sizeof...(kRows)> rows_table(
    std::integer_sequence<int, kRows...> /*rows*/) {
  return {multiply_rows<kRows + 1, kPanels>...};
}

/// By the number of rows, less one.
constexpr auto kOnePanel = rows_table<1>(std::make_integer_sequence<int, kMostRows>());
constexpr auto kTwoPanels = rows_table<2>(std::make_integer_sequence<int, kMostRows>());

bool ask_for_matrix_unit() {
  constexpr int kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr int kTileData = 18;               // XFEATURE_XTILEDATA
  if (__builtin_cpu_supports("amx-tile") == 0 || __builtin_cpu_supports("amx-bf16") == 0)
    return false;
  return ::syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

}  // namespace

bool has_matrix_unit() {
  static const bool has = ask_for_matrix_unit();
  return has;
}

bool has_paired_vectors() {
  static const bool has = __builtin_cpu_supports("avx512bf16") != 0;
  return has;
}

// Blocks of rows of about one size, so that none has a few rows only.
void run_paired_product_by_vectors(const PairedProduct& p, std::int64_t begin, std::int64_t end) {
  const std::int64_t blocks = (p.rows + kMostRows - 1) / kMostRows;
  for (std::int64_t i = begin; i < end; ++i) {
    const Part part = part_at(p, i);
    const std::int64_t column = part.first * kPairedColumns;
    const auto& multiply = part.count > 1 ? kTwoPanels : kOnePanel;
    for (std::int64_t block = 0; block < blocks; ++block) {
      const std::int64_t row = p.rows * block / blocks;
      const std::int64_t count = p.rows * (block + 1) / blocks - row;
      const std::int64_t at = part.batch * p.rows + row;
      multiply[static_cast<std::size_t>(count - 1)](p, p.left + at * p.depth, panel_at(p, part),
                                                    p.columns - column,
                                                    p.out + at * p.columns + column);
    }
  }
}

void run_paired_product(const PairedProduct& product, std::int64_t begin, std::int64_t end) {
  if (has_matrix_unit()) return multiply_parts(product, begin, end);
  if (has_paired_vectors()) return run_paired_product_by_vectors(product, begin, end);
  run_paired_product_plainly(product, begin, end);
}

#else

bool has_matrix_unit() {
  return false;
}

bool has_paired_vectors() {
  return false;
}

void run_paired_product_by_vectors(const PairedProduct& product, std::int64_t begin,
                                   std::int64_t end) {
  run_paired_product_plainly(product, begin, end);
}

void run_paired_product(const PairedProduct& product, std::int64_t begin, std::int64_t end) {
  run_paired_product_plainly(product, begin, end);
}

#endif

}  // namespace graphnet::tvm
