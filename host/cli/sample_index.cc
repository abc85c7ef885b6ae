// SPDX-License-Identifier: MIT
#include <chrono>
#include <iostream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/exit_code.h"
#include "cli/sample_actions.h"
#include "cli/sample_entries.h"
#include "index/index_file.h"
#include "index/tables.h"
#include "report/terminal_text.h"

namespace graphnet::cli {

using base::Code;
using base::Json;
using base::Result;
using base::Status;

namespace {

std::int64_t now_us() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

Json index_json(const SampleFlags& flags, const index::IndexFile& file, const SampleEntries& read) {
  Json types = Json::object();
  for (const auto& [type, count] : file.samples) types[index::type_name(type)] = count;
  Json rows = Json::object();
  for (std::size_t i = 0; i < file.rows.size(); ++i) {
    rows[index::tables()[i].name] = file.rows[i];
  }
  return {{"schema", "graphnet.index/1"},
          {"written", flags.dry_run ? Json() : Json(*flags.output)},
          {"bytes", file.bytes.size()},
          {"samples", read.entries.size()},
          {"types", std::move(types)},
          {"operators", file.num_operators},
          {"groups", file.groups.size()},
          {"rows", std::move(rows)},
          {"without_origin", file.without_origin},
          {"left_out", left_out_json(read.left_out)}};
}

std::string index_text(const SampleFlags& flags, const index::IndexFile& file,
                       const SampleEntries& read) {
  std::vector<std::string> types;
  for (const auto& [type, count] : file.samples) {
    types.push_back(std::to_string(count) + " " + index::type_name(type));
  }
  std::string text = base::counted(read.entries.size(), "sample") + " (" + base::join(types, ", ") +
                     "), " + base::counted(file.num_operators, "operator") + ", " +
                     base::counted(file.groups.size(), "group") + " with " +
                     base::counted(file.num_in_groups, "sample") + "\n";
  if (!file.without_origin.empty()) {
    text += base::counted(file.without_origin.size(), "piece") +
            " of samples that are not here, the first is " +
            report::printable(file.without_origin[0]) + "\n";
  }
  if (!read.left_out.empty()) {
    text += base::counted(read.left_out.size(), "sample") + " left out\n";
  }
  const std::string size = base::format_bytes(file.bytes.size());
  if (flags.dry_run) return text + size + " would be written\n";
  return text + report::printable(*flags.output) + ": " + size + "\n";
}

}  // namespace

Result<int> index_samples(const Context& context, const SampleFlags& flags) {
  if (!flags.output && !flags.dry_run) {
    return Status(Code::kUsage, "sample index needs --output FILE or --dry-run");
  }
  GN_RETURN_IF_ERROR(check_new_output(flags));
  GN_ASSIGN_OR_RETURN(const auto type, read_sample_type(flags));
  GN_ASSIGN_OR_RETURN(const SampleEntries read, read_sample_entries(context, flags, type));
  GN_ASSIGN_OR_RETURN(const index::IndexFile file,
                      index::make_index(read.trees, read.entries, now_us()));
  if (!flags.dry_run) {
    GN_RETURN_IF_ERROR(base::write_file_atomic(*flags.output, file.bytes));
  }
  if (context.flags.json) {
    std::cout << base::dump_json(index_json(flags, file, read)) << '\n';
  } else {
    std::cout << index_text(flags, file, read);
  }
  return read.left_out.empty() ? kExitDone : kExitSampleFailed;
}

}  // namespace graphnet::cli
