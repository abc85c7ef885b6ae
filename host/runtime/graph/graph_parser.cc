// SPDX-License-Identifier: MIT
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include "graph/graph_text.h"
#include "graph/graph_words.h"
#include "graph/text_cursor.h"

namespace graphnet::graph {

namespace {

bool is_number(char c) {
  return is_word(c) || c == '.' || c == '+' || c == '-';
}

class Reader : private TextCursor {
 public:
  Reader(std::string_view text, const std::string& file) : TextCursor(text, file) {}

  base::Result<Graph> read() {
    expect_word("graph");
    graph_.name = string();
    end_line();
    skip_comments();
    while (ok() && !at_end() && !done_) {
      line();
      skip_comments();
    }
    if (ok() && !done_) fail("'return'");
    if (ok() && !at_end()) fail("the end of the file");
    if (ok()) check_given();
    if (!ok()) return status();
    return std::move(graph_);
  }

 private:
  ValueId id() {
    const std::size_t start = position();
    expect('%');
    const std::int64_t number = ok() ? integer() : 0;
    // A definition has at least ten characters.
    if (ok() && (number < 0 || number > static_cast<std::int64_t>(size() / 10))) {
      fail_at(start, "there is no value of this number");
    }
    return ok() ? static_cast<ValueId>(number) : 0;
  }

  ValueId read_id() {
    const std::size_t start = position();
    const ValueId value = id();
    if (ok() && !is_given(value)) fail_at(start, "the value is not defined above");
    return value;
  }

  ValueId read_id_or_none() {
    if (peek() == '%') return read_id();
    const std::size_t start = position();
    if (run(is_word) != "none" && ok()) {
      move_to(start);
      fail("a value or 'none'");
    }
    return kNoValue;
  }

  // A comma between items; true if there is one more item before `end`.
  bool next_item(char end, bool is_first) {
    blanks();
    if (!ok() || accept(end)) return false;
    if (!is_first) {
      expect(',');
      blanks();
    }
    return ok();
  }

  void type(Value& value) {
    const std::size_t start = position();
    const auto dtype = dtype_from_short_name(word("an element type"));
    if (!dtype) return fail_at(start, "expected an element type such as f32");
    value.dtype = *dtype;
    expect('[');
    for (bool first = true; next_item(']', first); first = false) {
      const std::size_t at = position();
      value.shape.push_back(integer());
      if (value.shape.back() < 0) fail_at(at, "an extent is negative");
    }
    if (ok() && !base::num_elements(value.shape)) fail_at(start, "the tensor is too large");
  }

  bool is_given(ValueId value) const {
    const auto index = static_cast<std::size_t>(value);
    return index < given_.size() && given_[index];
  }

  // "%3: f32[4]"
  ValueId definition() {
    const std::size_t start = position();
    const ValueId value = id();
    if (ok() && is_given(value)) fail_at(start, "the value is defined twice");
    if (!ok()) return 0;
    const std::size_t needed = static_cast<std::size_t>(value) + 1;
    if (given_.size() < needed) {
      given_.resize(needed, false);
      graph_.values.resize(needed);
    }
    given_[needed - 1] = true;
    expect(':');
    blanks();
    type(graph_.value(value));
    return value;
  }

  void line() {
    if (peek() == '%' || peek() == '_') return definitions();
    const std::size_t start = position();
    const std::string_view first = run(is_word);
    if (first == "specialised") {
      ids(graph_.specialised);
    } else if (first == "return") {
      ids(graph_.outputs);
      done_ = true;
    } else {
      move_to(start);
      node({});
    }
  }

  void ids(std::vector<ValueId>& list) {
    blanks();
    for (bool first = true; next_item('\n', first) && !(first && at_end()); first = false) {
      list.push_back(read_id());
      blanks();
      if (at_end()) break;
    }
  }

