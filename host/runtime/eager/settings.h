// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace graphnet::eager {

/// One setting by which libtorch chooses kernels, threads or rounding, in words.
struct Setting {
  std::string name;
  std::string value;
};

/// Settings of libtorch and of the calling thread that eager's time or results depend on and that
/// other code in the process can change: oneDNN, number of threads, ways of attention, precision of
/// products, deterministic algorithms, autocast, rounding and subnormals. Microseconds; starts
/// nothing.
///
/// order    the same in every call
std::vector<Setting> current_settings();

/// What differs, "oneDNN was on, is off; ..."; empty: nothing.
///
/// shapes   both from current_settings()
std::string changed_settings(const std::vector<Setting>& before, const std::vector<Setting>& after);

}  // namespace graphnet::eager
