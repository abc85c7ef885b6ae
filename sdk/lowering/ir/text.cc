// SPDX-License-Identifier: MIT
#include "lowering/ir/text.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include "lowering/ir/composite.h"
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
    const auto* composite = std::get_if<Composite>(&node.operation);
    if (composite != nullptr) {
      print_composite(*composite, node.operands);
    } else if (!node.operands.empty()) {
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
    if (composite != nullptr && composite->body) print_body(*composite->body);
  }

  void print_composite(const Composite& composite, const std::vector<ValueId>& operands) {
    const auto operand_name = [&](std::int32_t operand) {
      return name(operands[static_cast<std::size_t>(operand)]);
    };
    text_ += "(" + arguments_text(composite, operand_name) + ")";
    text_ += composite.body ? " {" : " unsupported=" + in_quotes(composite.why_not);
  }

  void print_body(const Graph& body) {
    const std::string text = to_text(body);
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = text.find('\n', begin) + 1;
      text_ += "  " + text.substr(begin, end - begin);
      begin = end;
    }
    text_ += "}\n";
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

template <typename Number>
Number number_in(std::string_view text) {
  Number value = {};
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end.ec != std::errc() || end.ptr != text.data() + text.size()) {
    throw LoweringError("no value '" + std::string(text) + "'");
  }
  return value;
}

using ArgumentValue = decltype(Argument::value);

/// A list of operands, of floats or of integers, by what its elements are.
ArgumentValue list_of(const std::vector<ArgumentValue>& elements) {
  std::vector<Operand> operands;
  std::vector<double> floats;
  Shape integers;
  for (const ArgumentValue& each : elements) {
    if (std::holds_alternative<std::monostate>(each)) operands.push_back({});
    if (const auto* operand = std::get_if<Operand>(&each)) operands.push_back(*operand);
    if (const auto* number = std::get_if<double>(&each)) floats.push_back(*number);
    if (const auto* number = std::get_if<std::int64_t>(&each)) integers.push_back(*number);
  }
  if (!elements.empty() && operands.size() == elements.size()) return operands;
  if (!elements.empty() && floats.size() == elements.size()) return floats;
  if (integers.size() != elements.size()) throw LoweringError("a list of several kinds");
  return integers;
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
  bool begins_with(char each) const { return !rest_.empty() && rest_.front() == each; }
  /// What in_quotes() wrote.
  std::string quoted() {
    expect("\"");
    std::string text;
    while (!take("\"")) {
      take("\\");
      if (rest_.empty()) throw LoweringError("a quote without an end");
      text += rest_.front();
      rest_.remove_prefix(1);
    }
    return text;
  }

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
        const std::string_view line = text.substr(0, length);
        has_return = !read_body(line) && parse_line(Cursor(line));
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
  /// True for a line of a composite's body.
  bool read_body(std::string_view line) {
    if (!body_) return false;
    if (line == "}") {
      auto& composite = std::get<Composite>(graph_.nodes.back().operation);
      composite.body = std::make_shared<const Graph>(ir::parse(*body_));
      body_.reset();
      return true;
    }
    if (line.substr(0, 2) != "  ") throw LoweringError("a body that is not indented");
    *body_ += std::string(line.substr(2)) + "\n";
    return true;
  }

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
    if (name.find("::") != std::string_view::npos) {
      parse_composite(std::string(name), line, node);
      graph_.nodes.push_back(std::move(node));
      return false;
    }
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

  void parse_composite(std::string op, Cursor& line, Node& node) {
    Composite composite;
    composite.op = std::move(op);
    line.expect("(");
    while (!line.take(")")) {
      if (!composite.arguments.empty()) line.expect(", ");
      const std::string_view name = line.until("=");
      line.expect("=");
      composite.arguments.push_back({std::string(name), argument(line, node)});
    }
    for (const ValueId result : node.results) composite.results.push_back(graph_.type(result));
    if (line.take(" {")) {
      body_ = "";
    } else {
      line.expect(" unsupported=");
      composite.why_not = line.quoted();
    }
    node.operation = std::move(composite);
    parse_attributes(line, node);
  }

  ArgumentValue argument(Cursor& line, Node& node) const {
    if (line.begins_with('"')) return line.quoted();
    if (!line.take("[")) return atom(line.until(",)"), node);
    std::vector<ArgumentValue> elements;
    while (!line.take("]")) {
      if (!elements.empty()) line.expect(",");
      elements.push_back(atom(line.until(",]"), node));
    }
    return list_of(elements);
  }

  ArgumentValue atom(std::string_view text, Node& node) const {
    if (text == "none") return std::monostate();
    if (text == "true" || text == "false") return text == "true";
    if (const auto type = type_named(text)) return *type;
    if (text.substr(0, 1) == "%") return operand(number_in<std::int64_t>(text.substr(1)), node);
    if (text.find_first_of(".en") != std::string_view::npos) return number_in<double>(text);
    return number_in<std::int64_t>(text);
  }

  Operand operand(std::int64_t id, Node& node) const {
    if (id < 0 || id >= static_cast<std::int64_t>(graph_.values.size())) {
      throw LoweringError("value %" + std::to_string(id) + " is not defined");
    }
    const auto value = static_cast<ValueId>(id);
    auto found = std::find(node.operands.begin(), node.operands.end(), value);
    if (found == node.operands.end()) found = node.operands.insert(found, value);
    return {static_cast<std::int32_t>(found - node.operands.begin())};
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
  std::optional<std::string> body_;  ///< of the last node, as far as it was read
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
