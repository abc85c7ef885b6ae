// SPDX-License-Identifier: MIT
#include "graph/running_statistics.h"

namespace graphnet::graph {

namespace {

struct StatisticsRow {
  std::string_view op;
  std::string_view flag;
};
constexpr StatisticsRow kStatistics[] = {{"aten::batch_norm", "training"},
                                         {"aten::native_batch_norm", "training"},
                                         {"aten::cudnn_batch_norm", "training"},
                                         {"aten::_batch_norm_impl_index", "training"},
                                         {"aten::instance_norm", "use_input_stats"}};

}  // namespace

std::string_view statistics_flag(std::string_view op, std::string_view argument) {
  if (argument != "running_mean" && argument != "running_var") return {};
  for (const StatisticsRow& row : kStatistics) {
    if (row.op == op) return row.flag;
  }
  return {};
}

}  // namespace graphnet::graph
