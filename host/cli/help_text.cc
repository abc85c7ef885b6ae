// SPDX-License-Identifier: MIT
#include "cli/help_text.h"

#include <algorithm>

#include "base/text.h"
#include "cli/actions.h"
#include "cli/diagnostics.h"
#include "report/terminal_text.h"

namespace graphnet::cli {

namespace {

constexpr std::size_t kLeftWidth = 26;
constexpr int kWidth = 100;

std::string spaced(const std::string& names) {
  std::string result;
  for (const char byte : names) {
    result += byte;
    if (byte == ',') result += ' ';
  }
  return result;
}

std::string row(const std::string& left, const std::string& right) {
  std::string line = "  " + left;
  if (line.size() + 2 > kLeftWidth) {
    line += "\n" + std::string(kLeftWidth, ' ');
  } else {
    line.resize(kLeftWidth, ' ');
  }
  const std::string blanks(kLeftWidth, ' ');
  const auto lines = report::wrapped(blanks + right, kWidth, int{kLeftWidth});
  return line + base::join(lines, "\n").substr(kLeftWidth) + "\n";
}

std::string flag_rows(const std::vector<Flag>& flags) {
  std::string text;
  for (const Flag& flag : flags) {
    // Long names stand in one column, with or without a short name before them.
    const bool has_short = flag.names.size() > 2 && flag.names[2] == ',';
    std::string left = (has_short ? "" : "    ") + spaced(flag.names);
    if (!flag.value.empty()) left += " " + flag.value;
    text += row(left, flag.help);
  }
  return text;
}

}  // namespace

std::string program_help(const Interface& interface) {
  std::size_t width = 0;
  for (const Command& command : interface.commands) width = std::max(width, command.name.size());
  for (const Topic& topic : interface.topics) width = std::max(width, topic.name.size());
  const auto line = [width](const std::string& name, const std::string& summary) {
    return "  " + name + std::string(width - name.size() + 3, ' ') + summary + "\n";
  };
  std::string text =
      std::string("graphnet - ") + kProgramSummary + "\n\nusage: graphnet <command> [options]\n\n";
  for (const Command& command : interface.commands) {
    if (!command.is_hidden) text += line(command.name, command.summary);
  }
  if (!interface.topics.empty()) text += "\ntopics:\n";
  for (const Topic& topic : interface.topics) text += line(topic.name, topic.summary);
  return text + "\ntry:  " + as_typed("graphnet run --config nope.yaml") +
         "\nmore: " + as_typed("graphnet help <command or topic>") + "\n";
}

std::string command_help(const Command& plain, const std::vector<Flag>& global_flags) {
  const Command command = with_actions(plain, ActionText::kSummary);
  std::string text = "graphnet " + command.name + " - " + command.summary + "\n\n" +
                     "usage: graphnet " + command.usage + "\n";
  if (!command.description.empty()) text += "\n" + command.description + "\n";
  if (!command.actions.empty()) {
    text += "\nmore: " + as_typed("graphnet " + command.name + " ACTION --help") + "\n";
  }
  if (!command.positionals.name.empty()) {
    text += "\narguments:\n" + row(command.positionals.name, command.positionals.help);
  }
  if (!command.flags.empty()) text += "\noptions:\n" + flag_rows(command.flags);
  text += "\nglobal options:\n" + flag_rows(global_flags);
  if (!command.examples.empty()) text += "\nexamples:\n";
  for (const Example& example : command.examples) {
    text += "  " + as_typed(example.command) + "\n      " + example.comment + "\n";
  }
  return text;
}

}  // namespace graphnet::cli
