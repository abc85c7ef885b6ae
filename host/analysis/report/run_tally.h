// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "record/record.h"
#include "report/failure_reasons.h"
#include "report/headline.h"
#include "score/row.h"

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

  /// What a tally comes to; of several results of a sample with one backend under one set of
  /// conditions one counts, see report::headlines().
  struct Result {
    std::vector<Outcomes> outcomes;  ///< in order of appearance
    std::vector<Headline> headlines;
    std::vector<FailureReason> reasons;
    int num_repeated = 0;  ///< results that another one of the same sample and backend replaces
  };

  void add(const record::Record& record);

  Result result() const;

 private:
  std::vector<score::Backend> backends_;  // in order of appearance
  std::map<score::Backend, std::size_t> indices_;
  std::vector<HeadlineResult> results_;
  std::map<std::size_t, std::string> messages_;  // of results that are not ok, by index
};

}  // namespace graphnet::report