  void definitions() {
    std::vector<ValueId> results;
    do {
      blanks();
      results.push_back(accept('_') ? kNoValue : definition());
      blanks();
    } while (accept(','));
    expect('=');
    blanks();
    const std::size_t start = position();
    const std::string_view first = run(is_word);
    if (peek() == ':' || results.size() != 1 || results[0] == kNoValue) {
      move_to(start);
      return node(results);
    }
    leaf(first, start, results[0]);
    end_line();
  }

  void leaf(std::string_view kind, std::size_t start, ValueId id) {
    blanks();
    if (!ok()) return;
    Value& value = graph_.value(id);
    if (kind == "constant") {
      value.kind = ValueKind::kConstant;
      return elements(value);
    }
    if (kind != "input" && kind != "weight" && kind != "random") {
      return fail_at(start, "expected input, weight, random, constant or an operator");
    }
    value.kind = kind == "weight" ? ValueKind::kWeight : ValueKind::kInput;
    value.name = string();
    if (kind == "random") {
      ++graph_.num_random;
    } else if (graph_.num_random > 0) {
      fail_at(start, "random inputs come last");
    }
    graph_.parameters.push_back(id);
    blanks();
    if (kind == "random" && peek() == '[') elements(value);
  }

  void elements(Value& value) {
    expect('[');
    const std::size_t start = position();
    const std::int64_t wanted = base::num_elements(value.shape).value_or(0);
    std::int64_t count = 0;
    for (bool first = true; next_item(']', first); first = false, ++count) {
      if (count == wanted) return fail_at(position(), "there are more elements than the shape has");
      element(value);
    }
    if (ok() && count != wanted) fail_at(start, "there are fewer elements than the shape has");
  }

  template <typename T>
  void append(Value& value, std::size_t at, std::int64_t number) {
    // NOLINTNEXTLINE(bugprone-signed-char-misuse): a number, not a character
    constexpr auto kLeast = static_cast<std::int64_t>(std::numeric_limits<T>::min());
    constexpr auto kMost = static_cast<std::int64_t>(std::numeric_limits<T>::max());
    if (number < kLeast || number > kMost) return fail_at(at, "the element does not fit its type");
    const T element = static_cast<T>(number);
    const auto* bytes = reinterpret_cast<const std::byte*>(&element);
    value.data.insert(value.data.end(), bytes, bytes + sizeof(T));
  }

  void element(Value& value) {
    if (!is_decimal(value.dtype)) return bits(value);
    const std::size_t at = position();
    const std::int64_t number = integer();
    switch (value.dtype) {
      case base::DType::kBool:
        if (number != 0 && number != 1) return fail_at(at, "a bool is 0 or 1");
        return append<std::uint8_t>(value, at, number);
      case base::DType::kUInt8:
        return append<std::uint8_t>(value, at, number);
      case base::DType::kInt8:
        return append<std::int8_t>(value, at, number);
      case base::DType::kInt16:
        return append<std::int16_t>(value, at, number);
      case base::DType::kInt32:
        return append<std::int32_t>(value, at, number);
      default:
        return append<std::int64_t>(value, at, number);
    }
  }

  // "0x3f800000", the most significant byte first.
  void bits(Value& value) {
    const std::size_t width = base::dtype_bytes(value.dtype);
    const std::size_t start = position();
    const std::string_view digits = run(is_word);
    const bool is_right =
        digits.size() == 2 + 2 * width && digits.substr(0, 2) == "0x" &&
        std::all_of(digits.begin() + 2, digits.end(), [](char c) { return hex_digit(c) >= 0; });
    if (!is_right) {
      return fail_at(start, "expected 0x and " + std::to_string(2 * width) + " digits");
    }
    for (std::size_t i = digits.size(); i > 2; i -= 2) {
      const int byte = hex_digit(digits[i - 2]) * 16 + hex_digit(digits[i - 1]);
      value.data.push_back(static_cast<std::byte>(byte));
    }
  }

