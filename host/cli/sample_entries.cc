// SPDX-License-Identifier: MIT
#include "cli/sample_entries.h"

#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "base/suggestion.h"
#include "base/text.h"
#include "cli/diagnostics.h"
#include "cli/output_file.h"
#include "cli/sample_progress.h"

namespace graphnet::cli {

namespace fs = std::filesystem;
using base::Code;
using base::Json;
using base::Result;
using base::Status;

namespace {

struct Found {
  fs::path folder;
  std::size_t tree = 0;
};

/// Each folder once, in the first tree that has it.
Result<std::vector<Found>> find_all(const SampleFlags& flags) {
  std::set<fs::path> known;
  std::vector<Found> found;
  for (std::size_t i = 1; i < flags.arguments.size(); ++i) {
    SampleFlags one;
    one.arguments = {flags.arguments[0], flags.arguments[i]};
    GN_ASSIGN_OR_RETURN(const std::vector<fs::path> folders, sample_folders(one));
    for (const fs::path& folder : folders) {
      std::error_code ignored;
      if (known.insert(fs::weakly_canonical(folder, ignored)).second) {
        found.push_back({folder, i - 1});
      }
    }
  }
  return found;
}

}  // namespace

LeftOutSample leave_out(const Context& context, const fs::path& folder, Status problem) {
  LeftOutSample left_out{folder, problem.message()};
  print_error(std::move(problem).add_context("sample " + folder.string()), context.error.color);
  return left_out;
}

Json left_out_json(const std::vector<LeftOutSample>& samples) {
  Json rows = Json::array();
  for (const LeftOutSample& one : samples) {
    rows.push_back({{"path", one.folder.string()}, {"problem", one.problem}});
  }
  return rows;
}

Result<SampleEntries> read_sample_entries(const Context& context, const SampleFlags& flags,
                                          std::optional<index::SampleType> type) {
  SampleEntries read;
  GN_ASSIGN_OR_RETURN(const std::vector<Found> found, find_all(flags));
  read.trees = index::trees_of({flags.arguments.begin() + 1, flags.arguments.end()});
  SampleProgress progress(context, found.size());
  std::map<std::string, fs::path> folders;  // by uid
  for (const Found& one : found) {
    progress.begin(one.folder);
    Result<index::Entry> entry = index::read_entry(read.trees[one.tree], one.folder, type);
    if (!entry.is_ok()) {
      read.left_out.push_back(leave_out(context, one.folder, std::move(entry).status()));
      continue;
    }
    const auto [known, is_new] = folders.emplace(entry->uid, one.folder);
    if (is_new) {
      read.entries.push_back(std::move(*entry));
      continue;
    }
    Status error(Code::kInput, "'" + known->second.string() + "' has the same path '" +
                                   entry->relative_path + "' in its tree, and the same type");
    read.left_out.push_back(leave_out(context, one.folder, std::move(error)));
  }
  if (read.entries.empty()) return Status(Code::kInput, "there is no sample that can be read");
  index::sort_entries(read.entries);
  return read;
}

Result<std::optional<index::SampleType>> read_sample_type(const SampleFlags& flags) {
  if (!flags.type) return std::optional<index::SampleType>();
  const auto type = index::type_from_name(*flags.type);
  if (type) return type;
  const std::vector<std::string> words = index::type_names();
  Status error(Code::kUsage, "--type: unknown type '" + *flags.type + "'");
  base::add_suggestion(error, *flags.type, words);
  return error.add_hint("one of " + base::join(words, ", "));
}

Status check_new_output(const SampleFlags& flags) {
  if (!flags.output) return Status::ok();
  GN_RETURN_IF_ERROR(check_output_file("--output", *flags.output));
  std::error_code ignored;
  if (fs::symlink_status(*flags.output, ignored).type() == fs::file_type::not_found) {
    return Status::ok();
  }
  // What a pipe or /dev/stdout holds is not lost.
  if (fs::is_other(*flags.output, ignored)) return Status::ok();
  return Status(Code::kUsage, "--output: '" + *flags.output + "' is there already")
      .add_hint("remove it, or write to another file");
}

}  // namespace graphnet::cli
