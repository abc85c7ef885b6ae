// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace graphnet::conformance {

/// Cases that a plugin is known to fail, and why.
struct Gap {
  std::string pattern;  ///< of case names, with *, ? and [..]
  std::string reason;
  bool is_permanent = false;  ///< under `never`: the compiler's nature; else under `not_yet`
  std::string option = {};    ///< "name=value" that it takes; empty: whatever the options
};

/// Reads gaps.yaml, the file beside a plugin's manifest:
///
///     never:
///       - case: pointwise/abs/f32/subnormal
///         reason: the processor's flush-to-zero mode is on
///     not_yet:
///       - case: convolution/conv2d/f32/nan
///         option: rewrites=all
///         reason: only the rewritten form loses it
///
/// A file that is not there lists nothing.
///
/// errors   kInput with file, line and column
base::Result<std::vector<Gap>> read_gaps(const std::filesystem::path& file);

/// Those whose option is among `options`, an object of scalars with every option of the plugin.
std::vector<Gap> gaps_under(const std::vector<Gap>& gaps, const base::Json& options);

/// The first gap whose pattern the name fits, or null.
const Gap* find_gap(const std::vector<Gap>& gaps, const std::string& name);

bool fits(const std::string& pattern, const std::string& name);

}  // namespace graphnet::conformance
