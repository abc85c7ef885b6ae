// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace graphnet::cli {

/// Files of an evaluation's folder that are not derived from others.
inline constexpr const char* kEvaluationFile = "evaluation.json";
inline constexpr const char* kResultsFile = "results.jsonl";
/// Digests of all other files, as `sha256sum --check` reads them.
inline constexpr const char* kDigestsFile = "SHA256SUMS";
/// Of one file; a record has some 10 KB.
inline constexpr std::uint64_t kMaxEvaluationBytes = std::uint64_t{4} << 30;

/// What an evaluation set out to measure. The file is "graphnet.evaluation/1"; rules for versions
/// as in record.h.
struct Evaluation {
  struct Task {
    std::string key;  ///< journal::task_key()
    std::string sample;
    std::string backend;  ///< plugin and variant
  };
  std::string graphnet;               ///< version that wrote the folder last
  std::vector<std::string> commands;  ///< in the order in which they were given
  std::vector<Task> tasks;            ///< by sample, then as planned
  /// What is known of each machine that measured, one for each "host_hash"; see
  /// measure/environment.h.
  std::vector<base::Json> machines;

  /// Adds what the other has and this has not.
  void add(const Evaluation& other);
};

/// errors   kInput: the folder has no such file, or it is damaged or newer
base::Result<Evaluation> read_evaluation(const std::filesystem::path& folder);

/// errors   kEnvironment
base::Status write_evaluation(const std::filesystem::path& folder, const Evaluation& evaluation);

/// What identifies the machine of an environment (measure/environment.h).
base::Json machine_of(const base::Json& environment);

/// "host_hash" of such a machine; empty if it has none.
std::string host_hash_of(const base::Json& machine);

/// Report and scores made from the folder's results, by file name. They depend on nothing but the
/// results and the version of this program.
///
/// errors   as report::read_report()
base::Result<std::map<std::string, std::string>> derive_files(const std::filesystem::path& folder);

/// Writes the derived files, then the digests of everything.
///
/// errors   as derive_files(); kEnvironment
base::Status finish_folder(const std::filesystem::path& folder);

/// Digest of each file that kDigestsFile lists, by name.
///
/// errors   kInput: it is not there or has a line of another form
base::Result<std::map<std::string, std::string>> read_digests(const std::filesystem::path& folder);

/// SHA-256 of a file, in hexadecimal.
///
/// errors   kInput: it cannot be read
base::Result<std::string> digest_of(const std::filesystem::path& file);

}  // namespace graphnet::cli
