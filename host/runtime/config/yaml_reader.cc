// SPDX-License-Identifier: MIT
#include "config/yaml_reader.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <exception>
#include <sstream>
#include <unordered_map>

#include "base/file.h"
#include "base/suggestion.h"
#include "base/text.h"
#include "config/map_keys.h"

namespace graphnet::config {

using base::Code;
using base::Result;
using base::Status;

namespace {

/// Carries a Status through yaml-cpp's own frames; caught in parse_source and nowhere else.
struct Refusal : std::exception {
  explicit Refusal(Status reason) : status(std::move(reason)) {}
  const char* what() const noexcept override { return "refused"; }
  Status status;
};

/// Builds the tree from parse events. An event parser is used instead of yaml-cpp's node tree
/// because that drops duplicate keys, resolves aliases and has no positions of keys.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(std::shared_ptr<const YamlSource> source, int first_column)
      : source_(std::move(source)), first_column_(first_column) {}

  YamlNode take_root() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (num_documents_++ > 0)
      refuse(position(mark), "a second document is not allowed in one file");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(make(mark, anchor, "", YamlNode::Kind::kNull));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    refuse(position(mark), "aliases are not allowed; write the value out");
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    YamlNode node = make(mark, anchor, tag, YamlNode::Kind::kScalar);
    node.text = value;
    node.is_quoted = tag == "!";
    add(std::move(node));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    push(make(mark, anchor, tag, YamlNode::Kind::kSequence));
  }
  void OnSequenceEnd() override { pop(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    push(make(mark, anchor, tag, YamlNode::Kind::kMap));
  }
  void OnMapEnd() override { pop(); }

 private:
  /// An open collection.
  struct Open {
    YamlNode node;
    bool has_key = false;
    std::unordered_map<std::string, int> line_of_key;
  };

  YamlPosition position(const YAML::Mark& mark) const {
    return {mark.line, mark.column + (mark.line == 0 ? first_column_ : 0)};
  }

  [[noreturn]] void refuse(YamlPosition position, const std::string& message) const {
    throw Refusal(error_at(*source_, position, message));
  }

  YamlNode make(const YAML::Mark& mark, YAML::anchor_t anchor, const std::string& tag,
                YamlNode::Kind kind) const {
    if (anchor != YAML::NullAnchor) refuse(position(mark), "anchors are not allowed");
    if (!tag.empty() && tag != "?" && tag != "!") refuse(position(mark), "tags are not allowed");
    YamlNode node;
    node.kind = kind;
    node.position = position(mark);
    node.source = source_;
    return node;
  }

  void push(YamlNode node) {
    if (open_.size() >= static_cast<std::size_t>(kMaxYamlDepth)) {
      refuse(node.position, "nested deeper than " + std::to_string(kMaxYamlDepth) + " levels");
    }
    if (expects_key()) refuse(node.position, "a key must be plain text");
    open_.push_back({std::move(node), false, {}});
  }

  void pop() {
    YamlNode node = std::move(open_.back().node);
    open_.pop_back();
    add(std::move(node));
  }

  bool expects_key() const {
    return !open_.empty() && open_.back().node.kind == YamlNode::Kind::kMap &&
           !open_.back().has_key;
  }

  void add(YamlNode node) {
    if (open_.empty()) {
      root_ = std::move(node);
    } else if (open_.back().node.kind == YamlNode::Kind::kSequence) {
      open_.back().node.items.push_back(std::move(node));
    } else if (expects_key()) {
      add_key(node);
    } else {
      set_value(std::move(node));
    }
  }

  void add_key(const YamlNode& node) {
    if (node.kind != YamlNode::Kind::kScalar) refuse(node.position, "a key must be plain text");
    if (node.text.size() > kMaxYamlKeyBytes) {
      refuse(node.position,
             "a key may have at most " + std::to_string(kMaxYamlKeyBytes) + " bytes");
    }
    Open& map = open_.back();
    const auto [earlier, is_new] = map.line_of_key.emplace(node.text, node.position.line);
    if (!is_new) {
      refuse(node.position, "key '" + node.text + "' already given at line " +
                                std::to_string(earlier->second + 1));
    }
    map.node.entries.push_back({node.text, node.position, source_, {}});
    map.has_key = true;
  }

  void set_value(YamlNode node) {
    YamlEntry& entry = open_.back().node.entries.back();
    // yaml-cpp locates a missing value at the next token, which may be lines away.
    if (node.kind == YamlNode::Kind::kNull) node.position = entry.position;
    entry.value = std::move(node);
    open_.back().has_key = false;
  }

  std::shared_ptr<const YamlSource> source_;
  int first_column_;
  int num_documents_ = 0;
  std::vector<Open> open_;
  YamlNode root_;
};

/// Length of the UTF-8 sequence at the front of `text`, or 0 if it is none.
///
/// source   Unicode 15 table 3-7, well-formed UTF-8
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const auto continues = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned first = byte(0);
  if (first < 0x80U) return 1;
  if (first >= 0xC2U && first <= 0xDFU) return continues(1) ? 2 : 0;
  if ((first & 0xF0U) == 0xE0U) {
    const bool is_bad = (first == 0xE0U && byte(1) < 0xA0U) || (first == 0xEDU && byte(1) > 0x9FU);
    return !is_bad && continues(1) && continues(2) ? 3 : 0;
  }
  if (first >= 0xF0U && first <= 0xF4U) {
    const bool is_bad = (first == 0xF0U && byte(1) < 0x90U) || (first == 0xF4U && byte(1) > 0x8FU);
    return !is_bad && continues(1) && continues(2) && continues(3) ? 4 : 0;
  }
  return 0;
}

