// SPDX-License-Identifier: MIT
#include "cli/sample_names.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "base/suggestion.h"
#include "base/text.h"
#include "cli/path_list.h"
#include "cli/results_files.h"
#include "journal/journal_file.h"
#include "sample/sample.h"

namespace graphnet::cli {

namespace fs = std::filesystem;
using base::Code;
using base::Result;
using base::Status;

namespace {

constexpr std::size_t kMaxShown = 8;

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

std::vector<fs::path> sample_folders(const config::Installation& installation) {
  std::vector<fs::path> folders;
  if (is_there("samples")) folders.emplace_back("samples");
  const auto bundled = installation.samples_folder();
  std::error_code ignored;
  if (bundled && (folders.empty() || !fs::equivalent(folders[0], *bundled, ignored))) {
    folders.push_back(*bundled);
  }
  return folders;
}

/// Where the last run in ./results found a sample; empty if it had none of that name.
fs::path path_in_last_run(const std::string& word) {
  const auto results = last_results();
  if (!results.is_ok()) return {};
  const auto journal = journal::read_journal(*results, journal::JournalDepth::kBrief);
  if (!journal.is_ok()) return {};
  for (const auto& record : journal->records) {
    if (means_sample(word, record.sample) && sample::is_sample(record.sample_path)) {
      return record.sample_path;
    }
  }
  return {};
}

Status several(const std::string& word, const std::vector<fs::path>& found) {
  Status error(Code::kUsage,
               "'" + word + "' is the end of " + std::to_string(found.size()) + " samples' names");
  for (std::size_t i = 0; i < std::min(found.size(), kMaxShown); ++i) {
    error.add_hint(sample::sample_name(found[i]));
  }
  return error;
}

/// Names with `part` in them; none for a part that says little.
std::vector<std::string> names_with(const std::vector<std::string>& names,
                                    const std::string& part) {
  constexpr std::size_t kLeastLetters = 3;
  std::vector<std::string> found;
  if (part.size() < kLeastLetters) return found;
  std::copy_if(names.begin(), names.end(), std::back_inserter(found),
               [&](const std::string& name) { return name.find(part) != std::string::npos; });
  return found;
}

Status not_found(const config::Installation& installation, const std::string& word) {
  Status error(Code::kInput, "no sample, folder or list '" + word + "'");
  const fs::path path = fs::path(word).lexically_normal();
  if (suggest_beside(error, path)) return error;
  const std::vector<std::string> names = known_samples(installation);
  if (base::add_suggestion(error, word, names_and_ends(names)) || names.empty()) return error;
  const std::vector<std::string> holding = names_with(names, path.filename().string());
  if (!holding.empty() && holding.size() <= kMaxShown) {
    return error.add_hint("did you mean " + base::join(holding, ", ") + "?");
  }
  const bool is_short = names.size() <= kMaxShown;
  const std::vector<std::string> shown(
      names.begin(),
      names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kMaxShown)));
  return error.add_hint(
      "samples at hand: " + base::join(shown, ", ") +
      (is_short ? "" : ", and " + std::to_string(names.size() - kMaxShown) + " more"));
}

}  // namespace

bool means_sample(const std::string& word, const std::string& name) {
  if (word == name) return true;
  const std::string end = "/" + word;
  return name.size() > end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0;
}

std::vector<std::string> names_and_ends(const std::vector<std::string>& names) {
  std::vector<std::string> words = names;
  for (const std::string& name : names) words.push_back(name.substr(name.rfind('/') + 1));
  return words;
}

std::vector<std::string> known_samples(const config::Installation& installation) {
  std::set<std::string> names;
  for (const fs::path& folder : sample_folders(installation)) {
    const auto found = sample::discover(folder);
    if (!found.is_ok()) continue;
    for (const fs::path& path : *found) names.insert(sample::sample_name(path));
  }
  return {names.begin(), names.end()};
}

Result<fs::path> find_samples(const config::Installation& installation,
                              const std::string& argument) {
  if (is_there(argument)) return fs::path(argument);
  if (argument.empty() || fs::path(argument).is_absolute())
    return not_found(installation, argument);
  for (const fs::path& folder : sample_folders(installation)) {
    if (sample::discover(folder / argument).is_ok()) return folder / argument;
  }
  for (const fs::path& folder : sample_folders(installation)) {
    std::vector<fs::path> found;
    const auto paths = sample::discover(folder);
    if (!paths.is_ok()) continue;
    std::copy_if(
        paths->begin(), paths->end(), std::back_inserter(found),
        [&](const fs::path& path) { return means_sample(argument, sample::sample_name(path)); });
    if (found.size() > 1) return several(argument, found);
    if (found.size() == 1) return found[0];
  }
  const fs::path path = path_in_last_run(argument);
  if (!path.empty()) return path;
  return not_found(installation, argument);
}

}  // namespace graphnet::cli
