// SPDX-License-Identifier: MIT
#include "xla/compile_options.h"

#include <cctype>

#include "artifact/wire_format.h"
#include "graphnet/failure.h"

namespace graphnet::xla {

using artifact::WireWriter;

namespace {

// source   openxla/xla: xla/pjrt/proto/compile_options.proto
constexpr std::uint32_t kExecutableBuildOptions = 3;  // of CompileOptionsProto
constexpr std::uint32_t kNumReplicas = 4;             // of ExecutableBuildOptionsProto
constexpr std::uint32_t kNumPartitions = 5;
constexpr std::uint32_t kEnvOptionOverrides =
    7;  // of CompileOptionsProto: map of OptionOverrideProto
constexpr std::uint32_t kMapKey = 1;
constexpr std::uint32_t kMapValue = 2;
constexpr std::uint32_t kStringField = 1;  // of OptionOverrideProto

}  // namespace

std::vector<CompileOverride> default_overrides(bool is_gpu, bool allows_fast_math) {
  std::vector<CompileOverride> overrides = {
      // On by default in XLA: maximum and minimum that lose NaN.
      {is_gpu ? "xla_gpu_enable_fast_min_max" : "xla_cpu_enable_fast_min_max", "False"},
  };
  if (is_gpu || !allows_fast_math) return overrides;
  overrides.push_back({"xla_cpu_enable_fast_math", "True"});
  // No part of the permission.
  overrides.push_back({"xla_cpu_fast_math_honor_nans", "True"});
  overrides.push_back({"xla_cpu_fast_math_honor_infs", "True"});
  // These take back what the first gives, by default.
  overrides.push_back({"xla_cpu_fast_math_honor_division", "False"});
  overrides.push_back({"xla_cpu_fast_math_honor_functions", "False"});
  return overrides;
}

std::vector<CompileOverride> parse_overrides(std::string_view text) {
  std::vector<CompileOverride> overrides;
  constexpr std::string_view kBlanks = " \t\n";
  while (true) {
    const std::size_t begin = text.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos) return overrides;
    text.remove_prefix(begin);
    std::string_view word = text.substr(0, text.find_first_of(kBlanks));
    text.remove_prefix(word.size());
    const std::string_view whole = word;
    if (word.substr(0, 2) == "--") word.remove_prefix(2);
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      throw Failure(GN_STATUS_INVALID_ARGUMENT, "option 'overrides' holds '" + std::string(whole) +
                                                    "', which is no name=value");
    }
    overrides.push_back(
        {std::string(word.substr(0, equals)), std::string(word.substr(equals + 1)), true});
  }
}

std::string encode_compile_options(const std::vector<CompileOverride>& overrides) {
  WireWriter build;
  build.add_varint(kNumReplicas, 1);
  build.add_varint(kNumPartitions, 1);
  WireWriter options;
  options.add_bytes(kExecutableBuildOptions, build.bytes());
  for (const CompileOverride& override_ : overrides) {
    WireWriter value;
    value.add_bytes(kStringField, override_.value);
    WireWriter entry;
    entry.add_bytes(kMapKey, override_.name);
    entry.add_bytes(kMapValue, value.bytes());
    options.add_bytes(kEnvOptionOverrides, entry.bytes());
  }
  return options.bytes();
}

bool names_option(const std::string& message, const std::string& name) {
  const auto is_part_of_name = [](char byte) {
    return byte == '_' || std::isalnum(static_cast<unsigned char>(byte)) != 0;
  };
  std::size_t begin = message.find(name);
  for (; begin != std::string::npos; begin = message.find(name, begin + 1)) {
    const std::size_t end = begin + name.size();
    const bool is_whole = (begin == 0 || !is_part_of_name(message[begin - 1])) &&
                          (end == message.size() || !is_part_of_name(message[end]));
    if (is_whole) return true;
  }
  return false;
}

}  // namespace graphnet::xla
