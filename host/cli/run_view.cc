// SPDX-License-Identifier: MIT
#include "cli/run_view.h"

#include <iostream>

#include "report/terminal_text.h"

namespace graphnet::cli {

namespace {

report::Progress::Options progress_options(const Context& context, std::size_t num_tasks) {
  report::Progress::Options options;
  options.mode = context.flags.quiet ? report::ProgressMode::kNone : context.progress;
  options.is_terminal = context.error.is_terminal;
  options.width = context.error.is_terminal ? context.error.width : 80;
  options.total = static_cast<int>(num_tasks);
  return options;
}

std::string indented(const std::string& text) {
  std::string result;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    result += "    " + report::printable(text.substr(begin, end - begin)) + "\n";
    begin = end + 1;
  }
  return result;
}

}  // namespace

void show_output_tail(const Context& context, const record::Record& record) {
  if (context.flags.verbosity == 0) return;
  if (!record.crash.frames.empty()) {
    std::cerr << "  " << report::printable(record.sample) << " crashed in:\n";
    for (const std::string& frame : record.crash.frames) std::cerr << indented(frame);
    std::cerr << std::flush;
  }
  if (record.output_tail.empty()) return;
  std::cerr << "  last output of " << report::printable(record.sample) << ":\n"
            << indented(record.output_tail) << std::flush;
}

void print_finishing(const std::string& sample) {
  std::cerr << "finishing " << report::printable(sample) << "; Ctrl-C again stops it\n"
            << std::flush;
}

RunView::RunView(const Context& context, const RunOptions& options, const report::RunFacts& facts,
                 std::size_t num_tasks)
    : context_(context),
      fail_on_(options.fail_on),
      progress_(std::cerr, progress_options(context, num_tasks)),
      max_failures_(options.max_failures.value_or(std::numeric_limits<int>::max())) {
  if (options.num_slowest) slowest_.emplace(*options.num_slowest);
  log_style_.hardware = facts.hardware;
  if (context.flags.json || options.format != OutputFormat::kTable) return;
  table_.emplace(std::cout, report::TableStyle{context.out.color, context.out.width}, facts);
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

bool RunView::on_record(const record::Record& record) {
  progress_.finish(record);
  if (record::fails_run(record.outcome, fail_on_)) ++num_failed_;
  if (slowest_) slowest_->add(record);
  if (table_) {
    table_->row(record);
  } else if (context_.flags.json) {
    std::cout << base::dump_json(record::to_json(record)) << std::endl;
  } else {
    std::cout << report::graphnet_log(record, log_style_) << std::flush;
  }
  show_output_tail(context_, record);
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
