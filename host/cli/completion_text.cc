// SPDX-License-Identifier: MIT
#include "cli/completion_text.h"

#include <algorithm>

#include "base/text.h"

namespace graphnet::cli {

namespace {

using Commands = std::vector<Command>;
using Flags = std::vector<Flag>;

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

/// The words of "auto|bar|none"; none for a placeholder such as FILE or N|auto.
std::vector<std::string> choices_of(const std::string& value) {
  const bool has_capital = std::any_of(value.begin(), value.end(),
                                       [](char letter) { return letter < 'a' && letter >= 'A'; });
  if (value.empty() || has_capital) return {};
  return split(value, '|');
}

std::vector<std::string> names_of(const Flags& flags) {
  std::vector<std::string> names;
  for (const Flag& flag : flags) {
    for (const auto& name : split(flag.names, ',')) names.push_back(name);
  }
  return names;
}

/// In single quotes for any of the three shells.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char byte : text) result += byte == '\'' ? std::string("'\\''") : std::string(1, byte);
  return result + "'";
}

std::string visible_names(const Commands& commands, const char* separator) {
  std::vector<std::string> names;
  for (const Command& command : commands) {
    if (!command.is_hidden) names.push_back(command.name);
  }
  return base::join(names, separator);
}

/// "run:-c|run:--config": the case pattern of a flag of one command, or of any ("*").
std::string flag_pattern(const std::string& command, const Flag& flag) {
  const std::string prefix = command + ":";
  std::vector<std::string> patterns;
  for (const auto& name : split(flag.names, ',')) patterns.push_back(prefix + name);
  return base::join(patterns, "|");
}

/// How one shell offers what a value stands for.
struct Offers {
  const char* words;  ///< before the quoted words
  const char* words_end;
  const char* files;
  const char* folders;
  const char* plugins;
  const char* configs;
  const char* nothing;
};

const Offers kBash = {
    "_graphnet_offer \"$current\" ",
    "",
    "compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- \"$current\")",
    "compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- \"$current\")",
    "_graphnet_offer \"$current\" \"$(\"$program\" __complete plugins 2>/dev/null)\"",
    "_graphnet_offer \"$current\" \"$(\"$program\" __complete configs 2>/dev/null)\"; "
    "compopt -o filenames; mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f "
    "-- \"$current\")",
    "COMPREPLY=()"};

const Offers kZsh = {"compadd -- ",
                     "",
                     "_files",
                     "_files -/",
                     "compadd -- ${(f)\"$($program __complete plugins 2>/dev/null)\"}",
                     "compadd -- ${(f)\"$($program __complete configs 2>/dev/null)\"}; _files",
                     ":"};

std::string offer(const Offers& offers, const std::string& value,
                  const std::vector<std::string>& words) {
  if (!words.empty()) {
    const std::string joined = base::join(words, " ");
    const bool is_bash = &offers == &kBash;
    return offers.words + (is_bash ? quoted(joined) : joined) + offers.words_end;
  }
  if (value == "FILE") return offers.files;
  if (value == "DIR") return offers.folders;
  if (value == "PLUGIN") return offers.plugins;
  if (value == "CONFIG") return offers.configs;
  return offers.nothing;
}

/// Case branches for the values of flags; switches have none.
std::string value_cases(const Offers& offers, const std::string& command, const Flags& flags) {
  std::string text;
  for (const Flag& flag : flags) {
    if (flag.value.empty()) continue;
    text += "    " + flag_pattern(command, flag) + ") " +
            offer(offers, flag.value, choices_of(flag.value)) + "; return ;;\n";
  }
  return text;
}

std::string all_value_cases(const Offers& offers, const Commands& commands, const Flags& global) {
  std::string text;
  for (const Command& command : commands) {
    if (!command.is_hidden) text += value_cases(offers, command.name, command.flags);
  }
  return text + value_cases(offers, "*", global);
}

/// Case branches for the arguments of commands.
std::string argument_cases(const Offers& offers, const Commands& commands) {
  std::string text;
  for (const Command& command : commands) {
    const Positionals& arguments = command.positionals;
    if (command.is_hidden || arguments.target == nullptr) continue;
    text += "    " + command.name + ") ";
    // Actions first; once one is given, what they act on.
    const bool has_both = !arguments.choices.empty() && !arguments.completes.empty();
    if (has_both)
      text += "if ((argument)); then " + offer(offers, arguments.completes, {}) + "; else ";
    text +=
        offer(offers, arguments.completes, arguments.choices) + (has_both ? "; fi ;;\n" : " ;;\n");
  }
  return text;
}

std::string fish_values(const Flag& flag) {
  const auto choices = choices_of(flag.value);
  if (!choices.empty()) return " -x -a " + quoted(base::join(choices, " "));
  if (flag.value == "FILE") return " -r -F";
  if (flag.value == "DIR") return " -x -a '(__fish_complete_directories)'";
  if (flag.value == "PLUGIN") return " -x -a '(graphnet __complete plugins 2>/dev/null)'";
  if (flag.value == "CONFIG") return " -r -F -a '(graphnet __complete configs 2>/dev/null)'";
  return flag.value.empty() ? "" : " -x";
}

/// fish reads backslashes within single quotes.
std::string fish_quoted(const std::string& text) {
  std::string result = "'";
  for (const char byte : text) {
    if (byte == '\'' || byte == '\\') result += '\\';
    result += byte;
  }
  return result + "'";
}

std::string fish_flags(const std::string& condition, const Flags& flags) {
  std::string text;
  for (const Flag& flag : flags) {
    text += "complete -c graphnet" + condition;
    for (const auto& name : split(flag.names, ',')) {
      text += name.rfind("--", 0) == 0 ? " -l " + name.substr(2) : " -s " + name.substr(1);
    }
    text += fish_values(flag) + " -d " + fish_quoted(flag.help) + "\n";
  }
  return text;
}

/// `more`: words for the condition, empty or " 0" (no argument yet) or " 1" (one was given).
std::string fish_condition(const std::string& command, const std::string& more = "") {
  return " -n '__graphnet_at " + command + more + "'";
}

std::string fish_arguments(const std::string& command, const Positionals& arguments) {
  const bool has_both = !arguments.choices.empty() && !arguments.completes.empty();
  std::string text;
  if (!arguments.choices.empty()) {
    text += "complete -c graphnet" + fish_condition(command, has_both ? " 0" : "") + " -f -a " +
            quoted(base::join(arguments.choices, " ")) + "\n";
  }
  const std::string start = "complete -c graphnet" + fish_condition(command, has_both ? " 1" : "");
  if (arguments.completes == "FILE") text += start + " -F\n";
  if (arguments.completes == "PLUGIN") {
    text += start + " -f -a '(graphnet __complete plugins 2>/dev/null)'\n";
  }
  return text;
}

/// As scan_loop(); fish's own __fish_use_subcommand takes the value of a flag for a command.
std::string fish_scan(const Commands& commands) {
  return "# True if the command is $argv[1], and $argv[2] says whether an argument follows it.\n"
         "function __graphnet_at\n"
         "    set -l words (commandline -opc)\n"
         "    set -e words[1]\n"
         "    set -l command none\n"
         "    set -l argument 0\n"
         "    for word in $words\n"
         "        if test $command = none; and contains -- $word " +
         visible_names(commands, " ") +
         "\n"
         "            set command $word\n"
         "        else if test $command != none; and not string match -q -- '-*' $word\n"
         "            set argument 1\n"
         "        end\n"
         "    end\n"
         "    test $command = $argv[1]; and begin; not set -q argv[2]; or test $argument = "
         "$argv[2]; "
         "end\n"
         "end\n";
}

/// Shared by bash and zsh: which command was given, and whether an argument follows it.
std::string scan_loop(const std::string& words, const std::string& first, const std::string& end,
                      const std::string& names) {
  return "  for ((i = " + first + "; i < " + end + "; i++)); do\n    case ${" + words +
         "[i]} in\n      " + names + ") if [[ -z $command ]]; then command=${" + words +
         "[i]}; else argument=1; fi ;;\n"
         "      -*) ;;\n      *) [[ -z $command ]] || argument=1 ;;\n    esac\n  done\n";
}

}  // namespace