/// True for text: UTF-8 without control characters other than tab, line feed and carriage return.
bool is_text(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x20U && byte != '\t' && byte != '\n' && byte != '\r') return false;
    const std::size_t length = utf8_length(text.substr(i));
    if (length == 0) return false;
    i += length;
  }
  return true;
}

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin <= text.size();) {
    std::size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) end = text.size();
    std::string_view line = text.substr(begin, end - begin);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    lines.emplace_back(line);
    begin = end + 1;
  }
  return lines;
}

/// What to do about a message of yaml-cpp that contains `text`.
struct SyntaxHint {
  const char* text;
  const char* hint;
};
constexpr SyntaxHint kSyntaxHints[] = {
    // Such as `version: >=0.2`, where '>' begins a block.
    {"block scalar", "put a value that begins with > or | in quotes"},
    {"illegal map value",
     "indent all keys of a map alike; put a value that contains ': ' in quotes"},
    {"end of map", "indent all keys of a map alike; each needs a ':' and a blank after it"},
};

Status explain(const YamlSource& source, YamlPosition position, const std::string& message) {
  const auto line = static_cast<std::size_t>(position.line);
  if (source.is_file && line < source.lines.size()) {
    const std::string& text = source.lines[line];
    const std::size_t tab = text.substr(0, text.find_first_not_of(" \t")).find('\t');
    if (tab != std::string::npos) {
      return error_at(source, {position.line, static_cast<int>(tab)},
                      "a tab in the indentation, where YAML allows only blanks")
          .add_hint("replace the tab by blanks");
    }
  }
  Status invalid = error_at(source, position, "invalid YAML: " + message);
  for (const SyntaxHint& row : kSyntaxHints) {
    if (message.find(row.text) != std::string::npos) return invalid.add_hint(row.hint);
  }
  return invalid;
}

Result<YamlNode> parse_source(const std::string& text, std::shared_ptr<const YamlSource> source,
                              int first_column) {
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    TreeBuilder builder(source, first_column);
    while (parser.HandleNextDocument(builder)) {
    }
    YamlNode root = builder.take_root();
    if (root.source == nullptr) root.source = std::move(source);
    return root;
  } catch (const Refusal& refusal) {
    return refusal.status;
  } catch (const YAML::Exception& error) {
    const YamlPosition position = {
        std::max(error.mark.line, 0),
        std::max(error.mark.column, 0) + (error.mark.line <= 0 ? first_column : 0)};
    return explain(*source, position, error.msg);
  } catch (const std::exception& error) {
    return Status(Code::kInput, source->name + ": cannot be parsed: " + error.what());
  }
}

Status wrong(const YamlNode& node, const std::string& what, const std::string& expected) {
  if (node.kind == YamlNode::Kind::kNull) {
    return error_at(node, what + " has no value; it must be " + expected);
  }
  return error_at(node, what + " must be " + expected + ", got " + describe(node));
}

template <typename T>
std::string range_text(const char* type, T min, T max) {
  std::ostringstream text;
  text << type;
  const bool has_min = min != std::numeric_limits<T>::lowest();
  const bool has_max = max != std::numeric_limits<T>::max();
  if (has_min && has_max) {
    text << " from " << min << " to " << max;
  } else if (has_min) {
    text << " >= " << min;
  } else if (has_max) {
    text << " <= " << max;
  }
  return text.str();
}

/// Parses the whole of an unquoted scalar with std::from_chars, hence without locale.
template <typename T>
bool parse_scalar(const YamlNode& node, T& value) {
  if (node.kind != YamlNode::Kind::kScalar || node.is_quoted) return false;
  const char* end = node.text.data() + node.text.size();
  const auto [rest, error] = std::from_chars(node.text.data(), end, value);
  return error == std::errc() && rest == end;
}

}  // namespace

