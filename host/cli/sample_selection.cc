// SPDX-License-Identifier: MIT
#include "cli/sample_selection.h"

#include <fnmatch.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "base/log.h"
#include "base/suggestion.h"
#include "cli/path_list.h"
#include "cli/sample_names.h"
#include "report/terminal_text.h"
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
  explicit Selection(const config::Installation& installation) : installation_(installation) {}

  Status add_argument(const std::string& argument) {
    GN_ASSIGN_OR_RETURN(const fs::path path, find_samples(installation_, argument));
    std::error_code ignored;
    return fs::is_directory(path, ignored) ? add_folder(path) : add_list(path);
  }

  std::vector<supervise::PlannedSample> take() { return std::move(samples_); }

 private:
  Status add_folder(const fs::path& folder) {
    GN_ASSIGN_OR_RETURN(const std::vector<fs::path> found, sample::discover(folder));
    for (const auto& path : found) add(path);
    return Status::ok();
  }

  /// A line that names no sample is selected as it stands: its record says so, and the others run.
  /// If no line names one, this is a file of another kind, or its paths count from another folder.
  Status add_list(const fs::path& list) {
    GN_ASSIGN_OR_RETURN(const std::vector<ListedPath> paths, read_path_list(list));
    Status refusal;  // of the first line that names none
    std::vector<std::string> warnings;
    bool has_sample = false;
    for (const auto& [line, path] : paths) {
      Result<fs::path> folder = entry_path(list, path);
      Status added = folder.is_ok() ? add_folder(*folder) : folder.status();
      has_sample = has_sample || added.is_ok();
      if (added.is_ok()) continue;
      const std::string where =
          "line " + std::to_string(line) + " of the list '" + list.string() + "'";
      // The reason is in its record.
      std::string warning = where + " names no sample: " + path;
      if (!added.hints().empty()) warning += "; " + added.hints().front();
      warnings.push_back(std::move(warning));
      if (refusal.is_ok()) refusal = std::move(added.add_context(where));
      add(folder.is_ok() ? *folder : fs::path(path));
    }
    if (!has_sample && !refusal.is_ok()) return refusal;
    for (const std::string& warning : warnings) {
      base::log(base::LogLevel::kWarning, "samples", report::printable(warning));
    }
    return Status::ok();
  }

  Result<fs::path> entry_path(const fs::path& list, const std::string& entry) const {
    fs::path beside = list.parent_path() / entry;
    std::error_code ignored;
    if (fs::exists(beside, ignored)) return beside;
    return find_samples(installation_, entry);
  }

  void add(const fs::path& path) {
    std::error_code ignored;
    const bool is_new = seen_.insert(fs::weakly_canonical(path, ignored)).second;
    if (is_new) samples_.push_back(planned_sample(path));
  }

  const config::Installation& installation_;
  std::vector<supervise::PlannedSample> samples_;
  std::set<fs::path> seen_;
};

/// The name with one more folder of the path before it; the same if there is none.
std::string longer_name(const supervise::PlannedSample& sample) {
  std::error_code ignored;
  const fs::path path = fs::absolute(sample.path, ignored).lexically_normal();
  fs::path rest = (path.has_filename() ? path : path.parent_path()).relative_path();
  fs::path name;
  while (!rest.empty()) {
    name = name.empty() ? rest.filename() : rest.filename() / name;
    if (name.generic_string().size() > sample.name.size()) break;
    rest = rest.parent_path();
  }
  return name.generic_string();
}

/// Samples of different folders have different names, because results are found by them.
void tell_apart(std::vector<supervise::PlannedSample>& samples) {
  bool is_changed = true;
  while (is_changed) {
    is_changed = false;
    std::map<std::string, std::vector<supervise::PlannedSample*>> named;
    for (auto& sample : samples) named[sample.name].push_back(&sample);
    for (auto& [name, same] : named) {
      if (same.size() == 1) continue;
      for (supervise::PlannedSample* sample : same) {
        sample->name = longer_name(*sample);
        is_changed |= sample->name != name;
      }
    }
  }
}

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
    const config::Installation& installation, const std::vector<std::string>& arguments) {
  Selection selection(installation);
  for (const auto& argument : arguments) GN_RETURN_IF_ERROR(selection.add_argument(argument));
  std::vector<supervise::PlannedSample> samples = selection.take();
  if (samples.empty()) return Status(Code::kInput, "the list names no sample");
  tell_apart(samples);
  return samples;
}

Status keep_matching(const std::string& pattern, std::vector<supervise::PlannedSample>& samples) {
  const bool is_glob = pattern.find_first_of("*?[") != std::string::npos;
  const std::string glob = is_glob ? pattern : "*" + pattern + "*";
  const auto fits = [&](const supervise::PlannedSample& sample) {
    const auto fits_text = [&](const std::string& text) {
      return ::fnmatch(glob.c_str(), text.c_str(), FNM_CASEFOLD | FNM_NOESCAPE) == 0;
    };
    return fits_text(sample.name) || fits_text(sample.name.substr(sample.name.rfind('/') + 1));
  };
  std::vector<supervise::PlannedSample> kept;
  std::copy_if(samples.begin(), samples.end(), std::back_inserter(kept), fits);
  if (kept.empty()) {
    Status error(Code::kInput,
                 "no sample of " + std::to_string(samples.size()) + " fits -k '" + pattern + "'");
    std::vector<std::string> names;
    for (const auto& sample : samples) names.push_back(sample.name);
    base::add_suggestion(error, pattern, names_and_ends(names));
    return error.add_hint(
        "-k resnet: a part of a name; -k 'timm/*' or -k 'resnet*': a pattern for all of it");
  }
  samples = std::move(kept);
  return Status::ok();
}

Result<std::string> default_samples(const config::Installation& installation) {
  const auto folder = installation.samples_folder();
  if (folder) return folder->string();
  return Status(Code::kUsage, "no samples given, and none are bundled with this installation")
      .add_hint("graphnet run FOLDER_OF_SAMPLES --config nope");
}

}  // namespace graphnet::cli
