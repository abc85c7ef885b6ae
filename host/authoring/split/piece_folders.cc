// SPDX-License-Identifier: MIT
#include "split/piece_folders.h"

#include <algorithm>
#include <utility>

#include "rewrite/stable_names.h"
#include "validate/subgraph_sources.h"

namespace graphnet::split {

namespace fs = std::filesystem;
using base::Result;

namespace {

/// The number behind the last '_' of a folder's name; the largest if there is none.
std::size_t number_of(const fs::path& folder) {
  const std::string name = folder.filename().string();
  const std::string digits = name.substr(name.rfind('_') + 1);
  const bool is_number = !digits.empty() && digits.size() < 10 &&
                         digits.find_first_not_of("0123456789") == std::string::npos;
  return is_number ? std::stoul(digits) : static_cast<std::size_t>(-1);
}

bool is_before(const PlacedPiece& a, const PlacedPiece& b) {
  if (a.range && b.range && !(*a.range == *b.range)) return *a.range < *b.range;
  return number_of(a.folder) < number_of(b.folder);
}

/// Upstream's pieces have the public spelling of some functions whatever the whole has.
std::vector<std::string> patterns_of(graph::Program program) {
  rewrite::respell_calls(program, rewrite::Apis::kStable);
  return operator_patterns(program, operators_of(program));
}

}  // namespace

Result<std::map<std::string, std::vector<PlacedPiece>>> find_pieces(const fs::path& root) {
  GN_ASSIGN_OR_RETURN(const std::vector<fs::path> folders, sample::discover(root));
  std::map<std::string, std::vector<PlacedPiece>> pieces;
  for (const fs::path& folder : folders) {
    GN_ASSIGN_OR_RETURN(const validate::SubgraphSources sources, validate::read_sources(folder));
    for (const auto& [path, ranges] : sources) {
      for (const auto& [first, end] : ranges) {
        pieces[path].push_back(
            {folder, Range{static_cast<std::size_t>(first), static_cast<std::size_t>(end)}});
      }
    }
    const fs::path above = fs::absolute(folder).lexically_normal().parent_path();
    if (sources.empty() && above.filename() == "_decomposed") {
      pieces["samples/" + sample::sample_name(above.parent_path())].push_back({folder, {}});
    }
  }
  for (auto& [path, placed] : pieces) std::stable_sort(placed.begin(), placed.end(), is_before);
  return pieces;
}

Result<PieceCheck> check_pieces(const sample::Sample& whole,
                                const std::vector<PlacedPiece>& pieces) {
  const std::vector<std::string> expected = patterns_of(whole.program);
  std::vector<std::string> found;
  for (const PlacedPiece& piece : pieces) {
    GN_ASSIGN_OR_RETURN(sample::Sample loaded, sample::load_sample(piece.folder));
    const std::vector<std::string> patterns = patterns_of(std::move(loaded.program));
    found.insert(found.end(), patterns.begin(), patterns.end());
  }
  PieceCheck check;
  check.num_operators = expected.size();
  check.num_in_pieces = found.size();
  check.patterns_equal = expected == found;
  if (check.patterns_equal) return check;
  std::size_t first = 0;
  while (first < expected.size() && first < found.size() && expected[first] == found[first]) {
    ++first;
  }
  const auto text = [first](const std::vector<std::string>& patterns) {
    return first < patterns.size() ? patterns[first] : std::string("none");
  };
  check.difference = "operator " + std::to_string(first) + " is '" + text(expected) +
                     "', in the pieces '" + text(found) + "'";
  return check;
}

}  // namespace graphnet::split
