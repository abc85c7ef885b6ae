// SPDX-License-Identifier: MIT
#include "cli/words_text.h"

#include "base/text.h"
#include "record/flag.h"
#include "record/left_out.h"
#include "record/outcome.h"
#include "record/phase.h"
#include "record/verdict.h"
#include "report/table_columns.h"
#include "report/terminal_text.h"
#include "score/row.h"

namespace graphnet::cli {

namespace {

std::string item(const std::string& word, const std::string& meaning) {
  constexpr int kWidth = 90;
  return base::join(report::wrapped("- " + word + ": " + meaning, kWidth, 2), "\n") + "\n";
}

/// The rows of a table that have a name.
template <typename Enum>
std::string section(const std::string& title) {
  std::string text = "## " + title + "\n\n";
  for (const auto& row : table(Enum())) {
    if (*row.name != '\0') text += item(row.name, row.meaning);
  }
  return text + "\n";
}

std::string column_section() {
  std::string text = "## Columns of the table, as --columns names them\n\n";
  for (const report::TableColumn& column : report::table_columns()) {
    const std::string by_default = column.is_default ? "" : " (only with --columns)";
    text += item(column.name, column.help + by_default);
  }
  return text + "\n";
}

std::string failure_section() {
  std::string text = "## Classes of failures in scores\n\n";
  for (std::size_t i = 0; i < score::kNumFailures; ++i) {
    const auto failure = static_cast<score::Failure>(i);
    text += item(score::failure_name(failure), score::failure_meaning(failure));
  }
  return text;
}

}  // namespace

std::string words_text() {
  return column_section() + section<record::Outcome>("Outcomes") +
         section<record::Phase>("Phases, in order") +
         section<record::TimingVerdict>("Timing: how the times of both sides compare") +
         section<record::ProofVerdict>("Verdicts: who did the work") +
         section<record::Flag>("Flags: what makes a result doubtful; it enters no average") +
         section<record::LeftOut>("Other reasons to leave a result out of averages") +
         failure_section();
}

}  // namespace graphnet::cli
