// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace graphnet::xla {

/// One of XLA's debug options for one compilation.
struct CompileOverride {
  std::string name;        ///< field of xla.DebugOptions
  std::string value;       ///< as in XLA_FLAGS: numbers, True and False, full names of enumerators
  bool is_needed = false;  ///< false: left out where the XLA at hand does not know it
};

/// What this plugin asks of XLA in every compilation. `allows_fast_math`: what a math policy with
/// GN_MATH_ALLOW_FAST_MATH adds; nothing for a GPU, whose compiler has no such switch.
std::vector<CompileOverride> default_overrides(bool is_gpu = false, bool allows_fast_math = false);

/// Reads "name=value name=value"; names may have the dashes of XLA_FLAGS in front.
///
/// errors   INVALID_ARGUMENT
std::vector<CompileOverride> parse_overrides(std::string_view text);

/// xla.CompileOptionsProto for one replica on one device.
std::string encode_compile_options(const std::vector<CompileOverride>& overrides);

/// True if XLA's refusal of a compilation names the option, as it does if it knows no such option
/// or no such value of it.
bool names_option(const std::string& message, const std::string& name);

}  // namespace graphnet::xla
