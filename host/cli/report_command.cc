// SPDX-License-Identifier: MIT
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/record_outputs.h"
#include "cli/report_outputs.h"
#include "cli/results_files.h"
#include "cli/run_options.h"
#include "journal/sql_view.h"
#include "report/grid.h"
#include "report/table.h"
#include "report/terminal_text.h"
#include "score/columns.h"
#include "score/record_row.h"

namespace graphnet::cli {

using base::Code;
using base::Result;
using base::Status;
using journal::JournalContent;
using record::Record;

namespace {

/// Flags of `graphnet report` as text.
struct ReportFlags {
  std::vector<std::string> inputs;
  std::optional<std::string> sql;
  std::optional<std::string> columns;
  bool csv = false;
  RecordOutputFlags records;
  ReportOutputFlags outputs;
};

using Journals = std::vector<JournalContent>;

/// What --csv and --json show without --sql.
constexpr const char* kDefaultQuery =
    "SELECT sample, plugin_variant AS plugin, outcome, speedup, speedup_low, speedup_high, timing, "
    "eager_ns, plugin_ns, compile_ns, plugin_first_ns, verdict, message FROM records";

Result<Journals> read_journals(const ReportFlags& flags) {
  GN_ASSIGN_OR_RETURN(const auto files, find_results(flags.inputs));
  Journals journals;
  for (const auto& file : files) {
    GN_ASSIGN_OR_RETURN(JournalContent journal, journal::read_journal(file));
    for (const auto& note : journal.notes) {
      std::cerr << "warning: " << report::printable(note) << '\n';
    }
    journals.push_back(std::move(journal));
  }
  return journals;
}

std::string joined(const std::set<std::string>& words) {
  return base::join(std::vector<std::string>(words.begin(), words.end()), ", ");
}

using Records = std::vector<const Record*>;

report::RunFacts facts_of(const Records& records) {
  std::set<std::string> versions;
  std::set<std::string> protocols;
  std::set<std::string> policies;
  std::set<std::string> devices;
  std::set<std::string> processors;
  std::set<std::string> samples;
  std::set<std::string> plugins;
  report::RunFacts facts;
  for (const Record* record : records) {
    if (!record->graphnet.empty()) versions.insert(record->graphnet);
    protocols.insert(record->protocol);
    policies.insert(record->math.text());
    devices.insert(record->device);
    const std::string& processor = record->environment.cpu_model;
    if (!processor.empty()) processors.insert(processor);
    samples.insert(record->sample);
    plugins.insert(record->backend_name());
    facts.threads = record->threads;
    facts.seed = record->seed;
  }
  facts.version = joined(versions);
  facts.protocol = joined(protocols);
  // Each of them may be a list.
  facts.math = base::join({policies.begin(), policies.end()}, "; ");
  if (facts.math == base::MathPolicy().text()) facts.math.clear();
  facts.device = joined(devices);
  facts.hardware = joined(processors);
  facts.samples.assign(samples.begin(), samples.end());
  facts.plugins.assign(plugins.begin(), plugins.end());
  return facts;
}

/// Records by their conditions, in order of appearance; only those of one set share a table.
std::vector<Records> by_condition(const Journals& journals) {
  std::map<score::Backend, std::string> conditions;
  for (const JournalContent& journal : journals) {
    for (const Record& record : journal.records) conditions[score::backend_of(record)];
  }
  std::vector<score::Backend> backends;
  for (const auto& [backend, condition] : conditions) backends.push_back(backend);
  const std::vector<std::string> texts = score::condition_texts(backends);
  for (std::size_t i = 0; i < backends.size(); ++i) conditions[backends[i]] = texts[i];
  std::vector<Records> groups;
  std::map<std::string, std::size_t> indices;
  for (const JournalContent& journal : journals) {
    for (const Record& record : journal.records) {
      const std::string& condition = conditions[score::backend_of(record)];
      const auto [entry, is_new] = indices.emplace(condition, groups.size());
      if (is_new) groups.emplace_back();
      groups[entry->second].push_back(&record);
    }
  }
  return groups;
}

/// The control with the largest noise floor of the runs that the records are of.
const journal::Control* worst_control(const Journals& journals, const Records& records) {
  std::set<std::string> runs;
  for (const Record* record : records) runs.insert(record->run_id);
  const journal::Control* worst = nullptr;
  for (const JournalContent& journal : journals) {
    for (const journal::Control& control : journal.controls) {
      if (runs.count(control.run_id) == 0) continue;
      if (worst == nullptr || control.noise_floor > worst->noise_floor) worst = &control;
    }
  }
  return worst;
}

/// The table that a run shows, one for each set of conditions. Of several controls the worst one is
/// shown, and holds for all rows.
Result<int> show_tables(const Context& context, const ReportFlags& flags,
                        const Journals& journals) {
  report::TableStyle style;
  style.color = context.out.color;
  style.width = context.out.width;
  if (flags.columns) {
    GN_ASSIGN_OR_RETURN(style.columns, report::columns_named(*flags.columns));
  }
  const std::vector<Records> groups = by_condition(journals);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (i > 0) std::cout << '\n';
    report::RunTable table(std::cout, style, facts_of(groups[i]));
    const journal::Control* worst = worst_control(journals, groups[i]);
    if (worst != nullptr) table.control(*worst);
    for (const Record* record : groups[i]) table.row(*record);
    report::RunSummary summary;
    if (i + 1 == groups.size()) summary.results_path = base::join(flags.inputs, ", ");
    table.summary(summary);
  }
  if (groups.empty()) std::cout << "no result in " << base::join(flags.inputs, ", ") << '\n';
  return kExitDone;
}

int show_grid(const Context& context, const ReportFlags& flags, const report::Grid& grid) {
  if (context.flags.json) {
    std::cout << base::dump_json(report::grid_json(grid)) << '\n';
  } else if (flags.csv) {
    std::cout << report::grid_csv(grid);
  } else {
    std::cout << report::grid_text(grid, context.out.width);
  }
  return kExitDone;
}

Status check(const Context& context, const ReportFlags& flags) {
  if (flags.csv && context.flags.json) {
    return Status(Code::kUsage, "--json and --csv exclude each other");
  }
  const bool is_table = !flags.sql && !flags.csv && !context.flags.json &&
                        !has_report_output(flags.outputs) && !has_record_output(flags.records);
  if (flags.columns && !is_table) {
    return Status(Code::kUsage, "--columns goes with the table, not with other forms of a report")
        .add_hint("--sql chooses columns of --csv and --json");
  }
  if (!has_record_output(flags.records)) return Status::ok();
  if (flags.sql || flags.csv || has_report_output(flags.outputs)) {
    return Status(Code::kUsage, "--kernels and --perfetto exclude the other forms of a report");
  }
  if (context.flags.json && !flags.records.kernels) {
    return Status(Code::kUsage, "--perfetto has no --json; --kernels has");
  }
  return Status::ok();
}

std::vector<Record> all_records(Journals journals) {
  std::vector<Record> records;
  for (JournalContent& journal : journals) {
    std::move(journal.records.begin(), journal.records.end(), std::back_inserter(records));
  }
  return records;
}

Result<int> execute(const Context& context, const ReportFlags& flags) {
  GN_RETURN_IF_ERROR(check(context, flags));
  if (has_report_output(flags.outputs)) {
    if (flags.sql || flags.csv || context.flags.json) {
      return Status(Code::kUsage,
                    "--html, --plots, --junit and --markdown exclude --sql, --csv and --json");
    }
    return write_report_outputs(context, flags.inputs, flags.outputs);
  }
  GN_ASSIGN_OR_RETURN(Journals journals, read_journals(flags));
  if (has_record_output(flags.records)) {
    return write_record_outputs(context, all_records(std::move(journals)), flags.records);
  }
  if (!flags.sql && !flags.csv && !context.flags.json) return show_tables(context, flags, journals);
  GN_ASSIGN_OR_RETURN(const journal::SqlResult result,
                      journal::run_sql(journals, flags.sql.value_or(kDefaultQuery)));
  return show_grid(context, flags, {result.columns, result.rows});
}

/// The tables of --sql with their columns, for the help text.
std::string sql_help() {
  std::string text;
  for (const journal::SqlTable& table : journal::sql_tables()) {
    text += std::string("\n  ") + table.name + " (" + table.help + "): ";
    std::string columns;
    std::size_t line = text.size() - text.rfind('\n');
    for (const journal::SqlColumn& column : table.columns) {
      const std::string name = columns.empty() ? column.name : ", " + std::string(column.name);
      constexpr std::size_t kWidth = 88;
      const bool is_full = line + name.size() > kWidth;
      columns += is_full ? ",\n    " + name.substr(name.find_first_not_of(", ")) : name;
      line = is_full ? 4 + name.size() : line + name.size();
    }
    text += columns;
  }
  return text;
}

}  // namespace

