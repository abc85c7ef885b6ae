// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "journal/journal_file.h"

namespace graphnet::cli {

/// The one record that a user means.
///
/// sample   name of the sample, or its end: "timm/resnet10t" or "resnet10t"
/// backend  variant or name of the plugin
struct RecordChoice {
  std::optional<std::string> sample;
  std::optional<std::string> backend;
};

/// Of several attempts at a task the one that counts (journal/merge.h), of several tasks of one
/// sample with one backend the latest. Facts of the machine that the record lacks (a worker that
/// died sends none) are taken from the header of its run.
///
/// errors   kInput: no such record; kUsage: several samples or backends fit, with some as hints,
///          those that failed first
base::Result<record::Record> choose_record(const std::vector<journal::JournalContent>& journals,
                                           const RecordChoice& choice);

}  // namespace graphnet::cli
