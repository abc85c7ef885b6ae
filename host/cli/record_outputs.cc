// SPDX-License-Identifier: MIT
#include "cli/record_outputs.h"

#include <iostream>

#include "base/file.h"
#include "base/text.h"
#include "cli/exit_code.h"
#include "cli/output_file.h"
#include "report/proof_report.h"
#include "report/terminal_text.h"
#include "report/timeline.h"

namespace graphnet::cli {

using base::Code;
using base::Result;
using base::Status;

namespace {

Status write_trace(const Context& context, const std::string& file,
                   const std::vector<record::Record>& records) {
  if (file != "-") GN_RETURN_IF_ERROR(check_output_file("--perfetto", file));
  const report::PerfettoTrace trace = report::timeline(records);
  if (file == "-") {
    std::cout << trace.bytes();
    return Status::ok();
  }
  GN_RETURN_IF_ERROR(base::write_file_atomic(file, trace.bytes()));
  if (!context.flags.quiet) {
    std::cerr << report::printable("wrote " + file + " (" + std::to_string(trace.num_events()) +
                                   " events, " + base::format_bytes(trace.bytes().size()) +
                                   "); ui.perfetto.dev opens it")
              << '\n';
  }
  return Status::ok();
}

}  // namespace

std::vector<Flag> record_output_flags(RecordOutputFlags& flags) {
  return {
      {"--kernels", "", "which code did the work: the proof of each record (--json: all of it)",
       &flags.kernels},
      {"--perfetto", "FILE",
       "write phases and timed calls as a Perfetto trace; - is standard output", &flags.perfetto},
  };
}

bool has_record_output(const RecordOutputFlags& flags) {
  return flags.kernels || flags.perfetto;
}

Result<int> write_record_outputs(const Context& context, const std::vector<record::Record>& records,
                                 const RecordOutputFlags& flags) {
  const bool is_trace_printed = flags.perfetto && *flags.perfetto == "-";
  if (is_trace_printed && flags.kernels) {
    return Status(Code::kUsage, "--kernels and --perfetto - cannot both have standard output");
  }
  if (flags.perfetto) GN_RETURN_IF_ERROR(write_trace(context, *flags.perfetto, records));
  if (!flags.kernels) return kExitDone;
  if (context.flags.json) {
    std::cout << base::dump_json(report::proof_json(records)) << '\n';
  } else {
    std::cout << report::proof_text(records, context.out.width);
  }
  return kExitDone;
}

}  // namespace graphnet::cli