Command report_command() {
  const auto flags = std::make_shared<ReportFlags>();
  Command command;
  command.summary = "show what results files hold";
  command.description =
      "Prints the table of a run from its results file, or of several files together. --html "
      "writes\n"
      "one page that needs no network: outcomes, scores with bands, violins with a lane for\n"
      "failures, backend against backend, families, flags, proof and all results; it and the "
      "other\n"
      "forms read upstream's logs too.\n"
      "--sql asks any question instead; a query may read these tables and nothing else:" +
      sql_help() +
      "\nOn a device eager_ns and plugin_ns are the host's clock with the device waited for,\n"
      "*_event_ns the same calls between CUDA events, and plugin_busy_ns, plugin_work_ns and\n"
      "plugin_span_ns what the proof traced of a call: time with any work, all works added up,\n"
      "from the first to the last. Null: not recorded; of math, the default policy.";
  command.usage = "report RESULTS|LOG|DIR... [options]";
  command.positionals = {"RESULTS|LOG|DIR",
                         "results files, or folders of them (*.jsonl); see --html for logs",
                         &flags->inputs,
                         {},
                         "FILE"};
  command.flags = {
      {"--sql", "SELECT", "the rows of a query in SQLite's language", &flags->sql},
      {"--csv", "", "comma-separated values instead of a table", &flags->csv},
      columns_flag(flags->columns),
  };
  for (Flag& flag : report_output_flags(flags->outputs)) command.flags.push_back(std::move(flag));
  for (Flag& flag : record_output_flags(flags->records)) command.flags.push_back(std::move(flag));
  command.examples = {
      {"graphnet report results/", "the table of every run in a folder"},
      {"graphnet report --sql \"SELECT outcome, count(*) FROM records GROUP BY 1\" all.jsonl",
       "how many of each outcome"},
      {"graphnet report results/ --html report.html", "everything on one page"},
      {"graphnet report results/ --plots plots --png", "charts for a paper or a slide"},
      {"graphnet report results/ --junit results.xml", "for the test view of a build server"},
      {"graphnet report --kernels results/", "which code ran in each sample, and what says so"},
      {"graphnet report results/ --perfetto run.pftrace", "where a run spent its time, as a trace"},
      {"graphnet report --csv all.jsonl > all.csv", "for a spreadsheet"}};
  command.execute = [flags](const Context& context) { return execute(context, *flags); };
  return command;
}

}  // namespace graphnet::cli
