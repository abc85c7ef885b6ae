// SPDX-License-Identifier: MIT
#include "report/run_tally.h"

#include <algorithm>
#include <set>

#include "score/columns.h"
#include "score/evidence.h"
#include "score/record_row.h"

namespace graphnet::report {

namespace {

void count(const HeadlineResult& result, std::vector<RunTally::Outcomes>& outcomes) {
  const bool is_known = result.counting != record::Counting::kNotCounted;
  const std::string word = is_known ? result.outcome.text() : result.left_out;
  auto found = std::find_if(outcomes.begin(), outcomes.end(),
                            [&](const auto& entry) { return entry.word == word; });
  if (found == outcomes.end()) found = outcomes.insert(found, {word, result.counting, 0});
  ++found->count;
}

}  // namespace

void RunTally::add(const record::Record& record) {
  HeadlineResult result;
  result.sample = record.sample;
  result.outcome = record.outcome;
  result.counting = record.counting();
  const auto [entry, is_new] = indices_.emplace(score::backend_of(record), backends_.size());
  if (is_new) backends_.push_back(entry->first);
  result.backend = entry->second;
  if (result.counting == record::Counting::kNotCounted) {
    result.left_out = record::why_not_counted(record.outcome, record.phase);
  } else if (record.is_ok()) {
    result.left_out = score::reason_to_leave_out(record);
    result.speedup = record.speedup;
  }
  if (!record.is_ok()) messages_[results_.size()] = record.message;
  results_.push_back(std::move(result));
}

RunTally::Result RunTally::result() const {
  // What a worker that died early did not say of its conditions, the others of its backend do.
  const auto complete = score::complete_backends({backends_.begin(), backends_.end()});
  std::vector<score::Column> columns;
  std::vector<score::Backend> known;
  std::vector<std::size_t> place_of;
  for (const score::Backend& backend : backends_) {
    const score::Backend& whole = complete.at(backend);
    const auto found = std::find(known.begin(), known.end(), whole);
    place_of.push_back(static_cast<std::size_t>(found - known.begin()));
    if (found != known.end()) continue;
    known.push_back(whole);
    columns.emplace_back().backend = whole;
  }
  score::label_columns(columns);
  const std::vector<std::string> conditions = score::condition_texts(known);
  const std::vector<std::string> names = score::labels_in_groups(known, conditions);
  std::vector<HeadlineBackend> backends;
  for (std::size_t i = 0; i < known.size(); ++i) backends.push_back({names[i], conditions[i]});
  std::vector<HeadlineResult> results = results_;
  for (HeadlineResult& result : results) result.backend = place_of[result.backend];
  Result made;
  std::vector<FailedResult> failures;
  const std::vector<std::size_t> counted = counted_indices(results);
  for (const std::size_t index : counted) {
    const HeadlineResult& result = results[index];
    count(result, made.outcomes);
    const auto message = messages_.find(index);
    if (message == messages_.end()) continue;
    const std::string& backend = columns[result.backend].label;
    failures.push_back({result.sample, backend, result.outcome.text(), message->second});
  }
  made.num_repeated = static_cast<int>(results.size() - counted.size());
  made.reasons = failure_reasons(failures);
  made.headlines = headlines(backends, results);
  return made;
}

}  // namespace graphnet::report