Result<YamlNode> parse_yaml(std::string_view text, const std::string& name) {
  if (text.size() > kMaxYamlBytes) {
    return Status(Code::kInput, name + ": has " + std::to_string(text.size()) +
                                    " bytes, the limit is " + std::to_string(kMaxYamlBytes));
  }
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark) {
    text.remove_prefix(kByteOrderMark.size());
  }
  if (!is_text(text)) return Status(Code::kInput, name + ": is not UTF-8 text");
  auto source = std::make_shared<YamlSource>();
  source->name = name;
  source->lines = split_lines(text);
  return parse_source(std::string(text), std::move(source), 0);
}

Result<YamlNode> parse_flag_value(const std::string& flag, const std::string& flag_text,
                                  std::size_t value_column) {
  auto source = std::make_shared<YamlSource>();
  source->name = flag;
  source->is_file = false;
  source->lines = {flag_text};
  if (flag_text.size() > kMaxYamlBytes || !is_text(flag_text) ||
      flag_text.find('\n') != std::string::npos) {
    return Status(Code::kInput, flag + ": the value must be one line of UTF-8 text");
  }
  return parse_source(flag_text.substr(value_column), std::move(source),
                      static_cast<int>(value_column));
}

Result<YamlNode> read_yaml(const std::filesystem::path& path) {
  GN_ASSIGN_OR_RETURN(const std::string text, base::read_file(path, kMaxYamlBytes));
  return parse_yaml(text, path.string());
}

Result<MapReader> MapReader::open(const YamlNode& node, std::string path) {
  if (node.kind != YamlNode::Kind::kMap) {
    return wrong(node, path.empty() ? "the document" : path, "a map of keys to values");
  }
  return MapReader(node, std::move(path));
}

Result<MapReader> MapReader::open(const YamlNode& node, std::string path,
                                  const std::vector<std::string>& known_keys) {
  GN_ASSIGN_OR_RETURN(MapReader map, open(node, std::move(path)));
  GN_RETURN_IF_ERROR(check_keys(node, {{"", known_keys}}, map.path()));
  return map;
}

Result<const YamlNode*> MapReader::require(const std::string& key) const {
  if (const YamlNode* node = find(key)) return node;
  return error_at(*node_, "missing key '" + path_of(key) + "'");
}

std::string MapReader::path_of(std::string_view key) const {
  return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
}

Result<std::string> read_text(const YamlNode& node, const std::string& what) {
  if (node.kind != YamlNode::Kind::kScalar) return wrong(node, what, "text");
  return node.text;
}

Result<std::int64_t> read_integer(const YamlNode& node, const std::string& what, std::int64_t min,
                                  std::int64_t max) {
  std::int64_t value = 0;
  if (!parse_scalar(node, value) || value < min || value > max) {
    return wrong(node, what, range_text("an integer", min, max));
  }
  return value;
}

Result<double> read_number(const YamlNode& node, const std::string& what, double min, double max) {
  double value = 0;
  if (!parse_scalar(node, value) || !std::isfinite(value) || value < min || value > max) {
    return wrong(node, what, range_text("a number", min, max));
  }
  return value;
}

Result<bool> read_boolean(const YamlNode& node, const std::string& what) {
  if (node.kind == YamlNode::Kind::kScalar && !node.is_quoted) {
    if (node.text == "true") return true;
    if (node.text == "false") return false;
  }
  return wrong(node, what, "true or false");
}

Result<std::string> read_choice(const YamlNode& node, const std::string& what,
                                const std::vector<std::string>& choices) {
  if (node.kind == YamlNode::Kind::kScalar) {
    if (std::find(choices.begin(), choices.end(), node.text) != choices.end()) return node.text;
    return error_at(node, what + " must be one of " + base::join(choices, ", ") + ", got " +
                              describe(node) + suggestion(node.text, choices));
  }
  return wrong(node, what, "one of " + base::join(choices, ", "));
}

Status expect_sequence(const YamlNode& node, const std::string& what) {
  return node.kind == YamlNode::Kind::kSequence ? Status::ok() : wrong(node, what, "a list");
}

Result<std::vector<std::string>> read_text_list(const YamlNode& node, const std::string& what) {
  GN_RETURN_IF_ERROR(expect_sequence(node, what));
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    GN_ASSIGN_OR_RETURN(std::string text,
                        read_text(node.items[i], what + "[" + std::to_string(i) + "]"));
    texts.push_back(std::move(text));
  }
  return texts;
}

std::string describe(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::kNull:
      return "nothing";
    case YamlNode::Kind::kSequence:
      return "a list";
    case YamlNode::Kind::kMap:
      return "a map";
    case YamlNode::Kind::kScalar:
      break;
  }
  constexpr std::size_t kMaxShown = 60;
  const std::string shown =
      node.text.size() > kMaxShown ? node.text.substr(0, kMaxShown) + "..." : node.text;
  return (node.is_quoted ? "the text '" : "'") + shown + "'";
}

std::string suggestion(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string question = base::suggestion(word, candidates);
  return question.empty() ? "" : "; " + question;
}

}  // namespace graphnet::config
