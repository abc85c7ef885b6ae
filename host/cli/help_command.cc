// SPDX-License-Identifier: MIT
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/suggestion.h"
#include "base/text.h"
#include "cli/actions.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/help_text.h"
#include "cli/manual_text.h"

namespace graphnet::cli {

using base::Code;
using base::Result;
using base::Status;

namespace {

/// Flags of `graphnet help` as text.
struct HelpFlags {
  std::vector<std::string> topic;
  std::optional<std::string> format;
};

/// A form of help, for the program, a command and a topic.
struct Form {
  const char* name;
  std::string (*program)(const Interface&);
  std::string (*command)(const Command&, const std::vector<Flag>& global_flags);
  std::string (*topic)(const Topic&);
};

constexpr Form kForms[] = {
    {"text", program_help, command_help, topic_markdown},
    {"man", program_man, command_man, topic_man},
    {"markdown", program_markdown, command_markdown, topic_markdown},
};

Result<Form> find_form(const std::string& name) {
  for (const Form& form : kForms) {
    if (form.name == name) return form;
  }
  return Status(Code::kUsage, "--format must be text, man or markdown, got '" + name + "'");
}

Result<int> execute(const Context& context, const HelpFlags& flags) {
  GN_ASSIGN_OR_RETURN(const Form form, find_form(flags.format.value_or("text")));
  const Interface& all = *context.interface;
  if (flags.topic.empty()) {
    std::cout << form.program(all);
    return kExitDone;
  }
  const std::string name = base::join(flags.topic, " ");
  std::vector<std::string> names;
  for (const Command& command : all.commands) {
    if (command.name == name) {
      std::cout << form.command(command, all.global_flags);
      return kExitDone;
    }
    for (const Action& action : command.actions) {
      if (command.name + " " + action.name != name) continue;
      std::cout << form.command(command_of(command, action), all.global_flags);
      return kExitDone;
    }
    if (!command.is_hidden) names.push_back(command.name);
  }
  for (const Topic& topic : all.topics) {
    if (topic.name == name) {
      std::cout << form.topic(topic);
      return kExitDone;
    }
    names.push_back(topic.name);
  }
  Status error(Code::kUsage, "no command or topic '" + name + "'");
  base::add_suggestion(error, name, names);
  return error.add_hint("graphnet help");
}

}  // namespace

Command help_command() {
  const auto flags = std::make_shared<HelpFlags>();
  Command command;
  command.summary = "show help for a command or a topic";
  command.description =
      "For a command the same text as --help; `graphnet help` lists commands and topics. Also as "
      "a\n"
      "manual page, or as Markdown.";
  command.usage = "help [COMMAND|TOPIC] [--format text|man|markdown]";
  command.positionals = {
      "COMMAND|TOPIC", "one of the commands or topics", &flags->topic, {}, "TOPIC"};
  command.flags = {{"--format", "text|man|markdown", "default: text", &flags->format}};
  command.examples = {{"graphnet help words", "what the words in tables mean"},
                      {"graphnet help run --format man | man -l -", "graphnet-run(1)"}};
  command.execute = [flags](const Context& context) { return execute(context, *flags); };
  return command;
}

}  // namespace graphnet::cli