std::string bash_completion(const Commands& commands, const Flags& global_flags) {
  std::string text =
      "# bash completion for graphnet: source <(graphnet completion bash)\n"
      "_graphnet_offer() { mapfile -t COMPREPLY < <(compgen -W \"$2\" -- \"$1\"); }\n"
      "_graphnet() {\n"
      "  local program=$1 current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
      "  local command='' argument=0 i\n"
      "  # bash splits --flag=value into three words.\n"
      "  if [[ $current == '=' ]]; then current=''; fi\n"
      "  if [[ $previous == '=' ]]; then previous=${COMP_WORDS[COMP_CWORD-2]}; fi\n" +
      scan_loop("COMP_WORDS", "1", "COMP_CWORD", visible_names(commands, "|")) +
      "  case $command:$previous in\n" + all_value_cases(kBash, commands, global_flags) +
      "  esac\n  if [[ $current == -* ]]; then\n    local flags=" +
      quoted(base::join(names_of(global_flags), " ")) + "\n    case $command in\n";
  for (const Command& command : commands) {
    if (command.is_hidden || command.flags.empty()) continue;
    text += "      " + command.name +
            ") flags+=" + quoted(" " + base::join(names_of(command.flags), " ")) + " ;;\n";
  }
  return text +
         "    esac\n    _graphnet_offer \"$current\" \"$flags\"\n    return\n  fi\n"
         "  case $command in\n    '') _graphnet_offer \"$current\" " +
         quoted(visible_names(commands, " ")) + " ;;\n" + argument_cases(kBash, commands) +
         "  esac\n}\ncomplete -F _graphnet graphnet\n";
}

