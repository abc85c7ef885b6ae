// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graphnet/graph_view.h"

namespace graphnet::openvino {

/// An operator that OpenVINO would compute wrongly without saying so.
struct Refusal {
  std::string op;
  std::string where;   ///< "model.py:12:5"
  std::string reason;  ///< one sentence
};

/// All of a graph; ../gaps.yaml has what depends on values and cannot be told here.
std::vector<Refusal> refusals_of(const gn_graph_body& body);

/// "2 nodes: aten::foo at model.py:12:5: reason; ...".
std::string describe(const std::vector<Refusal>& refusals);

}  // namespace graphnet::openvino
