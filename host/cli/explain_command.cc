// SPDX-License-Identifier: MIT
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/device_check.h"
#include "cli/exit_code.h"
#include "cli/flag_values.h"
#include "cli/journaled_sweep.h"
#include "cli/run_command.h"
#include "cli/run_view.h"
#include "cli/sample_selection.h"
#include "cli/work_folder.h"
#include "journal/run_id.h"
#include "measure/environment.h"
#include "report/range_times.h"
#include "report/summary.h"
#include "report/terminal_text.h"
#include "sample/beginning.h"

namespace graphnet::cli {

namespace fs = std::filesystem;
using base::Code;
using base::Result;
using base::Status;
using record::Record;

namespace {

constexpr int kDefaultParts = 8;
constexpr int kMaxParts = 256;

/// Flags of `graphnet explain` as text. What is measured is as for `graphnet run`.
struct ExplainFlags {
  RunFlags run;
  std::optional<std::string> parts;
  std::optional<std::string> keep;
};

/// The beginnings of a sample, as samples of their own.
struct Beginnings {
  std::vector<supervise::PlannedSample> samples;
  std::vector<report::MeasuredBeginning> measured;  ///< in the same order, without times
};

Result<Beginnings> write_beginnings(const sample::Sample& sample, int parts,
                                    const fs::path& folder) {
  Beginnings beginnings;
  if (sample.program.statements.empty()) {
    return Status(Code::kInput, "sample '" + sample.name + "' has no statements");
  }
  std::size_t before = 0;
  for (const std::size_t cut :
       sample::choose_cuts(sample.program, static_cast<std::size_t>(parts))) {
    char part[16];
    std::snprintf(part, sizeof part, "part_%03zu", beginnings.samples.size() + 1);
    const fs::path target = folder / "samples" / sample.name / part;
    GN_RETURN_IF_ERROR(sample::write_beginning(sample, cut, target));
    beginnings.samples.push_back(planned_sample(target));
    report::MeasuredBeginning measured;
    measured.last_line = sample::last_line(sample.program, cut);
    measured.calls = report::counts_text(sample::count_calls(sample.program, before, cut));
    beginnings.measured.push_back(std::move(measured));
    before = cut;
  }
  return beginnings;
}

/// Keeps the records, and says on standard error how far it is.
class ExplainView : public supervise::SweepObserver {
 public:
  ExplainView(const Context& context, std::size_t num_tasks)
      : context_(context), num_tasks_(num_tasks) {}

  void on_begin(const supervise::PlannedTask& planned) override {
    running_ = planned.sample.name;
    if (planned.task.control) return;
    ++num_begun_;
    if (context_.flags.quiet) return;
    std::cerr << num_begun_ << " of " << num_tasks_ << ": " << report::printable(running_) << ", "
              << report::printable(planned.task.plugin_name) << std::endl;
  }
  void on_finishing() override { print_finishing(running_); }
  void on_control(const Result<journal::Control>& control) override {
    if (control.is_ok()) noise_floor_ = control->noise_floor;
  }
  bool on_record(const Record& record) override {
    show_details(context_, record);
    records_[{record.sample, record.backend_name()}] = record;
    return true;
  }

  /// Of a sample with a backend; null if there is none.
  const Record* find(const std::string& sample, const std::string& backend) const {
    const auto found = records_.find({sample, backend});
    return found == records_.end() ? nullptr : &found->second;
  }
  std::optional<double> noise_floor() const { return noise_floor_; }

