// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "record/record.h"

namespace graphnet::cli {

// Texts of a folder that repeats a record (repro_folder.h). What a record holds is not trusted:
// names stay within the folder, and no text of theirs is read as a command.

/// "samples/<family>/<model>", so that the sample has the same name there; "samples/repro/sample"
/// if the name would lead out of the folder.
std::string repro_sample_path(const record::Record& record);

/// Comments that stand before the run config: what ran then.
std::string repro_config_head(const record::Record& record);

/// run.sh; `program` is used where no graphnet is in PATH.
std::string repro_script(const record::Record& record, const std::filesystem::path& program);

std::string repro_readme(const record::Record& record, const std::vector<std::string>& warnings);

}  // namespace graphnet::cli
