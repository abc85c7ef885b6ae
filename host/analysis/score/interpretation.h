// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "score/row.h"

namespace graphnet::score {

/// From which level on ES(t) forgives which failure.
enum class InterpretationKind {
  kDefault,           ///< accuracy from 1, all others from 3; t up to 4
  kMismatchExtended,  ///< accuracy 1, mismatches 2, runtime 3, compile 4, eager never; t up to 5
};

/// "default", "mismatch_extended".
const char* interpretation_name(InterpretationKind kind);
std::optional<InterpretationKind> interpretation_from_name(const std::string& name);

/// Last level that has a score.
int last_level(InterpretationKind kind);

/// Level from which on a failure contributes 1 to ES(t) in place of b; nothing: never.
///
/// `compat_aggregate`: as upstream's aggregated form has it, which forgives eager failures of
/// kMismatchExtended from t = 3 although its per-sample form never does.
std::optional<int> forgiven_from(InterpretationKind kind, Failure failure,
                                 bool compat_aggregate = false);

/// Upstream's weights for the aggregate of ES(t), -10 to 4, not normalised.
///
/// source   GraphNet bench aggregate_es_scores
std::map<int, double> upstream_weights();

}  // namespace graphnet::score
