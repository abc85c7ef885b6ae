// SPDX-License-Identifier: MIT
#include "cli/manual_text.h"

#include "cli/help_text.h"
#include "cli/version_text.h"

namespace graphnet::cli {

namespace {

/// Text for roff: backslashes and hyphens escaped, no line that begins as a request does.
std::string roff(const std::string& text) {
  std::string result;
  for (const char byte : text) {
    const bool begins_line = result.empty() || result.back() == '\n';
    if (begins_line && (byte == '.' || byte == '\'')) result += "\\&";
    if (byte == '\\') {
      result += "\\e";
    } else if (byte == '-') {
      result += "\\-";
    } else {
      result += byte;
    }
  }
  return result;
}

std::string man_head(const std::string& page, const std::string& summary) {
  std::string title;
  for (const char letter : page) {
    title += letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
  }
  return ".TH " + roff(title) + " 1 \"\" \"graphnet " + version_number() + "\"\n.SH NAME\n" +
         roff(page) + " \\- " + roff(summary) + "\n";
}

std::string man_item(const std::string& term, const std::string& text) {
  return ".TP\n.B " + roff(term) + "\n" + roff(text) + "\n";
}

std::string flag_term(const Flag& flag) {
  std::string term;
  for (const char byte : flag.names) term += byte == ',' ? std::string(", ") : std::string(1, byte);
  return flag.value.empty() ? term : term + " " + flag.value;
}

std::string man_flags(const std::string& heading, const std::vector<Flag>& flags) {
  if (flags.empty()) return "";
  std::string text = ".SH " + heading + "\n";
  for (const Flag& flag : flags) text += man_item(flag_term(flag), flag.help);
  return text;
}

/// Text for Markdown: nothing in it is taken for markup or a table's border.
std::string markdown(const std::string& text) {
  std::string result;
  for (const char byte : text) {
    if (byte == '|' || byte == '<' || byte == '*' || byte == '_') result += '\\';
    result += byte == '\n' ? ' ' : byte;
  }
  return result;
}

std::string code(const std::string& text) {
  std::string result = "`";
  for (const char byte : text) {
    if (byte == '|') result += '\\';  // tables split even within code
    result += byte;
  }
  return result + "`";
}

std::string markdown_flags(const std::string& heading, const std::vector<Flag>& flags) {
  if (flags.empty()) return "";
  std::string text = "\n| " + heading + " | |\n|---|---|\n";
  for (const Flag& flag : flags) {
    text += "| " + code(flag_term(flag)) + " | " + markdown(flag.help) + " |\n";
  }
  return text;
}

/// Everything of a command but the global flags.
std::string markdown_section(const Command& command) {
  std::string text = "## graphnet " + command.name + "\n\n" + markdown(command.summary) +
                     "\n\n```\ngraphnet " + command.usage + "\n```\n";
  if (!command.description.empty()) text += "\n" + markdown(command.description) + "\n";
  if (!command.positionals.name.empty()) {
    text +=
        "\n" + code(command.positionals.name) + ": " + markdown(command.positionals.help) + "\n";
  }
  text += markdown_flags("option", command.flags);
  if (command.examples.empty()) return text;
  text += "\n```\n";
  for (const Example& example : command.examples) {
    text += "# " + example.comment + "\n" + example.command + "\n";
  }
  return text + "```\n";
}

}  // namespace

std::string program_man(const std::vector<Command>& commands,
                        const std::vector<Flag>& global_flags) {
  std::string text = man_head("graphnet", kProgramSummary) + ".SH SYNOPSIS\n.B graphnet\n" +
                     roff("<command> [options]") + "\n.SH COMMANDS\n";
  std::string pages;
  for (const Command& command : commands) {
    if (command.is_hidden) continue;
    text += man_item(command.name, command.summary);
    pages += (pages.empty() ? "" : ",\n") + (".BR " + roff("graphnet-" + command.name) + " (1)");
  }
  return text + man_flags("GLOBAL OPTIONS", global_flags) + ".SH SEE ALSO\n" + pages + "\n";
}

std::string command_man(const Command& command, const std::vector<Flag>& global_flags) {
  std::string text = man_head("graphnet-" + command.name, command.summary) +
                     ".SH SYNOPSIS\n.B graphnet\n" + roff(command.usage) + "\n";
  if (!command.description.empty()) text += ".SH DESCRIPTION\n" + roff(command.description) + "\n";
  if (!command.positionals.name.empty()) {
    text += ".SH ARGUMENTS\n" + man_item(command.positionals.name, command.positionals.help);
  }
  text += man_flags("OPTIONS", command.flags) + man_flags("GLOBAL OPTIONS", global_flags);
  if (!command.examples.empty()) text += ".SH EXAMPLES\n";
  for (const Example& example : command.examples)
    text += man_item(example.command, example.comment);
  return text + ".SH SEE ALSO\n.BR graphnet (1)\n";
}

std::string program_markdown(const std::vector<Command>& commands,
                             const std::vector<Flag>& global_flags) {
  std::string text = "# graphnet\n\n" + markdown(kProgramSummary) +
                     "\n\n```\ngraphnet <command> [options]\n```\n" +
                     markdown_flags("global option", global_flags);
  for (const Command& command : commands) {
    if (!command.is_hidden) text += "\n" + markdown_section(command);
  }
  return text;
}

std::string command_markdown(const Command& command, const std::vector<Flag>& global_flags) {
  return markdown_section(command) + markdown_flags("global option", global_flags);
}

}  // namespace graphnet::cli
