// SPDX-License-Identifier: MIT
#include "cli/manual_text.h"

#include "base/text.h"
#include "cli/actions.h"
#include "cli/help_text.h"
#include "cli/version_text.h"

namespace graphnet::cli {

namespace {

constexpr const char* kSeeProgram = ".SH SEE ALSO\n.BR graphnet (1)\n";

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

std::string man_head(const std::string& page, char section, const std::string& summary) {
  std::string title;
  for (const char letter : page) {
    title += letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
  }
  return ".TH " + roff(title) + " " + section + " \"\" \"graphnet " + version_number() +
         "\"\n.SH NAME\n" + roff(page) + " \\- " + roff(summary) + "\n";
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
std::string markdown_section(const Command& plain) {
  const Command command = with_actions(plain, ActionText::kDescription);
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

std::string program_man(const Interface& interface) {
  std::string text = man_head("graphnet", '1', kProgramSummary) + ".SH SYNOPSIS\n.B graphnet\n" +
                     roff("<command> [options]") + "\n.SH COMMANDS\n";
  std::vector<std::string> pages;
  for (const Command& command : interface.commands) {
    if (command.is_hidden) continue;
    text += man_item(command.name, command.summary);
    pages.push_back(".BR " + roff("graphnet-" + command.name) + " (1)");
  }
  if (!interface.topics.empty()) text += ".SH TOPICS\n";
  for (const Topic& topic : interface.topics) {
    text += man_item(topic.name, topic.summary);
    pages.push_back(".BR " + roff("graphnet-" + topic.name) + " (7)");
  }
  return text + man_flags("GLOBAL OPTIONS", interface.global_flags) + ".SH SEE ALSO\n" +
         base::join(pages, ",\n") + "\n";
}

std::string command_man(const Command& plain, const std::vector<Flag>& global_flags) {
  const Command command = with_actions(plain, ActionText::kDescription);
  std::string text = man_head("graphnet-" + command.name, '1', command.summary) +
                     ".SH SYNOPSIS\n.B graphnet\n" + roff(command.usage) + "\n";
  if (!command.description.empty()) text += ".SH DESCRIPTION\n" + roff(command.description) + "\n";
  if (!command.positionals.name.empty()) {
    text += ".SH ARGUMENTS\n" + man_item(command.positionals.name, command.positionals.help);
  }
  text += man_flags("OPTIONS", command.flags) + man_flags("GLOBAL OPTIONS", global_flags);
  if (!command.examples.empty()) text += ".SH EXAMPLES\n";
  for (const Example& example : command.examples)
    text += man_item(example.command, example.comment);
  return text + kSeeProgram;
}

std::string topic_man(const Topic& topic) {
  std::string text =
      man_head("graphnet-" + topic.name, '7', topic.summary) + ".SH DESCRIPTION\n.nf\n";
  // Lines stay as they are written: lists and indented examples are for the eye already.
  for (const std::string& line : base::split(topic.body, '\n')) {
    const bool is_heading = line.rfind("## ", 0) == 0;
    text += is_heading ? ".fi\n.SH " + roff(line.substr(3)) + "\n.nf\n" : roff(line) + "\n";
  }
  return text + ".fi\n" + kSeeProgram;
}

std::string program_markdown(const Interface& interface) {
  std::string text = "# graphnet\n\n" + markdown(kProgramSummary) +
                     "\n\n```\ngraphnet <command> [options]\n```\n" +
                     markdown_flags("global option", interface.global_flags);
  for (const Command& command : interface.commands) {
    if (!command.is_hidden) text += "\n" + markdown_section(command);
  }
  if (!interface.topics.empty()) text += "\n## Topics\n\n";
  for (const Topic& topic : interface.topics) {
    text += "- " + code("graphnet help " + topic.name) + ": " + markdown(topic.summary) + "\n";
  }
  return text;
}

std::string command_markdown(const Command& command, const std::vector<Flag>& global_flags) {
  return markdown_section(command) + markdown_flags("global option", global_flags);
}

std::string topic_markdown(const Topic& topic) {
  return "# " + topic.name + ": " + topic.summary + "\n\n" + topic.body;
}

}  // namespace graphnet::cli
