// SPDX-License-Identifier: MIT
#include "support/mhlo_check.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>
#include <string_view>
#include <vector>

namespace graphnet::test {

namespace {

const std::set<std::string_view> kOperations = {
    "mhlo.abs",         "mhlo.add",         "mhlo.and",          "mhlo.broadcast_in_dim",
    "mhlo.ceil",        "mhlo.compare",     "mhlo.concatenate",  "mhlo.constant",
    "mhlo.convert",     "mhlo.convolution", "mhlo.cosine",       "mhlo.divide",
    "mhlo.dot_general", "mhlo.exponential", "mhlo.floor",        "mhlo.gather",
    "mhlo.iota",        "mhlo.log",         "mhlo.log_plus_one", "mhlo.logistic",
    "mhlo.maximum",     "mhlo.minimum",     "mhlo.multiply",     "mhlo.negate",
    "mhlo.not",         "mhlo.or",          "mhlo.pad",          "mhlo.power",
    "mhlo.reduce",      "mhlo.remainder",   "mhlo.reshape",      "mhlo.reverse",
    "mhlo.rsqrt",       "mhlo.scatter",     "mhlo.select",       "mhlo.sign",
    "mhlo.sine",        "mhlo.slice",       "mhlo.sqrt",         "mhlo.subtract",
    "mhlo.tanh",        "mhlo.transpose",   "chlo.erf"};

bool is_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '%' ||
         c == '#';
}

/// The text without what stands in quotes; quotes around the name of an operation stay away too.
std::string without_strings(const std::string& line) {
  std::string kept;
  bool inside = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') {
      inside = !inside;
      const bool is_operation = inside && (line.compare(i + 1, 5, "mhlo.") == 0);
      if (is_operation) {
        const std::size_t end = line.find('"', i + 1);
        kept.append(line, i + 1, end - i - 1);
        i = end;
        inside = false;
      }
      continue;
    }
    if (!inside) kept += line[i];
  }
  return inside ? "(" : kept;
}

bool is_balanced(const std::string& line) {
  std::string open;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '>' && i > 0 && line[i - 1] == '-') continue;
    const std::size_t opening = std::string_view("([{<").find(c);
    const std::size_t closing = std::string_view(")]}>").find(c);
    if (opening != std::string_view::npos) open += ")]}>"[opening];
    if (closing == std::string_view::npos) continue;
    if (open.empty() || open.back() != c) return false;
    open.pop_back();
  }
  return open.empty();
}

/// "%12" and so on: values that a line reads; those of a region begin with a letter.
std::vector<std::string> values_of(std::string_view text) {
  std::vector<std::string> values;
  for (std::size_t at = text.find('%'); at != text.npos; at = text.find('%', at + 1)) {
    std::size_t end = at + 1;
    while (end < text.size() && is_name(text[end]) && text[end] != '%') ++end;
    values.emplace_back(text.substr(at, end - at));
  }
  return values;
}

std::size_t count_of(std::string_view text, std::string_view what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++count;
  return count;
}

/// The part between `before` and `after`, empty if they are not there.
std::string between(const std::string& text, const std::string& before, const std::string& after) {
  const std::size_t at = text.find(before);
  if (at == text.npos) return "";
  const std::size_t begin = at + before.size();
  const std::size_t end = text.find(after, begin);
  return end == text.npos ? "" : text.substr(begin, end - begin);
}

std::size_t words(const std::string& list) {
  return list.empty() ? 0 : count_of(list, ",") + 1;
}

class Reader {
 public:
  std::string read(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      const std::string mistake = read_line(line);
      if (!mistake.empty()) return mistake + ": " + line.substr(0, 400);
    }
    if (!has_main_ || !has_return_) return "no @main that returns";
    return "";
  }

 private:
  std::string read_line(const std::string& line) {
    const std::string bare = without_strings(line);
    if (line.find("func.func") != line.npos) return read_signature(line);
    if (line.rfind("module @", 0) == 0 || line == "}" || line == "  }") return "";
    if (!is_balanced(bare)) return "brackets do not close";
    if (bare.rfind("    return", 0) == 0) {
      has_return_ = true;
      if (values_of(bare).size() != num_results_) return "returns other than it says";
      return read_operands(bare, 0);
    }
    return read_operation(bare);
  }

  std::string read_signature(const std::string& line) {
    has_main_ = true;
    const std::string arguments = between(line, "@main(", ") -> (");
    for (const std::string& name : values_of(arguments)) defined_.insert(name);
    num_results_ = count_of(between(line, ") -> (", ") attributes"), "tensor<");
    const std::string attribute = between(line, "attributes {tf.entry_function = {", "}}");
    for (const char* list : {"inputs", "input_placements"}) {
      if (words(between(attribute, std::string(list) + " = \"", "\"")) != defined_.size()) {
        return std::string(list) + " are not as many as the arguments";
      }
    }
    for (const char* list : {"outputs", "output_placements"}) {
      if (words(between(attribute, std::string(list) + " = \"", "\"")) != num_results_) {
        return std::string(list) + " are not as many as the results";
      }
    }
    return "";
  }

  std::string read_operation(const std::string& line) {
    const std::size_t equals = line.find(" = ");
    if (equals == line.npos) return "no operation";
    const std::string result = between(line, "    ", " = ");
    const std::size_t begin = equals + 3;
    std::size_t end = begin;
    while (end < line.size() && is_name(line[end])) ++end;
    const std::string name = line.substr(begin, end - begin);
    if (kOperations.count(name) == 0) return "DISC has no " + name;
    const std::string mistake = read_operands(line, end);
    if (!mistake.empty()) return mistake;
    if (!defined_.insert(result).second) return result + " is assigned twice";
    return read_types(line, end);
  }

  std::string read_operands(const std::string& line, std::size_t from) {
    num_operands_ = 0;
    for (const std::string& value : values_of(std::string_view(line).substr(from))) {
      const bool is_local = std::isalpha(static_cast<unsigned char>(value[1])) != 0 &&
                            (value[1] != 'h' || value.size() == 2);
      if (is_local) continue;
      ++num_operands_;
      if (defined_.count(value) == 0) return value + " is read before it is assigned";
    }
    return "";
  }

  /// Of lines that say the types of all operands.
  std::string read_types(const std::string& line, std::size_t from) const {
    const std::size_t arrow = line.rfind(" -> ");
    const std::size_t types = line.rfind(" : (");
    if (arrow == line.npos || types == line.npos || arrow < types || types < from) return "";
    const std::string given = line.substr(types, arrow - types);
    return count_of(given, "tensor<") == num_operands_ ? "" : "not a type an operand";
  }

  std::set<std::string> defined_;
  std::size_t num_results_ = 0;
  std::size_t num_operands_ = 0;
  bool has_main_ = false;
  bool has_return_ = false;
};

}  // namespace

std::string mhlo_mistake(const std::string& text) {
  return Reader().read(text);
}

}  // namespace graphnet::test
