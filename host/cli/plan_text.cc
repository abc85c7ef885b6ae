// SPDX-License-Identifier: MIT
#include "cli/plan_text.h"

#include "base/text.h"
#include "config/quantity.h"
#include "report/terminal_text.h"

namespace graphnet::cli {

namespace {

/// Rows "  key  value  (origin)" of one backend.
class BackendText {
 public:
  BackendText(const config::Backend& backend, bool origins)
      : backend_(backend), origins_(origins) {}

  void add(const std::string& key, const std::string& value) {
    constexpr int kKeyWidth = 28;  // "protocol.long_call_time_ns"
    text_ += "  " + report::pad_right(key, kKeyWidth) + "  " + report::printable(value);
    if (origins_) {
      const auto origin = backend_.config.origins.find(key);
      text_ +=
          "    (" +
          report::printable(origin != backend_.config.origins.end() ? origin->second : "default") +
          ")";
    }
    text_ += "\n";
  }

  std::string take() { return std::move(text_); }

 private:
  const config::Backend& backend_;
  bool origins_;
  std::string text_;
};

std::string backend_text(const config::Backend& backend, int auto_threads, bool origins) {
  const config::RunConfig& config = backend.config;
  BackendText text(backend, origins);
  text.add(config.backend.library.empty() ? "backend.name" : "backend.library",
           backend.manifest.name + " " + backend.manifest.version + ", " +
               backend.manifest.library.string());
  if (!backend.problem.is_ok()) text.add("problem", backend.problem.message());
  text.add("backend.version", config.backend.version.text);
  text.add("backend.sha256", config.backend.sha256.empty() ? "none" : config.backend.sha256);
  for (const auto& [name, value] : backend.options.items()) {
    text.add("backend.options." + name, base::dump_json(value));
  }
  text.add("device", config.device);
  text.add("threads", config.threads == 0 ? std::to_string(auto_threads) + ", auto"
                                          : std::to_string(config.threads));
  text.add("compile_threads",
           std::to_string(config.compile_threads == 0 ? auto_threads : config.compile_threads));
  text.add("weights", config.weights);
  text.add("second_weights", config.second_weights);
  const base::Json math = base::to_json(config.math);
  for (const auto& [key, value] : math.items()) {
    text.add("math." + key, base::dump_json(value));
  }
  text.add("proof", config.proof);
  text.add("protocol.name", config.protocol.name);
  for (const auto& [key, value] : config::protocol_settings(config.protocol)) {
    text.add("protocol." + key, value);
  }
  text.add("limits.memory", config::format_memory_limit(config.limits.memory));
  text.add("limits.memory_by", config.limits.memory_by);
  text.add("limits.flop", config::format_flop_limit(config.limits.flop));
  for (const char* phase : config::kPhases) {
    text.add(std::string("timeouts.") + phase,
             config::format_time_limit(config.timeouts.at(phase)));
  }
  return report::printable(config.file.string()) + "\n" + text.take() + "\n";
}

}  // namespace

std::string plan_text(const std::vector<config::Backend>& backends,
                      const std::vector<supervise::PlannedSample>& samples,
                      const std::vector<supervise::PlannedTask>& plan, int auto_threads,
                      bool origins) {
  std::string text;
  for (const auto& backend : backends) text += backend_text(backend, auto_threads, origins);
  text += "samples\n";
  for (const auto& sample : samples) text += "  " + report::printable(sample.path) + "\n";
  return text + "\n" + std::to_string(plan.size()) +
         " to run: " + base::counted(samples.size(), "sample") + " x " +
         base::counted(backends.size(), "backend") +
         (plan.size() < samples.size() * backends.size() ? ", without finished tasks" : "") + "\n";
}

base::Json plan_json(const std::vector<supervise::PlannedTask>& plan) {
  base::Json tasks = base::Json::array();
  for (const auto& planned : plan) tasks.push_back(journal::to_json(planned.task));
  base::Json object = base::Json::object();
  object["schema"] = "graphnet.plan/1";
  object["tasks"] = std::move(tasks);
  return object;
}

}  // namespace graphnet::cli
