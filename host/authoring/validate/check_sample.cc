// SPDX-License-Identifier: MIT
#include "validate/check_sample.h"

#include <algorithm>
#include <optional>
#include <system_error>

#include "base/file.h"
#include "base/json.h"
#include "sample/lexer.h"
#include "sample/parser.h"
#include "sample/sample.h"
#include "validate/check_metadata.h"
#include "validate/constraints.h"
#include "validate/program_hash.h"
#include "validate/subgraph_sources.h"

namespace graphnet::validate {

namespace {

namespace fs = std::filesystem;
using base::Json;
using base::Result;
using base::Status;

constexpr const char* kFiles[] = {"model.py",       "weight_meta.py",
                                  "input_meta.py",  "input_tensor_constraints.py",
                                  "graph_net.json", "graph_hash.txt"};

/// Checks one folder; each step adds to the findings and to what later steps need.
class Check {
 public:
  explicit Check(const fs::path& folder) {
    checked_.folder = folder;
    checked_.name = sample::sample_name(folder);
  }

  CheckedSample take() {
    check_name();
    for (const char* file : kFiles) {
      if (!has(file)) add(FindingKind::kMissingFile, file, "it is not there");
    }
    check_labels();
    check_sources();
    check_hash();
    read_program();
    read_metadata();
    check_constraints();
    if (program_ && metas_) check_metadata(*program_, *metas_, checked_.findings);
    return std::move(checked_);
  }

 private:
  void check_name();
  void check_labels();
  void check_sources();
  void check_hash();
  void read_program();
  void read_metadata();
  void check_constraints();

  void add(FindingKind kind, const char* file, const std::string& message) {
    checked_.findings.push_back({kind, file, message});
  }
  bool has(const char* file) const {
    std::error_code ignored;
    return fs::is_regular_file(checked_.folder / file, ignored);
  }
  /// Nothing for a file that is not there or cannot be read; the latter is a finding.
  std::optional<std::string> read(FindingKind kind, const char* file);
  std::optional<Json> read_json(FindingKind kind, const char* file);

