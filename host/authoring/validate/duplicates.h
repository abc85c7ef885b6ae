// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"
#include "validate/subgraph_sources.h"

namespace graphnet::validate {

/// Samples with one program, of which one is kept.
struct Duplicates {
  std::string program_hash;
  std::filesystem::path kept;                  ///< the first by name
  std::vector<std::filesystem::path> removed;  ///< at least one; in the order of their names
  SubgraphSources sources;                     ///< of all of them, merged
};

struct DuplicateSearch {
  std::vector<Duplicates> groups;    ///< in the order of the names of what is kept
  std::vector<base::Status> errors;  ///< one for each sample or group that is left out
};

/// Groups samples by program_hash(), so without regard to shapes and dtypes, as upstream does with
/// graph_hash.txt. A folder that is named twice, also by a link, is one sample.
///
/// errors   kInput in `errors`: a sample that cannot be read; a group of which a
///          subgraph_sources.json cannot be read, or a sample to remove holds further folders
/// source   GraphNet tools/deduplicated, merge_subgraph_sources
DuplicateSearch find_duplicates(const std::vector<std::filesystem::path>& folders);

/// Writes the merged sources to the sample that is kept, then removes the others.
///
/// errors   kEnvironment: a file cannot be written, a folder cannot be removed
base::Status remove_duplicates(const Duplicates& group);

}  // namespace graphnet::validate
