// SPDX-License-Identifier: MIT
#include "cli/actions.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/text.h"
#include "report/terminal_text.h"

namespace graphnet::cli {

namespace {

bool has_flag(const Action& action, const Flag& flag) {
  const std::vector<std::string> names = base::split(flag.names, ',');
  return std::find(action.flags.begin(), action.flags.end(), names.back()) != action.flags.end();
}

std::string names_with(const Command& command, const Flag& flag) {
  std::vector<std::string> names;
  for (const Action& action : command.actions) {
    if (has_flag(action, flag)) names.push_back(action.name);
  }
  return base::join(names, ", ");
}

}  // namespace

const Action* find_action(const Command& command, const std::string& name) {
  for (const Action& action : command.actions) {
    if (action.name == name) return &action;
  }
  return nullptr;
}

Command command_of(const Command& command, const Action& action) {
  Command result = command;
  result.name += " " + action.name;
  result.summary = action.summary;
  result.description = action.description;
  result.actions.clear();
  result.usage = result.name + command.usage.substr(command.name.size());
  const auto lacks_flag = [&](const Flag& flag) { return !has_flag(action, flag); };
  result.flags.erase(std::remove_if(result.flags.begin(), result.flags.end(), lacks_flag),
                     result.flags.end());
  const std::string begin = "graphnet " + result.name + " ";
  const auto is_other = [&](const Example& example) {
    return example.command.rfind(begin, 0) != 0;
  };
  result.examples.erase(std::remove_if(result.examples.begin(), result.examples.end(), is_other),
                        result.examples.end());
  return result;
}

Command with_actions(const Command& command, ActionText text) {
  Command result = command;
  std::size_t width = 0;
  for (const Action& action : command.actions) width = std::max(width, action.name.size());
  for (const Action& action : command.actions) {
    if (!result.description.empty()) result.description += "\n";
    result.description +=
        text == ActionText::kSummary
            ? "  " + report::pad_right(action.name, static_cast<int>(width) + 2) + action.summary
            : action.name + ": " + action.description;
  }
  if (command.actions.empty()) return result;
  result.usage = command.name + " ACTION" + command.usage.substr(command.name.size());
  result.positionals.name = "ACTION " + command.positionals.name;
  result.positionals.help = "an action, then " + command.positionals.help;
  for (Flag& flag : result.flags) flag.help = names_with(command, flag) + ": " + flag.help;
  return result;
}

}  // namespace graphnet::cli
