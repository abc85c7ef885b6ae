// SPDX-License-Identifier: MIT
#include "journal/merge.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "base/device_name.h"
#include "base/file.h"
#include "base/sha256.h"
#include "base/text.h"
#include "journal/checked_line.h"
#include "journal/control.h"
#include "journal/journal_file.h"
#include "journal/journal_lines.h"
#include "record/record.h"

namespace graphnet::journal {

namespace {

using base::Json;
using base::Result;
using base::Status;

/// A record as a line, with what decides where it stands and whether it stays.
struct Candidate {
  bool settles = false;
  int attempt = 1;
  std::string time_utc;
  std::string text;  ///< without check
  std::string sample;
  std::string plugin;

  /// Greater wins.
  auto rank() const { return std::tie(settles, attempt, time_utc, text); }
};

/// Versions of one thing, by a name that says what it is: "plugin acme" to its builds.
using Versions = std::map<std::string, std::set<std::string>>;

std::string short_hash(const std::string& sha256) {
  constexpr std::size_t kShown = 8;
  return sha256.empty() ? "unknown" : sha256.substr(0, kShown);
}

class Merger {
 public:
  Status add(const std::filesystem::path& path) {
    GN_ASSIGN_OR_RETURN(
        JournalHead head,
        visit_journal(path, [&](std::string_view line, std::size_t) { return add_line(line); }));
    add_header(head.header);
    result_.notes.insert(result_.notes.end(), head.notes.begin(), head.notes.end());
    return Status::ok();
  }

  Merged finish() {
    Json header = Json::object();
    header["schema"] = kJournalFamily + ("/" + std::to_string(kNewestJournalSchema));
    header["record_schema"] = record::kRecordSchema;
    header["merged"] = Json::array();
    for (const auto& [text, source] : headers_) header["merged"].push_back(source);
    result_.text = with_check(base::dump_json(header)) + "\n";
    for (const auto& [time, text] : controls_) result_.text += with_check(text) + "\n";
    std::vector<std::pair<const std::string*, const Candidate*>> records;
    for (const auto& [key, candidate] : records_) records.emplace_back(&key, &candidate);
    std::sort(records.begin(), records.end(), [](const auto& a, const auto& b) {
      return std::tie(a.second->sample, a.second->plugin, a.second->time_utc, *a.first) <
             std::tie(b.second->sample, b.second->plugin, b.second->time_utc, *b.first);
    });
    for (const auto& record : records) result_.text += with_check(record.second->text) + "\n";
    result_.num_records = records.size();
    for (const auto& [thing, versions] : versions_) {
      if (versions.size() < 2) continue;
      result_.conflicts.push_back(
          thing + ": " + std::to_string(versions.size()) + " versions (" +
          base::join(std::vector<std::string>(versions.begin(), versions.end()), ", ") + ")");
    }
    return std::move(result_);
  }

 private:
  /// A merged journal stands for those it was made of.
  void add_header(const Json& header) {
    const auto merged = header.find("merged");
    if (merged == header.end() || !merged->is_array()) {
      headers_.emplace(base::dump_json(header), header);
      return;
    }
    for (const Json& source : *merged) headers_.emplace(base::dump_json(source), source);
  }

  Status add_line(std::string_view line) {
    GN_ASSIGN_OR_RETURN(const Json json, base::parse_json(line, "record"));
    std::string text = without_check(line);
    if (is_control(json)) {
      GN_ASSIGN_OR_RETURN(const Control control, control_from_json(json));
      controls_.emplace(control.time_utc, std::move(text));
      return Status::ok();
    }
    GN_ASSIGN_OR_RETURN(const record::Record record, record::record_from_json(json));
    note_versions(record);
    add_record(record, std::move(text));
    return Status::ok();
  }

  void add_record(const record::Record& record, std::string text) {
    Candidate candidate;
    candidate.settles = !record::leaves_open(record.outcome, record.phase);
    candidate.attempt = record.attempt;
    candidate.time_utc = record.time_utc;
    candidate.sample = record.sample;
    candidate.plugin = record.plugin;
    const std::string key =
        record.task_key.empty() ? base::sha256_hex(text.data(), text.size()) : record.task_key;
    candidate.text = std::move(text);
    const auto [found, is_new] = records_.try_emplace(key, std::move(candidate));
    if (is_new) return;
    ++result_.num_duplicates;
    if (found->second.rank() < candidate.rank()) found->second = std::move(candidate);
  }

  void note_versions(const record::Record& record) {
    versions_["plugin " + record.plugin].insert(record.plugin_version + " " +
                                                short_hash(record.plugin_sha256));
    versions_["options of " + record.plugin].insert(base::dump_json(record.plugin_options));
    if (!record.sample_sha256.empty()) {
      versions_["sample " + record.sample].insert(short_hash(record.sample_sha256));
    }
    versions_["protocol of " + record.plugin].insert(record.protocol);
    versions_["device of " + record.plugin].insert(base::device_kind(record.device));
    versions_["math policy"].insert(record.math.text());
    versions_["graphnet"].insert(record.graphnet.empty() ? "unknown" : record.graphnet);
    const std::string& hardware = record.environment.hardware_class;
    if (!hardware.empty()) versions_["hardware"].insert(hardware);
  }

  std::map<std::string, Json> headers_;  // by text
  std::set<std::pair<std::string, std::string>> controls_;
  std::map<std::string, Candidate> records_;  // by key
  Versions versions_;
  Merged result_;
};

}  // namespace

Result<Merged> merge_journals(const std::vector<std::filesystem::path>& inputs) {
  Merger merger;
  for (const auto& path : inputs) GN_RETURN_IF_ERROR(merger.add(path));
  return merger.finish();
}

Result<Merged> merge_into(const std::filesystem::path& output,
                          std::vector<std::filesystem::path> inputs) {
  std::error_code ignored;
  std::optional<JournalFile> lock;
  if (std::filesystem::exists(output, ignored)) {
    GN_ASSIGN_OR_RETURN(JournalFile opened, JournalFile::open(output, Json::object()));
    lock.emplace(std::move(opened));
    inputs.push_back(output);
  } else if (output.has_parent_path()) {
    std::filesystem::create_directories(output.parent_path(), ignored);
  }
  GN_ASSIGN_OR_RETURN(Merged merged, merge_journals(inputs));
  GN_RETURN_IF_ERROR(base::write_file_atomic(output, merged.text));
  return merged;
}

}  // namespace graphnet::journal
