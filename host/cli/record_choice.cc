// SPDX-License-Identifier: MIT
#include "cli/record_choice.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/field_reader.h"
#include "base/suggestion.h"
#include "base/text.h"
#include "cli/sample_names.h"
#include "journal/repetition.h"

namespace graphnet::cli {

using base::Code;
using base::Json;
using base::Result;
using base::Status;
using journal::JournalContent;
using record::Record;

namespace {

constexpr std::size_t kMaxShown = 8;

bool fits(const Record& record, const RecordChoice& choice) {
  const auto& sample = choice.sample;
  const auto& backend = choice.backend;
  return (!sample || means_sample(*sample, record.sample)) &&
         (!backend || record.plugin_variant == *backend || record.plugin == *backend);
}

/// What the header of a journal, or of one it was merged of, says of the machine of a run.
Json host_of(const Json& header, const std::string& run_id) {
  const auto merged = header.find("merged");
  if (merged != header.end() && merged->is_array()) {
    for (const Json& source : *merged) {
      Json host = source.is_object() ? host_of(source, run_id) : Json();
      if (!host.empty()) return host;
    }
  }
  std::string id;
  base::FieldReader fields(header);
  const Json* host = fields.read("run_id", id).object("host");
  return host != nullptr && id == run_id ? *host : Json::object();
}

Record with_machine(const JournalContent& journal, Record record) {
  const Json host = host_of(journal.header, record.run_id);
  Json environment = part_to_json(record.environment);
  for (const auto& [key, value] : host.items()) {
    if (!environment.contains(key)) environment[key] = value;
  }
  record.environment = record::part_from_json<record::Environment>(std::move(environment));
  return record;
}

struct Candidate {
  const JournalContent* journal = nullptr;
  const Record* record = nullptr;

  auto rank() const {
    return std::make_tuple(!record::leaves_open(record->outcome, record->phase), record->attempt,
                           record->time_utc);
  }
};

/// The record of each task that counts, by key.
std::vector<Candidate> candidates(const std::vector<JournalContent>& journals,
                                  const RecordChoice& choice) {
  std::vector<Candidate> found;
  std::map<std::string, std::size_t> by_key;
  for (const JournalContent& journal : journals) {
    for (const Record& record : journal.records) {
      if (!fits(record, choice)) continue;
      const Candidate candidate = {&journal, &record};
      const auto known = by_key.find(record.task_key);
      if (!record.task_key.empty() && known != by_key.end()) {
        Candidate& other = found[known->second];
        if (other.rank() < candidate.rank()) other = candidate;
        continue;
      }
      by_key[record.task_key] = found.size();
      found.push_back(candidate);
    }
  }
  return found;
}

Status too_many(std::vector<Candidate> found, std::size_t num_pairs) {
  std::stable_partition(found.begin(), found.end(),
                        [](const Candidate& candidate) { return !candidate.record->is_ok(); });
  Status error(Code::kUsage, std::to_string(num_pairs) + " pairs of sample and backend fit");
  error.add_hint("choose one with --sample and --backend, such as");
  for (std::size_t i = 0; i < std::min(found.size(), kMaxShown); ++i) {
    const Record& record = *found[i].record;
    error.add_hint(
        base::shell_command({"--sample", record.sample, "--backend", record.backend_name()}) +
        "    " + journal::end_of(record));
  }
  return error;
}

Status none_fits(const std::vector<JournalContent>& journals, const RecordChoice& choice) {
  std::set<std::string> samples;
  std::set<std::string> backends;
  for (const JournalContent& journal : journals) {
    for (const Record& record : journal.records) {
      samples.insert(record.sample);
      backends.insert(record.backend_name());
    }
  }
  if (samples.empty()) return Status(Code::kInput, "the results hold no record");
  Status error(Code::kInput, "no record of " +
                                 (choice.sample ? "sample '" + *choice.sample + "'" : "a sample") +
                                 (choice.backend ? " with backend '" + *choice.backend + "'" : ""));
  if (choice.sample)
    base::add_suggestion(error, *choice.sample, names_and_ends({samples.begin(), samples.end()}));
  if (choice.backend)
    base::add_suggestion(error, *choice.backend, {backends.begin(), backends.end()});
  return error.add_hint("backends: " + base::join({backends.begin(), backends.end()}, ", "));
}

}  // namespace

Result<Record> choose_record(const std::vector<JournalContent>& journals,
                             const RecordChoice& choice) {
  std::vector<Candidate> found = candidates(journals, choice);
  if (found.empty()) return none_fits(journals, choice);
  const auto is_whole_name = [&](const Candidate& candidate) {
    return choice.sample && candidate.record->sample == *choice.sample;
  };
  if (std::any_of(found.begin(), found.end(), is_whole_name)) {
    found.erase(std::remove_if(found.begin(), found.end(),
                               [&](const Candidate& one) { return !is_whole_name(one); }),
                found.end());
  }
  std::set<std::pair<std::string, std::string>> pairs;
  for (const Candidate& one : found) pairs.insert({one.record->sample, one.record->backend_name()});
  if (pairs.size() > 1) return too_many(std::move(found), pairs.size());
  const Candidate& latest =
      *std::max_element(found.begin(), found.end(), [](const Candidate& a, const Candidate& b) {
        return a.record->time_utc < b.record->time_utc;
      });
  return with_machine(*latest.journal, *latest.record);
}

}  // namespace graphnet::cli
