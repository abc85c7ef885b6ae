// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace graphnet::cli {

/// What was looked at in an evaluation's folder, and what was found wrong there.
struct EvaluationCheck {
  struct Finding {
    std::string file;  ///< in the folder, with line where it has one: "results.jsonl:7"
    std::string what;  ///< a sentence
  };
  std::vector<Finding> findings;
  std::vector<std::string> notes;  ///< what could not be compared, and why that is no finding
  std::size_t num_tasks = 0;
  std::size_t num_records = 0;
  std::size_t num_files = 0;
};

/// Whether a folder holds what an evaluation made there, and nothing else: the digest of every
/// file, each record against its task and itself (record_check.h) and against the machines, and
/// report and scores made again from the records. It finds damage, tampering by hand and mixed-up
/// files. Outcome, flags, verdicts and compile times follow from nothing that is in a record: an
/// edited one is found by the digests and the report alone, and whoever makes all of it anew is not
/// found.
///
/// order    findings by file as checked, records in their order
/// errors   kInput: the folder is no evaluation
base::Result<EvaluationCheck> check_evaluation(const std::filesystem::path& folder);

}  // namespace graphnet::cli
