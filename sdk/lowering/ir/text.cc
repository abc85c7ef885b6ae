// SPDX-License-Identifier: MIT
#include "lowering/ir/text.h"

#include <charconv>
#include <optional>
#include <unordered_map>
#include <utility>

#include "lowering/ir/operation.h"
#include "lowering/ir/verify.h"

namespace graphnet::lowering::ir {

namespace {

// ---- writing ----

/// Values are numbered in the order in which nodes make them.
class Printer {
 public:
  explicit Printer(const Graph& graph) : graph_(graph), numbers_(graph.values.size(), -1) {}

  std::string print() {
    for (const Node& node : graph_.nodes) print(node);
    text_ += "return";
    append_names(graph_.outputs, " ");
    return text_ + "\n";
  }

 private:
  std::string name(ValueId id) const {
    return "%" + std::to_string(numbers_[static_cast<std::size_t>(id)]);
  }
  void append_names(const std::vector<ValueId>& ids, const char* separator) {
    for (const ValueId id : ids) {
      text_ += separator + name(id);
      separator = ", ";
    }
  }

  void print(const Node& node) {
    const char* separator = "";
    for (const ValueId result : node.results) {
      numbers_[static_cast<std::size_t>(result)] = next_++;
      const TensorType& type = graph_.value(result).type;
      text_ += separator + name(result) + ": " + describe(type.type, type.shape);
      separator = ", ";
    }
    text_ += " = " + std::string(name_of(node.operation));
    if (!node.operands.empty()) {
      text_ += "(";
      append_names(node.operands, "");
      text_ += ")";
    }
    text_ += attributes_text(node.operation);
    if (node.origin >= 0) {
      const Origin& origin = graph_.origins[static_cast<std::size_t>(node.origin)];
      text_ += " # " + origin.op + (origin.where.empty() ? "" : " ") + origin.where;
    }
    text_ += "\n";
  }

  const Graph& graph_;
  std::vector<std::int64_t> numbers_;
  std::int64_t next_ = 0;
  std::string text_;
};

// ---- reading ----

std::optional<Type> type_named(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(Type::kC128); ++i) {
    if (name == type_name(static_cast<Type>(i))) return static_cast<Type>(i);
  }
  return std::nullopt;
}

/// One line, read from the left.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}

  bool at_end() const { return rest_.empty(); }
  bool take(std::string_view token) {
    if (rest_.substr(0, token.size()) != token) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  void expect(std::string_view token) {
    if (!take(token)) throw LoweringError("expected '" + std::string(token) + "'");
  }
  std::string_view until(std::string_view stops) {
    const std::size_t length = std::min(rest_.find_first_of(stops), rest_.size());
    const std::string_view taken = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return taken;
  }
  std::string_view rest() const { return rest_; }

  /// "%12" as 12.
  std::int64_t name() {
    expect("%");
    return number();
  }
  TensorType type() {
    const auto type = type_named(until("["));
    if (!type) throw LoweringError("no such element type");
    expect("[");
    TensorType result = {*type, {}};
    while (!take("]")) {
      if (!result.shape.empty()) expect(",");
      result.shape.push_back(number());
    }
    return result;
  }

 private:
  std::int64_t number() {
    std::int64_t value = 0;
    const auto end = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (end.ec != std::errc() || value < 0) throw LoweringError("expected a number");
    rest_.remove_prefix(static_cast<std::size_t>(end.ptr - rest_.data()));
    return value;
  }

  std::string_view rest_;
};

class Parser {
 public:
  Graph parse(std::string_view text) {
    bool has_return = false;
    for (int number = 1; !text.empty(); ++number) {
      const std::size_t length = std::min(text.find('\n'), text.size());
      try {
        if (has_return) throw LoweringError("text behind 'return'");
        has_return = parse_line(Cursor(text.substr(0, length)));
      } catch (const LoweringError& error) {
        throw LoweringError("line " + std::to_string(number) + ": " + error.what());
      }
      text.remove_prefix(std::min(length + 1, text.size()));
    }
    if (!has_return) throw LoweringError("no 'return'");
    verify(graph_);
    return std::move(graph_);
  }

 private:
  /// True for the last line.
  bool parse_line(Cursor line) {
    if (line.take("return")) {
      if (line.take(" ")) graph_.outputs = values(line);
      if (!line.at_end()) throw LoweringError("text behind the outputs");
      return true;
    }
    Node node;
    parse_results(line, node);
    line.expect(" = ");
    const std::string_view name = line.until("( #");
    auto operation = operation_named(name);
    if (!operation) throw LoweringError("no operation '" + std::string(name) + "'");
    node.operation = std::move(*operation);
    if (line.take("(")) {
      node.operands = values(line);
      line.expect(")");
    }
    parse_attributes(line, node);
    graph_.nodes.push_back(std::move(node));
    return false;
  }

  void parse_results(Cursor& line, Node& node) {
    do {
      const auto id = static_cast<ValueId>(graph_.values.size());
      if (line.name() != id) throw LoweringError("values are not numbered in order");
      line.expect(": ");
      graph_.values.push_back({line.type(), static_cast<std::int32_t>(graph_.nodes.size())});
      node.results.push_back(id);
    } while (line.take(", "));
  }

  std::vector<ValueId> values(Cursor& line) const {
    std::vector<ValueId> ids;
    do {
      const std::int64_t id = line.name();
      if (id >= static_cast<std::int64_t>(graph_.values.size())) {
        throw LoweringError("value %" + std::to_string(id) + " is not defined");
      }
      ids.push_back(static_cast<ValueId>(id));
    } while (line.take(", "));
    return ids;
  }

  void parse_attributes(Cursor& line, Node& node) {
    while (line.take(" ")) {
      if (line.take("# ")) {
        node.origin = origin_of(line.rest());
        return;
      }
      const std::string_view name = line.until("=");
      line.expect("=");
      const std::string_view text = line.until(" ");
      if (!set_attribute(node.operation, name, text)) {
        throw LoweringError("no attribute " + std::string(name) + "=" + std::string(text));
      }
    }
    if (!line.at_end()) throw LoweringError("text behind the attributes");
  }

  std::int32_t origin_of(std::string_view text) {
    const auto [found, is_new] =
        origins_.emplace(std::string(text), static_cast<std::int32_t>(graph_.origins.size()));
    if (is_new) {
      const std::size_t space = std::min(text.find(' '), text.size());
      const std::string_view where = text.substr(std::min(space + 1, text.size()));
      graph_.origins.push_back({std::string(text.substr(0, space)), std::string(where)});
    }
    return found->second;
  }

  Graph graph_;
  std::unordered_map<std::string, std::int32_t> origins_;
};

}  // namespace

std::string to_text(const Graph& graph) {
  return Printer(graph).print();
}

Graph parse(std::string_view text) {
  return Parser().parse(text);
}

}  // namespace graphnet::lowering::ir
