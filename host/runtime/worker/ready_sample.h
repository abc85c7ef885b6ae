// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "eager/engine.h"
#include "sample/arguments.h"
#include "sample/sample.h"
#include "sample/value_bound.h"

namespace graphnet::worker {

/// A sample with its arguments, for requests that run it on the host without measuring it.
struct ReadySample {
  sample::Sample sample;
  std::string refused;  ///< why it is not run: it does not fit into memory; empty: it is
  std::vector<sample::Argument> values;      ///< in signature order; none if refused
  std::vector<eager::EngineArgument> views;  ///< of `values`
};

/// Loads a sample, with bounds that its metadata is to have, and generates its arguments; torch's
/// generator is in the state in which upstream leaves it.
///
/// errors   kInput, kUnsupported: of the sample; kEnvironment without memory
base::Result<ReadySample> ready_sample(const std::filesystem::path& folder,
                                       const std::vector<sample::ValueBound>& bounds = {});

/// The same, and a refusal is an error.
///
/// errors   kEnvironment: it does not fit into memory
base::Result<ReadySample> fitting_sample(const std::filesystem::path& folder);

}  // namespace graphnet::worker
