// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/dtype.h"
#include "base/result.h"

namespace graphnet::index {

/// Upstream's types of samples.
///
/// source   GraphNet build_db: one folder of a data set each
enum class SampleType : std::uint8_t { kFullGraph, kTypicalGraph, kFusibleGraph, kSoleOpGraph };

/// "full_graph", "typical_graph", "fusible_graph", "sole_op_graph", in upstream's order.
std::vector<std::string> type_names();
std::string type_name(SampleType type);
std::optional<SampleType> type_from_name(std::string_view name);

/// A folder of samples, of which an index keeps relative paths.
struct Tree {
  std::filesystem::path root;  ///< absolute
  std::string repo;  ///< its row of table repo: the folder's name, with a number if it is taken
};

/// The trees of folders: one that is a sample itself is in the tree of the folder around it.
///
/// order    as given; equal roots have the same name, others a name of their own
std::vector<Tree> trees_of(const std::vector<std::filesystem::path>& folders);

/// An argument of a sample, from weight_meta.py.
struct Tensor {
  std::string name;  ///< from before upstream's renaming, if the metadata has it
  std::vector<std::int64_t> shape;
  base::DType dtype = base::DType::kFloat32;
};

/// The full graph that a sample is a part of.
///
/// units    [first, end) of its operators; -1 where nothing says
struct Origin {
  std::string path;  ///< as subgraph_sources.json: "samples/timm/resnet18"
  std::int64_t first = -1;
  std::int64_t end = -1;
};

/// What an index knows of one sample.
struct Entry {
  std::filesystem::path folder;
  std::string uid;  ///< 32 hexadecimal digits; follows from repo, type and relative path
  std::string repo;
  std::string relative_path;  ///< below the tree, or below its folder of the type
  std::string samples_path;   ///< "samples/<name of the sample>", as origins name it
  SampleType type = SampleType::kFullGraph;
  std::string graph_hash;  ///< graph_hash.txt; empty: there is none
  std::vector<std::string> op_names;
  std::vector<Tensor> tensors;  ///< file order
  std::optional<Origin> origin;
  std::string data_type;  ///< "float16": a folder of the path, else that of most elements
};

/// Reads a sample of a tree. Its type is the name of the tree's folder, or of the first below it,
/// as in upstream's data sets; else `type`; else sole_op_graph for a piece of one operator,
/// typical_graph for another piece, and full_graph. A piece has subgraph_sources.json or is in
/// `_decomposed`.
///
/// errors   kInput: the sample or its subgraph_sources.json cannot be read
/// source   GraphNet graphsample_insert. Upstream takes names of operators from the tracer's
///          op_names.txt, and of subgraphs only; ours are those of the program, of every sample
base::Result<Entry> read_entry(const Tree& tree, const std::filesystem::path& folder,
                               std::optional<SampleType> type);

/// In the order of an index: by type, then path.
void sort_entries(std::vector<Entry>& entries);

}  // namespace graphnet::index
