// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/math_policy.h"
#include "base/result.h"
#include "config/byte_size.h"
#include "config/duration.h"
#include "config/protocol_file.h"
#include "config/version_range.h"
#include "config/yaml_node.h"
#include "record/phase.h"

namespace graphnet::config {

inline constexpr const char* kRunSchema = "graphnet/run/v1";

/// Phases of one sample, in order; each has a time limit of its own.
inline constexpr auto kPhases = record::phase_names();

/// Which plugin to run and how: one per config file.
struct BackendChoice {
  std::string name;               ///< empty if `library` is given
  std::filesystem::path library;  ///< absolute, or relative to the current folder; else empty
  VersionRange version;           ///< what the manifest's version must lie in
  std::string sha256;             ///< that the library must have, lower case; empty: any
  /// As written; checked by resolve_options() once the plugin's manifest is known.
  std::optional<YamlNode> options;
  std::string where;  ///< position of name or library, for messages: "x.yaml:3:9"
};

/// What a sample may use; one that needs more is skipped before anything is allocated.
struct Limits {
  MemoryLimit memory;              ///< of a worker, plugin included
  std::string memory_by = "auto";  ///< what holds it: "auto" (a control group if one can be made)
                                   ///< or "rlimit" (RLIMIT_DATA)
  /// Of one call; 0: none. The default is some minutes of warm-up and trials on two cores.
  double flop = 2e12;
};

/// One run config, typed and checked. The initial values are the defaults that configs/default.yaml
/// documents; a unit test compares the two.
struct RunConfig {
  std::filesystem::path file;
  BackendChoice backend;
  std::string device = "cpu";  ///< as base::DeviceName::text()
  int threads = 0;             ///< 0: as many as the process may use cores ("auto")
  /// Cores for the plugin's code until it has compiled and bound; 0: all that the process may use.
  int compile_threads = 0;
  std::string weights = "bound";
  std::string second_weights = "auto";  ///< "auto", "always" (mode frozen too) or "off"
  base::MathPolicy math;
  std::string proof = "full";
  Protocol protocol;
  Limits limits;
  std::map<std::string, TimeLimit> timeouts = default_timeouts();
  std::vector<std::filesystem::path> samples;
  std::vector<std::filesystem::path> plugin_search_paths;
  /// Dotted key to where its value came from ("x.yaml:7:3", "--set"); keys not in it are defaults.
  std::map<std::string, std::string> origins;

  static std::map<std::string, TimeLimit> default_timeouts();
  /// Gives `load` on a CUDA device 120 s unless something said how long: there it includes opening
  /// libtorch's CUDA part, gigabytes that may have to come from a disk, and the driver's context.
  void allow_cold_start();
};

/// Reads a run config and applies `overrides` (texts of --set) over it, in order. Relative paths in
/// the file count from the file's folder, those in overrides from the current folder. Protocols
/// named in it are looked up in `config_folders`.
///
/// errors   kInput with position, also for a math policy that the device cannot have; kUsage for a
///          malformed override
base::Result<RunConfig> read_run_config(const std::filesystem::path& file,
                                        const std::vector<std::string>& overrides,
                                        const std::vector<std::filesystem::path>& config_folders);

}  // namespace graphnet::config
