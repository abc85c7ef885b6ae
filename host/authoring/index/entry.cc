// SPDX-License-Identifier: MIT
#include "index/entry.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <system_error>
#include <tuple>
#include <utility>

#include "base/file.h"
#include "base/sha256.h"
#include "sample/lexer.h"
#include "sample/sample.h"
#include "split/operators.h"
#include "validate/subgraph_sources.h"

namespace graphnet::index {

namespace fs = std::filesystem;
using base::Result;

namespace {

constexpr std::pair<SampleType, const char*> kTypes[] = {
    {SampleType::kFullGraph, "full_graph"},
    {SampleType::kTypicalGraph, "typical_graph"},
    {SampleType::kFusibleGraph, "fusible_graph"},
    {SampleType::kSoleOpGraph, "sole_op_graph"}};

constexpr const char* kPieces = "_decomposed";

/// Absolute, without "." and "..", without a final separator.
fs::path normalised(const fs::path& folder) {
  std::error_code ignored;
  const fs::path path = fs::absolute(folder, ignored).lexically_normal();
  return path.has_filename() ? path : path.parent_path();
}

/// Sets the path below the tree, and the type if a folder of it says.
void place(const Tree& tree, const fs::path& folder, std::optional<SampleType>& type,
           Entry& entry) {
  fs::path relative = folder.lexically_relative(tree.root);
  const auto of_root = type_from_name(tree.root.filename().string());
  const auto of_first = type_from_name(relative.begin()->string());
  if (of_root) type = of_root;
  if (of_first) {
    type = of_first;
    relative = relative.lexically_relative(*relative.begin());
  }
  entry.relative_path = relative.generic_string();
}

/// Nothing: it is no piece.
Result<std::optional<Origin>> origin_of(const fs::path& folder) {
  GN_ASSIGN_OR_RETURN(const validate::SubgraphSources sources, validate::read_sources(folder));
  for (const auto& [path, ranges] : sources) {
    if (ranges.empty()) continue;
    return std::optional<Origin>({path, ranges.begin()->first, ranges.begin()->second});
  }
  const fs::path above = folder.parent_path();
  if (above.filename() != kPieces) return std::optional<Origin>();
  return std::optional<Origin>({"samples/" + sample::sample_name(above.parent_path()), -1, -1});
}

SampleType default_type(const Entry& entry) {
  if (!entry.origin) return SampleType::kFullGraph;
  return entry.op_names.size() == 1 ? SampleType::kSoleOpGraph : SampleType::kTypicalGraph;
}

std::vector<Tensor> tensors_of(const std::vector<sample::TensorMeta>& metas) {
  std::vector<Tensor> tensors;
  for (const sample::TensorMeta& meta : metas) {
    tensors.push_back(
        {meta.original_name.empty() ? meta.name : meta.original_name, meta.shape, meta.dtype});
  }
  return tensors;
}

std::string data_type_of(const Entry& entry) {
  const std::string first = entry.relative_path.substr(0, entry.relative_path.find('/'));
  if (base::dtype_from_name(first)) return first;
  std::map<base::DType, std::int64_t> elements;
  for (const Tensor& tensor : entry.tensors) {
    if (!base::is_floating(tensor.dtype)) continue;
    elements[tensor.dtype] += base::num_elements(tensor.shape).value_or(0);
  }
  const auto most = std::max_element(elements.begin(), elements.end(),
                                     [](auto& a, auto& b) { return a.second < b.second; });
  if (most != elements.end()) return base::dtype_name(most->first);
  return entry.tensors.empty() ? "unknown" : base::dtype_name(entry.tensors[0].dtype);
}

/// Without blanks around it; empty if there is no such file.
std::string stored_hash(const fs::path& folder) {
  constexpr const char* kBlanks = " \t\r\n";
  const Result<std::string> text =
      base::read_file(folder / "graph_hash.txt", sample::kMaxSourceBytes);
  if (!text.is_ok()) return "";
  const std::size_t begin = text->find_first_not_of(kBlanks);
  if (begin == std::string::npos) return "";
  return text->substr(begin, text->find_last_not_of(kBlanks) + 1 - begin);
}

}  // namespace

std::vector<std::string> type_names() {
  std::vector<std::string> names;
  for (const auto& [type, name] : kTypes) names.emplace_back(name);
  return names;
}

std::string type_name(SampleType type) {
  return kTypes[static_cast<std::size_t>(type)].second;
}

std::optional<SampleType> type_from_name(std::string_view name) {
  for (const auto& [type, known] : kTypes) {
    if (name == known) return type;
  }
  return std::nullopt;
}

std::vector<Tree> trees_of(const std::vector<fs::path>& folders) {
  std::map<fs::path, std::string> repos;
  std::set<std::string> taken;
  std::vector<Tree> trees;
  for (const fs::path& folder : folders) {
    fs::path root = normalised(folder);
    if (sample::is_sample(root)) root = root.parent_path();
    if (repos.count(root) == 0) {
      const std::string name = root.filename().string();
      std::string repo = name;
      for (int number = 2; !taken.insert(repo).second; ++number) {
        repo = name + "-" + std::to_string(number);
      }
      repos[root] = repo;
    }
    trees.push_back({root, repos[root]});
  }
  return trees;
}

Result<Entry> read_entry(const Tree& tree, const fs::path& folder, std::optional<SampleType> type) {
  Entry entry;
  entry.folder = normalised(folder);
  entry.repo = tree.repo;
  place(tree, entry.folder, type, entry);
  GN_ASSIGN_OR_RETURN(const sample::Sample sample, sample::load_sample(folder));
  entry.samples_path = "samples/" + sample.name;
  for (split::Operator& one : split::operators_of(sample.program)) {
    entry.op_names.push_back(std::move(one.name));
  }
  entry.tensors = tensors_of(sample.metas);
  GN_ASSIGN_OR_RETURN(entry.origin, origin_of(entry.folder));
  entry.type = type.value_or(default_type(entry));
  entry.data_type = data_type_of(entry);
  entry.graph_hash = stored_hash(folder);
  const std::string key = entry.repo + "\n" + type_name(entry.type) + "\n" + entry.relative_path;
  entry.uid = base::sha256_hex(key.data(), key.size()).substr(0, 32);
  return entry;
}

void sort_entries(std::vector<Entry>& entries) {
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.type, a.relative_path, a.repo) < std::tie(b.type, b.relative_path, b.repo);
  });
}

}  // namespace graphnet::index
