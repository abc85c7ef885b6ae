// SPDX-License-Identifier: MIT
#include "config/config_text.h"

#include "config/quantity.h"

namespace graphnet::config {

namespace {

/// A text that YAML reads back as it is, whatever it holds: JSON's form is one of YAML's.
std::string quoted(const std::string& text) {
  return base::dump_json(base::Json(text));
}

std::string list(const std::vector<std::filesystem::path>& paths) {
  base::Json array = base::Json::array();
  for (const auto& path : paths) array.push_back(path.string());
  return base::dump_json(array);
}

std::string backend_text(const BackendChoice& backend, const base::Json& options) {
  std::string text = "backend:\n";
  text += backend.library.empty() ? "  name: " + quoted(backend.name) + "\n"
                                  : "  library: " + quoted(backend.library.string()) + "\n";
  text += "  version: " + quoted(backend.version.text) + "\n";
  text += "  sha256: " + (backend.sha256.empty() ? "none" : backend.sha256) + "\n";
  if (options.empty()) return text + "  options: {}\n";
  text += "  options:\n";
  for (const auto& [name, value] : options.items()) {
    text += "    " + quoted(name) + ": " + base::dump_json(value) + "\n";
  }
  return text;
}

}  // namespace

std::string protocol_text(const Protocol& protocol) {
  std::string text = std::string("schema: ") + kProtocolSchema + "\nmethod: " + protocol.method;
  for (const auto& [key, value] : protocol_settings(protocol)) text += "\n" + key + ": " + value;
  return text + "\n";
}

std::string run_config_text(const RunConfig& config, const base::Json& options,
                            const std::string& protocol) {
  std::string text = std::string("schema: ") + kRunSchema + "\n";
  text += backend_text(config.backend, options);
  text += "device: " + quoted(config.device) + "\n";
  text += "threads: " + (config.threads == 0 ? "auto" : std::to_string(config.threads)) + "\n";
  if (config.compile_threads != 0) {
    text += "compile_threads: " + std::to_string(config.compile_threads) + "\n";
  }
  text += "weights: " + quoted(config.weights) + "\n";
  text += "second_weights: " + quoted(config.second_weights) + "\n";
  text += "math: " + base::dump_json(base::to_json(config.math)) + "\n";
  text += "protocol: " + quoted(protocol) + "\n";
  text += "proof: " + quoted(config.proof) + "\n";
  text += "limits:\n  memory: " + format_memory_limit(config.limits.memory) +
          "\n  flop: " + format_flop_limit(config.limits.flop) + "\n";
  text += "timeouts:\n";
  for (const char* phase : kPhases) {
    text += std::string("  ") + phase + ": " + format_time_limit(config.timeouts.at(phase)) + "\n";
  }
  text += "samples: " + list(config.samples) + "\n";
  return text + "plugins:\n  search_paths: " + list(config.plugin_search_paths) + "\n";
}

}  // namespace graphnet::config
