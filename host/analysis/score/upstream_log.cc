// SPDX-License-Identifier: MIT
#include "score/upstream_log.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/field_reader.h"

namespace graphnet::score {

using base::FieldReader;
using base::Json;

namespace {

constexpr std::string_view kBlanks = " \t\r\f\v";
/// Python's parser reads values of any length; no number needs more.
constexpr std::size_t kLongestNumber = 64;

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

/// The words of `text`; as many as it has.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!(text = trimmed(text)).empty()) {
    const std::size_t end = std::min(text.find_first_of(kBlanks), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return words;
}

/// What follows `mark` in `line`; nothing if it does not hold it.
std::optional<std::string_view> after(std::string_view line, std::string_view mark) {
  const std::size_t found = line.find(mark);
  if (found == std::string_view::npos) return std::nullopt;
  return line.substr(found + mark.size());
}

std::optional<double> number_of(const std::string& text) {
  if (text.empty() || text.size() > kLongestNumber) return std::nullopt;
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  // 1e-400 and 1e400 are Python's 0.0 and inf; no score needs them.
  if (error != std::errc() || rest != end) return std::nullopt;
  return value;
}

LogSample::Spread spread_of(std::string_view text) {
  LogSample::Spread spread;
  const auto json = base::parse_json(text, "performance");
  if (!json.is_ok()) return spread;
  const Json* e2e = FieldReader(*json).object("e2e");
  if (e2e != nullptr) FieldReader(*e2e).read("median", spread.median).read("iqr", spread.iqr);
  return spread;
}

/// "[3] test_compiler, model_path: x": batch mode announces a sample.
bool is_announcement(std::string_view line) {
  if (line.empty() || line[0] != '[') return false;
  const std::size_t end = line.find_first_not_of("0123456789", 1);
  return end != std::string_view::npos && end > 1 && line.substr(end, 2) == "] " &&
         contains(line, ", model_path: ");
}

std::string path_in(std::string_view rest, bool compat) {
  if (const auto path = after(rest, "model_path: ")) rest = *path;
  if (!compat) return std::string(trimmed(rest));
  const auto words = words_of(rest);
  return words.empty() ? "" : words.back();
}

/// Splits "key]: value".
std::optional<std::pair<std::string, std::string_view>> bracketed(std::string_view text) {
  const std::size_t end = text.find("]: ");
  if (end == std::string_view::npos) return std::nullopt;
  return std::make_pair(std::string(text.substr(0, end)), trimmed(text.substr(end + 3)));
}

/// Nothing is known of the sample but its path.
bool is_blank(const LogSample& sample) {
  return sample.config.empty() && sample.num_profiles == 0 && !sample.seen.eager_types &&
         !sample.seen.error && sample.failed_side.empty();
}

/// A Speedup line with fewer decimals than upstream prints.
bool is_short_speedup(std::string_view line) {
  constexpr std::size_t kDecimals = 5;
  const auto text = after(line, "[Speedup][e2e]:");
  if (!text) return false;
  const auto decimals = after(*text, ".");
  return !decimals || decimals->size() < kDecimals;
}

/// Collects samples line by line.
class LogReader {
 public:
  explicit LogReader(bool compat) : compat_(compat) {}

  void line(std::string_view line, std::size_t number) {
    if (const auto path = after(line, "[Processing]")) {
      begin(path_in(*path, compat_), number);
      return;
    }
    if (is_announcement(line) && !compat_) announce(line, number);
    last_line_ = line;
    if (!current_) return;
    note_what_upstream_sees(line);
    read(line);
  }

  std::vector<LogSample> take(bool ends_inside_a_line) {
    if (current_ && ends_inside_a_line) {
      current_->is_cut_off = !current_->speedup || is_short_speedup(last_line_);
    }
    finish();
    return std::move(samples_);
  }

 private:
  void begin(std::string path, std::size_t number) {
    // The announcement of a sample that has lines is no news.
    announced_.reset();
    const bool is_repeated = current_ && is_blank(*current_) && current_->path == path && !compat_;
    if (!is_repeated) {
      finish();
      current_.emplace();
      current_->line = number;
      current_->path = std::move(path);
    }
  }

  void announce(std::string_view line, std::size_t number) {
    finish();
    announced_.emplace();
    announced_->line = number;
    announced_->path = path_in(line, compat_);
    announced_->never_began = true;
  }

  void finish() {
    if (current_) samples_.push_back(*std::move(current_));
    if (announced_) samples_.push_back(*std::move(announced_));
    current_.reset();
    announced_.reset();
  }

