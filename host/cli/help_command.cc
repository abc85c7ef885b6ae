// SPDX-License-Identifier: MIT
#include "cli/help_command.h"

#include <iostream>

#include "base/text.h"
#include "cli/completion_text.h"
#include "cli/exit_code.h"
#include "cli/help_text.h"
#include "cli/manual_text.h"
#include "cli/plugin_state.h"

namespace graphnet::cli {

using base::Code;
using base::Result;
using base::Status;

namespace {

using Commands = std::vector<Command>;
using Flags = std::vector<Flag>;

Result<const Command*> find_command(const Commands& commands,
                                    const std::vector<std::string>& topic) {
  if (topic.empty()) return nullptr;
  std::vector<std::string> names;
  for (const Command& command : commands) {
    if (topic.size() == 1 && command.name == topic[0]) return &command;
    if (!command.is_hidden) names.push_back(command.name);
  }
  return Status(Code::kUsage, "no command '" + base::join(topic, " ") + "'")
      .add_hint("commands: " + base::join(names, ", "));
}

Result<int> show_help(const Commands& commands, const Flags& global_flags, const HelpFlags& flags) {
  GN_ASSIGN_OR_RETURN(const Command* command, find_command(commands, flags.topic));
  const std::string format = flags.format.value_or("text");
  if (format == "text") {
    std::cout << (command ? command_help(*command, global_flags) : program_help(commands));
  } else if (format == "man") {
    std::cout << (command ? command_man(*command, global_flags)
                          : program_man(commands, global_flags));
  } else if (format == "markdown") {
    std::cout << (command ? command_markdown(*command, global_flags)
                          : program_markdown(commands, global_flags));
  } else {
    return Status(Code::kUsage, "--format must be text, man or markdown, got '" + format + "'");
  }
  return kExitDone;
}

Result<int> show_completion(const Commands& commands, const Flags& global_flags,
                            const std::vector<std::string>& shell) {
  if (shell.size() == 1) {
    if (shell[0] == "bash")
      return (std::cout << bash_completion(commands, global_flags), kExitDone);
    if (shell[0] == "zsh") return (std::cout << zsh_completion(commands, global_flags), kExitDone);
    if (shell[0] == "fish")
      return (std::cout << fish_completion(commands, global_flags), kExitDone);
  }
  return Status(Code::kUsage, shell.empty() ? "completion needs the name of a shell"
                                            : "no completion for '" + base::join(shell, " ") + "'")
      .add_hint("graphnet completion bash, zsh or fish");
}

/// Names that change with the installation, one a line; silent about every mistake.
Result<int> show_names(const Context& context, const std::vector<std::string>& what) {
  std::vector<std::string> names;
  if (what == std::vector<std::string>{"plugins"}) {
    names = usable_plugins(installed_plugins(context));
  } else if (what == std::vector<std::string>{"configs"}) {
    names = config::list_configs(context.installation);
  }
  for (const auto& name : names) std::cout << name << '\n';
  return kExitDone;
}

Command help_command(const Commands& commands, const Flags& global_flags, HelpFlags& flags) {
  Command command;
  command.name = "help";
  command.summary = "show help for a command";
  command.description = "The same text as --help; or a manual page, or Markdown.";
  command.usage = "help [COMMAND] [--format text|man|markdown]";
  command.positionals = {"COMMAND", "one of the commands", &flags.topic};
  for (const Command& other : commands) {
    if (!other.is_hidden) command.positionals.choices.push_back(other.name);
  }
  command.flags = {{"--format", "text|man|markdown", "default: text", &flags.format}};
  command.examples = {{"graphnet help run --format man | man -l -", "graphnet-run(1)"}};
  command.execute = [&](const Context&) { return show_help(commands, global_flags, flags); };
  return command;
}

Command completion_command(const Commands& commands, const Flags& global_flags, HelpFlags& flags) {
  Command command;
  command.name = "completion";
  command.summary = "print a script that makes a shell complete commands, flags and names";
  command.usage = "completion bash|zsh|fish";
  command.positionals = {"SHELL", "bash, zsh or fish", &flags.shell, {"bash", "zsh", "fish"}};
  command.examples = {
      {"source <(graphnet completion bash)", "in ~/.bashrc"},
      {"source <(graphnet completion zsh)", "in ~/.zshrc, after compinit"},
      {"graphnet completion fish > ~/.config/fish/completions/graphnet.fish", "once"}};
  command.execute = [&](const Context&) {
    return show_completion(commands, global_flags, flags.shell);
  };
  return command;
}

Command names_command(HelpFlags& flags) {
  Command command;
  command.name = "__complete";
  command.summary = "names for completion scripts";
  command.usage = "__complete plugins|configs";
  command.positionals = {"WHAT", "plugins or configs", &flags.names};
  command.is_hidden = true;
  command.execute = [&](const Context& context) { return show_names(context, flags.names); };
  return command;
}

}  // namespace

void add_help_commands(Commands& commands, const Flags& global_flags, HelpFlags& flags) {
  commands.push_back(completion_command(commands, global_flags, flags));
  commands.push_back(help_command(commands, global_flags, flags));
  commands.push_back(names_command(flags));
}

}  // namespace graphnet::cli
