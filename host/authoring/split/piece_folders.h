// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "sample/sample.h"
#include "split/operators.h"

namespace graphnet::split {

/// A piece in a folder.
struct PlacedPiece {
  std::filesystem::path folder;
  std::optional<Range> range;  ///< nothing: no subgraph_sources.json says
};

/// The pieces below a folder by the path of the sample that they are of ("samples/timm/resnet18"):
/// from subgraph_sources.json, else from the folder above `_decomposed`.
///
/// order    of their ranges, else of the number at the end of their names
/// errors   kInput: a folder or file cannot be read
base::Result<std::map<std::string, std::vector<PlacedPiece>>> find_pieces(
    const std::filesystem::path& root);

/// How pieces in their order stand beside the whole.
struct PieceCheck {
  std::size_t num_operators = 0;  ///< of the whole
  std::size_t num_in_pieces = 0;
  /// Whether the operators and their arguments that are no values are the same in the same order,
  /// with public spellings on both sides, as upstream writes pieces.
  bool patterns_equal = false;
  std::string difference;  ///< the first one; empty: none
};

/// errors   kInput: a piece cannot be read
base::Result<PieceCheck> check_pieces(const sample::Sample& whole,
                                      const std::vector<PlacedPiece>& pieces);

}  // namespace graphnet::split
