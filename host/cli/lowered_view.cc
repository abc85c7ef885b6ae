// SPDX-License-Identifier: MIT
#include "cli/lowered_view.h"

#include <filesystem>
#include <iostream>
#include <optional>
#include <utility>

#include "base/file.h"
#include "base/json.h"
#include "cli/exit_code.h"
#include "cli/plugin_trial.h"
#include "cli/work_folder.h"
#include "report/terminal_text.h"

namespace graphnet::cli {

namespace fs = std::filesystem;
using base::Code;
using base::Json;
using base::Result;
using base::Status;

namespace {

constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 30U;

}  // namespace

Result<int> show_lowered(const Context& context, const supervise::PlannedSample& sample,
                         const std::string& config) {
  GN_ASSIGN_OR_RETURN(supervise::PlannedTask planned, plan_trial(context, sample, config));
  const std::string plugin = planned.task.plugin_name;
  GN_ASSIGN_OR_RETURN(const WorkFolder folder, WorkFolder::make("", std::nullopt));
  planned.task.dump_folder = folder.path().string();
  const std::string where = "sample " + sample.name + ", plugin " + plugin;
  Result<CompileTrial> trial = try_compile(context, planned, /*check_only=*/false);
  if (!trial.is_ok()) return std::move(trial).status().add_context(where);
  if (trial->outcome != record::Outcome::kOk) {
    return Status(Code::kPlugin, trial->outcome.text() + ": " + trial->message).add_context(where);
  }
  const fs::path file = folder.path() / "lowered.ir";
  if (!fs::exists(file)) {
    return Status(Code::kPlugin, "plugin '" + plugin + "' shows no lowered graph")
        .add_hint("--stage normal, the graph that it gets");
  }
  GN_ASSIGN_OR_RETURN(const std::string text, base::read_file(file, kMaxBytes));
  if (context.flags.json) {
    const Json object = {{"schema", "graphnet.inspect/1"},
                         {"sample", sample.name},
                         {"stage", "lowered"},
                         {"plugin", plugin},
                         {"text", text}};
    std::cout << base::dump_json(object) << '\n';
  } else {
    std::cout << report::printable_lines(text);
  }
  return kExitDone;
}

}  // namespace graphnet::cli
