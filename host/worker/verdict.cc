// SPDX-License-Identifier: MIT
#include "worker/verdict.h"

namespace graphnet::worker {

std::string verdict_from_service(std::uint64_t plugin_runs, std::uint64_t eager_runs) {
  if (plugin_runs == 0) return "unknown(no run)";
  if (eager_runs == plugin_runs) return "eager";
  if (eager_runs > 0) return "mixed(eager service)";
  return "unknown(not traced)";
}

}  // namespace graphnet::worker