 private:
  const Context& context_;
  std::size_t num_tasks_;
  std::size_t num_begun_ = 0;
  std::string running_;  // name of the sample
  std::map<std::pair<std::string, std::string>, Record> records_;
  std::optional<double> noise_floor_;
};

/// Why the record has no times to use; empty: it has.
std::string why_unusable(const Record* record) {
  if (record == nullptr) return "no record";
  if (record->outcome != record::Outcome::kOk) {
    return record->outcome.text() + (record->message.empty() ? "" : ": " + record->message);
  }
  const bool has_times = !record->eager.trials_ns.empty() && !record->plugin_side.trials_ns.empty();
  return has_times ? "" : "no times";
}

std::string noise_note(const std::optional<double>& noise_floor) {
  if (!noise_floor) return "no control was measured: intervals lack the noise floor";
  char text[96];
  std::snprintf(text, sizeof text,
                "intervals of gains include the noise floor, %.2f %% (eager against eager)",
                100 * *noise_floor);
  return text;
}

/// Fills in the times. A beginning that a backend did not do is left out, so that its range becomes
/// a part of the next one.
///
/// errors   kPlugin: a backend did not do the whole sample
Result<report::RangeReport> compare_ranges(const PreparedRun& run, const Beginnings& beginnings,
                                           const ExplainView& view) {
  report::RangeReport report;
  report.backend = run.backends.front().variant;
  report.base = run.backends.size() > 1 ? run.backends.back().variant : "eager";
  report.protocol = run.backends.front().config.protocol.name;
  report.notes.push_back(noise_note(view.noise_floor()));
  std::vector<report::MeasuredBeginning> usable;
  int num_unstable = 0;
  for (std::size_t i = 0; i < beginnings.samples.size(); ++i) {
    const std::string& name = beginnings.samples[i].name;
    const bool is_whole = i + 1 == beginnings.samples.size();
    std::string problem;
    for (const config::Backend& backend : run.backends) {
      const std::string why = why_unusable(view.find(name, backend.variant));
      if (!why.empty() && problem.empty()) problem = backend.variant + ": " + why;
    }
    if (!problem.empty() && is_whole)
      return Status(Code::kPlugin, "no times of the whole sample: " + problem);
    if (!problem.empty()) {
      report.notes.push_back("no cut after line " +
                             std::to_string(beginnings.measured[i].last_line) + ": " + problem);
      continue;
    }
    report::MeasuredBeginning measured = beginnings.measured[i];
    const Record& record = *view.find(name, report.backend);
    measured.is_paired = run.backends.size() == 1 && record.timing.has_pairs();
    measured.backend_ns = record.plugin_side.trials_ns;
    measured.base_ns = run.backends.size() > 1 ? view.find(name, report.base)->plugin_side.trials_ns
                                               : record.eager.trials_ns;
    usable.push_back(std::move(measured));
    if (record.timing.verdict == record::TimingVerdict::kUnstable) ++num_unstable;
  }
  if (num_unstable > 0) {
    report.notes.push_back(base::counted(static_cast<std::size_t>(num_unstable), "beginning") +
                           " unstable: stop other programs, or try --protocol standard");
  }
  report.ranges = report::range_times(usable, view.noise_floor().value_or(0));
  return report;
}

/// The backends: one, or two that differ.
Result<std::vector<config::Backend>> choose_backends(const Context& context,
                                                     const ExplainFlags& flags) {
  GN_ASSIGN_OR_RETURN(const RunOptions options, check_run_flags(flags.run, context.installation));
  if (options.configs.size() > 2) {
    return Status(Code::kUsage, "explain compares one backend with eager, or two with each other");
  }
  GN_ASSIGN_OR_RETURN(std::vector<config::Backend> backends, read_backends(context, options));
  for (const config::Backend& backend : backends) {
    if (!backend.problem.is_ok()) return backend.problem;
    GN_RETURN_IF_ERROR(check_threads(backend.config, measure::affinity_cores()));
    GN_RETURN_IF_ERROR(check_machine(context, backend));
  }
  if (backends.size() > 1 && backends[0].variant == backends[1].variant) {
    return Status(Code::kUsage, "both configs name backend '" + backends[0].variant + "'");
  }
  return backends;
}

Result<supervise::PlannedSample> choose_sample(const Context& context, const ExplainFlags& flags) {
  if (flags.run.samples.size() != 1) {
    return Status(Code::kUsage, "explain takes one sample")
        .add_hint("graphnet explain SAMPLE --config CONFIG");
  }
  GN_ASSIGN_OR_RETURN(const auto samples, select_samples(context.installation, flags.run.samples));
  if (samples.size() == 1) return samples.front();
  constexpr std::size_t kMaxShown = 8;
  Status error(Code::kUsage, "'" + flags.run.samples.front() + "' holds " +
                                 std::to_string(samples.size()) + " samples; name one");
  for (std::size_t i = 0; i < std::min(samples.size(), kMaxShown); ++i) {
    error.add_hint(samples[i].name);
  }
  return error;
}

Result<int> execute(const Context& context, ExplainFlags flags) {
  GN_ASSIGN_OR_RETURN(const auto parts, read_count("--parts", flags.parts, 1, kMaxParts));
  if (!flags.run.protocol) flags.run.protocol = "smoke";
  if (!flags.run.proof) flags.run.proof = "none";
  GN_ASSIGN_OR_RETURN(const supervise::PlannedSample chosen, choose_sample(context, flags));
  PreparedRun run;
  GN_ASSIGN_OR_RETURN(run.backends, choose_backends(context, flags));
  GN_ASSIGN_OR_RETURN(const sample::Sample sample, sample::load_sample(chosen.path));
  GN_ASSIGN_OR_RETURN(const WorkFolder folder, WorkFolder::make("--keep", flags.keep));
  GN_ASSIGN_OR_RETURN(const Beginnings beginnings,
                      write_beginnings(sample, parts.value_or(kDefaultParts), folder.path()));
  run.samples = beginnings.samples;
  run.run_id = journal::new_run_id();
  run.results = folder.path() / "results.jsonl";
  run.plan = supervise::make_plan(run.samples, run.backends, plan_settings(run.run_id));
  ExplainView view(context, run.plan.size());
  {
    GN_ASSIGN_OR_RETURN(JournaledSweep sweep, JournaledSweep::open(context, run));
    GN_ASSIGN_OR_RETURN(const supervise::SweepEnd end, sweep.run(view));
    if (end.signal != 0) return 128 + end.signal;
  }
  GN_ASSIGN_OR_RETURN(report::RangeReport report, compare_ranges(run, beginnings, view));
  report.sample = chosen.name;
  if (context.flags.json) {
    std::cout << base::dump_json(report::range_json(report)) << '\n';
  } else {
    std::cout << report::range_text(report, context.out.width);
  }
  return kExitDone;
}

}  // namespace

Command explain_command() {
  const auto flags = std::make_shared<ExplainFlags>();
  Command command;
  command.summary = "which statements of a sample gain or lose time";
  command.description =
      "Cuts a sample's statements into ranges, and says how much time each takes with a backend "
      "and\n"
      "eagerly, or with two backends. Measured are beginnings of the program: the first range, "
      "the\n"
      "first two, and so on up to the whole. A range's time is what its beginning takes more than\n"
      "the one before, so the ranges add up to the sample's time; the first one holds what a call\n"
      "costs at all. A beginning returns what the rest of the program reads: at its end the "
      "compiler\n"
      "cannot fuse, and it writes those values. That cost moves between neighbouring ranges: a "
      "gain\n"
      "in one that is lost in the next is a cut that the whole program does not have. Other "
      "--parts\n"
      "cut elsewhere.\n"
      "\n"
      "Column gain: time of eager (or of the second backend) less that of the first; with eager "
      "the\n"
      "median difference of the pairs. Its interval holds the noise floor. Bars: + gained, - "
      "lost;\n"
      "none where the interval holds zero.";
  command.usage = "explain SAMPLE --config A [--config B] [options]";
  command.positionals = {"SAMPLE", "one sample's folder", &flags->run.samples, {}, "FILE"};
  command.flags = {
      {"--config", "CONFIG", "a backend; a second one takes the place of eager",
       &flags->run.configs},
      {"--parts", "N", "number of ranges (default: 8)", &flags->parts},
      {"--protocol", "NAME", "how each beginning is timed (default: smoke)", &flags->run.protocol},
      {"--threads", "N|auto", "size of the thread pool (default: the config's)",
       &flags->run.threads},
      {"--set", "KEY=VALUE", "change a value of the configs; may repeat", &flags->run.sets},
      {"--keep", "DIR", "keep the beginnings and their results there", &flags->keep},
  };
  command.examples = {
      {"graphnet explain samples/timm/resnet10t.c3_in1k --config one.yaml", "against eager"},
      {"graphnet explain samples/timm/resnet10t.c3_in1k --config one.yaml --config two.yaml",
       "two backends with each other"},
  };
  command.execute = [flags](const Context& context) { return execute(context, *flags); };
  return command;
}

}  // namespace graphnet::cli
