// SPDX-License-Identifier: MIT
#include "sample/sample.h"

#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "base/file.h"
#include "base/json.h"
#include "base/log.h"
#include "base/sha256.h"
#include "sample/lexer.h"
#include "sample/outline.h"
#include "sample/parameter_kind.h"
#include "sample/parser.h"

namespace graphnet::sample {

namespace {

namespace fs = std::filesystem;
using base::Code;
using base::Result;
using base::Status;

constexpr std::uint64_t kMaxJsonBytes = std::uint64_t{1} << 20;

/// Absolute, without "." and "..", without a final separator.
fs::path normalised(const fs::path& folder) {
  std::error_code ignored;
  fs::path path = fs::absolute(folder, ignored).lexically_normal();
  return path.has_filename() ? path : path.parent_path();
}

/// "subgraph" or "subgraph_<digits>": the name of a piece, not of a model.
bool is_subgraph_name(std::string_view name) {
  constexpr std::string_view kWord = "subgraph";
  if (name.substr(0, kWord.size()) != kWord) return false;
  name.remove_prefix(kWord.size());
  if (name.empty()) return true;
  return name.size() > 1 && name[0] == '_' &&
         std::all_of(name.begin() + 1, name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

Result<base::Json> read_labels(const fs::path& folder) {
  const fs::path path = folder / "graph_net.json";
  GN_ASSIGN_OR_RETURN(const std::string text, base::read_file(path, kMaxJsonBytes));
  GN_ASSIGN_OR_RETURN(base::Json json, base::parse_json(text, path.string()));
  if (!json.is_object()) return Status(Code::kInput, path.string() + ": not a JSON object");
  return json;
}

Result<std::string> read_model_name(const fs::path& folder) {
  GN_ASSIGN_OR_RETURN(const base::Json json, read_labels(folder));
  const auto found = json.find("model_name");
  if (found != json.end() && found->is_string()) return found->get<std::string>();
  const fs::path model = normalised(folder);
  const std::string last = model.filename().string();
  return is_subgraph_name(last) ? model.parent_path().filename().string() : last;
}

std::string digest_of(const std::vector<const std::string*>& texts) {
  base::Sha256 digest;
  for (const std::string* text : texts) {
    const std::string header = std::to_string(text->size()) + "\n";
    digest.update(header.data(), header.size());
    digest.update(text->data(), text->size());
  }
  return digest.finish();
}

/// The files that decide what a sample is.
struct Sources {
  std::string model;
  std::string weights;
};

Result<Sources> read_sources(const fs::path& folder) {
  Sources sources;
  GN_ASSIGN_OR_RETURN(sources.model, base::read_file(folder / "model.py", kMaxSourceBytes));
  GN_ASSIGN_OR_RETURN(sources.weights, base::read_file(folder / "weight_meta.py", kMaxSourceBytes));
  return sources;
}

/// Walks a tree without recursion; each folder once, however many links lead to it.
class Discovery {
 public:
  void walk(const fs::path& root) {
    pending_.push_back(root);
    while (!pending_.empty()) {
      const fs::path folder = std::move(pending_.back());
      pending_.pop_back();
      visit(folder);
    }
    std::sort(samples_.begin(), samples_.end());
  }

  std::vector<fs::path>& samples() { return samples_; }
  const std::vector<std::string>& unreadable() const { return unreadable_; }

 private:
  void visit(const fs::path& folder) {
    struct stat state = {};
    if (::stat(folder.c_str(), &state) != 0) return;
    if (!seen_.emplace(state.st_dev, state.st_ino).second) return;
    if (is_sample(folder)) {
      samples_.push_back(folder);
      return;
    }
    std::error_code error;
    fs::directory_iterator entry(folder, error);
    std::vector<fs::path> below;
    while (!error && entry != fs::directory_iterator()) {
      std::error_code unknown;
      if (entry->is_directory(unknown)) below.push_back(entry->path());
      entry.increment(error);
    }
    if (error) unreadable_.push_back(folder.string() + ": " + error.message());
    // Descending, so that the smallest is taken first: of two links to one folder the same wins.
    std::sort(below.rbegin(), below.rend());
    pending_.insert(pending_.end(), below.begin(), below.end());
  }

  std::vector<fs::path> pending_;
  std::vector<fs::path> samples_;
  std::vector<std::string> unreadable_;
  std::set<std::pair<dev_t, ino_t>> seen_;
};

/// Decides what the parameters are by the metadata of their names; generate_arguments() reports
/// what has none.
void assign_kinds(const std::vector<TensorMeta>& metas, graph::Program& program) {
  std::unordered_map<std::string_view, const TensorMeta*> by_name;
  for (const TensorMeta& meta : metas) by_name.emplace(meta.name, &meta);
  for (graph::Parameter& parameter : program.parameters) {
    const auto found = by_name.find(parameter.name);
    if (found == by_name.end()) continue;
    parameter.kind = parameter_kind(parameter.annotation, *found->second);
  }
}

}  // namespace

Result<Sample> load_sample(const fs::path& folder) {
  Sample sample;
  sample.folder = folder;
  sample.name = sample_name(folder);
  sample.family = sample.name.substr(0, sample.name.find('/'));
  GN_ASSIGN_OR_RETURN(sample.model_name, read_model_name(folder));
  GN_ASSIGN_OR_RETURN(const Sources sources, read_sources(folder));
  sample.content_sha256 = digest_of({&sources.model, &sources.weights});
  GN_ASSIGN_OR_RETURN(sample.program, parse_model(sources.model, (folder / "model.py").string()));
  GN_ASSIGN_OR_RETURN(sample.metas,
                      parse_tensor_meta(sources.weights, (folder / "weight_meta.py").string()));
  assign_kinds(sample.metas, sample.program);
  return sample;
}

Result<Outline> read_outline(const fs::path& folder) {
  GN_ASSIGN_OR_RETURN(const Sources sources, read_sources(folder));
  Outline outline;
  outline.content_sha256 = digest_of({&sources.model, &sources.weights});
  outline.program_lines = std::count(sources.model.begin(), sources.model.end(), '\n');
  GN_ASSIGN_OR_RETURN(const std::vector<TensorMeta> metas,
                      parse_tensor_meta(sources.weights, (folder / "weight_meta.py").string()));
  for (const TensorMeta& meta : metas) {
    outline.argument_elements += base::num_elements(meta.shape).value_or(0);
  }
  return outline;
}

std::string category_of(const fs::path& folder) {
  const Result<base::Json> labels = read_labels(folder);
  if (!labels.is_ok()) return "";
  const auto found = labels->find("heuristic_tag");
  return found != labels->end() && found->is_string() ? found->get<std::string>() : "";
}

bool is_sample(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_regular_file(folder / "graph_net.json", ignored) &&
         fs::is_regular_file(folder / "model.py", ignored);
}

Result<std::vector<fs::path>> discover(const fs::path& root) {
  std::error_code error;
  if (!fs::is_directory(root, error)) {
    const std::string reason = error ? error.message() : "not a folder";
    return Status(Code::kInput, "cannot look for samples in '" + root.string() + "': " + reason);
  }
  Discovery discovery;
  discovery.walk(root);
  if (discovery.samples().empty()) {
    Status none(Code::kInput, "no sample at or below '" + root.string() +
                                  "' (a sample is a folder with graph_net.json and model.py)");
    for (const std::string& line : discovery.unreadable()) none.add_context("cannot read " + line);
    return none;
  }
  for (const std::string& line : discovery.unreadable()) {
    base::log(base::LogLevel::kWarning, "sample", "cannot look for samples in " + line);
  }
  return std::move(discovery.samples());
}

std::string sample_name(const fs::path& folder) {
  const fs::path path = normalised(folder);
  const std::vector<fs::path> parts(path.begin(), path.end());
  const std::size_t count = parts.size();
  std::size_t first = count > 2 ? count - 2 : 0;
  for (std::size_t i = count; i-- > 1;) {
    if (parts[i - 1] != "samples") continue;
    first = i;
    break;
  }
  fs::path name;
  for (std::size_t i = first; i < count; ++i) {
    if (parts[i].has_relative_path()) name /= parts[i];
  }
  return name.generic_string();
}

}  // namespace graphnet::sample
