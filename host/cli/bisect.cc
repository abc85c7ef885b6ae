// SPDX-License-Identifier: MIT
#include "cli/bisect.h"

#include <iostream>
#include <optional>
#include <utility>

#include "base/json.h"
#include "cli/exit_code.h"
#include "cli/plugin_trial.h"
#include "report/terminal_text.h"
#include "supervise/bisection.h"

namespace graphnet::cli {

namespace fs = std::filesystem;
using base::Json;
using base::Result;
using supervise::BisectionTrial;

namespace {

std::string text_of(const BisectionTrial& trial) {
  std::string text = std::to_string(trial.num_nodes) + " of " + std::to_string(trial.num_all) +
                     " nodes: " + trial.outcome.text();
  if (!trial.message.empty()) text += ": " + trial.message;
  return report::printable(text);
}

Json json_of(const BisectionTrial& trial) {
  return {{"nodes", trial.num_nodes},
          {"all_nodes", trial.num_all},
          {"node", trial.node},
          {"outcome", trial.outcome.text()},
          {"message", trial.message}};
}

}  // namespace

Result<int> bisect_sample(const Context& context, const supervise::PlannedSample& sample,
                          const std::string& config) {
  GN_ASSIGN_OR_RETURN(const fs::path worker, context.installation.worker_executable());
  GN_ASSIGN_OR_RETURN(const supervise::PlannedTask planned, plan_trial(context, sample, config));
  Json trials = Json::array();
  GN_ASSIGN_OR_RETURN(const std::optional<BisectionTrial> bad,
                      supervise::find_bad_node(worker, planned.task, whole_limit(planned),
                                               [&](const BisectionTrial& trial) {
                                                 trials.push_back(json_of(trial));
                                                 if (context.flags.quiet) return;
                                                 std::cerr << text_of(trial) << std::endl;
                                               }));
  if (context.flags.json) {
    const Json object = {{"schema", "graphnet.bisect/1"},
                         {"sample", sample.name},
                         {"plugin", planned.task.plugin_name},
                         {"first_bad", bad ? json_of(*bad) : Json()},
                         {"trials", trials}};
    std::cout << base::dump_json(object) << '\n';
  } else if (bad) {
    std::cout << report::printable(bad->node) << '\n';
  } else {
    std::cout << "no node leaves tolerance\n";
  }
  return bad ? kExitSampleFailed : kExitDone;
}

}  // namespace graphnet::cli
