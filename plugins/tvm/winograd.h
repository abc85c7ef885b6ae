// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace graphnet::tvm {

/// The parts of Winograd's convolution that are no product: functions of this plugin. What they
/// compute stands in lowering/ir/graph.h (ir::WinogradInput and the two after it). All arrays are
/// dense float32 arrays.

/// Extents of an image, channels last, and the tiles that it is cut into.
struct WinogradImage {
  std::int64_t batch = 0;
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::int64_t channels = 0;
  std::int64_t tiles_down = 0;
  std::int64_t tiles_across = 0;

  std::int64_t num_rows() const { return batch * tiles_down; }
  std::int64_t num_tiles() const { return num_rows() * tiles_across; }
};

/// Rows of tiles, of all images of the batch.
struct TileRows {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// `low_*`: rows and columns of zeros before the image.
///
/// shapes   x: [batch, height, width, channels]; out: [36, tiles, channels]
void winograd_input(const WinogradImage& image, std::int64_t low_down, std::int64_t low_across,
                    TileRows rows, const float* x, float* out);

/// shapes   kernel: [out, in, 3, 3]; panels: [36, num_panels, in, lanes]
void winograd_kernel(std::int64_t out, std::int64_t in, std::int64_t lanes, const float* kernel,
                     float* panels);

/// shapes   sums: [36, tiles, channels]; out: [batch, height, width, channels]
void winograd_output(const WinogradImage& image, TileRows rows, const float* sums, float* out);

}  // namespace graphnet::tvm
