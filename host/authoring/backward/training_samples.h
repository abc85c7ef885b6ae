// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "sample/sample.h"

namespace graphnet::backward {

/// A sample's forward and backward pass as samples.
///
/// Both have the folder of the sample, from which labels are copied when they are written. A
/// parameter that is one of the sample's is drawn as that one and keeps what it is called in
/// `original_name`; what the forward pass hands over has the statistics of the run, and the
/// gradients of outputs are ones.
struct TrainingSamples {
  sample::Sample forward;
  sample::Sample backward;
  std::size_t num_outputs = 0;         ///< of the sample; what `forward` returns behind is saved
  std::size_t num_saved = 0;           ///< parameters of `backward` that are no gradients
  std::vector<std::size_t> gradients;  ///< parameters of the sample, as `backward` returns them
};

/// Makes them of the answer to the worker's request differentiate.
///
/// errors   kInternal: not such an answer; kUnsupported: a type that metadata cannot name
base::Result<TrainingSamples> training_samples(const sample::Sample& sample,
                                               const base::Json& answer);

/// graph_net.json of one of them, from the sample's: the model has upstream's name, that of the
/// sample's folder with a suffix, and what is said of other shapes and types is left out.
base::Json training_labels(const base::Json& labels, const sample::Sample& sample,
                           const char* suffix);

}  // namespace graphnet::backward
