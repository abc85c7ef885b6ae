// SPDX-License-Identifier: MIT
#include "cli/report_command.h"

namespace graphnet::cli {

using base::Code;
using base::Result;
using base::Status;

namespace {

Result<int> execute(const Context& context, const ReportFlags& flags) {
  if (flags.results.empty()) {
    return Status(Code::kUsage, "report needs results").add_hint("graphnet report results");
  }
  if (!has_report_output(flags.outputs)) {
    return Status(Code::kUsage, "report needs a form: --html, --plots, --markdown or --csv");
  }
  return write_report_outputs(context, flags.results, flags.outputs);
}

}  // namespace

Command report_command(ReportFlags& flags) {
  Command command;
  command.name = "report";
  command.summary = "results as a page, plots or tables";
  command.description =
      "Reads results files of `graphnet run` and upstream's logs. --html writes one page that "
      "needs\n"
      "no network: outcomes, scores with bands, violins with a lane for failures, backend against\n"
      "backend, families, flags, proof of execution and a table of all results.";
  command.usage = "report RESULTS|LOG|DIR... [options]";
  command.positionals = {"RESULTS|LOG|DIR",
                         "results files, upstream's logs, folders of .jsonl, .log and .txt files",
                         &flags.results,
                         {},
                         "FILE"};
  command.flags = report_output_flags(flags.outputs);
  command.examples = {
      {"graphnet report results --html report.html", "everything on one page"},
      {"graphnet report results --plots plots --png", "charts for a paper or a slide"},
      {"graphnet report results --markdown", "a comment on a change"}};
  command.execute = [&flags](const Context& context) { return execute(context, flags); };
  return command;
}

}  // namespace graphnet::cli