  CheckedSample checked_;
  std::optional<graph::Program> program_;
  std::optional<std::vector<sample::TensorMeta>> metas_;
};

std::optional<std::string> Check::read(FindingKind kind, const char* file) {
  if (!has(file)) return std::nullopt;
  Result<std::string> text = base::read_file(checked_.folder / file, sample::kMaxSourceBytes);
  if (text.is_ok()) return std::move(*text);
  add(kind, file, text.status().message());
  return std::nullopt;
}

std::optional<Json> Check::read_json(FindingKind kind, const char* file) {
  const std::optional<std::string> text = read(kind, file);
  if (!text) return std::nullopt;
  Result<Json> json = base::parse_json(*text, file);
  if (!json.is_ok()) add(kind, file, json.status().message());
  if (json.is_ok() && !json->is_object()) add(kind, file, "not a JSON object");
  if (!json.is_ok() || !json->is_object()) return std::nullopt;
  return std::move(*json);
}

// Upstream builds shell commands from the path.
void Check::check_name() {
  constexpr std::string_view kSplit = " \t\n\"'`$&|;<>()*?[]{}\\!";
  if (checked_.name.find_first_of(kSplit) != std::string::npos) {
    add(FindingKind::kName, "", "'" + checked_.name + "' has characters that a shell would split");
  }
}

struct LabelRow {
  const char* key;
  bool is_required;
  bool (*fits)(const Json& value);
  const char* expected;
};
bool is_count(const Json& value) {
  return value.is_number_integer() && value > 0;
}
bool is_text(const Json& value) {
  return value.is_string();
}
constexpr LabelRow kLabels[] = {
    {"framework", true, [](const Json& value) { return value == "torch"; }, "\"torch\""},
    {"num_devices_required", true, is_count, "a positive integer"},
    {"num_nodes_required", true, is_count, "a positive integer"},
    {"dynamic", false, [](const Json& value) { return value.is_boolean(); }, "true or false"},
    {"model_name", false, is_text, "a text"},
    {"source", false, is_text, "a text"},
    {"heuristic_tag", false, is_text, "a text"},
};

void Check::check_labels() {
  const std::optional<Json> labels = read_json(FindingKind::kLabels, "graph_net.json");
  if (!labels) return;
  for (const LabelRow& row : kLabels) {
    const auto found = labels->find(row.key);
    const bool is_wrong = found == labels->end() ? row.is_required : !row.fits(*found);
    if (!is_wrong) continue;
    const std::string is = found == labels->end() ? "missing" : base::dump_json(*found);
    add(FindingKind::kLabels, "graph_net.json",
        "'" + std::string(row.key) + "' is " + is + ", expected " + row.expected);
  }
}

void Check::check_sources() {
  const std::optional<std::string> text = read(FindingKind::kSources, kSourcesFile);
  if (!text) return;
  const auto sources = parse_sources(*text, kSourcesFile);
  if (!sources.is_ok()) add(FindingKind::kSources, kSourcesFile, sources.status().message());
}

void Check::check_hash() {
  std::optional<std::string> text = read(FindingKind::kHash, "graph_hash.txt");
  if (!text) return;
  while (!text->empty() && text->back() == '\n') text->pop_back();
  const bool is_hash =
      text->size() == 64 && text->find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!is_hash) add(FindingKind::kHash, "graph_hash.txt", "expected 64 hexadecimal digits");
}

void Check::read_program() {
  const std::optional<std::string> text = read(FindingKind::kModel, "model.py");
  if (!text) return;
  Result<graph::Program> program = sample::parse_model(*text, "model.py");
  if (!program.is_ok()) {
    add(FindingKind::kModel, "model.py", program.status().message());
    return;
  }
  checked_.program_hash = program_hash(*program);
  if (program->results.empty()) {
    add(FindingKind::kNoResult, "model.py", "forward() returns no tensor");
  }
  program_ = std::move(*program);
}

void Check::read_metadata() {
  for (const char* file : {"weight_meta.py", "input_meta.py"}) {
    const std::optional<std::string> text = read(FindingKind::kMetadata, file);
    if (!text) continue;
    auto metas = sample::parse_tensor_meta(*text, file);
    if (!metas.is_ok()) {
      add(FindingKind::kMetadata, file, metas.status().message());
    } else if (file == std::string_view("weight_meta.py")) {
      metas_ = std::move(*metas);
    } else if (!metas->empty()) {
      add(FindingKind::kMetadata, file,
          "upstream reads arguments from weight_meta.py only; this file has to be empty");
    }
  }
}

void Check::check_constraints() {
  constexpr const char* kFile = "input_tensor_constraints.py";
  const std::optional<std::string> text = read(FindingKind::kConstraints, kFile);
  if (!text) return;
  const auto constraints = parse_constraints(*text, kFile);
  if (!constraints.is_ok()) {
    add(FindingKind::kConstraints, kFile, constraints.status().message());
  } else if (metas_) {
    check_shapes(*constraints, *metas_, checked_.findings);
  }
}

bool has_sample_file(const fs::path& folder) {
  std::error_code ignored;
  const auto exists = [&](const char* file) { return fs::is_regular_file(folder / file, ignored); };
  return exists("model.py") || exists("weight_meta.py") || exists("graph_net.json");
}

}  // namespace

CheckedSample check_sample(const fs::path& folder) {
  return Check(folder).take();
}

Result<std::vector<fs::path>> find_folders(const fs::path& root) {
  std::error_code error;
  std::vector<fs::path> folders;
  if (fs::is_directory(root, error) && has_sample_file(root)) folders.push_back(root);
  fs::recursive_directory_iterator entry(root, fs::directory_options::skip_permission_denied,
                                         error);
  while (folders.empty() || folders.front() != root) {
    if (error || entry == fs::recursive_directory_iterator()) break;
    std::error_code ignored;
    if (entry->is_directory(ignored) && has_sample_file(entry->path())) {
      folders.push_back(entry->path());
      entry.disable_recursion_pending();
    }
    entry.increment(error);
  }
  std::sort(folders.begin(), folders.end());
  if (!folders.empty()) return folders;
  return Status(base::Code::kInput,
                "no sample at or below '" + root.string() + "'" +
                    (error ? ": " + error.message()
                           : " (a sample is a folder with graph_net.json and model.py)"));
}

}  // namespace graphnet::validate
