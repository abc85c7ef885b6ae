// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace graphnet::index {

/// A sequence of operators that was chosen.
struct Choice {
  std::size_t position = 0;   ///< among those given
  std::size_t new_edges = 0;  ///< that none chosen before it has
  /// Mean of -log of the probability of each operator behind the one before it.
  double rarity = 0;
};

/// An edge is a pair of operators, one right behind the other.
struct Subset {
  std::vector<Choice> chosen;
  std::size_t num_edges = 0;    ///< different ones in all sequences
  std::size_t num_covered = 0;  ///< of these in the chosen ones
};

/// Chooses sequences one by one: the one that brings most edges that are new, weighted by one plus
/// its rarity among all (0 for the least, 1 for the largest). Probabilities are those of a Markov
/// chain over all sequences, smoothed by 1e-3 of a transition. All, if there are no more than
/// `count`.
///
/// order    as chosen, so that fewer are a beginning of more; of equal ones the first given
/// source   GraphNet select_evaluation_subset. Where nothing new is left, ours first takes
/// sequences
///          that none chosen equals; and where all are chosen, upstream's keep the order given
Subset choose_subset(const std::vector<std::vector<std::string>>& sequences, std::size_t count);

}  // namespace graphnet::index
