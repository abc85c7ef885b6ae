// SPDX-License-Identifier: MIT
#include "validate/duplicates.h"

#include <algorithm>
#include <set>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "base/file.h"
#include "sample/sample.h"
#include "validate/program_hash.h"
#include "writer/place_sample.h"
#include "writer/write_sample.h"

namespace graphnet::validate {

namespace fs = std::filesystem;
using base::Status;

namespace {

/// Each folder once, in the order of the samples' names.
std::vector<fs::path> in_order_of_names(const std::vector<fs::path>& folders) {
  std::vector<std::pair<std::string, fs::path>> named;
  std::set<fs::path> seen;
  for (const fs::path& folder : folders) {
    std::error_code ignored;
    const bool is_new = seen.insert(fs::weakly_canonical(folder, ignored)).second;
    if (is_new) named.emplace_back(sample::sample_name(folder), folder);
  }
  std::sort(named.begin(), named.end());
  std::vector<fs::path> sorted;
  sorted.reserve(named.size());
  for (auto& [name, folder] : named) sorted.push_back(std::move(folder));
  return sorted;
}

Status add_sources(const fs::path& folder, SubgraphSources& sources) {
  GN_ASSIGN_OR_RETURN(const SubgraphSources more, read_sources(folder));
  for (const auto& [name, ranges] : more) sources[name].insert(ranges.begin(), ranges.end());
  return Status::ok();
}

/// Reads the sources, and finds out whether the rest can be removed.
Status complete(Duplicates& group) {
  GN_RETURN_IF_ERROR(add_sources(group.kept, group.sources));
  for (const fs::path& folder : group.removed) {
    GN_RETURN_IF_ERROR(add_sources(folder, group.sources));
    GN_RETURN_IF_ERROR(writer::check_no_folders(folder));
  }
  return Status::ok();
}

}  // namespace

DuplicateSearch find_duplicates(const std::vector<fs::path>& folders) {
  DuplicateSearch search;
  std::vector<Duplicates> groups;
  std::unordered_map<std::string, std::size_t> group_of;
  for (const fs::path& folder : in_order_of_names(folders)) {
    const auto sample = sample::load_sample(folder);
    if (!sample.is_ok()) {
      search.errors.push_back(sample.status());
      continue;
    }
    const std::string hash = program_hash(sample->program);
    const auto [found, is_new] = group_of.emplace(hash, groups.size());
    if (is_new) {
      groups.push_back({hash, folder, {}, {}});
    } else {
      groups[found->second].removed.push_back(folder);
    }
  }
  for (Duplicates& group : groups) {
    if (group.removed.empty()) continue;
    Status status = complete(group);
    if (status.is_ok()) {
      search.groups.push_back(std::move(group));
    } else {
      search.errors.push_back(
          std::move(status).add_context("duplicates of '" + group.kept.string() + "'"));
    }
  }
  return search;
}

Status remove_duplicates(const Duplicates& group) {
  if (!group.sources.empty()) {
    GN_RETURN_IF_ERROR(base::write_file_atomic(group.kept / kSourcesFile,
                                               writer::labels_text(sources_json(group.sources))));
  }
  for (const fs::path& folder : group.removed) GN_RETURN_IF_ERROR(writer::remove_sample(folder));
  return Status::ok();
}

}  // namespace graphnet::validate
