// SPDX-License-Identifier: MIT
#include <filesystem>
#include <iostream>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/complete.h"
#include "cli/exit_code.h"
#include "cli/plugin_state.h"
#include "cli/results_files.h"
#include "cli/sample_names.h"
#include "config/protocol_file.h"
#include "journal/journal_file.h"

namespace graphnet::cli {

using base::Code;
using base::Result;
using base::Status;

namespace {

struct Script {
  const char* shell;
  const char* text;
};

/// Each asks `graphnet __complete` and hands the answer (Completion::text()) to its shell.
constexpr Script kScripts[] = {
    {"bash", R"SH(# bash completion for graphnet: source <(graphnet completion bash)
_graphnet() {
  local current=${COMP_WORDS[COMP_CWORD]} line
  # bash splits --flag=value into three words.
  if [[ $current == '=' ]]; then current=''; fi
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :files)
        compopt -o filenames
        mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$current")
        ;;
      :folders)
        compopt -o filenames
        mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -d -- "$current")
        ;;
      "$current"*) COMPREPLY+=("${line%%$'\t'*}") ;;
    esac
  done < <("$1" __complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _graphnet graphnet
)SH"},
    {"zsh", R"SH(#compdef graphnet
# zsh completion for graphnet: source <(graphnet completion zsh)
_graphnet() {
  local line answer="$(${words[1]} __complete -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)"
  local -i failed=1
  local -a offers
  compset -P 1 '--*='
  for line in ${(f)answer}; do
    case $line in
      :files) _files && failed=0 ;;
      :folders) _files -/ && failed=0 ;;
      *) line=${line//:/\\:}; offers+=(${line/$'\t'/:}) ;;
    esac
  done
  _describe offer offers && failed=0
  return failed
}
# A file of $fpath is the function itself; sourced, it has to be registered.
if [[ $funcstack[1] == _graphnet ]]; then _graphnet; else compdef _graphnet graphnet; fi
)SH"},
    {"fish", R"SH(# fish completion for graphnet: graphnet completion fish | source
# Prints the words on offer; with an argument, says whether that line of the answer is there.
function __graphnet_offers
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program $words[1]
    set -e words[1]
    set -l answer ($program __complete -- $words "$current" 2>/dev/null)
    if set -q argv[1]
        contains -- $argv[1] $answer
        return
    end
    set -l flag (string match -r -- '^--[^=]+=' "$current")
    for line in (string match -v -- ':*' $answer)
        echo -- "$flag$line"
    end
end
complete -c graphnet -f -a '(__graphnet_offers)'
complete -c graphnet -n '__graphnet_offers :files' -F
complete -c graphnet -n '__graphnet_offers :folders' -a '(__fish_complete_directories)'
)SH"},
};

std::vector<std::string> shells() {
  std::vector<std::string> names;
  for (const Script& script : kScripts) names.emplace_back(script.shell);
  return names;
}

Result<int> print_script(const std::vector<std::string>& shell) {
  for (const Script& script : kScripts) {
    if (shell != std::vector<std::string>{script.shell}) continue;
    std::cout << script.text;
    return kExitDone;
  }
  return Status(Code::kUsage, shell.empty() ? "completion needs the name of a shell"
                                            : "no completion for '" + base::join(shell, " ") + "'")
      .add_hint("graphnet completion " + base::join(shells(), "|"));
}

using Names = std::vector<std::string>;

/// The records of the last results in ./results; none if reading them would delay a shell.
std::vector<record::Record> last_records() {
  constexpr std::uintmax_t kMaxBytes = std::uintmax_t{32} << 20U;
  const auto file = last_results();
  std::error_code error;
  if (!file.is_ok() || std::filesystem::file_size(*file, error) > kMaxBytes || error) return {};
  auto journal = journal::read_journal(*file, journal::JournalDepth::kBrief);
  return journal.is_ok() ? std::move(journal->records) : std::vector<record::Record>();
}

Names sample_names(const Context& context) {
  const Names known = known_samples(context.installation);
  std::set<std::string> names(known.begin(), known.end());
  for (const auto& record : last_records()) names.insert(record.sample);
  return {names.begin(), names.end()};
}

Names backend_names(const Context& /*context*/) {
  std::set<std::string> names;
  for (const auto& record : last_records()) names.insert(record.backend_name());
  return {names.begin(), names.end()};
}

/// Where the names of a kind come from, see ListNames.
struct NameKind {
  const char* name;
  Names (*list)(const Context& context);
};
constexpr NameKind kNameKinds[] = {
    {"SAMPLE", sample_names},
    {"CONFIG", [](const Context& context) { return config::list_configs(context.installation); }},
    {"PROTOCOL",
     [](const Context& context) {
       return config::list_protocols(context.installation.config_folders());
     }},
    {"BACKEND", backend_names},
    {"PLUGIN", [](const Context& context) { return usable_plugins(installed_plugins(context)); }},
};

Result<int> answer(const Context& context, const std::vector<std::string>& words) {
  const auto list_names = [&](const std::string& kind) {
    for (const NameKind& row : kNameKinds) {
      if (kind == row.name) return row.list(context);
    }
    return std::vector<std::string>();
  };
  std::cout << complete(*context.interface, words, list_names).text();
  return kExitDone;
}

}  // namespace

Command completion_command() {
  const auto shell = std::make_shared<std::vector<std::string>>();
  Command command;
  command.summary = "print a script that makes a shell complete commands, flags and names";
  command.usage = "completion " + base::join(shells(), "|");
  command.positionals = {"SHELL", base::join(shells(), ", "), shell.get(), shells()};
  command.examples = {
      {"source <(graphnet completion bash)", "in ~/.bashrc"},
      {"source <(graphnet completion zsh)", "in ~/.zshrc, after compinit"},
      {"graphnet completion fish > ~/.config/fish/completions/graphnet.fish", "once"}};
  command.execute = [shell](const Context&) { return print_script(*shell); };
  return command;
}

Command complete_command() {
  const auto words = std::make_shared<std::vector<std::string>>();
  Command command;
  command.summary = "candidates for the last word, for completion scripts";
  command.usage = "__complete -- [WORD]...";
  command.positionals = {"WORD", "the command line up to the cursor", words.get()};
  command.is_hidden = true;
  command.execute = [words](const Context& context) { return answer(context, *words); };
  return command;
}

}  // namespace graphnet::cli
