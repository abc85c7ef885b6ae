// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/aligned_buffer.h"
#include "base/dtype.h"
#include "base/result.h"
#include "graph/program.h"
#include "sample/tensor_meta.h"

namespace graphnet::sample {

/// Seed of upstream's bench runners, used by every reference output and score.
inline constexpr std::uint32_t kUpstreamSeed = 123;

/// One argument of forward(), filled.
///
/// shapes   bytes: [prod(shape)] elements of dtype, dense row-major, little endian
struct Argument {
  std::string name;
  graph::ParameterKind kind = graph::ParameterKind::kTensor;
  base::DType dtype = base::DType::kFloat32;
  std::vector<std::int64_t> shape;
  base::AlignedBuffer bytes;
  /// Position in the order of draws (class names ascending), for everything that consumes torch's
  /// generator afterwards.
  std::size_t draw_rank = 0;
  /// True if upstream generates a torch normal tensor of this shape after filling (every floating
  /// tensor that has no `data` literal): torch's generator advances although NumPy filled it.
  bool consumes_torch_generator = false;
  /// True if non-finite elements are present and must be replaced by 0.01 x torch normals before
  /// the final clamp to [-100, 100] (NaN std: 60 one-element tensors in the dataset). The caller
  /// that owns torch does it; `bytes` still holds the non-finite values.
  bool needs_torch_normals = false;
};

/// True for integers that are drawn evenly from `min_val` to `max_val`, both included.
bool is_integer_range(const TensorMeta& meta);

/// Generates every argument bit for bit as upstream does with NumPy's legacy generator.
///
/// order    result in the order of `parameters` (forward's signature); drawn in class-name order
/// errors   kInput if a parameter has no metadata, metadata has no parameter, or a literal does not
///          fit its dtype; kEnvironment if the machine has less memory than the arguments need or
///          memory is exhausted (bytes needed are in the message)
/// source   GraphNet bench, input generation: MT19937 legacy seeding, polar Gaussians,
/// masked-rejection
///          integers; see arguments.cc for the order of draws
base::Result<std::vector<Argument>> generate_arguments(
    const std::vector<TensorMeta>& metas, const std::vector<graph::Parameter>& parameters,
    std::uint32_t seed);

/// Elements of the arguments whose values no draw decides: literals, constants and integer ranges
/// of one value.
///
/// shapes   one buffer per parameter; without data where unknown or larger than `max_elements`
/// errors   as generate_arguments(), memory aside: nothing else is allocated
base::Result<std::vector<base::AlignedBuffer>> known_values(
    const std::vector<TensorMeta>& metas, const std::vector<graph::Parameter>& parameters,
    std::size_t max_elements);

/// SHA-256 over all arguments' bytes, concatenated in signature order.
std::string arguments_digest(const std::vector<Argument>& arguments);

}  // namespace graphnet::sample
