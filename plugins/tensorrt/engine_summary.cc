// SPDX-License-Identifier: MIT
#include "tensorrt/engine_summary.h"

#include <cstddef>

namespace graphnet::tensorrt {

namespace {

constexpr std::size_t kMostBytes = 16384;

bool is_blank(char byte) {
  return byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r';
}

/// The strings of a JSON text, one behind the other.
class Strings {
 public:
  explicit Strings(std::string_view json) : json_(json) {}

  /// False at the end. `is_key`: a colon follows. Escapes stay as they are written: names of
  /// kernels have none.
  bool next(std::string_view& text, bool& is_key) {
    const std::size_t begin = json_.find('"', at_);
    if (begin == std::string_view::npos) return false;
    std::size_t end = begin + 1;
    while (end < json_.size() && json_[end] != '"') end += json_[end] == '\\' ? 2 : 1;
    if (end >= json_.size()) return false;
    text = json_.substr(begin + 1, end - begin - 1);
    at_ = end + 1;
    while (at_ < json_.size() && is_blank(json_[at_])) ++at_;
    is_key = at_ < json_.size() && json_[at_] == ':';
    return true;
  }
  /// Whether a string is what comes next.
  bool has_string() const {
    std::size_t at = at_ + 1;
    while (at < json_.size() && is_blank(json_[at])) ++at;
    return at < json_.size() && json_[at] == '"';
  }

 private:
  std::string_view json_;
  std::size_t at_ = 0;
};

std::string counted(const std::map<std::string, int>& counts) {
  int whole = 0;
  for (const auto& [name, count] : counts) whole += count;
  std::string text;
  std::size_t shown = 0;
  for (const auto& [name, count] : counts) {
    if (text.size() + name.size() > kMostBytes) break;
    text += (text.empty() ? ": " : ", ") + name;
    if (count > 1) text += " x " + std::to_string(count);
    ++shown;
  }
  if (shown < counts.size()) text += ", " + std::to_string(counts.size() - shown) + " more";
  return std::to_string(whole) + text;
}

}  // namespace

EngineSummary summarize_engine(std::string_view json) {
  EngineSummary summary;
  Strings strings(json);
  std::string_view text;
  bool is_key = false;
  while (strings.next(text, is_key)) {
    std::map<std::string, int>* const counts = text == "LayerType"    ? &summary.layers
                                               : text == "TacticName" ? &summary.kernels
                                                                      : nullptr;
    if (counts == nullptr || !is_key || !strings.has_string()) continue;
    if (strings.next(text, is_key) && !text.empty()) ++(*counts)[std::string(text)];
  }
  return summary;
}

std::string to_lines(const EngineSummary& summary) {
  return "engine_layers: " + counted(summary.layers) + "\nkernels: " + counted(summary.kernels) +
         "\n";
}

}  // namespace graphnet::tensorrt
