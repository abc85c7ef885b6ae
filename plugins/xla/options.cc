// SPDX-License-Identifier: MIT
#include "xla/options.h"

#include <algorithm>
#include <utility>

#include "graphnet/failure.h"
#include "graphnet/wheel_folder.h"

namespace graphnet::xla {

namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& reason) {
  throw Failure(GN_STATUS_INVALID_ARGUMENT, "option '" + name + "' " + reason);
}

bool read_rewrites(const std::string& value) {
  if (value != "all" && value != "none") {
    refuse("rewrites", "must be all or none, got '" + value + "'");
  }
  return value == "all";
}

/// An option that is there already gets the new value.
void add(CompileOverride given, std::vector<CompileOverride>& overrides) {
  const auto same = std::find_if(overrides.begin(), overrides.end(),
                                 [&](const auto& entry) { return entry.name == given.name; });
  if (same != overrides.end()) overrides.erase(same);
  overrides.push_back(std::move(given));
}

}  // namespace

std::string pinned_pjrt_file() {
  return wheel_folder(GN_XLA_PINNED_FOLDER) + "/" + GN_XLA_PINNED_FILE;
}

std::string pinned_pjrt_package() {
  return GN_XLA_PINNED_PACKAGE;
}

Options read_options(const gn_option* options, std::uint64_t num_options, bool is_gpu,
                     MathPolicy math) {
  Options read;
  read.is_gpu = is_gpu;
  if (!is_gpu) read.pjrt = pinned_pjrt_file();
  read.full_precision = !is_gpu || !math.allows_tf32;
  read.overrides = default_overrides(is_gpu, math.allows_fast_math);
  for (std::uint64_t i = 0; i < num_options; ++i) {
    const std::string name(from_gn(options[i].name));
    if (options[i].type != GN_OPTION_STRING) refuse(name, "must be text");
    const std::string value(from_gn(options[i].text));
    if (name == "pjrt") {
      if (!value.empty()) read.pjrt = value;
    } else if (name == "rewrites") {
      read.rewrites = read_rewrites(value);
    } else if (name == "overrides") {
      for (CompileOverride& given : parse_overrides(value)) add(std::move(given), read.overrides);
    } else {
      refuse(name, "is not known");
    }
  }
  if (read.pjrt.empty()) {
    refuse("pjrt", "must name xla_cuda_plugin.so of jax-cuda13-pjrt 0.11.2 on a CUDA device");
  }
  return read;
}

void add_cuda_root(Options& options, const std::string& root) {
  constexpr const char* kName = "xla_gpu_cuda_data_dir";
  const bool is_given =
      std::any_of(options.overrides.begin(), options.overrides.end(),
                  [&](const CompileOverride& entry) { return entry.name == kName; });
  if (options.is_gpu && !is_given && !root.empty()) options.overrides.push_back({kName, root});
}

}  // namespace graphnet::xla
