// SPDX-License-Identifier: MIT
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/output_file.h"
#include "cli/results_files.h"
#include "journal/merge.h"
#include "report/terminal_text.h"

namespace graphnet::cli {

namespace fs = std::filesystem;
using base::Code;
using base::Result;
using base::Status;

namespace {

/// Flags of `graphnet merge` as text.
struct MergeFlags {
  std::vector<std::string> inputs;
  std::optional<std::string> output;
};

void print_text(const fs::path& output, std::size_t num_files, const journal::Merged& merged) {
  std::cout << report::printable(output.string()) << ": " << merged.num_records << " record"
            << (merged.num_records == 1 ? "" : "s") << " of " << num_files << " file"
            << (num_files == 1 ? "" : "s");
  if (merged.num_duplicates > 0) {
    std::cout << ", " << merged.num_duplicates << " superseded by another of the same task";
  }
  std::cout << '\n';
  for (const auto& conflict : merged.conflicts) {
    std::cout << "conflict: " << report::printable(conflict) << '\n';
  }
}

Result<int> execute(const Context& context, const MergeFlags& flags) {
  if (!flags.output) {
    return Status(Code::kUsage, "--output is missing")
        .add_hint("graphnet merge -o all.jsonl results/");
  }
  GN_RETURN_IF_ERROR(check_output_file("--output", *flags.output));
  GN_ASSIGN_OR_RETURN(std::vector<fs::path> inputs, find_results(flags.inputs));
  const std::size_t num_files = inputs.size();
  const fs::path output = *flags.output;
  GN_ASSIGN_OR_RETURN(const journal::Merged merged, journal::merge_into(output, inputs));
  for (const auto& note : merged.notes) std::cerr << "warning: " << report::printable(note) << '\n';
  if (context.flags.json) {
    const base::Json result = {{"schema", "graphnet.merge/1"},
                               {"output", output.string()},
                               {"files", num_files},
                               {"records", merged.num_records},
                               {"superseded", merged.num_duplicates},
                               {"conflicts", merged.conflicts},
                               {"notes", merged.notes}};
    std::cout << base::dump_json(result) << '\n';
  } else {
    print_text(output, num_files, merged);
  }
  return kExitDone;
}

}  // namespace

Command merge_command() {
  const auto flags = std::make_shared<MergeFlags>();
  Command command;
  command.summary = "make one results file of several";
  command.description =
      "Keeps one record of each task (sample, plugin file, options, protocol, hardware, version):\n"
      "the highest attempt, then the latest. The order of the files makes no difference, and\n"
      "merging again changes nothing. What OUT holds already is merged too. Versions that keep\n"
      "records from being compared (two builds of a plugin, machines, math policies) are listed.";
  command.usage = "merge -o OUT FILE|DIR...";
  command.positionals = {
      "FILE|DIR", "results files, or folders of them (*.jsonl)", &flags->inputs, {}, "FILE"};
  command.flags = {{"-o,--output", "FILE", "where to write; replaced as a whole", &flags->output}};
  command.examples = {{"graphnet merge -o all.jsonl results/", "every results file of a folder"},
                      {"graphnet merge -o all.jsonl monday.jsonl tuesday.jsonl --json",
                       "what was merged, as JSON"}};
  command.execute = [flags](const Context& context) { return execute(context, *flags); };
  return command;
}

}  // namespace graphnet::cli
