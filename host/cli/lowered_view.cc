// SPDX-License-Identifier: MIT
#include "cli/lowered_view.h"

#include <filesystem>
#include <iostream>
#include <optional>
#include <utility>

#include "base/field_reader.h"
#include "base/file.h"
#include "base/json.h"
#include "cli/exit_code.h"
#include "cli/plugin_trial.h"
#include "cli/work_folder.h"
#include "report/terminal_text.h"
#include "supervise/ask_worker.h"

namespace graphnet::cli {

namespace fs = std::filesystem;
using base::Code;
using base::Json;
using base::Result;
using base::Status;

namespace {

constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 30U;

/// Has the plugin write what it compiles to a folder.
Status compile_into(const Context& context, supervise::PlannedTask planned,
                    const fs::path& folder) {
  planned.task.dump_folder = folder.string();
  supervise::AskSettings settings;
  GN_ASSIGN_OR_RETURN(settings.executable, context.installation.worker_executable());
  settings.limit = whole_limit(planned);
  settings.threads = planned.task.threads;
  GN_ASSIGN_OR_RETURN(
      const Json answer,
      supervise::ask_worker(settings, "compile_trial", {{"task", journal::to_json(planned.task)}}));
  std::string outcome;
  std::string message;
  base::FieldReader fields(answer);
  fields.require("outcome").read("outcome", outcome).read("message", message);
  GN_RETURN_IF_ERROR(fields.status());
  if (outcome == name_of(record::Outcome::kOk)) return Status::ok();
  return Status(Code::kPlugin, outcome + ": " + message);
}

}  // namespace

Result<int> show_lowered(const Context& context, const supervise::PlannedSample& sample,
                         const std::string& config) {
  GN_ASSIGN_OR_RETURN(const supervise::PlannedTask planned, plan_trial(context, sample, config));
  const std::string plugin = planned.task.plugin_name;
  GN_ASSIGN_OR_RETURN(const WorkFolder folder, WorkFolder::make("", std::nullopt));
  GN_RETURN_IF_ERROR(compile_into(context, planned, folder.path())
                         .add_context("sample " + sample.name + ", plugin " + plugin));
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
