// SPDX-License-Identifier: MIT
#include "cli/parse.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <utility>

#include "base/suggestion.h"
#include "base/text.h"

namespace graphnet::cli {

using base::Code;
using base::Result;
using base::Status;

namespace {

/// Adds one flag to CLI11's description of a command line.
struct AddFlag {
  CLI::App& app;
  const Flag& flag;

  void operator()(bool* target) const {
    app.add_flag(flag.names, *target, flag.help)->disable_flag_override();
  }
  void operator()(int* target) const {
    const auto add = [target](std::int64_t count) { *target += static_cast<int>(count); };
    app.add_flag_function(flag.names, add, flag.help)->disable_flag_override();
  }
  void operator()(std::optional<std::string>* target) const {
    const auto store = [target](const std::string& text) { *target = text; };
    CLI::Option* const option = app.add_option_function<std::string>(flag.names, store, flag.help);
    option->type_name(flag.value)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    if (flag.value.front() == '[') option->expected(0, 1);
  }
  void operator()(std::vector<std::string>* target) const {
    // One value per repetition: "--config a.yaml sample" must not swallow the sample.
    app.add_option(flag.names, *target, flag.help)
        ->type_name(flag.value)
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  }
};

void add_flags(CLI::App& app, const std::vector<Flag>& flags) {
  for (const Flag& flag : flags) std::visit(AddFlag{app, flag}, flag.target);
}

void add_names(const std::vector<Flag>& flags, std::vector<std::string>& names) {
  for (const Flag& flag : flags) {
    for (std::string& name : base::split(flag.names, ',')) names.push_back(std::move(name));
  }
}

Status unknown(const std::string& what, const std::string& word,
               const std::vector<std::string>& known, const std::string& help) {
  Status error(Code::kUsage, "unknown " + what + " '" + word + "'");
  base::add_suggestion(error, word, known);
  return error.add_hint(help);
}

/// What CLI11 did not know: an unknown flag, an unknown command, or a surplus argument.
Status explain_remaining(const std::string& word, const Command* command,
                         const Interface& interface) {
  const std::string help = command ? "graphnet help " + command->name : "graphnet help";
  if (word.size() > 1 && word[0] == '-') {
    std::vector<std::string> names;
    add_names(interface.global_flags, names);
    if (command != nullptr) add_names(command->flags, names);
    Status error = unknown("flag", word.substr(0, word.find('=')), names, help);
    if (std::find(names.begin(), names.end(), "--set") != names.end()) {
      error.add_hint("for a key of the config: --set KEY=VALUE");
    }
    return error;
  }
  if (command != nullptr) {
    return Status(Code::kUsage, "'" + word + "' is one argument too many").add_hint(help);
  }
  std::vector<std::string> names;
  for (const Command& candidate : interface.commands) {
    if (!candidate.is_hidden) names.push_back(candidate.name);
  }
  return unknown("command", word, names, help);
}

/// Our words for the two errors that CLI11 itself can meet here; its texts begin with the name.
Status explain(const CLI::ParseError& error, const Command* command) {
  std::string text = error.what();
  const std::size_t colon = text.find(": ");
  const std::size_t override = text.find(" was given a disallowed flag override");
  if (override != std::string::npos) {
    text = "flag '--" + text.substr(0, override) + "' takes no value";
  } else if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr &&
             colon != std::string::npos) {
    text = "flag '" + text.substr(0, colon) + "' needs a value";
  }
  return Status(Code::kUsage, text)
      .add_hint(command ? "graphnet help " + command->name : "graphnet help");
}

}  // namespace

Result<const Command*> parse_command_line(const std::vector<std::string>& words,
                                          const Interface& interface) {
  const Command* chosen = nullptr;
  try {
    CLI::App app;
    app.set_help_flag();
    app.allow_extras();
    add_flags(app, interface.global_flags);
    for (const Command& command : interface.commands) {
      CLI::App* sub = app.add_subcommand(command.name, command.summary);
      sub->set_help_flag();
      sub->fallthrough()->allow_extras();
      sub->preparse_callback([&chosen, &command](std::size_t) { chosen = &command; });
      add_flags(*sub, command.flags);
      if (command.positionals.target != nullptr) {
        sub->add_option(command.positionals.name, *command.positionals.target);
      }
    }
    app.require_subcommand(0, 1);
    std::vector<std::string> reversed(words.rbegin(), words.rend());
    try {
      app.parse(reversed);
    } catch (const CLI::ParseError& error) {
      return explain(error, chosen);
    }
    for (const std::string& word : app.remaining(true)) {
      // CLI11 lists the mark that ends flags, too.
      if (word != "--") return explain_remaining(word, chosen, interface);
    }
  } catch (const std::exception& error) {
    return Status(Code::kInternal, std::string("the command line parser failed: ") + error.what());
  }
  return chosen;
}

}  // namespace graphnet::cli
