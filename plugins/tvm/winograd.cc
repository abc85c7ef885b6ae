// SPDX-License-Identifier: MIT
#include "tvm_plugin/winograd.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "graphnet/for_processor.h"
#include "lowering/ir/graph.h"

namespace graphnet::tvm {

namespace {

constexpr std::int64_t kTile = lowering::ir::kWinogradTile;
constexpr std::int64_t kReach = lowering::ir::kWinogradReach;
constexpr std::int64_t kPoints = lowering::ir::kWinogradPoints;
// The points, and their squares; products of these are exact, too.
constexpr float kA = lowering::ir::kWinogradNear;
constexpr float kB = lowering::ir::kWinogradFar;
constexpr float kA2 = kA * kA;
constexpr float kB2 = kB * kB;

/// What a tile reads along one dimension, transformed; elements are `step` apart.
template <typename Vector>
GN_PART void transform_input(Vector* d, std::int64_t step) {
  const Vector first = kA2 * kB2 * d[0] - (kA2 + kB2) * d[2 * step] + d[4 * step];
  const Vector last = kA2 * kB2 * d[step] - (kA2 + kB2) * d[3 * step] + d[5 * step];
  const Vector near_even = d[4 * step] - kB2 * d[2 * step];
  const Vector near_odd = kA * (d[3 * step] - kB2 * d[step]);
  const Vector far_even = d[4 * step] - kA2 * d[2 * step];
  const Vector far_odd = kB * (d[3 * step] - kA2 * d[step]);
  d[0] = first;
  d[step] = near_even + near_odd;
  d[2 * step] = near_even - near_odd;
  d[3 * step] = far_even + far_odd;
  d[4 * step] = far_even - far_odd;
  d[5 * step] = last;
}

/// The results of a tile along one dimension, from their sums of products.
template <typename Vector>
GN_PART void transform_output(Vector* m, std::int64_t step) {
  const Vector s = m[step] + m[2 * step];
  const Vector d = m[step] - m[2 * step];
  const Vector far_s = m[3 * step] + m[4 * step];
  const Vector far_d = m[3 * step] - m[4 * step];
  m[0] = m[0] + s + far_s;
  m[step] = kA * d + kB * far_d;
  m[2 * step] = kA2 * s + kB2 * far_s;
  m[3 * step] = kA2 * kA * d + kB2 * kB * far_d + m[5 * step];
}

/// `num_bytes` of a vector; the rest is 0.
template <typename Vector>
GN_PART void load(const float* from, std::size_t num_bytes, Vector& to) {
  if (num_bytes < sizeof(Vector)) to = Vector{};
  std::memcpy(&to, from, num_bytes);
}

template <typename Vector>
GN_PART void input_channels(const float* const* inputs, std::int64_t first, std::size_t num_bytes,
                            std::int64_t plane, float* out) {
  Vector d[kPoints];
#pragma GCC unroll 36
  for (std::int64_t i = 0; i < kPoints; ++i) load(inputs[i] + first, num_bytes, d[i]);
#pragma GCC unroll 6
  for (std::int64_t i = 0; i < kReach; ++i) transform_input(d + i, kReach);
#pragma GCC unroll 6
  for (std::int64_t i = 0; i < kReach; ++i) transform_input(d + i * kReach, 1);
#pragma GCC unroll 36
  for (std::int64_t i = 0; i < kPoints; ++i) std::memcpy(out + i * plane + first, &d[i], num_bytes);
}

template <typename Vector>
GN_PART void output_channels(const float* sums, std::int64_t first, std::size_t num_bytes,
                             std::int64_t plane, float* const* results) {
  Vector m[kPoints];
#pragma GCC unroll 36
  for (std::int64_t i = 0; i < kPoints; ++i) load(sums + i * plane + first, num_bytes, m[i]);
#pragma GCC unroll 6
  for (std::int64_t i = 0; i < kReach; ++i) transform_output(m + i, kReach);
#pragma GCC unroll 4
  for (std::int64_t i = 0; i < kTile; ++i) transform_output(m + i * kReach, 1);
#pragma GCC unroll 16
  for (std::int64_t i = 0; i < kTile * kTile; ++i) {
    if (results[i] == nullptr) continue;
    std::memcpy(results[i] + first, &m[i / kTile * kReach + i % kTile], num_bytes);
  }
}

/// Calls body(first, num_bytes) for the channels, a vector at a time; what fills none comes last.
template <typename Vector, typename Body>
GN_PART void for_each_vector(std::int64_t channels, const Body& body) {
  constexpr std::int64_t kLanes = sizeof(Vector) / sizeof(float);
  std::int64_t first = 0;
  for (; first + kLanes <= channels; first += kLanes) body(first, sizeof(Vector));
  if (first < channels) body(first, static_cast<std::size_t>(channels - first) * sizeof(float));
}

/// All channels of a tile. `inputs`: the 36 positions that it reads; what the 36 products read is
/// `plane` elements apart.
template <typename Vector>
GN_PART void input_tile(const float* const* inputs, std::int64_t channels, std::int64_t plane,
                        float* out) {
  for_each_vector<Vector>(
      channels, [&](std::int64_t first, std::size_t num_bytes) __attribute__((always_inline)) {
        input_channels<Vector>(inputs, first, num_bytes, plane, out);
      });
}

/// All channels of a tile. `results`: its 16 positions, null for those outside of the image.
template <typename Vector>
GN_PART void output_tile(const float* sums, std::int64_t channels, std::int64_t plane,
                         float* const* results) {
  for_each_vector<Vector>(
      channels, [&](std::int64_t first, std::size_t num_bytes) __attribute__((always_inline)) {
        output_channels<Vector>(sums, first, num_bytes, plane, results);
      });
}

/// The two for one generation of processors, in vectors as wide as its registers: GCC keeps wider
/// ones on the stack.
struct Tiles {
  void (*input)(const float* const* inputs, std::int64_t channels, std::int64_t plane, float* out);
  void (*output)(const float* sums, std::int64_t channels, std::int64_t plane,
                 float* const* results);
};

GN_FOR_PROCESSOR("arch=x86-64-v4")
void input_tile_v4(const float* const* inputs, std::int64_t channels, std::int64_t plane,
                   float* out) {
  input_tile<Floats16>(inputs, channels, plane, out);
}
GN_FOR_PROCESSOR("arch=x86-64-v4")
void output_tile_v4(const float* sums, std::int64_t channels, std::int64_t plane,
                    float* const* results) {
  output_tile<Floats16>(sums, channels, plane, results);
}
GN_FOR_PROCESSOR("arch=x86-64-v3")
void input_tile_v3(const float* const* inputs, std::int64_t channels, std::int64_t plane,
                   float* out) {
  input_tile<Floats8>(inputs, channels, plane, out);
}
GN_FOR_PROCESSOR("arch=x86-64-v3")
void output_tile_v3(const float* sums, std::int64_t channels, std::int64_t plane,
                    float* const* results) {
  output_tile<Floats8>(sums, channels, plane, results);
}
void input_tile_v1(const float* const* inputs, std::int64_t channels, std::int64_t plane,
                   float* out) {
  input_tile<Floats4>(inputs, channels, plane, out);
}
void output_tile_v1(const float* sums, std::int64_t channels, std::int64_t plane,
                    float* const* results) {
  output_tile<Floats4>(sums, channels, plane, results);
}

const Tiles& tiles() {
  static const Tiles found = [] {
    if (__builtin_cpu_supports("x86-64-v4") != 0) return Tiles{input_tile_v4, output_tile_v4};
    if (__builtin_cpu_supports("x86-64-v3") != 0) return Tiles{input_tile_v3, output_tile_v3};
    return Tiles{input_tile_v1, output_tile_v1};
  }();
  return found;
}

/// Neighbouring tiles of a row. Their parts of the 36 products lie side by side in a scratch buffer
/// that stays in the cache: the products' own arrays are too far apart to write to all of them at
/// once.
struct Block {
  std::int64_t batch = 0;
  std::int64_t row = 0;     ///< of the first tile's first result
  std::int64_t column = 0;  ///< the same
  std::int64_t first = 0;   ///< tile
  std::int64_t count = 0;   ///< tiles
};

constexpr std::int64_t kScratchFloats = 32768;

std::int64_t tiles_of_block(const WinogradImage& image) {
  return std::clamp<std::int64_t>(kScratchFloats / (kPoints * image.channels), 1,
                                  image.tiles_across);
}

/// Calls body(block) for all tiles of these rows.
template <typename Body>
void for_each_block(const WinogradImage& image, TileRows rows, const Body& body) {
  const std::int64_t most = tiles_of_block(image);
  for (std::int64_t i = rows.begin; i < rows.end; ++i) {
    for (std::int64_t j = 0; j < image.tiles_across; j += most) {
      body(Block{i / image.tiles_down, i % image.tiles_down * kTile, j * kTile,
                 i * image.tiles_across + j, std::min(most, image.tiles_across - j)});
    }
  }
}

std::vector<float> scratch_for(const WinogradImage& image) {
  return std::vector<float>(
      static_cast<std::size_t>(kPoints * tiles_of_block(image) * image.channels));
}

/// An element of the image, or null beyond its edges.
template <typename Float>
Float* element(const WinogradImage& image, Float* data, std::int64_t n, std::int64_t row,
               std::int64_t column) {
  if (row < 0 || row >= image.height || column < 0 || column >= image.width) return nullptr;
  return data + ((n * image.height + row) * image.width + column) * image.channels;
}

/// Of one pair of channels; `taps` are 3 x 3, `points` `step` apart.
void transform_kernel(const float* taps, std::int64_t step, float* points) {
  constexpr float kOfNear = 2 * kA2 * (kA2 - kB2);
  constexpr float kOfFar = 2 * kB2 * (kB2 - kA2);
  constexpr float kFactors[kReach][3] = {
      {1 / (kA2 * kB2), 0, 0},
      {1 / kOfNear, kA / kOfNear, kA2 / kOfNear},
      {1 / kOfNear, -kA / kOfNear, kA2 / kOfNear},
      {1 / kOfFar, kB / kOfFar, kB2 / kOfFar},
      {1 / kOfFar, -kB / kOfFar, kB2 / kOfFar},
      {0, 0, 1},
  };
  float rows[kReach][3];
  for (std::int64_t i = 0; i < kReach; ++i) {
    for (int j = 0; j < 3; ++j) {
      rows[i][j] =
          kFactors[i][0] * taps[j] + kFactors[i][1] * taps[3 + j] + kFactors[i][2] * taps[6 + j];
    }
  }
  for (std::int64_t i = 0; i < kPoints; ++i) {
    const float* const row = rows[i / kReach];
    const float* const factors = kFactors[i % kReach];
    points[i * step] = factors[0] * row[0] + factors[1] * row[1] + factors[2] * row[2];
  }
}

}  // namespace

void winograd_input(const WinogradImage& image, std::int64_t low_down, std::int64_t low_across,
                    TileRows rows, const float* x, float* out) {
  const std::vector<float> zeros(static_cast<std::size_t>(image.channels), 0);
  const std::int64_t plane = image.num_tiles() * image.channels;
  std::vector<float> scratch = scratch_for(image);
  for_each_block(image, rows, [&](const Block& block) {
    const std::int64_t run = block.count * image.channels;
    for (std::int64_t tile = 0; tile < block.count; ++tile) {
      const float* inputs[kPoints];
      for (std::int64_t i = 0; i < kPoints; ++i) {
        inputs[i] = element(image, x, block.batch, block.row + i / kReach - low_down,
                            block.column + tile * kTile + i % kReach - low_across);
        if (inputs[i] == nullptr) inputs[i] = zeros.data();
      }
      tiles().input(inputs, image.channels, run, scratch.data() + tile * image.channels);
    }
    for (std::int64_t i = 0; i < kPoints; ++i) {
      std::copy_n(scratch.data() + i * run, run, out + i * plane + block.first * image.channels);
    }
  });
}

void winograd_kernel(std::int64_t out, std::int64_t in, std::int64_t lanes, const float* kernel,
                     float* panels) {
  const std::int64_t num_panels = (out + lanes - 1) / lanes;
  const std::int64_t plane = num_panels * in * lanes;
  for (std::int64_t panel = 0; panel < num_panels; ++panel) {
    const std::int64_t used = std::min(lanes, out - panel * lanes);
    for (std::int64_t i = 0; i < in; ++i) {
      float* const to = panels + (panel * in + i) * lanes;
      for (std::int64_t lane = 0; lane < used; ++lane) {
        transform_kernel(kernel + ((panel * lanes + lane) * in + i) * 9, plane, to + lane);
      }
      if (used == lanes) continue;
      for (std::int64_t p = 0; p < kPoints; ++p)
        std::fill(to + p * plane + used, to + p * plane + lanes, 0);
    }
  }
}

void winograd_output(const WinogradImage& image, TileRows rows, const float* sums, float* out) {
  const std::int64_t plane = image.num_tiles() * image.channels;
  std::vector<float> scratch = scratch_for(image);
  for_each_block(image, rows, [&](const Block& block) {
    const std::int64_t run = block.count * image.channels;
    for (std::int64_t i = 0; i < kPoints; ++i) {
      std::copy_n(sums + i * plane + block.first * image.channels, run, scratch.data() + i * run);
    }
    for (std::int64_t tile = 0; tile < block.count; ++tile) {
      float* results[kTile * kTile];
      for (std::int64_t i = 0; i < kTile * kTile; ++i) {
        results[i] = element(image, out, block.batch, block.row + i / kTile,
                             block.column + tile * kTile + i % kTile);
      }
      tiles().output(scratch.data() + tile * image.channels, image.channels, run, results);
    }
  });
}

}  // namespace graphnet::tvm
