// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "split/operators.h"

namespace graphnet::split {

/// A place of a sequence of operators.
struct Occurrence {
  std::size_t sample = 0;  ///< of those that were searched
  Range range;
};

/// A sequence of operators that occurs more than once.
struct TypicalSequence {
  std::vector<std::string> names;
  std::vector<Occurrence> occurrences;  ///< disjoint, ascending
};

/// Length of typical sequences: at least `fewest`, less than `end`.
///
/// source   GraphNet generate_subgraph_dataset.sh
struct TypicalLimits {
  std::size_t fewest = 4;
  std::size_t end = 64;
};

/// Finds repeated sequences of operators, by name, in one sample and across samples. It takes again
/// and again the sequence with the largest (length - 1) x (occurrences - 1), as upstream; what it
/// took occurs in no other one. Exact: a suffix array, no hashes. Regions of autocast and vmap end
/// a sequence.
///
/// shapes   samples: the operators of each
/// order    as taken; of equal ones the first in the text wins
/// source   GraphNet rp_expr_parser, policy "default"
std::vector<TypicalSequence> typical_sequences(const std::vector<std::vector<Operator>>& samples,
                                               const TypicalLimits& limits = {});

}  // namespace graphnet::split
