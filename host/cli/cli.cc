// SPDX-License-Identifier: MIT
#include "cli/cli.h"

#include <unistd.h>

#include <csignal>
#include <exception>
#include <iostream>

#include "base/log.h"
#include "cli/actions.h"
#include "cli/commands.h"
#include "cli/diagnostics.h"
#include "cli/exit_code.h"
#include "cli/help_text.h"
#include "cli/parse.h"
#include "cli/topics.h"
#include "cli/version_text.h"

namespace graphnet::cli {

using base::Code;
using base::Result;
using base::Status;

namespace {

std::vector<Flag> global_flag_table(GlobalFlags& flags) {
  return {
      {"-h,--help", "", "show help and exit", &flags.help},
      {"--version", "", "show the version and exit; with -v how it was built", &flags.version},
      {"-v,--verbose", "",
       "say more: of each sample of a run its phases, timing and notes, and the output of what "
       "failed; twice: what the compiler was given too, and debugging messages",
       &flags.verbosity},
      {"-q,--quiet", "", "no progress, errors only: of a run the samples that fail", &flags.quiet},
      {"--json", "", "results as JSON on standard output", &flags.json},
      {"--color", "auto|always|never", "default: auto; NO_COLOR is respected", &flags.color},
      {"--progress", "auto|bar|lines|none",
       "default: auto, a bar on a terminal and lines elsewhere", &flags.progress},
      {"--plugin-path", "DIR", "search DIR for plugins first; may repeat", &flags.plugin_path},
      {"--trust-file", "FILE",
       "use a plugin's file, or all below a folder, although others could change it; may repeat",
       &flags.trust_file},
  };
}

Result<report::ProgressMode> parse_progress_mode(const std::string& text) {
  if (text == "auto") return report::ProgressMode::kAuto;
  if (text == "bar") return report::ProgressMode::kBar;
  if (text == "lines") return report::ProgressMode::kLines;
  if (text == "none") return report::ProgressMode::kNone;
  return Status(Code::kUsage, "--progress must be auto, bar, lines or none, got '" + text + "'");
}

/// Turns the global flags into settings of `context` and of the log.
Status apply_global_flags(Context& context) {
  const GlobalFlags& flags = context.flags;
  GN_ASSIGN_OR_RETURN(const ColorMode mode, parse_color_mode(flags.color.value_or("auto")));
  context.out = examine_terminal(1, mode);
  context.error = examine_terminal(2, mode);
  GN_ASSIGN_OR_RETURN(context.progress, parse_progress_mode(flags.progress.value_or("auto")));
  if (flags.quiet && flags.verbosity > 0) {
    return Status(Code::kUsage, "--quiet and --verbose exclude each other");
  }
  base::set_log_level(flags.quiet            ? base::LogLevel::kError
                      : flags.verbosity == 0 ? base::LogLevel::kWarning
                      : flags.verbosity == 1 ? base::LogLevel::kInfo
                                             : base::LogLevel::kDebug);
  return Status::ok();
}

/// The program: what can be named, and what this command line says.
class Program {
 public:
  int main(const std::vector<std::string>& words) {
    context_.interface = &interface_;
    context_.words = words;
    context_.out = examine_terminal(1, ColorMode::kAuto);
    context_.error = examine_terminal(2, ColorMode::kAuto);
    const Result<int> code = run(words);
    if (!code.is_ok()) return fail(code.status());
    std::cout.flush();
    if (std::cout) return *code;
    if (is_reader_gone(STDOUT_FILENO)) return kExitClosedPipe;
    return fail(Status(Code::kEnvironment, "cannot write to standard output"));
  }

 private:
  int fail(const Status& status) const {
    print_error(status, context_.error.color);
    return exit_code_of(status.code());
  }

  /// That of its action, if the command line has one.
  std::string help_of(const Command& command) const {
    const std::vector<std::string>* arguments = command.positionals.target;
    const Action* action = nullptr;
    if (arguments != nullptr && !arguments->empty()) {
      action = find_action(command, arguments->front());
    }
    return command_help(action ? command_of(command, *action) : command, interface_.global_flags);
  }

  Result<int> run(const std::vector<std::string>& words) {
    const std::vector<std::string> arguments(words.begin() + (words.empty() ? 0 : 1), words.end());
    GN_ASSIGN_OR_RETURN(const Command* command, parse_command_line(arguments, interface_));
    GN_RETURN_IF_ERROR(apply_global_flags(context_));
    context_.installation = config::Installation::of_this_process();
    const auto& trusted = context_.flags.trust_file;
    context_.installation.trust.exempt.assign(trusted.begin(), trusted.end());
    if (context_.flags.version) {
      std::cout << version_text(context_.installation, context_.flags.verbosity > 0);
      return kExitDone;
    }
    if (context_.flags.help) {
      std::cout << (command ? help_of(*command) : program_help(interface_));
      return kExitDone;
    }
    if (command == nullptr) {
      std::cerr << program_help(interface_);
      return kExitUsage;
    }
    return command->execute(context_);
  }

  Context context_;
  Interface interface_ = {global_flag_table(context_.flags), make_commands(), make_topics()};
};

}  // namespace

int run_main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  // A file size limit (ulimit -f) is then an error of write(), as a full disk is.
  std::signal(SIGXFSZ, SIG_IGN);
  open_standard_descriptors();
  try {
    Program program;
    return program.main(std::vector<std::string>(argv, argv + argc));
  } catch (const std::bad_alloc&) {
    print_error(Status(Code::kEnvironment, "out of memory"), false);
    return kExitEnvironment;
  } catch (const std::exception& error) {
    print_error(Status(Code::kInternal, error.what()), false);
    return kExitInternal;
  }
}

}  // namespace graphnet::cli
