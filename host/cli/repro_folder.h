// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/run_config.h"
#include "record/record.h"

namespace graphnet::cli {

// Names in the folder.
inline constexpr const char* kRecordedResult = "recorded.jsonl";
inline constexpr const char* kRepeatedResult = "again.jsonl";

/// What a folder that repeats one record is made from.
struct ReproSource {
  record::Record record;
  std::filesystem::path sample;   ///< folder with the sample's files
  std::filesystem::path program;  ///< this graphnet, used where none is in PATH
  config::Protocol protocol;      ///< see recorded_protocol()
  std::vector<std::string> warnings;
};

/// The protocol that a record was made with, from the record alone; records of before it held the
/// settings of a worker that died are looked up by the protocol's name in `config_folders`.
config::Protocol recorded_protocol(const record::Record& record,
                                   const std::vector<std::filesystem::path>& config_folders);

/// The run config of a record, every key: limits that an older record does not hold are defaults.
config::RunConfig recorded_config(const record::Record& record);

/// Writes the sample's files, config.yaml, protocol.yaml, recorded.jsonl, README.md and run.sh,
/// which repeats the record and says whether it ended the same way. `folder` is made; it must be
/// empty.
///
/// errors   kUsage: the folder holds something; kInput: a file of the sample cannot be read;
///          kEnvironment: it cannot be written
base::Status write_repro_folder(const std::filesystem::path& folder, const ReproSource& source);

}  // namespace graphnet::cli
