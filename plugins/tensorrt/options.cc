// SPDX-License-Identifier: MIT
#include "tensorrt/options.h"

#include <string_view>

#include "graphnet/failure.h"

namespace graphnet::tensorrt {

namespace {

struct Row {
  std::string_view name;
  std::uint32_t type;
  void (*read)(const gn_option& option, Options& options);
};

// The host has checked ranges against plugin.yaml.
constexpr Row kRows[] = {
    {"library", GN_OPTION_STRING,
     [](const gn_option& option, Options& options) {
       options.library = std::string(from_gn(option.text));
     }},
    {"level", GN_OPTION_INT,
     [](const gn_option& option, Options& options) {
       options.level = static_cast<std::int32_t>(option.integer);
     }},
    {"max_aux_streams", GN_OPTION_INT,
     [](const gn_option& option, Options& options) {
       options.max_aux_streams = static_cast<std::int32_t>(option.integer);
     }},
    {"workspace_mb", GN_OPTION_INT,
     [](const gn_option& option, Options& options) {
       options.workspace_bytes = static_cast<std::uint64_t>(option.integer) << 20U;
     }},
    {"strict_nans", GN_OPTION_BOOL,
     [](const gn_option& option, Options& options) { options.strict_nans = option.integer != 0; }},
    {"bound_weights", GN_OPTION_STRING,
     [](const gn_option& option, Options& options) {
       if (from_gn(option.text) == "inputs") options.bound_weights = BoundWeights::kInputs;
     }},
    {"refit_check", GN_OPTION_BOOL,
     [](const gn_option& option, Options& options) { options.refit_check = option.integer != 0; }},
    {"timing_cache", GN_OPTION_STRING,
     [](const gn_option& option, Options& options) {
       options.timing_cache = std::string(from_gn(option.text));
     }},
};

}  // namespace

Options read_options(const gn_option* options, std::uint64_t num_options) {
  Options read;
  for (std::uint64_t i = 0; i < num_options; ++i) {
    const std::string name(from_gn(options[i].name));
    bool is_known = false;
    for (const Row& row : kRows) {
      if (row.name != name) continue;
      is_known = true;
      if (row.type != options[i].type) {
        throw Failure(GN_STATUS_INVALID_ARGUMENT, "option '" + name + "' is of another type");
      }
      row.read(options[i], read);
    }
    if (!is_known) throw Failure(GN_STATUS_INVALID_ARGUMENT, "option '" + name + "' is not known");
  }
  return read;
}

}  // namespace graphnet::tensorrt
