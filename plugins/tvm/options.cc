// SPDX-License-Identifier: MIT
#include "tvm_plugin/options.h"

#include <iterator>

#include "graphnet/plugin.h"
#include "tvm_plugin/failure.h"

namespace graphnet::tvm {

namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& reason) {
  throw Failure(GN_STATUS_INVALID_ARGUMENT, "option '" + name + "' " + reason);
}

// In the order of Schedule.
constexpr const char* kSchedules[] = {"rules", "none"};

Schedule read_schedule(const std::string& value) {
  std::string names;
  for (std::size_t i = 0; i < std::size(kSchedules); ++i) {
    if (value == kSchedules[i]) return static_cast<Schedule>(i);
    names += (i == 0 ? "" : " or ") + std::string(kSchedules[i]);
  }
  refuse("schedule", "must be " + names + ", got '" + value + "'");
}

}  // namespace

std::string pinned_packages() {
  return GN_TVM_PINNED_PACKAGES;
}

std::string describe(const Options& options) {
  return std::string("schedule=") + kSchedules[static_cast<std::size_t>(options.schedule)];
}

Options read_options(const gn_option* options, std::uint64_t num_options) {
  Options read;
  for (std::uint64_t i = 0; i < num_options; ++i) {
    const std::string name(from_gn(options[i].name));
    if (options[i].type != GN_OPTION_STRING) refuse(name, "must be text");
    const std::string value(from_gn(options[i].text));
    if (name == "schedule") {
      read.schedule = read_schedule(value);
    } else if (name == "mcpu") {
      read.mcpu = value;
    } else if (name == "artifact_cache") {
      read.artifact_cache = value;
    } else {
      refuse(name, "is not known");
    }
  }
  return read;
}

}  // namespace graphnet::tvm
