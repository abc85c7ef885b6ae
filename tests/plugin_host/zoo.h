// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "journal/journal_file.h"
#include "support/folders.h"
#include "support/marked_processes.h"
#include "support/run_program.h"
#include "support/temp_dir.h"

namespace graphnet::tests {

/// One run of the real program with a broken plugin first and the control after it.
class ZooRun {
 public:
  static constexpr const char* kMarker = "GRAPHNET_ZOO_RUN=";

  /// Runs the plugin whose library is `library` on the smallest sample, then `nope` on the same.
  /// `settings`: more lines of the broken plugin's config.
  /// `has_control`: false leaves `nope` out.
  explicit ZooRun(const std::filesystem::path& library, const std::string& settings = "",
                  bool has_control = true) {
    const auto config = folder_.write(
        "zoo.yaml", "schema: graphnet/run/v1\nbackend: {library: " + library.string() +
                        "}\nthreads: 1\nprotocol: {name: upstream, warmup: 0, trials: 1}\n" +
                        settings);
    std::vector<std::string> words = {"--config", config.string()};
    if (has_control) {
      words.insert(words.end(), {"--config", source_dir() + "/configs/nope.yaml"});
    }
    run(words);
  }

  int exit_code() const { return end_.state.exit_code.value_or(-1); }
  const std::string& output() const { return end_.output; }
  double seconds() const { return seconds_; }
  const std::vector<record::Record>& records() const { return records_; }

  /// Processes that still carry this run's mark; waits a moment for those that are just ending.
  int num_left_processes() const {
    return tests::num_left_processes(kMarker + folder_.path().string());
  }

 private:
  void run(const std::vector<std::string>& configs) {
    const std::string root = source_dir();
    const auto journal = folder_.path() / "results.jsonl";
    std::vector<std::string> words = {build_dir() + "/bin/graphnet", "run",
                                      root + "/samples/transformers-auto-model/sadhaklal_mlp-iris",
                                      "-o", journal.string()};
    words.insert(words.end(), configs.begin(), configs.end());
    const auto started = std::chrono::steady_clock::now();
    end_ = run_program(words, {kMarker + folder_.path().string()}, folder_.path() / "log");
    seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    if (!std::filesystem::exists(journal)) return;
    auto content = journal::read_journal(journal);
    EXPECT_TRUE(content.is_ok()) << content.status().to_string();
    if (content.is_ok()) records_ = std::move(content->records);
  }

  TempDir folder_;
  ProgramEnd end_;
  double seconds_ = 0;
  std::vector<record::Record> records_;
};

/// Where the build puts the plugin with this fault.
inline std::filesystem::path zoo_library(const std::string& fault) {
  return std::filesystem::path(build_dir()) / "tests" / "plugins" / fault /
         ("libgn_" + fault + ".so");
}

inline const std::filesystem::path kControlSample =
    std::filesystem::path(source_dir()) / "configs/control";

/// A sample under a plugin of the zoo, timed for a moment by protocol paired.
class ControlRun {
 public:
  ControlRun(const std::string& trick, int threads, const std::filesystem::path& sample) {
    const auto config = folder_.write(
        "trick.yaml", "schema: graphnet/run/v1\nbackend: {library: " + zoo_library(trick).string() +
                          "}\nthreads: " + std::to_string(threads) +
                          // Some keep the first weights, which second ones show too.
                          "\nsecond_weights: off\nprotocol: {time: 300ms, remeasure: false}\n");
    const auto journal = folder_.path() / "results.jsonl";
    end_ = run_program({build_dir() + "/bin/graphnet", "run", sample.string(), "-o",
                        journal.string(), "--config", config.string()},
                       {}, folder_.path() / "log");
    auto content = journal::read_journal(journal);
    if (content.is_ok()) records_ = std::move(content->records);
  }

  const std::string& output() const { return end_.output; }
  const std::vector<record::Record>& records() const { return records_; }

 private:
  TempDir folder_;
  ProgramEnd end_;
  std::vector<record::Record> records_;
};

/// The record of a ControlRun, of which there must be one. The run is repeated, twice at most,
/// until the record says something: an unstable result claims nothing.
template <typename Says>
record::Record control_record(const std::string& trick, int threads,
                              const std::filesystem::path& sample, Says says) {
  record::Record record;
  for (int i = 0; i < 3; ++i) {
    const ControlRun run(trick, threads, sample);
    if (run.records().size() != 1) {
      ADD_FAILURE() << "no record\n" << run.output();
      return {};
    }
    record = run.records().front();
    if (says(record)) break;
  }
  return record;
}

inline record::Record control_record(const std::string& trick, int threads,
                                     const std::filesystem::path& sample = kControlSample) {
  return control_record(trick, threads, sample, [](const record::Record& record) {
    return record.timing.verdict != record::TimingVerdict::kUnstable;
  });
}

}  // namespace graphnet::tests
