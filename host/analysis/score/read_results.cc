// SPDX-License-Identifier: MIT
#include "score/read_results.h"

#include <algorithm>
#include <fstream>
#include <utility>

#include "base/file.h"
#include "journal/journal_file.h"
#include "score/record_row.h"
#include "score/upstream_log.h"
#include "score/upstream_log_row.h"

namespace graphnet::score {

namespace fs = std::filesystem;
using base::Code;
using base::Result;
using base::Status;

namespace {

/// The whole dataset logs 20 MB a backend.
constexpr std::uint64_t kMaxLogBytes = std::uint64_t{1} << 30U;

constexpr const char* kJournal = "\"graphnet.journal/";

bool has_results_name(const fs::path& path) {
  return path.extension() == ".jsonl" || path.extension() == ".log" || path.extension() == ".txt";
}

/// The beginning of a regular file's first line; a pipe would lose what is read here.
std::string first_line(const fs::path& path) {
  constexpr std::size_t kEnough = 4096;
  std::error_code ignored;
  std::string line;
  if (!fs::is_regular_file(path, ignored)) return line;
  std::ifstream file(path);
  for (char byte = 0; line.size() < kEnough && file.get(byte) && byte != '\n';) line += byte;
  return line;
}

class ResultsReader {
 public:
  explicit ResultsReader(const ReadSettings& settings) : settings_(settings) {}

  Status read(const fs::path& path) {
    std::error_code error;
    if (fs::is_directory(path, error)) return read_folder(path);
    const std::size_t before = results_.rows.size();
    GN_RETURN_IF_ERROR(read_file(path));
    if (results_.rows.size() > before) return Status::ok();
    return Status(Code::kInput, "'" + path.string() + "' holds no result")
        .add_hint("a results file of graphnet run, or a log with [Processing] lines");
  }

  Results take() { return std::move(results_); }

 private:
  Status read_folder(const fs::path& folder) {
    std::vector<fs::path> files;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
      std::error_code ignored;
      if (entry->is_regular_file(ignored) && has_results_name(entry->path())) {
        files.push_back(entry->path());
      }
    }
    if (error) {
      return Status(Code::kInput,
                    "cannot read folder '" + folder.string() + "': " + error.message());
    }
    if (files.empty()) {
      return Status(Code::kInput,
                    "folder '" + folder.string() + "' holds no .jsonl, .log or .txt file");
    }
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) {
      const std::size_t before = results_.rows.size();
      // Folders of results also hold other JSON; only a journal can be a broken one.
      const std::string start = first_line(file);
      const bool is_other_json = start[0] == '{' && start.find(kJournal) == std::string::npos;
      if (!is_other_json) GN_RETURN_IF_ERROR(read_file(file));
      if (results_.rows.size() == before) {
        results_.notes.push_back(file.string() + ": no result in it");
      }
    }
    return Status::ok();
  }

  Status read_file(const fs::path& path) {
    const std::size_t before = results_.rows.size();
    ++results_.num_files;
    if (first_line(path)[0] == '{') {
      GN_RETURN_IF_ERROR(read_journal(path));
    } else {
      GN_ASSIGN_OR_RETURN(const std::string text, base::read_file(path, kMaxLogBytes));
      for (const LogSample& sample : read_upstream_log(text, settings_.compat)) {
        results_.rows.push_back(row_of(sample, settings_.compat));
      }
    }
    for (std::size_t i = before; i < results_.rows.size(); ++i) {
      results_.rows[i].number = i;
      if (settings_.by_file) results_.rows[i].backend.facets["file"] = path.stem().string();
    }
    return Status::ok();
  }

  Status read_journal(const fs::path& path) {
    GN_ASSIGN_OR_RETURN(const journal::JournalContent content,
                        journal::read_journal(path, settings_.depth));
    const std::size_t first_row = results_.rows.size();
    for (const record::Record& record : content.records) {
      results_.rows.push_back(row_of(record, settings_.compat));
    }
    if (settings_.on_journal) settings_.on_journal(content, first_row);
    results_.notes.insert(results_.notes.end(), content.notes.begin(), content.notes.end());
    return Status::ok();
  }

  ReadSettings settings_;
  Results results_;
};

}  // namespace

Result<Results> read_results(const std::vector<fs::path>& paths, const ReadSettings& settings) {
  ResultsReader reader(settings);
  for (const fs::path& path : paths) GN_RETURN_IF_ERROR(reader.read(path));
  return reader.take();
}

}  // namespace graphnet::score
