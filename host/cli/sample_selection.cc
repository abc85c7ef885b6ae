// SPDX-License-Identifier: MIT
#include "cli/sample_selection.h"

#include <set>
#include <utility>

#include "base/log.h"
#include "cli/path_list.h"
#include "sample/outline.h"
#include "sample/sample.h"

namespace graphnet::cli {

namespace fs = std::filesystem;
using base::Code;
using base::Result;
using base::Status;

namespace {

/// Collects samples.
class Selection {
 public:
  Status add_folder(const fs::path& folder) {
    GN_ASSIGN_OR_RETURN(const std::vector<fs::path> found, sample::discover(folder));
    const bool is_named = sample::is_sample(folder);
    for (const auto& path : found) {
      if (is_new(path) || is_named) add(path);
    }
    return Status::ok();
  }

  /// A line that names no sample is selected as it stands: its record says so, and the others run.
  /// If no line names one, this is a file of another kind, or its paths count from another folder.
  Status add_list(const fs::path& list) {
    GN_ASSIGN_OR_RETURN(const std::vector<ListedPath> paths, read_path_list(list));
    Status first_refusal;
    bool has_sample = false;
    for (const auto& [line, path] : paths) {
      const fs::path folder = resolve(list, path);
      Status added = add_folder(folder);
      has_sample = has_sample || added.is_ok();
      if (added.is_ok()) continue;
      added.add_context("line " + std::to_string(line) + " of the list '" + list.string() + "'");
      base::log(base::LogLevel::kWarning, "samples", added.to_string());
      add(folder);
      if (first_refusal.is_ok()) first_refusal = std::move(added);
    }
    return has_sample ? Status::ok() : first_refusal;
  }

  std::vector<supervise::PlannedSample> take() { return std::move(samples_); }

 private:
  bool is_new(const fs::path& path) {
    std::error_code ignored;
    return seen_.insert(fs::weakly_canonical(path, ignored)).second;
  }

  void add(const fs::path& path) { samples_.push_back(planned_sample(path)); }

  static fs::path resolve(const fs::path& list, const fs::path& entry) {
    const fs::path beside = list.parent_path() / entry;
    std::error_code ignored;
    return fs::exists(beside, ignored) ? beside : entry;
  }

  std::vector<supervise::PlannedSample> samples_;
  std::set<fs::path> seen_;
};

}  // namespace

supervise::PlannedSample planned_sample(const fs::path& folder) {
  supervise::PlannedSample planned;
  planned.path = folder.string();
  planned.name = sample::sample_name(folder);
  planned.family = planned.name.substr(0, planned.name.find('/'));
  planned.category = sample::category_of(folder);
  const Result<sample::Outline> outline = sample::read_outline(folder);
  if (outline.is_ok()) {
    planned.content_sha256 = outline->content_sha256;
    planned.cost = outline->cost();
  }
  return planned;
}

Result<std::vector<supervise::PlannedSample>> select_samples(
    const std::vector<std::string>& arguments) {
  Selection selection;
  for (const auto& argument : arguments) {
    std::error_code failure;
    const fs::file_status status = fs::status(argument, failure);
    if (!fs::exists(status)) {
      return Status(Code::kInput, "no sample, folder or list '" + argument + "'");
    }
    GN_RETURN_IF_ERROR(fs::is_directory(status) ? selection.add_folder(argument)
                                                : selection.add_list(argument));
  }
  std::vector<supervise::PlannedSample> samples = selection.take();
  if (samples.empty()) return Status(Code::kInput, "no samples: the list names none");
  return samples;
}

Result<std::string> default_samples(const config::Installation& installation) {
  const auto folder = installation.samples_folder();
  if (folder) return folder->string();
  return Status(Code::kUsage, "no samples given, and none are bundled with this installation")
      .add_hint("graphnet run FOLDER_OF_SAMPLES --config nope.yaml");
}

}  // namespace graphnet::cli
