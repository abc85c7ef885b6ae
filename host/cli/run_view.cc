// SPDX-License-Identifier: MIT
#include "cli/run_view.h"

#include <iostream>
#include <utility>

#include "cli/record_details.h"
#include "report/terminal_text.h"

namespace graphnet::cli {

namespace {

report::Progress::Options progress_options(const Context& context,
                                           std::vector<report::PlannedPair> pairs) {
  report::Progress::Options options;
  options.mode = context.flags.quiet ? report::ProgressMode::kNone : context.progress;
  options.is_terminal = context.error.is_terminal;
  options.width = context.error.is_terminal ? context.error.width : 80;
  options.total = static_cast<int>(pairs.size());
  options.pairs = std::move(pairs);
  return options;
}

}  // namespace

void show_details(const Context& context, const record::Record& record) {
  std::cerr << record_details(record, context.flags.verbosity) << std::flush;
}

void print_finishing(const std::string& sample) {
  std::cerr << "finishing " << report::printable(sample) << "; Ctrl-C again stops it\n"
            << std::flush;
}

RunView::RunView(const Context& context, const RunOptions& options, const report::RunFacts& facts,
                 std::vector<report::PlannedPair> pairs)
    : context_(context),
      fail_on_(options.fail_on),
      outputs_(options.reference.has_value()),
      progress_(std::cerr, progress_options(context, std::move(pairs))),
      max_failures_(options.max_failures.value_or(std::numeric_limits<int>::max())) {
  if (options.num_slowest) slowest_.emplace(*options.num_slowest);
  log_style_.hardware = facts.hardware;
  if (context.flags.json || options.format != OutputFormat::kTable) return;
  report::TableStyle style;
  style.color = context.out.color;
  style.width = context.out.width;
  style.errors_only = context.flags.quiet;
  style.columns = options.columns;
  table_.emplace(std::cout, std::move(style), facts);
}

void RunView::on_begin(const supervise::PlannedTask& planned) {
  running_ = planned.sample.name;
  progress_.begin(planned.sample.name, planned.task.plugin_variant);
}

void RunView::on_turn(const supervise::PlannedTask& planned) {
  running_ = planned.sample.name;
  progress_.turn_to(planned.sample.name, planned.task.plugin_variant);
}

void RunView::on_finishing() {
  progress_.hide();
  print_finishing(running_);
}

void RunView::on_control(const base::Result<journal::Control>& control) {
  progress_.drop();
  if (!control.is_ok()) {
    std::cerr << "warning: " << report::printable(control.status().message())
              << "; no noise floor is known\n"
              << std::flush;
  } else if (table_) {
    table_->control(*control);
  }
}

void RunView::earlier(const record::Record& record, double cost) {
  if (table_) table_->earlier(record);
  double nanoseconds = 0;
  for (const auto& [phase, taken] : record.phases_ns.items()) {
    if (taken.is_number()) nanoseconds += taken.get<double>();
  }
  progress_.learn({record.sample, record.backend_name(), cost}, nanoseconds / 1e9);
}

bool RunView::on_record(const record::Record& record) {
  progress_.finish(record);
  outputs_.add(record);
  if (record::fails_run(record.outcome, fail_on_) || fails_by_outputs(record, fail_on_)) {
    ++num_failed_;
  }
  if (slowest_) slowest_->add(record);
  if (table_) {
    table_->row(record);
  } else if (context_.flags.json) {
    std::cout << base::dump_json(record::to_json(record)) << std::endl;
  } else {
    std::cout << report::graphnet_log(record, log_style_) << std::flush;
  }
  show_details(context_, record);
  return std::cout.good() && !is_at_max_failures();
}

void RunView::finish(const report::RunSummary& summary) {
  progress_.hide();
  if (table_) {
    table_->summary(summary);
    if (slowest_) std::cout << slowest_->text() << std::flush;
    return;
  }
  if (slowest_) std::cerr << slowest_->text() << std::flush;
  if (context_.flags.quiet) return;
  if (!summary.results_path.empty()) std::cerr << "results: " << summary.results_path << '\n';
  for (const auto& note : summary.notes) std::cerr << report::printable(note) << '\n';
  std::cerr << std::flush;
}

}  // namespace graphnet::cli
