// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace graphnet::conformance {

/// What a plugin does with a case that it is known to fail.
enum class Expect : std::uint8_t {
  kUnsupported,  ///< compile says so
  kWrong,        ///< anything else than passing: wrong results, another error, a crash, a hang
  kVaries,       ///< passes on some processors and is wrong on others
};

/// Cases that a plugin is known to fail, how, and why.
struct Gap {
  std::string pattern;  ///< of case names, with *, ? and [..]
  std::string reason;
  Expect expect = Expect::kUnsupported;
  bool is_permanent = false;  ///< under `never`: the compiler's nature; else under `not_yet`
  std::string option = {};    ///< "name=value" that it takes; empty: whatever the options
};

/// Reads gaps.yaml, the file beside a plugin's manifest:
///
///     never:
///       - case: pointwise/abs/f32/subnormal
///         expect: wrong
///         reason: the processor's flush-to-zero mode is on
///     not_yet:
///       - case: convolution/conv2d/f32/nan
///         expect: wrong
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
