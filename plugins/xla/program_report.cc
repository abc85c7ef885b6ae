// SPDX-License-Identifier: MIT
#include "xla/program_report.h"

#include <array>
#include <cstdio>

#include "artifact/wire_format.h"

namespace graphnet::xla {

using artifact::WireField;
using artifact::WireReader;

namespace {

// Field numbers of xla/service/hlo.proto.
constexpr std::uint32_t kHloModule = 1;             // of HloModuleProtoWithConfig
constexpr std::uint32_t kEntryComputationName = 2;  // of HloModuleProto
constexpr std::uint32_t kComputations = 3;
constexpr std::uint32_t kComputationName = 1;  // of HloComputationProto
constexpr std::uint32_t kInstructions = 2;
constexpr std::uint32_t kOpcode = 2;  // of HloInstructionProto
constexpr std::uint32_t kFusionKind = 11;
constexpr std::uint32_t kCustomCallTarget = 28;

/// The last field `number` of a message, as protocol buffers read it; empty if there is none.
std::string_view find_bytes(std::string_view message, std::uint32_t number) {
  std::string_view found;
  WireReader reader(message);
  for (WireField field; reader.next(field);) {
    if (field.number == number) found = field.bytes;
  }
  return found;
}

bool is_work(std::string_view opcode) {
  for (const std::string_view none : {"parameter", "constant", "tuple", "get-tuple-element"}) {
    if (opcode == none) return false;
  }
  return !opcode.empty();
}

std::string operation_name(std::string_view instruction) {
  std::string name(find_bytes(instruction, kOpcode));
  if (!is_work(name)) return "";
  for (const std::uint32_t detail : {kFusionKind, kCustomCallTarget}) {
    const std::string_view text = find_bytes(instruction, detail);
    if (!text.empty()) name += ":" + std::string(text);
  }
  return name;
}

void read_computation(std::string_view computation, bool is_entry, OptimizedProgram& program) {
  ++program.num_computations;
  WireReader reader(computation);
  for (WireField field; reader.next(field);) {
    if (field.number != kInstructions) continue;
    ++program.num_instructions;
    if (!is_entry) continue;
    const std::string name = operation_name(field.bytes);
    if (!name.empty()) ++program.operations[name];
  }
}

std::string line(const std::string& key, const std::string& value) {
  return value.empty() ? "" : key + ": " + value + "\n";
}

std::string value_or_none(const std::map<std::string, std::string>& values, const char* key) {
  const auto found = values.find(key);
  return found == values.end() ? "" : found->second;
}

std::string report_module(const std::string& name, const CompiledModule& module) {
  const OptimizedProgram program = read_optimized_program(module.optimized_program());
  std::string operations;
  for (const auto& [operation, count] : program.operations) {
    operations += (operations.empty() ? "" : " ") + operation + "=" + std::to_string(count);
  }
  return line(name + "_operations", operations) +
         line(name + "_instructions", std::to_string(program.num_instructions)) +
         line(name + "_fingerprint", module.fingerprint());
}

}  // namespace

OptimizedProgram read_optimized_program(std::string_view bytes) {
  const std::string_view module = find_bytes(bytes, kHloModule);
  const std::string_view entry = find_bytes(module, kEntryComputationName);
  OptimizedProgram program;
  WireReader reader(module);
  for (WireField field; reader.next(field);) {
    if (field.number != kComputations) continue;
    read_computation(field.bytes, find_bytes(field.bytes, kComputationName) == entry, program);
  }
  return program;
}

std::string report_client(const PjrtClient& client) {
  const auto attributes = client.library().attributes();
  const std::string oldest = value_or_none(attributes, "stablehlo_minimum_version");
  std::string stablehlo = value_or_none(attributes, "stablehlo_current_version");
  if (!oldest.empty()) stablehlo += " (oldest " + oldest + ")";
  return line("pjrt_file", client.library().file()) + line("pjrt_sha256", client.file_sha256()) +
         line("pjrt_api", client.library().version()) +
         line("xla_version", value_or_none(attributes, "xla_version")) +
         line("stablehlo", stablehlo);
}

std::string report_times(const CallTimes& times) {
  if (times.num_calls == 0) return "";
  const auto mean = [&](std::int64_t sum_ns) {
    std::array<char, 32> text = {};
    std::snprintf(text.data(), text.size(), "%.1f us",
                  static_cast<double>(sum_ns) / 1e3 / static_cast<double>(times.num_calls));
    return std::string(text.data());
  };
  return line("call_times", "launch " + mean(times.launch_ns) + ", await " + mean(times.await_ns) +
                                ", copies " + mean(times.copy_ns) + " (means of " +
                                std::to_string(times.num_calls) + " calls)");
}

std::string report_program(const ProgramExecutable& executable) {
  std::string overrides;
  for (const CompileOverride& entry : executable.overrides()) {
    overrides += (overrides.empty() ? "" : " ") + entry.name + "=" + entry.value;
  }
  std::string text = line("overrides", overrides) + report_module("main", executable.main());
  if (const CompiledModule* bind = executable.bind_module()) text += report_module("bind", *bind);
  return text + report_times(executable.call_times());
}

}  // namespace graphnet::xla
