// SPDX-License-Identifier: MIT
#include "report/graphnet_log.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "base/statistics.h"
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

std::string ms_text(double nanoseconds) {
  return fixed5(nanoseconds / kNanosecondsPerMillisecond) + " ms";
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

bool is_on_gpu(const Record& record) {
  return record.device.rfind("cuda", 0) == 0;
}

/// Text at a path of keys; empty if there is none.
std::string text_at(const Json& json, std::initializer_list<const char*> path) {
  const Json* found = &json;
  for (const char* key : path) {
    if (!found->is_object() || !found->contains(key)) return "";
    found = &found->at(key);
  }
  return found->is_string() ? found->get<std::string>() : "";
}

/// What computes; the host's processor is no answer for a record of a GPU.
std::string hardware_of(const Record& record, const std::string& otherwise) {
  if (is_on_gpu(record)) return or_unknown(text_at(record.environment.rest["gpu"], {"name"}));
  const std::string& model = record.environment.cpu_model;
  return or_unknown(model.empty() ? otherwise : model);
}

/// One side of a record as the log shows it.
struct LogSide {
  const char* name;
  const Record::Side& calls;
  std::vector<double> gpu_ns;       ///< of each trial by CUDA events; empty on the host
  std::optional<double> kernel_ns;  ///< how long a traced call had the device work
};

/// Times of each trial by the device's clock, as far as they are numbers.
std::vector<double> gpu_times(const Json& event_ns, const char* side) {
  std::vector<double> times;
  if (!event_ns.is_object() || !event_ns.contains(side)) return times;
  for (const Json& time : event_ns.at(side)) {
    if (time.is_number()) times.push_back(time.get<double>());
  }
  return times;
}

LogSide eager_side(const Record& record) {
  return {"eager", record.eager, gpu_times(record.timing.event_ns, "eager"),
          record.proof.device.eager_calls.busy_ns};
}

/// Where the timed calls were replays, those were traced too.
LogSide compiled_side(const Record& record) {
  const record::ProofDevice& device = record.proof.device;
  return {"compiled", record.plugin_side, gpu_times(record.timing.event_ns, "plugin"),
          device.replays.busy_ns ? device.replays.busy_ns : device.busy_ns};
}

/// The same statistics as of a side's trials.
Record::Side statistics_of(const std::vector<double>& times_ns) {
  Record::Side side;
  if (times_ns.empty()) return side;
  const base::Statistics statistics = base::summarise(times_ns);
  side.median_ns = statistics.median;
  side.iqr_ns = statistics.iqr;
  side.mean_ns = statistics.mean;
  side.std_ns = statistics.std;
  side.min_ns = statistics.min;
  side.max_ns = statistics.max;
  return side;
}

std::string statistics_text(const Record::Side& side) {
  const std::pair<const char*, const std::optional<double>&> values[] = {
      {"median", side.median_ns}, {"iqr", side.iqr_ns}, {"mean", side.mean_ns},
      {"std", side.std_ns},       {"min", side.min_ns}, {"max", side.max_ns}};
  std::vector<std::string> entries;
  for (const auto& [key, value] : values) {
    if (!value) continue;
    entries.push_back("\"" + std::string(key) + "\": " + base::python_float(rounded_ms(*value)));
  }
  return "{" + base::join(entries, ", ") + "}";
}

/// Upstream has one number for it, which it does not round.
std::string kernel_text(double kernel_ns) {
  const std::string ms = base::python_float(kernel_ns / kNanosecondsPerMillisecond);
  return R"({"mean": )" + ms + R"(, "min": )" + ms + R"(, "max": )" + ms + R"(, "median": )" + ms +
         "}";
}

/// Why a record has no times of kernels.
std::string why_no_kernels(const Record& record) {
  const std::string reason = text_at(record.proof.device.rest["cupti"], {"reason"});
  if (!reason.empty()) return first_line(reason);
  return record.is_ok() ? "no calls were traced" : "the sample ended before its calls were traced";
}

/// The log of one record.
class LogText {
 public:
  LogText(const Record& record, const GraphnetLogStyle& style)
      : record_(record),
        style_(style),
        hardware_(hardware_of(record, style.hardware)),
        eager_(eager_side(record)),
        compiled_(compiled_side(record)),
        shows_kernels_(style.kernel_time && is_on_gpu(record)) {}

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
    add_profile(eager_);
    add_profile(compiled_);
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

  void add_profile(const LogSide& side) {
    if (side.calls.trials_ns.empty()) return;
    text_ += "[Profiling] Using device: " + printable(record_.device) + " " + hardware_ +
             ", warm up " + std::to_string(record_.warmup) + ", trials " +
             std::to_string(record_.trials) + "\n";
    for (std::size_t i = 0; i < side.calls.trials_ns.size(); ++i) {
      text_ += "Trial " + std::to_string(i + 1) + ": e2e=" + ms_text(side.calls.trials_ns[i]);
      if (i < side.gpu_ns.size()) text_ += ", gpu=" + ms_text(side.gpu_ns[i]);
      text_ += "\n";
    }
    if (shows_kernels_) add_kernels(side);
  }

  void add_kernels(const LogSide& side) {
    if (!side.kernel_ns) {
      text_ += "kernel time is not known: " + why_no_kernels(record_) + "\n";
      return;
    }
    text_ += "kernel=" + ms_text(*side.kernel_ns) + " (avg over " +
             std::to_string(record_.proof.device.calls.value_or(0)) + " trials)\n";
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
    add_performance(eager_);
    add_performance(compiled_);
    add_speedups();
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

  void add_performance(const LogSide& side) {
    std::string times = "{\"e2e\": " + statistics_text(side.calls);
    if (!side.gpu_ns.empty()) times += ", \"gpu\": " + statistics_text(statistics_of(side.gpu_ns));
    if (shows_kernels_ && side.kernel_ns) times += ", \"kernel\": " + kernel_text(*side.kernel_ns);
    line("[Performance][" + std::string(side.name) + "]: " + times + "}");
  }

  void add_speedup(const char* what, double eager_ms, double compiled_ms) {
    if (eager_ms <= 0 || compiled_ms <= 0) return;
    line("[Speedup][" + std::string(what) + "]: " + fixed5(eager_ms / compiled_ms));
  }

  void add_speedups() {
    add_speedup("e2e", rounded_ms(record_.eager.median_ns.value_or(0)),
                rounded_ms(record_.plugin_side.median_ns.value_or(0)));
    add_speedup("gpu", rounded_ms(statistics_of(eager_.gpu_ns).median_ns.value_or(0)),
                rounded_ms(statistics_of(compiled_.gpu_ns).median_ns.value_or(0)));
    if (!shows_kernels_) return;
    add_speedup("kernel", eager_.kernel_ns.value_or(0), compiled_.kernel_ns.value_or(0));
  }

  void add_failure(const std::string& side) {
    line("[Result] status: failed");
    line("[Fail due to " + side + " model execution error.]");
  }

  const Record& record_;
  const GraphnetLogStyle& style_;
  std::string hardware_;
  LogSide eager_;
  LogSide compiled_;
  bool shows_kernels_;
  std::string text_;
};

}  // namespace

std::string graphnet_log(const Record& record, const GraphnetLogStyle& style) {
  return LogText(record, style).take();
}

}  // namespace graphnet::report
