// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace graphnet::lowering {

/// An operator that could not be lowered.
struct Failure {
  std::string op;
  std::string where;   ///< "model.py:12:5"
  std::string reason;  ///< one sentence
};

/// "2 nodes: aten::foo at model.py:12:5 (reason), ..."; equal op and reason are named once with
/// their number.
std::string describe_failures(const std::vector<Failure>& failures);

}  // namespace graphnet::lowering
