// SPDX-License-Identifier: MIT
#include "tvm_plugin/options.h"

#include "graphnet/plugin.h"
#include "tvm_plugin/failure.h"

namespace graphnet::tvm {

namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& reason) {
  throw Failure(GN_STATUS_INVALID_ARGUMENT, "option '" + name + "' " + reason);
}

Schedule read_schedule(const std::string& value) {
  if (value == "rules") return Schedule::kRules;
  if (value == "none") return Schedule::kNone;
  refuse("schedule", "must be rules or none, got '" + value + "'");
}

}  // namespace

std::string pinned_packages() {
  return GN_TVM_PINNED_PACKAGES;
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
    } else {
      refuse(name, "is not known");
    }
  }
  return read;
}

}  // namespace graphnet::tvm