  void node(std::vector<ValueId> results) {
    Node node;
    node.results = std::move(results);
    node.op = run([](char c) { return is_word(c) || c == ':' || c == '.'; });
    if (node.op.empty()) fail("an operator");
    expect('(');
    // A node cannot read its own results.
    for (const ValueId id : node.results) set_given(id, false);
    for (bool first = true; next_item(')', first); first = false) {
      node.arguments.push_back(argument());
    }
    for (const ValueId id : node.results) set_given(id, true);
    read_where(node);
    graph_.nodes.push_back(std::move(node));
  }

  void set_given(ValueId id, bool given) {
    if (ok() && id != kNoValue) given_[static_cast<std::size_t>(id)] = given;
  }

  void read_where(Node& node) {
    blanks();
    if (accept('#')) {
      expect(' ');
      node.where = run([](char c) { return c != '\n'; });
    }
    end_line();
  }

  Argument argument() {
    Argument argument;
    argument.name = word("an argument's name");
    expect('=');
    if (peek() == '%') {
      argument.kind = Argument::Kind::kValue;
      argument.values = {read_id()};
    } else if (accept('(')) {
      argument.kind = Argument::Kind::kValues;
      for (bool first = true; next_item(')', first); first = false) {
        argument.values.push_back(read_id_or_none());
      }
    } else {
      argument.attribute = attribute();
    }
    return argument;
  }

  Attribute attribute() {
    if (peek() == '"') return string();
    const std::size_t start = position();
    if (is_letter(peek())) {
      const std::string_view name = run(is_word);
      if (name == "ints") return list<std::int64_t>([this] { return integer(); });
      if (name == "floats") return list<double>([this] { return floating(); });
      if (name == "bools") return list<bool>([this] { return flag(); });
      if (name == "none") return std::monostate();
      if (name == "true" || name == "false") return name == "true";
      if (const auto dtype = dtype_from_short_name(name)) return *dtype;
      move_to(start);
      return floating();  // inf and nan
    }
    const std::string_view number = run(is_number);
    move_to(start);
    const bool is_integer =
        !number.empty() && number.find_first_of(".enf") == std::string_view::npos;
    return is_integer ? Attribute(integer()) : Attribute(floating());
  }

  template <typename T, typename Item>
  std::vector<T> list(Item item) {
    std::vector<T> items;
    expect('[');
    for (bool first = true; next_item(']', first); first = false) items.push_back(item());
    return items;
  }

  bool flag() {
    const std::size_t start = position();
    const std::string_view found = run(is_word);
    if (found != "true" && found != "false") {
      move_to(start);
      fail("'true' or 'false'");
    }
    return found == "true";
  }

  double floating() {
    const std::size_t start = position();
    const std::string_view text = run(is_number);
    double value = 0;
    if (text.rfind("nan0x", 0) == 0) return nan_of(text.substr(3), start);
    const char* const end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, value);
    const bool names_it = text.find_first_of(".enf") != std::string_view::npos;
    if (parsed.ec != std::errc() || parsed.ptr != end || !names_it) {
      move_to(start);
      fail("a value, number, type, string or list");
    }
    return value;
  }

  double nan_of(std::string_view digits, std::size_t start) {
    std::uint64_t bits = 0;
    const char* const end = digits.data() + digits.size();
    const auto parsed = std::from_chars(digits.data() + 2, end, bits, 16);
    double value = 0;
    std::memcpy(&value, &bits, sizeof(value));
    if (parsed.ec != std::errc() || parsed.ptr != end || value == value) {
      fail_at(start, "these are not the bits of a NaN");
    }
    return value;
  }

  void check_given() {
    for (std::size_t i = 0; i < given_.size(); ++i) {
      if (!given_[i]) return fail_at(size(), "value %" + std::to_string(i) + " is left out");
    }
  }

  bool done_ = false;
  Graph graph_;
  std::vector<bool> given_;
};

}  // namespace

base::Result<Graph> parse_graph(std::string_view text, const std::string& file) {
  return Reader(text, file).read();
}

}  // namespace graphnet::graph
