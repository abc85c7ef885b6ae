// SPDX-License-Identifier: MIT
#include "report/graphnet_log.h"

#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "base/text.h"
#include "base/tolerance.h"
#include "report/terminal_text.h"

namespace graphnet::report {

using base::Json;
using record::Record;

namespace {

constexpr double kNanosecondsPerMillisecond = 1e6;

std::string fixed5(double value) {
  // The longest double has 309 digits before the point.
  std::array<char, 328> text = {};
  std::snprintf(text.data(), text.size(), "%.5f", value);
  return text.data();
}

/// A duration rounded to 6 significant digits, in milliseconds; what upstream calculates with.
double rounded_ms(double nanoseconds) {
  std::array<char, 32> text = {};
  std::snprintf(text.data(), text.size(), "%.6g", nanoseconds / kNanosecondsPerMillisecond);
  return std::strtod(text.data(), nullptr);
}

std::string normalised_path(const std::string& path) {
  std::string normal = std::filesystem::path(path).lexically_normal().string();
  while (normal.size() > 1 && normal.back() == '/') normal.pop_back();
  return printable(normal.empty() ? "." : normal);
}

std::string or_unknown(const std::string& text) {
  return text.empty() ? "unknown" : printable(text);
}

/// Messages may quote a source line below; upstream's log has one line for them.
std::string first_line(const std::string& message) {
  return printable(message.substr(0, message.find('\n')));
}

std::string framework_version(const Record& record) {
  const std::string& libtorch = record.environment.libtorch;
  if (record.verdict.kind == record::ProofVerdict::kEager && !libtorch.empty()) {
    return printable(libtorch);
  }
  if (record.plugin.empty() || record.plugin_version.empty()) return "unknown";
  std::string name = record.plugin;
  name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
  return printable(name + " " + record.plugin_version);
}

std::string dtype_list(const std::vector<std::string>& dtypes) {
  return dtypes.empty() ? "[]" : "['" + base::join(dtypes, "', '") + "']";
}

/// Item `index` of the array `key`; null if there is none.
const Json& item_of(const Json& correctness, const char* key, std::size_t index) {
  static const Json none;
  const auto array = correctness.find(key);
  if (array == correctness.end() || !array->is_array() || index >= array->size()) return none;
  return (*array)[index];
}

std::string equal_text(const Json& equal) {
  return equal.is_number() && equal.get<double>() == 1 ? "1" : "0";
}

std::string difference_text(const Json& difference) {
  if (difference.is_string()) return printable(difference.get<std::string>());
  if (!difference.is_number()) return "nan";
  // Upstream's number is a float32 that became a Python float.
  return base::python_float(static_cast<double>(static_cast<float>(difference.get<double>())));
}

std::string level_text(const Json& levels, std::size_t level) {
  if (!levels.is_string()) return "0";
  const auto& digits = levels.get_ref<const std::string&>();
  return level < digits.size() && digits[level] == '1' ? "1" : "0";
}

/// The log of one record.
class LogText {
 public:
  LogText(const Record& record, const GraphnetLogStyle& style) : record_(record), style_(style) {
    const std::string model = record.environment.cpu_model;
    hardware_ = or_unknown(model.empty() ? style.hardware : model);
  }

  std::string take() {
    const record::OutcomeFacts& facts = record::facts_of(record_.outcome.value());
    if (facts.blame == record::Blame::kSample) {
      return "Sample could not be loaded: " + normalised_path(record_.sample_path) + ": " +
             first_line(record_.message) + "\n";
    }
    add_head();
    if (const auto refusal = record::upstream_refusal(record_);
        refusal && style_.refuse_as_upstream) {
      text_ += "Eager model execution failed: " + *refusal + "\n";
      add_failure("eager");
      return std::move(text_);
    }
    add_profile(record_.eager);
    add_profile(record_.plugin_side);
    if (facts.is_compared) {  // both sides ran to their end: upstream would report success
      add_success();
    } else {
      const bool is_eager = facts.blame == record::Blame::kReference;
      text_ += (is_eager ? "Eager model execution failed: "
                         : "Compiled model execution failed: " + record_.outcome.text() + ": ") +
               first_line(record_.message) + "\n";
      add_failure(is_eager ? "eager" : "compiled");
    }
    return std::move(text_);
  }

