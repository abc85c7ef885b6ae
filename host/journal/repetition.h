// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "record/record.h"

namespace graphnet::journal {

/// Whether one record repeats another.
struct Repetition {
  /// The same end: outcome, the phase in which the sample ended if it was cut short, and of a crash
  /// the signal.
  bool is_repeated = false;
  /// What else came out otherwise: "verdict: eager, was proven". Decides nothing.
  std::vector<std::string> differences;
  /// What it was done with that was another before: "libtorch: 2.12.0, was 2.11.0". What either
  /// record does not know is left out.
  std::vector<std::string> conditions;
};

Repetition compare_repetition(const record::Record& recorded, const record::Record& again);

/// How a record ended, in a few words: "ok", "crashed in phase run with SIGSEGV".
std::string end_of(const record::Record& record);

/// Names and values of what a result depends on and what another machine or day may have otherwise:
/// sample, plugin, versions, processor, settings; hashes by their first digits. Empty where the
/// record does not know.
std::vector<std::pair<std::string, std::string>> conditions_of(const record::Record& record);

}  // namespace graphnet::journal
