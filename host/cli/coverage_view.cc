// SPDX-License-Identifier: MIT
#include "cli/coverage_view.h"

#include <iostream>
#include <utility>

#include "base/json.h"
#include "cli/exit_code.h"
#include "cli/plugin_trial.h"
#include "report/terminal_text.h"

namespace graphnet::cli {

using base::Json;
using base::Result;

namespace {

/// What the plugin says of a sample; a sample that has no graph is no matter of the plugin's.
Json row_of(const Context& context, const supervise::PlannedTask& planned) {
  Json row = {{"sample", planned.sample.name}};
  if (!planned.refusal.is_ok()) {
    row["outcome"] = name_of(record::Outcome::kPluginFailed);
    row["message"] = planned.refusal.message();
    return row;
  }
  const Result<CompileTrial> trial = try_compile(context, planned, /*check_only=*/true);
  row["outcome"] = trial.is_ok() ? trial->outcome.text() : "not_checked";
  row["message"] = trial.is_ok() ? trial->message : trial.status().message();
  return row;
}

}  // namespace

Result<int> show_coverage(const Context& context,
                          const std::vector<supervise::PlannedSample>& samples,
                          const std::string& config) {
  GN_ASSIGN_OR_RETURN(const auto plan, plan_trials(context, samples, config, TrialKind::kCheck));
  std::size_t num_ok = 0;
  Json rows = Json::array();
  for (const supervise::PlannedTask& planned : plan) {
    Json row = row_of(context, planned);
    const bool is_ok = row["outcome"] == name_of(record::Outcome::kOk);
    num_ok += is_ok ? 1 : 0;
    if (!context.flags.json && !is_ok) {
      std::cout << report::printable(row["outcome"].get<std::string>() + "  " + planned.sample.name)
                << '\n'
                << "  " << report::printable(row["message"].get<std::string>()) << '\n'
                << std::flush;
    }
    rows.push_back(std::move(row));
  }
  const std::string plugin = plan.front().task.plugin_variant;  // there is a sample at least
  if (context.flags.json) {
    const Json object = {{"schema", "graphnet.coverage/1"},
                         {"plugin", plugin},
                         {"num_supported", num_ok},
                         {"samples", std::move(rows)}};
    std::cout << base::dump_json(object) << '\n';
  } else {
    std::cout << plugin << " would compile " << num_ok << " of " << samples.size() << " samples\n";
  }
  return num_ok == samples.size() ? kExitDone : kExitSampleFailed;
}

}  // namespace graphnet::cli
