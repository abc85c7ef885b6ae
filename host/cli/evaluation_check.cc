// SPDX-License-Identifier: MIT
#include "cli/evaluation_check.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/field_reader.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/evaluation_folder.h"
#include "cli/record_check.h"
#include "cli/version_text.h"
#include "journal/checked_line.h"
#include "journal/journal_lines.h"

namespace graphnet::cli {

namespace fs = std::filesystem;
using base::Json;
using base::Result;
using base::Status;
using record::Record;

namespace {

/// Sentences of reports that depend on the version; figures do not.
bool is_wording(const std::string& file) {
  return file == "report.md" || file == "report.html";
}

/// The first line in which two texts differ, from 1 on.
std::size_t differing_line(const std::string& a, const std::string& b) {
  const auto common = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first;
  return 1 + static_cast<std::size_t>(std::count(a.begin(), common, '\n'));
}

class Checker {
 public:
  Checker(const fs::path& folder, const Evaluation& evaluation)
      : folder_(folder), evaluation_(evaluation) {
    check_.num_tasks = evaluation.tasks.size();
    for (const Evaluation::Task& task : evaluation.tasks) tasks_[task.key] = &task;
    for (const Json& machine : evaluation.machines) machines_.insert(host_hash_of(machine));
  }

  void check_files();
  void check_records();
  void check_derived();
  EvaluationCheck finish() { return std::move(check_); }

 private:
  void find(std::string file, std::string what) {
    check_.findings.push_back({std::move(file), std::move(what)});
  }
  Status check_line(std::string_view line, std::size_t number);
  void check_record(const Record& record, const std::string& where);
  void check_missing();

  const fs::path& folder_;
  const Evaluation& evaluation_;
  std::map<std::string, const Evaluation::Task*> tasks_;  // by key
  std::set<std::string> machines_;                        // their host_hash
  std::set<std::string> found_;                           // keys of records
  std::map<std::string, Json> hosts_;                     // of headers, by run
  EvaluationCheck check_;
};

void Checker::check_files() {
  const auto digests = read_digests(folder_);
  if (!digests.is_ok()) {
    find(kDigestsFile, "it cannot be read: " + digests.status().message() +
                           "; an evaluation that did not end has none");
    return;
  }
  check_.num_files = digests->size();
  for (const auto& [name, digest] : *digests) {
    const auto there = digest_of(folder_ / name);
    if (!there.is_ok()) {
      find(name, "it is missing or cannot be read");
    } else if (*there != digest) {
      find(name, "it is not the file that was written: its SHA-256 differs");
    }
  }
  for (const char* name : {kEvaluationFile, kResultsFile}) {
    if (digests->count(name) == 0) find(kDigestsFile, std::string("it does not list ") + name);
  }
  std::error_code error;
  fs::directory_iterator entry(folder_, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name != kDigestsFile && digests->count(name) == 0) {
      find(name, "it belongs to no evaluation: " + std::string(kDigestsFile) + " does not list it");
    }
  }
}

void Checker::check_record(const Record& record, const std::string& where) {
  ++check_.num_records;
  found_.insert(record.task_key);
  const std::string name = record.sample + " with " + record.backend_name() + ": ";
  const auto host = hosts_.find(record.run_id);
  for (const std::string& what :
       contradictions(record, host == hosts_.end() ? Json::object() : host->second)) {
    find(where, name + what);
  }
  const auto task = tasks_.find(record.task_key);
  if (task == tasks_.end()) {
    find(where, name + "no task of this evaluation has its key");
  } else if (task->second->sample != record.sample ||
             task->second->backend != record.backend_name()) {
    find(where,
         name + "its key is that of " + task->second->sample + " with " + task->second->backend);
  }
  const Json* const machine = record.environment.rest.find("host_hash");
  if (machine != nullptr && machines_.count(base::text_of(*machine)) == 0) {
    find(where, name + "it was measured on machine " + base::text_of(*machine) +
                    ", which is not one of " + kEvaluationFile);
  }
}

Status Checker::check_line(std::string_view line, std::size_t number) {
  const std::string where = journal::line_of(kResultsFile, number);
  const auto json = base::parse_json(journal::without_check(line), where);
  if (!json.is_ok() || !json->is_object()) {
    find(where, "it is no record");
    return Status::ok();
  }
  std::string schema;
  base::FieldReader(*json).read("schema", schema);
  if (schema.rfind("graphnet.record/", 0) != 0) return Status::ok();
  const auto record = record::record_from_json(*json);
  if (record.is_ok()) {
    check_record(*record, where);
  } else {
    find(where, record.status().message());
  }
  return Status::ok();
}

void Checker::check_missing() {
  std::size_t count = 0;
  std::string first;
  for (const Evaluation::Task& task : evaluation_.tasks) {
    if (found_.count(task.key) != 0) continue;
    if (++count == 1) first = task.sample + " with " + task.backend;
  }
  if (count == 0) return;
  find(kResultsFile, base::counted(count, "task") + " of " + std::to_string(check_.num_tasks) +
                         " " + (count == 1 ? "has" : "have") + " no record, " + first + " first");
}

void Checker::check_records() {
  const fs::path file = folder_ / kResultsFile;
  // The header comes first, and records need it.
  const auto head =
      journal::visit_journal(file, [](std::string_view, std::size_t) { return Status::ok(); });
  if (head.is_ok()) {
    const auto keep = [this](const Json& header) {
      std::string run_id;
      base::FieldReader reader(header);
      const Json* const host = reader.read("run_id", run_id).object("host");
      if (host != nullptr && reader.status().is_ok()) hosts_[run_id] = *host;
    };
    keep(head->header);
    const auto merged = head->header.find("merged");
    if (merged != head->header.end() && merged->is_array()) {
      for (const Json& each : *merged) keep(each);
    }
  }
  const auto read = journal::visit_journal(
      file, [this](std::string_view line, std::size_t number) { return check_line(line, number); });
  if (!read.is_ok()) {
    find(kResultsFile, read.status().message());
    return;
  }
  for (const std::string& note : read->notes) find(kResultsFile, note);
  check_missing();
}

void Checker::check_derived() {
  const auto derived = derive_files(folder_);
  if (!derived.is_ok()) {
    find(kResultsFile, "no report can be made of it: " + derived.status().message());
    return;
  }
  const bool is_other_version = evaluation_.graphnet != version_number();
  for (const auto& [name, content] : *derived) {
    if (is_other_version && is_wording(name)) continue;
    const auto there = base::read_file(folder_ / name, kMaxEvaluationBytes);
    if (!there.is_ok()) {
      find(name, "it is missing or cannot be read");
    } else if (*there != content) {
      find(journal::line_of(name, differing_line(*there, content)),
           "it is not what the records give");
    }
  }
  if (is_other_version) {
    check_.notes.push_back("report.md and report.html were not compared: version " +
                           evaluation_.graphnet + " wrote them, and this is " + version_number());
  }
}

}  // namespace

Result<EvaluationCheck> check_evaluation(const fs::path& folder) {
  GN_ASSIGN_OR_RETURN(const Evaluation evaluation, read_evaluation(folder));
  Checker checker(folder, evaluation);
  checker.check_files();
  checker.check_records();
  checker.check_derived();
  return checker.finish();
}

}  // namespace graphnet::cli
