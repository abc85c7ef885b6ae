// SPDX-License-Identifier: MIT
#include "cli/diagnostics.h"

#include <cstdlib>
#include <iostream>

#include "report/terminal_text.h"

namespace graphnet::cli {

namespace {

/// Each line made printable on its own, so that line breaks stay; later lines are indented.
std::string printable_lines(const std::string& text, const std::string& indent) {
  std::string result;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (begin > 0) result += "\n" + indent;
    // Leading blanks place the caret under its column.
    const std::string line = text.substr(begin, end - begin);
    const std::size_t blanks = std::min(line.find_first_not_of(' '), line.size());
    result += line.substr(0, blanks) + report::printable(line.substr(blanks));
    begin = end + 1;
  }
  return result;
}

}  // namespace

std::string as_typed(const std::string& hint) {
  const char* const command = std::getenv("GRAPHNET_COMMAND");
  if (command == nullptr || *command == '\0') return hint;
  const std::string name = "graphnet ";
  const std::size_t colon = hint.find(": " + name);
  if (hint.rfind(name, 0) != 0 && colon == std::string::npos) return hint;
  const std::size_t begin = hint.rfind(name, 0) == 0 ? 0 : colon + 2;
  return hint.substr(0, begin) + command + " " + hint.substr(begin + name.size());
}

std::string format_error(const base::Status& status, bool color) {
  std::string text = "graphnet: " + report::coloured("error:", report::Colour::kFailed, color) +
                     " " + printable_lines(status.message(), "  ") + "\n";
  for (const auto& line : status.context()) {
    text += report::coloured("  at:  ", report::Colour::kDim, color) +
            printable_lines(line, "       ") + "\n";
  }
  for (const auto& line : status.hints()) {
    text += report::coloured("  try: ", report::Colour::kDim, color) +
            printable_lines(as_typed(line), "       ") + "\n";
  }
  if (status.code() == base::Code::kInternal) {
    text +=
        "  this is a bug of graphnet; please report it with the command line and this message\n";
  }
  return text;
}

void print_error(const base::Status& status, bool color) {
  std::cerr << format_error(status, color) << std::flush;
}

}  // namespace graphnet::cli
