// SPDX-License-Identifier: MIT
#include "config/yaml_node.h"

#include <algorithm>

namespace graphnet::config {

namespace {

// A longer line is quoted only around the caret: a terminal is about this wide.
constexpr std::size_t kMaxQuotedBytes = 100;

bool is_utf8_continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

std::size_t count_characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char byte) { return !is_utf8_continuation(byte); }));
}

std::string_view line_text(const YamlSource& source, int line) {
  if (line < 0 || static_cast<std::size_t>(line) >= source.lines.size()) return {};
  return source.lines[static_cast<std::size_t>(line)];
}

/// Control characters could move the cursor of a terminal; tabs would shift the caret.
std::string printable(std::string_view text) {
  std::string result(text);
  for (char& byte : result) {
    if (static_cast<unsigned char>(byte) < 0x20U || byte == 0x7F) byte = ' ';
  }
  return result;
}

std::string quote_line(std::string_view line, std::size_t column) {
  column = std::min(column, line.size());
  std::size_t begin = 0;
  if (line.size() > kMaxQuotedBytes && column > kMaxQuotedBytes / 2) {
    begin = column - kMaxQuotedBytes / 2;
    while (begin < column && is_utf8_continuation(line[begin])) ++begin;
  }
  std::size_t end = std::min(line.size(), begin + kMaxQuotedBytes);
  while (end < line.size() && is_utf8_continuation(line[end])) ++end;
  const std::string caret(count_characters(line.substr(begin, column - begin)), ' ');
  return "\n  " + printable(line.substr(begin, end - begin)) + "\n  " + caret + "^";
}

}  // namespace

const YamlNode* YamlNode::find(std::string_view key) const {
  for (const auto& entry : entries) {
    if (entry.key == key) return &entry.value;
  }
  return nullptr;
}

YamlNode* YamlNode::find(std::string_view key) {
  return const_cast<YamlNode*>(static_cast<const YamlNode*>(this)->find(key));
}

std::string location(const YamlSource& source, YamlPosition position) {
  if (!source.is_file) return source.name;
  const std::string_view line = line_text(source, position.line);
  const auto column = std::min(static_cast<std::size_t>(std::max(position.column, 0)), line.size());
  return source.name + ":" + std::to_string(position.line + 1) + ":" +
         std::to_string(count_characters(line.substr(0, column)) + 1);
}

base::Status error_at(const YamlSource& source, YamlPosition position, const std::string& message) {
  std::string text = location(source, position) + ": " + message;
  const std::string_view line = line_text(source, position.line);
  if (!line.empty())
    text += quote_line(line, static_cast<std::size_t>(std::max(position.column, 0)));
  return base::Status(base::Code::kInput, std::move(text));
}

base::Status error_at(const YamlNode& node, const std::string& message) {
  return error_at(*node.source, node.position, message);
}

}  // namespace graphnet::config
