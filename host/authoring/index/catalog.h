// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "index/entry.h"

namespace graphnet::index {

/// A sample that can be chosen.
struct CatalogSample {
  std::string uid;
  std::string relative_path;
  SampleType type = SampleType::kFullGraph;
  std::filesystem::path folder;  ///< empty: it is not where the index says
  /// Nothing: the index does not say, as upstream's of full graphs.
  std::optional<std::vector<std::string>> op_names;
};

/// Samples and groups of them, from a tree or an index.
struct Catalog {
  std::vector<CatalogSample> samples;
  std::vector<std::vector<std::size_t>> groups;  ///< positions in `samples`
};

/// order    samples as the entries; groups as groups_of()
Catalog catalog_of(const std::vector<Entry>& entries);

/// Reads an index, ours or upstream's. Rows that are marked as deleted are left out. A sample is
/// looked for in the tree that was indexed, then beside the file: <type>/<path> or <path>.
///
/// order    samples by order_value; groups by uid
/// errors   kInput: the file cannot be read, or is no index of samples
base::Result<Catalog> read_index(const std::filesystem::path& file);

/// The largest group of each type and sequence of operators.
///
/// order    of types, then of sequences; of equally large groups the first
/// source   GraphNet select_representive_sample_uids
std::vector<std::vector<std::size_t>> largest_groups(const Catalog& catalog);

}  // namespace graphnet::index
