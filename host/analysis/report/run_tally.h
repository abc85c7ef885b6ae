// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <vector>

#include "record/record.h"

namespace graphnet::report {

/// What the records of a run come to. Whether one counts is not decided here: Record::counting()
/// says it of the record, score::reason_to_leave_out() of its speedup.
class RunTally {
 public:
  /// Records of one outcome, or not counted for one reason.
  struct Outcomes {
    std::string word;  ///< the outcome, or record::why_not_counted()
    record::Counting counting = record::Counting::kCounted;
    int count = 0;
  };
  /// Speedups of one backend's records that are ok.
  struct Speedups {
    std::string backend;
    std::vector<double> counted;
    std::map<std::string, int> left_out;  ///< how many, by reason
  };

  void add(const record::Record& record);

  /// Both in order of appearance.
  const std::vector<Outcomes>& outcomes() const { return outcomes_; }
  const std::vector<Speedups>& speedups() const { return speedups_; }

 private:
  std::vector<Outcomes> outcomes_;
  std::vector<Speedups> speedups_;
};

}  // namespace graphnet::report
