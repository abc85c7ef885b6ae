// SPDX-License-Identifier: MIT
#include "cli/evaluation_folder.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

#include "base/field_reader.h"
#include "base/file.h"
#include "base/sha256.h"
#include "base/text.h"
#include "cli/score_text.h"
#include "report/html_page.h"
#include "report/read_report.h"
#include "report/text_report.h"
#include "score/read_results.h"
#include "score/score_set.h"

namespace graphnet::cli {

namespace fs = std::filesystem;
using base::Code;
using base::Json;
using base::Result;
using base::Status;

namespace {

constexpr const char* kSchemaFamily = "graphnet.evaluation";
constexpr int kNewestSchema = 1;
/// What a machine is known by; load and the like differ from run to run.
constexpr const char* kMachineKeys[] = {"host_hash", "cpu_model", "cores_online", "memory_bytes",
                                        "kernel"};

/// Appends those of `from` whose key is not there yet.
template <typename Element, typename KeyOf>
void add_new(const std::vector<Element>& from, const KeyOf& key_of, std::vector<Element>& to) {
  std::set<std::string> known;
  for (const Element& element : to) known.insert(key_of(element));
  for (const Element& element : from) {
    if (known.insert(key_of(element)).second) to.push_back(element);
  }
}

Status read_tasks(const Json& json, std::vector<Evaluation::Task>& tasks) {
  if (!json.contains("tasks") || !json["tasks"].is_array()) {
    return Status(Code::kInput, "'tasks' is missing or no list");
  }
  for (const Json& each : json["tasks"]) {
    Evaluation::Task task;
    base::FieldReader reader(each, "tasks");
    reader.require("key").read("key", task.key).require("sample").read("sample", task.sample);
    reader.require("backend").read("backend", task.backend);
    GN_RETURN_IF_ERROR(reader.status());
    tasks.push_back(std::move(task));
  }
  return Status::ok();
}

Status read_machines(const Json& json, std::vector<Json>& machines) {
  const auto found = json.find("machines");
  if (found == json.end()) return Status::ok();
  if (!found->is_array()) return Status(Code::kInput, "'machines' is no list");
  for (const Json& each : *found) {
    std::string host;
    base::FieldReader reader(each, "machines");
    GN_RETURN_IF_ERROR(reader.read("host_hash", host).status());
    machines.push_back(each);
  }
  return Status::ok();
}

/// The report as everybody gets it, wherever the folder lies.
Result<report::Report> read_results_report(const fs::path& folder, journal::JournalDepth depth) {
  report::ReadReportSettings settings;
  settings.depth = depth;
  GN_ASSIGN_OR_RETURN(report::Report report,
                      report::read_report({folder / kResultsFile}, settings));
  for (auto& [name, value] : report.facts) {
    if (name == "results") value = kResultsFile;
  }
  return report;
}

}  // namespace

Json machine_of(const Json& environment) {
  Json machine = Json::object();
  for (const char* key : kMachineKeys) {
    if (environment.contains(key)) machine[key] = environment[key];
  }
  return machine;
}

std::string host_hash_of(const Json& machine) {
  std::string host;
  base::FieldReader(machine).read("host_hash", host);
  return host;
}

void Evaluation::add(const Evaluation& other) {
  graphnet = other.graphnet;
  add_new(
      other.commands, [](const std::string& command) { return command; }, commands);
  add_new(
      other.tasks, [](const Task& task) { return task.key; }, tasks);
  add_new(other.machines, host_hash_of, machines);
  std::stable_sort(tasks.begin(), tasks.end(),
                   [](const Task& a, const Task& b) { return a.sample < b.sample; });
}

Result<Evaluation> read_evaluation(const fs::path& folder) {
  const fs::path file = folder / kEvaluationFile;
  const auto text = base::read_file(file, kMaxEvaluationBytes);
  if (!text.is_ok()) {
    return Status(Code::kInput, "'" + folder.string() + "' is no evaluation: it has no readable " +
                                    kEvaluationFile)
        .add_hint("graphnet evaluate --help: how one is made");
  }
  const auto wrong = [&](const Status& status) {
    return Status(Code::kInput, "'" + file.string() + "' cannot be read: " + status.message());
  };
  const auto json = base::parse_json(*text, file.string());
  if (!json.is_ok()) return wrong(json.status());
  const Status schema = base::check_schema(*json, kSchemaFamily, kNewestSchema);
  if (!schema.is_ok()) return wrong(schema);
  Evaluation evaluation;
  base::FieldReader reader(*json);
  reader.require("graphnet").read("graphnet", evaluation.graphnet);
  reader.require("commands").read("commands", evaluation.commands);
  if (!reader.status().is_ok()) return wrong(reader.status());
  const Status tasks = read_tasks(*json, evaluation.tasks);
  if (!tasks.is_ok()) return wrong(tasks);
  const Status machines = read_machines(*json, evaluation.machines);
  if (!machines.is_ok()) return wrong(machines);
  return evaluation;
}

Status write_evaluation(const fs::path& folder, const Evaluation& evaluation) {
  Json json = {{"schema", std::string(kSchemaFamily) + "/" + std::to_string(kNewestSchema)},
               {"graphnet", evaluation.graphnet},
               {"commands", evaluation.commands},
               {"machines", evaluation.machines},
               {"tasks", Json::array()}};
  for (const Evaluation::Task& task : evaluation.tasks) {
    json["tasks"].push_back(
        {{"key", task.key}, {"sample", task.sample}, {"backend", task.backend}});
  }
  return base::write_file_atomic(folder / kEvaluationFile, base::dump_json(json, 1) + "\n");
}

Result<std::map<std::string, std::string>> derive_files(const fs::path& folder) {
  std::map<std::string, std::string> files;
  GN_ASSIGN_OR_RETURN(const report::Report brief,
                      read_results_report(folder, journal::JournalDepth::kBrief));
  files["report.md"] = report::markdown_report(brief);
  files["results.csv"] = report::csv_report(brief);
  GN_ASSIGN_OR_RETURN(const report::Report whole,
                      read_results_report(folder, journal::JournalDepth::kAll));
  files["report.html"] = report::html_page(whole);
  GN_ASSIGN_OR_RETURN(score::Results results, score::read_results({folder / kResultsFile}, {}));
  GN_ASSIGN_OR_RETURN(const score::ScoreSet scores, score::score_rows(std::move(results.rows), {}));
  files["scores.json"] = base::dump_json(score_json(scores)) + "\n";
  return files;
}

Status finish_folder(const fs::path& folder) {
  GN_ASSIGN_OR_RETURN(const auto derived, derive_files(folder));
  std::vector<std::string> names = {kEvaluationFile, kResultsFile};
  for (const auto& [name, content] : derived) {
    GN_RETURN_IF_ERROR(base::write_file_atomic(folder / name, content));
    names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  std::string digests;
  for (const std::string& name : names) {
    GN_ASSIGN_OR_RETURN(const std::string digest, digest_of(folder / name));
    digests += digest + "  " + name + "\n";
  }
  return base::write_file_atomic(folder / kDigestsFile, digests);
}

Result<std::map<std::string, std::string>> read_digests(const fs::path& folder) {
  constexpr std::size_t kDigits = 64;
  GN_ASSIGN_OR_RETURN(const std::string text,
                      base::read_file(folder / kDigestsFile, kMaxEvaluationBytes));
  std::map<std::string, std::string> digests;
  for (const std::string& line : base::split(text, '\n')) {
    if (line.empty()) continue;
    const bool is_right = line.size() > kDigits + 2 && line.substr(kDigits, 2) == "  " &&
                          line.find_first_not_of("0123456789abcdef") == kDigits &&
                          line.find('/') == std::string::npos;
    if (!is_right) {
      return Status(Code::kInput, std::string(kDigestsFile) + " has the line '" + line + "'");
    }
    digests[line.substr(kDigits + 2)] = line.substr(0, kDigits);
  }
  return digests;
}

Result<std::string> digest_of(const fs::path& file) {
  GN_ASSIGN_OR_RETURN(const std::string bytes, base::read_file(file, kMaxEvaluationBytes));
  return base::sha256_hex(bytes.data(), bytes.size());
}

}  // namespace graphnet::cli