 private:
  void line(const std::string& rest) { text_ += style_.prompt + " " + rest + "\n"; }

  void add_head() {
    const std::string path = normalised_path(record_.sample_path);
    line("[Processing] " + path);
    line("[Config] model: " + printable(record_.model_name.empty()
                                            ? std::filesystem::path(path).filename().string()
                                            : record_.model_name));
    line("[Config] device: " + printable(record_.device));
    line("[Config] hardware: " + hardware_);
    line("[Config] compiler: " + printable(record_.plugin));
    line("[Config] warmup: " + std::to_string(record_.warmup));
    line("[Config] trials: " + std::to_string(record_.trials));
    line("[Config] compile_framework_version: " + framework_version(record_));
  }

  void add_profile(const Record::Side& side) {
    if (side.trials_ns.empty()) return;
    text_ += "[Profiling] Using device: " + printable(record_.device) + " " + hardware_ +
             ", warm up " + std::to_string(record_.warmup) + ", trials " +
             std::to_string(record_.trials) + "\n";
    int number = 0;
    for (const double trial_ns : side.trials_ns) {
      text_ += "Trial " + std::to_string(++number) +
               ": e2e=" + fixed5(trial_ns / kNanosecondsPerMillisecond) + " ms\n";
    }
  }

  void add_success() {
    const auto& eager = record_.eager.output_dtypes;
    const auto& compiled = record_.plugin_side.output_dtypes;
    const bool match = eager == compiled;
    line("[Datatype][eager]: " + base::join(eager, " "));
    line("[Datatype][compiled]: " + base::join(compiled, " "));
    line("[DataType] eager:" + dtype_list(eager) + " compiled:" + dtype_list(compiled) +
         " match:" + (match ? "True" : "False"));
    if (match) add_correctness(eager.size());
    line("[Result] status: success");
    add_performance("eager", record_.eager);
    add_performance("compiled", record_.plugin_side);
    add_speedup();
  }

  /// One line with one value per output.
  template <typename ToText>
  void add_values(const char* key, const std::string& label, std::size_t num_outputs,
                  const ToText& to_text) {
    std::vector<std::string> values;
    for (std::size_t i = 0; i < num_outputs; ++i) {
      values.push_back(to_text(item_of(record_.correctness, key, i)));
    }
    line("[Correctness][" + label + "]: " + base::join(values, " "));
  }

  void add_correctness(std::size_t num_outputs) {
    add_values("equal", "equal", num_outputs, equal_text);
    const auto& levels = base::tolerance_levels();
    for (std::size_t level = 0; level < levels.size(); ++level) {
      add_values("all_close", levels[level].label, num_outputs,
                 [level](const Json& digits) { return level_text(digits, level); });
    }
    add_values("max_diff", "max_diff", num_outputs, difference_text);
    add_values("mean_diff", "mean_diff", num_outputs, difference_text);
  }

  void add_performance(const std::string& name, const Record::Side& side) {
    const std::pair<const char*, const std::optional<double>&> values[] = {
        {"median", side.median_ns}, {"iqr", side.iqr_ns}, {"mean", side.mean_ns},
        {"std", side.std_ns},       {"min", side.min_ns}, {"max", side.max_ns}};
    std::vector<std::string> entries;
    for (const auto& [key, value] : values) {
      if (value) {
        entries.push_back("\"" + std::string(key) +
                          "\": " + base::python_float(rounded_ms(*value)));
      }
    }
    line("[Performance][" + name + "]: {\"e2e\": {" + base::join(entries, ", ") + "}}");
  }

  void add_speedup() {
    const double eager_ms = rounded_ms(record_.eager.median_ns.value_or(0));
    const double compiled_ms = rounded_ms(record_.plugin_side.median_ns.value_or(0));
    if (eager_ms > 0 && compiled_ms > 0) line("[Speedup][e2e]: " + fixed5(eager_ms / compiled_ms));
  }

  void add_failure(const std::string& side) {
    line("[Result] status: failed");
    line("[Fail due to " + side + " model execution error.]");
  }

  const Record& record_;
  const GraphnetLogStyle& style_;
  std::string hardware_;
  std::string text_;
};

}  // namespace

std::string graphnet_log(const Record& record, const GraphnetLogStyle& style) {
  return LogText(record, style).take();
}

}  // namespace graphnet::report
