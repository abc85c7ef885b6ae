// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace graphnet::cli {

/// Every word that a table of results can show, with its meaning, from the tables that define them:
/// columns, outcomes, phases, verdicts, flags, reasons to leave a result out, upstream's classes.
/// Markdown: a section for each table, in it a line "- word: meaning" for each row.
std::string words_text();

}  // namespace graphnet::cli
