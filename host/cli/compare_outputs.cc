// SPDX-License-Identifier: MIT
#include "cli/compare_outputs.h"

#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include "base/text.h"
#include "cli/exit_code.h"
#include "outputs/kept_outputs.h"
#include "outputs/outputs_comparison.h"
#include "report/reference_text.h"
#include "report/terminal_text.h"
#include "report/text_table.h"

namespace graphnet::cli {

namespace fs = std::filesystem;
using base::Code;
using base::Json;
using base::Result;
using base::Status;
using outputs::KeptFacts;
using outputs::KeptFolder;

namespace {

constexpr const char* kSchema = "graphnet.outputs_comparison/1";

/// A sample with a backend in both folders, or in one.
struct Row {
  std::string sample;
  std::string backend;
  record::Reference reference;
  bool is_in_a = true;
  bool is_in_b = true;

  bool is_in_both() const { return is_in_a && is_in_b; }
};

Row row_of(const KeptFacts& facts) {
  Row row;
  row.sample = facts.record.sample;
  row.backend = facts.record.backend_name();
  return row;
}

/// The file of the same sample and backend.
const KeptFacts* find_same(const KeptFolder& folder, const KeptFacts& facts) {
  for (const KeptFacts& other : folder.kept) {
    const bool is_same = other.record.sample == facts.record.sample &&
                         other.record.backend_name() == facts.record.backend_name();
    if (is_same) return &other;
  }
  return nullptr;
}

record::Reference compare_files(const fs::path& a, const fs::path& b) {
  record::Reference reference;
  const Result<outputs::KeptOutputs> there = outputs::read_kept_outputs(a);
  const Result<outputs::KeptOutputs> here = outputs::read_kept_outputs(b);
  if (there.is_ok() && here.is_ok()) return outputs::compare_kept(*there, *here);
  reference.missing = there.is_ok() ? here.status().message() : there.status().message();
  return reference;
}

Row compare_row(const KeptFacts& facts, const KeptFolder& other, const fs::path& folder) {
  Row row = row_of(facts);
  const KeptFacts* const same = find_same(other, facts);
  const fs::path file =
      same != nullptr ? same->file : outputs::kept_file(folder, row.sample, row.backend);
  std::error_code ignored;
  row.is_in_b = fs::exists(file, ignored);
  if (!row.is_in_b) {
    row.reference.missing = "'" + folder.string() + "' has no outputs of it";
  } else {
    row.reference = compare_files(facts.file, file);
  }
  return row;
}

/// Files of A that cannot be read: nothing but their names is known.
void add_unreadable(const KeptFolder& folder, std::vector<Row>& rows) {
  for (const Status& status : folder.unreadable) {
    Row row;
    row.sample = "?";
    row.backend = "?";
    row.reference.missing = status.message();
    rows.push_back(std::move(row));
  }
}

std::vector<Row> compare_folders(const fs::path& a, const KeptFolder& of_a, const fs::path& b,
                                 const KeptFolder& of_b) {
  std::vector<Row> rows;
  for (const KeptFacts& facts : of_a.kept) rows.push_back(compare_row(facts, of_b, b));
  add_unreadable(of_a, rows);
  for (const KeptFacts& facts : of_b.kept) {
    if (find_same(of_a, facts) != nullptr) continue;
    // It is there if A's file of it cannot be read, which has a row.
    std::error_code ignored;
    Row row = row_of(facts);
    if (fs::exists(outputs::kept_file(a, row.sample, row.backend), ignored)) continue;
    row.is_in_a = false;
    row.reference.missing = "'" + a.string() + "' has no outputs of it";
    rows.push_back(std::move(row));
  }
  return rows;
}

Json rows_json(const std::vector<Row>& rows) {
  Json all = Json::array();
  for (const Row& row : rows) {
    Json one = {{"sample", row.sample}, {"backend", row.backend}};
    one.update(record::part_to_json(row.reference));
    all.push_back(std::move(one));
  }
  return all;
}

void print_text(const std::vector<Row>& rows, const report::ReferenceTally& tally) {
  std::vector<report::Cells> table = {
      {"sample", "backend", "eager", "plugin", "eager time", "plugin time"}};
  for (const Row& row : rows) {
    const record::Reference& reference = row.reference;
    table.push_back(
        {report::printable(row.sample), report::printable(row.backend),
         report::reference_cell(reference.eager), report::reference_cell(reference.plugin),
         report::ratio_cell(reference.eager.ratio), report::ratio_cell(reference.plugin.ratio)});
  }
  std::cout << report::text_table(table, "", 4);
  for (const Row& row : rows) {
    std::vector<std::string> lines = row.reference.differences;
    const std::string line = report::reference_line(row.reference);
    if (!line.empty()) lines.insert(lines.begin(), line);
    for (const std::string& text : lines) {
      std::cout << report::printable(row.sample + " " + row.backend + ": " + text) << '\n';
    }
  }
  std::cout << '\n' << tally.text() << "; times: A's by B's, above 1 B is faster\n" << std::flush;
}

}  // namespace

Result<int> compare_outputs(const Context& context, const fs::path& a, const fs::path& b,
                            const report::RegressionRule& rule) {
  GN_ASSIGN_OR_RETURN(const KeptFolder of_a, outputs::read_kept_folder(a));
  GN_ASSIGN_OR_RETURN(const KeptFolder of_b, outputs::read_kept_folder(b));
  const std::vector<Row> rows = compare_folders(a, of_a, b, of_b);
  report::ReferenceTally tally;
  bool is_regression = false;
  for (const Row& row : rows) {
    tally.add(row.reference);
    const bool is_broken =
        row.reference.differs() || (!row.reference.missing.empty() && row.is_in_both());
    is_regression = is_regression || (rule.broken && is_broken) || (rule.missing && !row.is_in_b);
  }
  if (std::none_of(rows.begin(), rows.end(), [](const Row& row) { return row.is_in_both(); })) {
    return Status(Code::kInput, "the two folders have no sample with a backend in common")
        .add_context(a.string() + " and " + b.string());
  }
  if (context.flags.json) {
    std::cout << base::dump_json({{"schema", kSchema},
                                  {"compared", tally.compared},
                                  {"equal", tally.equal},
                                  {"differing", tally.differing},
                                  {"missing", tally.missing},
                                  {"samples", rows_json(rows)}})
              << '\n';
  } else {
    print_text(rows, tally);
  }
  return is_regression ? kExitSampleFailed : kExitDone;
}

}  // namespace graphnet::cli