std::string zsh_completion(const Commands& commands, const Flags& global_flags) {
  const auto described = [](const Flags& flags) {
    std::string items;
    for (const Flag& flag : flags) {
      for (const auto& name : split(flag.names, ',')) items += " " + quoted(name + ":" + flag.help);
    }
    return items;
  };
  std::string text =
      "#compdef graphnet\n# zsh completion for graphnet: source <(graphnet completion zsh)\n"
      "_graphnet() {\n"
      "  local program=${words[1]} previous=${words[CURRENT-1]} command= argument=0 i\n"
      "  local -a flags commands\n"
      "  if compset -P 1 '--*='; then previous=${words[CURRENT]%%=*}; fi\n" +
      scan_loop("words", "2", "CURRENT", visible_names(commands, "|")) +
      "  case $command:$previous in\n" + all_value_cases(kZsh, commands, global_flags) +
      "  esac\n  if [[ $PREFIX == -* ]]; then\n    flags=(" + described(global_flags) +
      ")\n    case $command in\n";
  std::string list;
  for (const Command& command : commands) {
    if (command.is_hidden) continue;
    list += " " + quoted(command.name + ":" + command.summary);
    if (command.flags.empty()) continue;
    text += "      " + command.name + ") flags+=(" + described(command.flags) + ") ;;\n";
  }
  return text +
         "    esac\n    _describe -o option flags\n    return\n  fi\n"
         "  case $command in\n    '') commands=(" +
         list + "); _describe command commands ;;\n" + argument_cases(kZsh, commands) +
         "  esac\n}\n"
         "# A file of $fpath is the function itself; sourced, it has to be registered.\n"
         "if [[ $funcstack[1] == _graphnet ]]; then _graphnet; else compdef _graphnet graphnet; "
         "fi\n";
}

std::string fish_completion(const Commands& commands, const Flags& global_flags) {
  std::string text =
      "# fish completion for graphnet: graphnet completion fish | source\n"
      "complete -c graphnet -f\n" +
      fish_scan(commands) + fish_flags("", global_flags);
  for (const Command& command : commands) {
    if (command.is_hidden) continue;
    text += "complete -c graphnet" + fish_condition("none") + " -a " + command.name + " -d " +
            fish_quoted(command.summary) + "\n" +
            fish_flags(fish_condition(command.name), command.flags) +
            fish_arguments(command.name, command.positionals);
  }
  return text;
}

}  // namespace graphnet::cli
