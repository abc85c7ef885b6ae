// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "cli/terminal.h"
#include "config/installation.h"
#include "report/progress.h"

namespace graphnet::cli {

/// Where a flag's value goes: a switch, a switch that counts, one value, or one per repetition. The
/// parser stores text only; types and ranges are checked by the command, in one style.
using FlagTarget =
    std::variant<bool*, int*, std::optional<std::string>*, std::vector<std::string>*>;

/// One flag; the only source for the parser, help, man page and completion.
struct Flag {
  std::string names;  ///< "-o,--output"
  /// Empty for a switch; in brackets if it may be left out, which stores an empty text. What
  /// completion offers follows from it, part by part ("PROTOCOL|FILE"): FILE, DIR, SAMPLE, CONFIG,
  /// PROTOCOL, BACKEND and PLUGIN name such, lower-case words are choices, anything else is free
  /// text.
  std::string value;
  std::string help;  ///< one phrase, with unit and default
  FlagTarget target;
  /// Words that completion offers besides; several with commas between if `value` ends in ",...".
  std::vector<std::string> choices = {};
};

/// Positional arguments of a command: all of one kind.
struct Positionals {
  std::string name;  ///< "SAMPLE|DIR|LIST"; empty: the command takes none
  std::string help;
  std::vector<std::string>* target = nullptr;
  std::vector<std::string> choices = {};  ///< words that completion offers for the first
  /// What it offers else: as Flag::value, or TOPIC, the commands and topics.
  std::string completes = {};
};

struct Example {
  std::string command;
  std::string comment;
};

/// Options that every command takes.
struct GlobalFlags {
  int verbosity = 0;
  bool quiet = false;
  bool help = false;
  bool version = false;
  bool json = false;
  std::optional<std::string> color;
  std::optional<std::string> progress;
  std::vector<std::string> plugin_path;
  std::vector<std::string> trust_file;
};

struct Interface;

/// The surroundings of a command.
struct Context {
  const Interface* interface = nullptr;  ///< what help, manual pages and completion describe
  config::Installation installation;
  GlobalFlags flags;
  std::vector<std::string> words;  ///< the command line, program name included
  report::ProgressMode progress = report::ProgressMode::kAuto;
  Terminal out;
  Terminal error;
};

/// What a command does if its first argument is `name`.
struct Action {
  std::string name;
  std::string summary;             ///< one line in the command's help
  std::string description;         ///< for its own help
  std::vector<std::string> flags;  ///< those of the command that it has, by their long names
};

/// One command of the program. Owns what its flags are stored in: targets of its flags and
/// positionals live as long as `execute`.
struct Command {
  std::string name;         ///< of its row in commands.h
  std::string summary;      ///< one line in the list of commands
  std::string description;  ///< a few sentences for its own help
  std::string usage;        ///< what follows "graphnet "
  /// Words of the first argument; empty: the command does one thing. Neither `usage` nor
  /// `positionals` tell of them, see actions.h.
  std::vector<Action> actions;
  Positionals positionals;
  std::vector<Flag> flags;
  std::vector<Example> examples;
  bool is_hidden = false;  ///< not for people: neither listed nor completed
  /// Does the work; returns the exit code. A failure is printed by the caller.
  std::function<base::Result<int>(const Context&)> execute;
};

/// A text of `graphnet help TOPIC`.
struct Topic {
  std::string name;
  std::string summary;  ///< one line in the list of topics
  std::string body;     ///< Markdown: sections "## ...", paragraphs, lists, indented examples
};

/// All that a user can name. Commands that are hidden are in it too.
struct Interface {
  std::vector<Flag> global_flags;
  std::vector<Command> commands;
  std::vector<Topic> topics;
};

}  // namespace graphnet::cli
