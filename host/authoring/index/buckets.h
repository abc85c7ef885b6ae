// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "index/entry.h"

namespace graphnet::index {

/// Samples of one bucket have the same operators in the same order, and arguments of like sizes.
/// The texts are JSON as Python writes it, which upstream's queries compare as texts.
struct Bucket {
  std::string op_seq;        ///< ["conv2d", "relu"]
  std::string input_shapes;  ///< of each argument, of each extent: [[1, 0, 1, 1], []]
  std::string input_dtypes;  ///< ["float32", "int64"]
};

/// The floor of a quarter of log2; -1 below 1. So 1 to 15 are 0, 16 to 255 are 1.
///
/// source   GraphNet graph_sample_bucket_generator
std::int64_t extent_bucket(std::int64_t extent);

Bucket bucket_of(const Entry& entry);

/// ["a", "b"], as Python's json.dumps.
std::string json_list(const std::vector<std::string>& texts);

}  // namespace graphnet::index
