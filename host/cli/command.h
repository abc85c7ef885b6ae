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
  /// completion offers follows from it: FILE, DIR, CONFIG and PLUGIN name such, lower-case words
  /// "auto|bar" are the choices, anything else is free text.
  std::string value;
  std::string help;  ///< one phrase, with unit and default
  FlagTarget target;
};

/// Positional arguments of a command: all of one kind.
struct Positionals {
  std::string name;  ///< "SAMPLE|DIR|LIST"; empty: the command takes none
  std::string help;
  std::vector<std::string>* target = nullptr;
  std::vector<std::string> choices = {};  ///< words that completion offers
  std::string completes = {};             ///< and what else, as Flag::value
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

/// The surroundings of a command.
struct Context {
  config::Installation installation;
  GlobalFlags flags;
  std::vector<std::string> words;  ///< the command line, program name included
  report::ProgressMode progress = report::ProgressMode::kAuto;
  Terminal out;
  Terminal error;
};

/// One command of the program.
struct Command {
  std::string name;
  std::string summary;      ///< one line in the list of commands
  std::string description;  ///< a few sentences for its own help
  std::string usage;        ///< what follows "graphnet "
  Positionals positionals;
  std::vector<Flag> flags;
  std::vector<Example> examples;
  bool is_hidden = false;  ///< not for people: neither listed nor completed
  /// Does the work; returns the exit code. A failure is printed by the caller.
  std::function<base::Result<int>(const Context&)> execute;
};

}  // namespace graphnet::cli
