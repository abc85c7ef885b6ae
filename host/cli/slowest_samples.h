// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "record/record.h"

namespace graphnet::cli {

/// Which samples of a run took longest, and in which phases (run --durations).
class SlowestSamples {
 public:
  /// `count` of them are listed; 0: all.
  explicit SlowestSamples(int count) : count_(static_cast<std::size_t>(count)) {}

  /// Takes the durations of a record's phases; one without any is left out.
  void add(const record::Record& record);

  /// A line for each, the slowest first, with its phases of 1 % and more, the longest first; empty
  /// without records.
  std::string text() const;

 private:
  struct Phase {
    std::string name;
    double ns = 0;
  };
  struct Entry {
    std::string sample;
    std::string backend;
    double total_ns = 0;
    std::vector<Phase> phases;  // the longest first
  };

  std::size_t count_;
  std::vector<Entry> entries_;
};

}  // namespace graphnet::cli
