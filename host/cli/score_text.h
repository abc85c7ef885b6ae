// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/json.h"
#include "score/score_set.h"

namespace graphnet::cli {

/// Scores for people: S(t) and ES(t) with a column each, the weighted score, then of each column
/// who was counted and its macro parameters; equal levels share a line.
///
/// units    width in cells, 0: not a terminal; the tables leave their bands out rather than break
std::string score_text(const score::ScoreSet& set, int width);

/// Everything that the set holds, samples included.
base::Json score_json(const score::ScoreSet& set);

/// One line for each column and level, numbers with all their digits.
///
/// source   RFC 4180, with line feeds
std::string score_csv(const score::ScoreSet& set);

}  // namespace graphnet::cli
