// SPDX-License-Identifier: MIT
#include "report/read_report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <unordered_map>

#include "base/text.h"
#include "sample/outline.h"
#include "score/columns.h"
#include "score/read_results.h"

namespace graphnet::report {

namespace {

using base::Result;

// What the journals say beyond the rows of the scores.
class Details {
 public:
  void add(const journal::JournalContent& content, std::size_t first_row) {
    add_commands(content.header);
    for (std::size_t i = 0; i < content.records.size(); ++i) {
      const record::Record& record = content.records[i];
      ResultRow row = result_row(record);
      if (record.category.empty()) row.category = category(record.sample_path);
      rows_[first_row + i] = std::move(row);
      protocols_.insert(record.protocol);
      policies_.insert(record.math.text());
      add_word(record.environment.hardware_class, machines_);
      add_word(record.environment.libtorch, libtorch_);
    }
    for (const journal::Control& control : content.controls) {
      noise_floor_ = std::max(noise_floor_.value_or(0), control.noise_floor);
    }
  }

  const std::optional<double>& noise_floor() const { return noise_floor_; }

  ResultRow row_of(const score::Row& scored) const {
    const auto found = rows_.find(scored.number);
    ResultRow row;
    if (found != rows_.end()) {
      row = found->second;
    } else {
      row.sample = scored.sample;
      row.family = scored.family;
      row.category = "unknown";
      row.outcome = scored.outcome;
      row.counting = scored.counting;
      row.speedup = scored.speedup;
    }
    // A failure is one, whatever a score at loose levels makes of its speedup.
    if (row.counting != record::Counting::kFailed) row.left_out = scored.left_out;
    const bool is_claim = record::facts_of(row.timing.value()).is_claim;
    if (noise_floor_ && is_claim && row.speedup && std::fabs(*row.speedup - 1) <= *noise_floor_) {
      row.timing = record::TimingVerdict::kNoise;
    }
    return row;
  }

  void describe(std::vector<std::pair<std::string, std::string>>& facts) const {
    describe("command", commands_, facts);
    describe("machine", machines_, facts);
    describe("protocol", protocols_, facts);
    if (policies_ != Words{base::MathPolicy().text()}) describe("math", policies_, facts);
    describe("libtorch", libtorch_, facts);
  }

 private:
  using Words = std::set<std::string>;

  // A merged file has the headers of its parts.
  void add_commands(const base::Json& header) {
    if (!header.is_object()) return;
    const auto command = header.find("command");
    if (command != header.end() && command->is_string()) {
      add_word(command->get<std::string>(), commands_);
    }
    const auto merged = header.find("merged");
    if (merged == header.end()) return;
    for (const base::Json& part : *merged) add_commands(part);
  }

  static void add_word(const std::string& word, Words& words) {
    if (!word.empty()) words.insert(word);
  }

  static void describe(const char* name, const Words& words,
                       std::vector<std::pair<std::string, std::string>>& facts) {
    if (words.empty()) return;
    facts.emplace_back(name, base::join({words.begin(), words.end()}, "; "));
  }

  // For records that do not say it, from the sample's folder if that is here. One file a sample,
  // however many backends it has.
  const std::string& category(const std::string& sample_path) {
    const auto [entry, is_new] = categories_.emplace(sample_path, "unknown");
    const std::string found = is_new ? sample::category_of(sample_path) : "";
    if (!found.empty()) entry->second = found;
    return entry->second;
  }

  std::unordered_map<std::size_t, ResultRow> rows_;
  std::unordered_map<std::string, std::string> categories_;
  Words commands_;
  Words protocols_;
  Words policies_;
  Words machines_;
  Words libtorch_;
  std::optional<double> noise_floor_;
};

ScoreCurve curve_of(const score::Column& column, bool is_es) {
  ScoreCurve curve{column.label, {}};
  for (const score::Point& point : column.points) {
    const score::Band& band = is_es ? point.es_band : point.s_band;
    ScorePoint shown;
    shown.t = point.t;
    shown.value = is_es ? point.es : point.s;
    shown.aggregated = is_es ? point.es_aggregated : point.s_aggregated;
    if (band.low < band.high) {
      shown.low = band.low;
      shown.high = band.high;
    }
    curve.points.push_back(shown);
  }
  return curve;
}

std::string caption_of(const score::Settings& settings) {
  char text[200];
  std::snprintf(text, sizeof text,
                "p = %g, b = %g, interpretation %s; band: %.0f %% over resampled samples",
                settings.penalty, settings.fail_base,
                score::interpretation_name(settings.interpretation), 100 * settings.confidence);
  return text;
}

BackendThreads threads_of(const score::Backend& backend) {
  BackendThreads threads{backend.name, 0, ""};
  for (const auto& [name, value] : backend.facets) {
    if (name == "threads") {
      threads.count = std::atoi(value.c_str());
    } else if (name != "file") {
      threads.conditions += "\n" + name + "=" + value;
    }
  }
  return threads;
}

/// Tables of threads have a column with their number, so no name repeats it.
void name_by_threads(const std::vector<score::Backend>& backends, Report& report) {
  std::vector<std::string> counts;
  for (const BackendThreads& one : report.threads) counts.push_back(std::to_string(one.count));
  const std::vector<std::string> names = score::labels_in_groups(backends, counts);
  for (std::size_t i = 0; i < names.size(); ++i) report.threads[i].name = names[i];
}

void add_column(const score::Column& column, const Details& details, Report& report) {
  const std::size_t backend = report.backends.size();
  report.backends.push_back(column.label);
  report.threads.push_back(threads_of(column.backend));
  for (const auto* rows : {&column.rows, &column.left_out}) {
    for (const score::Row& scored : *rows) {
      ResultRow row = details.row_of(scored);
      row.backend = backend;
      report.rows.push_back(std::move(row));
    }
  }
  report.st.push_back(curve_of(column, false));
  report.est.push_back(curve_of(column, true));
}

}  // namespace

Result<Report> read_report(const std::vector<std::filesystem::path>& paths,
                           const ReadReportSettings& settings) {
  Details details;
  score::ReadSettings reading;
  reading.compat = settings.score.compat;
  reading.by_file = settings.by_file;
  reading.depth = settings.depth;
  reading.on_journal = [&](const journal::JournalContent& content, std::size_t first_row) {
    details.add(content, first_row);
  };
  GN_ASSIGN_OR_RETURN(score::Results results, score::read_results(paths, reading));
  GN_ASSIGN_OR_RETURN(const score::ScoreSet scores,
                      score::score_rows(std::move(results.rows), settings.score));
  Report report;
  std::vector<std::string> names;
  for (const auto& path : paths) names.push_back(path.string());
  report.title = "graphnet report";
  report.facts.emplace_back("results", base::join(names, ", "));
  details.describe(report.facts);
  report.noise_floor = details.noise_floor();
  report.score_caption = caption_of(settings.score);
  report.notes = report.file_notes = results.notes;
  report.notes.insert(report.notes.end(), scores.notes.begin(), scores.notes.end());
  std::vector<score::Backend> backends;
  for (const score::Column& column : scores.columns) {
    backends.push_back(column.backend);
    add_column(column, details, report);
  }
  report.conditions = score::condition_texts(backends);
  report.condition_names = score::labels_in_groups(backends, report.conditions);
  name_by_threads(backends, report);
  const bool has_scores =
      std::any_of(report.st.begin(), report.st.end(),
                  [](const ScoreCurve& curve) { return !curve.points.empty(); });
  if (!has_scores) {
    report.st.clear();
    report.est.clear();
  }
  return report;
}

}  // namespace graphnet::report
