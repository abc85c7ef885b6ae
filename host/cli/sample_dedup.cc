// SPDX-License-Identifier: MIT
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/text.h"
#include "cli/diagnostics.h"
#include "cli/exit_code.h"
#include "cli/sample_actions.h"
#include "report/terminal_text.h"
#include "sample/sample.h"
#include "validate/duplicates.h"

namespace graphnet::cli {

namespace fs = std::filesystem;
using base::Json;
using base::Result;
using base::Status;
using validate::Duplicates;

namespace {

Json group_json(const Duplicates& group) {
  Json removed = Json::array();
  for (const fs::path& folder : group.removed) removed.push_back(folder.string());
  return {{"hash", group.program_hash},
          {"name", sample::sample_name(group.kept)},
          {"kept", group.kept.string()},
          {"removed", std::move(removed)},
          {"sources", validate::sources_json(group.sources)}};
}

std::string group_text(const Duplicates& group) {
  std::string text = group.program_hash + "\n  keep    " + report::printable(group.kept.string());
  std::size_t num_ranges = 0;
  for (const auto& [name, ranges] : group.sources) num_ranges += ranges.size();
  if (num_ranges > 0) {
    text += " (" + base::counted(num_ranges, "range") + " of " +
            base::counted(group.sources.size(), "sample") + " in " + validate::kSourcesFile + ")";
  }
  for (const fs::path& folder : group.removed) {
    text += "\n  remove  " + report::printable(folder.string());
  }
  return text + "\n";
}

}  // namespace

Result<int> dedup_samples(const Context& context, const SampleFlags& flags) {
  GN_ASSIGN_OR_RETURN(const std::vector<fs::path> folders, sample_folders(flags));
  validate::DuplicateSearch search = validate::find_duplicates(folders);
  Json groups = Json::array();
  std::size_t num_removed = 0;
  for (const Duplicates& group : search.groups) {
    const Status status = flags.write ? validate::remove_duplicates(group) : Status::ok();
    if (!status.is_ok()) {
      search.errors.push_back(status);
      continue;
    }
    num_removed += group.removed.size();
    if (context.flags.json) groups.push_back(group_json(group));
    if (!context.flags.json) std::cout << group_text(group);
  }
  for (const Status& error : search.errors) print_error(error, context.error.color);
  if (context.flags.json) {
    const Json result = {{"schema", "graphnet.duplicates/1"},
                         {"written", flags.write},
                         {"removed", num_removed},
                         {"groups", std::move(groups)}};
    std::cout << base::dump_json(result) << '\n';
  } else {
    std::cout << base::counted(num_removed, "sample")
              << (flags.write ? " removed\n" : " would be removed; --write does it\n");
  }
  return search.errors.empty() ? kExitDone : exit_code_of(search.errors.back().code());
}

}  // namespace graphnet::cli
