// SPDX-License-Identifier: MIT
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/reference_run.h"
#include "cli/run_options.h"
#include "cli/slowest_samples.h"
#include "report/graphnet_log.h"
#include "report/progress.h"
#include "report/table.h"
#include "supervise/sweep.h"

namespace graphnet::cli {

/// With -v and -vv, what record_details() says, on standard error.
void show_details(const Context& context, const record::Record& record);

/// Answers a first Ctrl-C, on standard error.
void print_finishing(const std::string& sample);

/// What the user sees of a sweep: the table (or what --json or --format ask for) on standard
/// output, progress and, with -v, details of each record on standard error. With -q the table has
/// nothing but the samples that fail, and there is no progress.
class RunView : public supervise::SweepObserver {
 public:
  RunView(const Context& context, const RunOptions& options, const report::RunFacts& facts,
          std::vector<report::PlannedPair> pairs);

  void on_begin(const supervise::PlannedTask& planned) override;
  void on_turn(const supervise::PlannedTask& planned) override;
  void on_phase(record::Phase phase) override { progress_.phase(phase); }
  void on_finishing() override;
  void on_tick() override { progress_.tick(); }
  int poll_timeout_ms() const override { return progress_.poll_timeout_ms(); }
  void on_control(const base::Result<journal::Control>& control) override;
  bool on_record(const record::Record& record) override;

  /// A record that the results file held before: it counts in the summary, and the remaining time
  /// is estimated from it. `cost`: as of the planned pairs; 0: the sample is none of this run's.
  void earlier(const record::Record& record, double cost);
  /// Clears the progress bar before something else is written.
  void hide() { progress_.hide(); }
  /// Last lines; on standard error unless it is a table.
  void finish(const report::RunSummary& summary);

  /// What became of kept outputs and of the comparison with a reference, one line each.
  std::vector<std::string> output_notes() const { return outputs_.notes(); }
  /// True if some sample counts as failed.
  bool has_failed() const { return num_failed_ > 0; }
  /// True if --maxfail ended the run.
  bool is_at_max_failures() const { return num_failed_ >= max_failures_; }

 private:
  const Context& context_;
  FailOn fail_on_;
  OutputsTally outputs_;
  report::GraphnetLogStyle log_style_;
  report::Progress progress_;
  std::string running_;                    // name of the sample
  std::optional<report::RunTable> table_;  // not with --json or --format
  int num_failed_ = 0;
  int max_failures_ = std::numeric_limits<int>::max();
  std::optional<SlowestSamples> slowest_;  // with --durations
};

}  // namespace graphnet::cli