  // The first mark in a line hides the others, as in upstream's chain of conditions.
  void note_what_upstream_sees(std::string_view line) {
    LogSample::Seen& seen = current_->seen;
    const bool matches = contains(line, "match:True");
    if (contains(line, "[Datatype][eager]")) {
      seen.eager_types = true;
    } else if (contains(line, "[Datatype][compiled]")) {
      seen.compiled_types = true;
    } else if (contains(line, "[Shape]") && matches) {
      seen.shapes_match = true;
    } else if (contains(line, "[DataType]") && matches) {
      seen.types_match = true;
    } else if (contains(line, "all_close")) {
      seen.all_close = true;
    }
    seen.error = seen.error || contains(line, "Exception:") || contains(line, "Error:");
  }

  void read(std::string_view line) {
    if (line.rfind("[Profiling]", 0) == 0) ++current_->num_profiles;
    if (const auto rest = after(line, "[Config] ")) {
      const std::size_t colon = rest->find(": ");
      const std::string_view value =
          colon == std::string_view::npos ? "" : trimmed(rest->substr(colon + 2));
      if (!value.empty()) current_->config[std::string(rest->substr(0, colon))] = value;
    } else if (const auto datatype = after(line, "[Datatype][")) {
      read_types(*datatype);
    } else if (const auto correctness = after(line, "[Correctness][")) {
      read_correctness(*correctness);
    } else if (const auto performance = after(line, "[Performance][")) {
      read_performance(*performance);
    } else if (const auto speedup = after(line, "[Speedup][e2e]:")) {
      const auto value = number_of(std::string(trimmed(*speedup)));
      current_->is_garbled = current_->is_garbled || !value;
      set_once(current_->speedup, value);
    } else if (const auto types = after(line, "[DataType] ")) {
      current_->types_match = contains(*types, "match:True");
    } else if (const auto shapes = after(line, "[Shape] ")) {
      current_->shapes_match = contains(*shapes, "match:True");
    } else {
      read_failure(line);
    }
  }

  template <typename T>
  void set_once(std::optional<T>& target, const std::optional<T>& value) {
    current_->is_mixed_up = current_->is_mixed_up || target.has_value();
    target = value;
  }

  void read_types(std::string_view text) {
    const auto entry = bracketed(text);
    if (!entry) return;
    auto& types = entry->first == "eager" ? current_->eager_types : current_->compiled_types;
    current_->is_mixed_up = current_->is_mixed_up || !types.empty();
    types = words_of(entry->second);
  }

  void read_correctness(std::string_view text) {
    const auto entry = bracketed(text);
    if (!entry) return;
    std::vector<double> values;
    for (const std::string& word : words_of(entry->second)) {
      const auto value = number_of(word);
      current_->is_garbled = current_->is_garbled || !value;
      values.push_back(value.value_or(0));
    }
    current_->correctness[entry->first] = std::move(values);
  }

  void read_performance(std::string_view text) {
    const auto entry = bracketed(text);
    if (!entry) return;
    if (entry->first == "eager") current_->eager_spread = spread_of(entry->second);
    if (entry->first == "compiled") current_->compiled_spread = spread_of(entry->second);
  }

  void fail(const char* side, std::string_view message) {
    if (current_->failed_side.empty()) current_->failed_side = side;
    if (current_->failure_message.empty()) current_->failure_message = trimmed(message);
  }

  void read_failure(std::string_view line) {
    if (const auto eager = after(line, "Eager model execution failed:")) fail("eager", *eager);
    if (const auto compiled = after(line, "Compiled model execution failed:")) {
      fail("compiled", *compiled);
    }
    // Paddle has both sides in one line, torch one line for the side that failed first.
    const bool is_result = contains(line, "[Result]");
    if (is_result && contains(line, "eager:failed")) fail("eager", "");
    if (is_result && contains(line, "compiled:failed")) fail("compiled", "");
    if (contains(line, "[Fail due to eager ")) current_->failed_side = "eager";
    if (contains(line, "[Fail due to compiled ")) fail("compiled", "");
    current_->has_fluctuated =
        current_->has_fluctuated || contains(line, "Environment fluctuation detected");
  }

  bool compat_;
  std::optional<LogSample> current_;
  std::optional<LogSample> announced_;
  std::string_view last_line_;
  std::vector<LogSample> samples_;
};

}  // namespace

std::vector<LogSample> read_upstream_log(std::string_view text, bool compat) {
  LogReader reader(compat);
  const bool ends_inside_a_line = !text.empty() && text.back() != '\n';
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    reader.line(text.substr(0, end), number);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return reader.take(ends_inside_a_line);
}

}  // namespace graphnet::score
