// SPDX-License-Identifier: MIT
#include "validate/redundancy.h"

#include <string>
#include <system_error>
#include <unordered_map>
#include <unordered_set>

#include "sample/sample.h"
#include "validate/program_hash.h"

namespace graphnet::validate {

namespace fs = std::filesystem;

namespace {

std::string real_path(const fs::path& path) {
  std::error_code ignored;
  return fs::weakly_canonical(path, ignored).string();
}

}  // namespace

void find_redundant(std::vector<CheckedSample>& samples, const std::vector<fs::path>& others) {
  std::unordered_map<std::string, fs::path> first;
  std::unordered_set<std::string> named;
  for (const CheckedSample& sample : samples) named.insert(real_path(sample.folder));
  for (const fs::path& folder : others) {
    if (named.count(real_path(folder)) > 0) continue;
    const auto sample = sample::load_sample(folder);
    if (sample.is_ok()) first.emplace(program_hash(sample->program), folder);
  }
  for (CheckedSample& sample : samples) {
    if (sample.program_hash.empty()) continue;
    const auto [same, is_new] = first.emplace(sample.program_hash, sample.folder);
    if (is_new || real_path(same->second) == real_path(sample.folder)) continue;
    sample.findings.push_back(
        {FindingKind::kRedundant, "", "the program is that of '" + same->second.string() + "'"});
  }
}

}  // namespace graphnet::validate
