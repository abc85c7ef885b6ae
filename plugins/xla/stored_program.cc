// SPDX-License-Identifier: MIT
//
// A sealed message with the fields numbered below.
#include "xla/stored_program.h"

#include <algorithm>
#include <utility>

#include "artifact/file_digest.h"
#include "artifact/sealed_message.h"
#include "artifact/wire_format.h"
#include "xla/program_check.h"

namespace graphnet::xla {

using artifact::processor_digest;
using artifact::WireField;
using artifact::WireReader;
using artifact::WireWriter;
using lowering::stablehlo::ArgumentSource;
using lowering::stablehlo::LoweredProgram;
using lowering::stablehlo::Module;
using lowering::stablehlo::ModuleArgument;

namespace {

constexpr std::string_view kMagic = "graphnet xla program 1\n";

namespace file_field {
enum : std::uint32_t {
  kPjrtSha256 = 1,
  kPjrtVersion = 2,
  kProcessor = 3,
  kMain = 4,
  kBind = 5,
  kResultOutput = 6,
  kOverrideName = 7,
  kOverrideValue = 8,  // follows its name
};
}
namespace module_field {
enum : std::uint32_t { kArgument = 1, kResult = 2, kCode = 3 };
}
namespace argument_field {
enum : std::uint32_t { kSource = 1, kIndex = 2, kType = 3 };
}
namespace type_field {
enum : std::uint32_t { kCode = 1, kBits = 2, kExtent = 3 };
}

std::string write_type(const TensorType& type) {
  WireWriter out;
  out.add_varint(type_field::kCode, type.dtype.code);
  out.add_varint(type_field::kBits, type.dtype.bits);
  for (const std::int64_t extent : type.shape) {
    out.add_varint(type_field::kExtent, static_cast<std::uint64_t>(extent));
  }
  return out.bytes();
}

TensorType read_type(std::string_view bytes) {
  TensorType type;
  type.dtype.lanes = 1;
  WireReader reader(bytes);
  for (WireField field; reader.next(field);) {
    if (field.number == type_field::kCode) type.dtype.code = static_cast<std::uint8_t>(field.value);
    if (field.number == type_field::kBits) type.dtype.bits = static_cast<std::uint8_t>(field.value);
    if (field.number == type_field::kExtent) {
      type.shape.push_back(static_cast<std::int64_t>(field.value));
    }
  }
  return type;
}

std::string write_argument(const ModuleArgument& argument) {
  WireWriter out;
  out.add_varint(argument_field::kSource, static_cast<std::uint64_t>(argument.source));
  out.add_varint(argument_field::kIndex, argument.index);
  out.add_bytes(argument_field::kType, write_type(argument.type));
  return out.bytes();
}

ModuleArgument read_argument(std::string_view bytes) {
  ModuleArgument argument;
  WireReader reader(bytes);
  for (WireField field; reader.next(field);) {
    const auto number = static_cast<std::uint32_t>(field.value);
    if (field.number == argument_field::kSource) {
      argument.source = static_cast<ArgumentSource>(number);
    }
    if (field.number == argument_field::kIndex) argument.index = number;
    if (field.number == argument_field::kType) argument.type = read_type(field.bytes);
  }
  return argument;
}

std::string write_module(const CompiledModule& module) {
  WireWriter out;
  for (const ModuleArgument& argument : module.signature().arguments) {
    out.add_bytes(module_field::kArgument, write_argument(argument));
  }
  for (const TensorType& type : module.signature().results) {
    out.add_bytes(module_field::kResult, write_type(type));
  }
  out.add_bytes(module_field::kCode, module.serialize());
  return out.bytes();
}

/// Signature and code of one stored module.
struct StoredModule {
  Module signature;
  std::string_view code;
};

StoredModule read_module(std::string_view bytes) {
  StoredModule module;
  WireReader reader(bytes);
  for (WireField field; reader.next(field);) {
    if (field.number == module_field::kArgument) {
      module.signature.arguments.push_back(read_argument(field.bytes));
    }
    if (field.number == module_field::kResult) {
      module.signature.results.push_back(read_type(field.bytes));
    }
    if (field.number == module_field::kCode) module.code = field.bytes;
  }
  return module;
}

struct StoredProgram {
  std::string_view pjrt_sha256;
  std::string_view pjrt_version;
  std::string_view processor;
  StoredModule main;
  std::optional<StoredModule> bind;
  std::vector<std::uint32_t> result_outputs;
  std::vector<CompileOverride> overrides;
};

void read_field(const WireField& field, StoredProgram& program) {
  switch (field.number) {
    case file_field::kPjrtSha256:
      program.pjrt_sha256 = field.bytes;
      break;
    case file_field::kPjrtVersion:
      program.pjrt_version = field.bytes;
      break;
    case file_field::kProcessor:
      program.processor = field.bytes;
      break;
    case file_field::kMain:
      program.main = read_module(field.bytes);
      break;
    case file_field::kBind:
      program.bind = read_module(field.bytes);
      break;
    case file_field::kResultOutput:
      program.result_outputs.push_back(static_cast<std::uint32_t>(field.value));
      break;
    case file_field::kOverrideName:
      program.overrides.push_back({std::string(field.bytes), "", true});
      break;
    case file_field::kOverrideValue:
      if (!program.overrides.empty()) program.overrides.back().value = field.bytes;
      break;
    default:
      break;
  }
}

[[noreturn]] void refuse(const std::string& reason) {
  throw Failure(GN_STATUS_INVALID_ARGUMENT, "stored program " + reason);
}

StoredProgram read_program(std::string_view bytes) {
  bytes = artifact::unseal(kMagic, "program", bytes);
  StoredProgram program;
  WireReader reader(bytes);
  for (WireField field; reader.next(field);) read_field(field, program);
  return program;
}

void check_origin(const StoredProgram& program, const PjrtClient& client) {
  if (program.pjrt_sha256 != client.file_sha256()) {
    refuse("was made by another PJRT file, of API " + std::string(program.pjrt_version) +
           " and SHA-256 " + std::string(program.pjrt_sha256) + "; this one has " +
           client.library().version() + " and " + client.file_sha256());
  }
  if (program.processor != processor_digest()) refuse("is for a processor with other features");
}

}  // namespace

std::string store_program(const ProgramExecutable& executable) {
  WireWriter out;
  out.add_bytes(file_field::kPjrtSha256, executable.client().file_sha256());
  out.add_bytes(file_field::kPjrtVersion, executable.client().library().version());
  out.add_bytes(file_field::kProcessor, processor_digest());
  out.add_bytes(file_field::kMain, write_module(executable.main()));
  if (const CompiledModule* bind = executable.bind_module()) {
    out.add_bytes(file_field::kBind, write_module(*bind));
  }
  for (const std::uint32_t output : executable.result_outputs()) {
    out.add_varint(file_field::kResultOutput, output);
  }
  for (const CompileOverride& entry : executable.overrides()) {
    out.add_bytes(file_field::kOverrideName, entry.name);
    out.add_bytes(file_field::kOverrideValue, entry.value);
  }
  return artifact::seal(kMagic, out.bytes());
}

std::unique_ptr<ProgramExecutable> load_program(std::shared_ptr<const PjrtClient> client,
                                                std::string_view bytes) {
  StoredProgram stored = read_program(bytes);
  check_origin(stored, *client);
  LoweredProgram program;
  program.main = stored.main.signature;
  program.result_outputs = stored.result_outputs;
  if (stored.bind) program.bind = stored.bind->signature;
  check_program(program);
  std::optional<CompiledModule> bind;
  if (stored.bind) {
    bind = CompiledModule::load(*client, std::move(*program.bind), stored.bind->code);
  }
  CompiledModule main = CompiledModule::load(*client, std::move(program.main), stored.main.code);
  return std::make_unique<ProgramExecutable>(std::move(client), std::move(main),
                                             std::move(stored.result_outputs), std::move(bind),
                                             std::move(stored.overrides));
}

}  // namespace graphnet::xla
