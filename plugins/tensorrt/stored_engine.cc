// SPDX-License-Identifier: MIT
//
// A sealed message with the fields numbered below.
#include "tensorrt/stored_engine.h"

#include <utility>

#include "artifact/sealed_message.h"
#include "artifact/wire_format.h"
#include "graphnet/failure.h"
#include "lowering/ir/text.h"

namespace graphnet::tensorrt {

namespace ir = lowering::ir;
using artifact::WireField;
using artifact::WireReader;
using artifact::WireWriter;

namespace {

constexpr std::string_view kMagic = "graphnet tensorrt engine 1\n";

namespace file_field {
enum : std::uint32_t {
  kLibrary = 1,
  kDevice = 2,
  kSettings = 3,
  kLayers = 4,
  kBind = 5,
  kInput = 6,
  kRefittable = 7,
  kOutput = 8,
  kPlan = 9,
  kCall = 10,
};
}
namespace parameter_field {
enum : std::uint32_t { kName = 1, kType = 2, kExtent = 3 };
}

[[noreturn]] void refuse(const std::string& reason) {
  throw Failure(GN_STATUS_INVALID_ARGUMENT, "stored engine " + reason);
}

std::string write_parameter(const NamedParameter& named) {
  WireWriter out;
  out.add_bytes(parameter_field::kName, named.name);
  out.add_varint(parameter_field::kType, static_cast<std::uint64_t>(named.type.type));
  for (const std::int64_t extent : named.type.shape) {
    out.add_varint(parameter_field::kExtent, static_cast<std::uint64_t>(extent));
  }
  return out.bytes();
}

NamedParameter read_parameter(std::string_view bytes) {
  NamedParameter named;
  WireReader reader(bytes);
  for (WireField field; reader.next(field);) {
    if (field.number == parameter_field::kName) named.name = field.bytes;
    if (field.number == parameter_field::kType) {
      named.type.type = static_cast<lowering::Type>(field.value);
    }
    if (field.number == parameter_field::kExtent) {
      named.type.shape.push_back(static_cast<std::int64_t>(field.value));
    }
  }
  named.parameter = parameter_of(named.name);
  return named;
}

/// An engine before anything of it is believed.
struct StoredEngine {
  EngineOrigin origin;
  EngineParts parts;
};

void read_field(const WireField& field, StoredEngine& engine) {
  switch (field.number) {
    case file_field::kLibrary:
      engine.origin.library = field.bytes;
      break;
    case file_field::kDevice:
      engine.origin.device = field.bytes;
      break;
    case file_field::kSettings:
      engine.origin.settings = field.bytes;
      break;
    case file_field::kLayers:
      engine.parts.num_layers = static_cast<std::int32_t>(field.value);
      break;
    case file_field::kBind:
      engine.parts.bind = ir::parse(field.bytes);
      break;
    case file_field::kCall:
      engine.parts.call = ir::parse(field.bytes);
      break;
    case file_field::kInput:
      engine.parts.network.inputs.push_back(read_parameter(field.bytes));
      break;
    case file_field::kRefittable:
      engine.parts.network.refittable.push_back(read_parameter(field.bytes));
      break;
    case file_field::kOutput:
      engine.parts.network.outputs.emplace_back(field.bytes);
      break;
    case file_field::kPlan:
      engine.parts.plan = field.bytes;
      break;
    default:
      break;
  }
}

void check_same(const char* what, const std::string& stored, const std::string& here) {
  if (stored == here) return;
  refuse(std::string("was built ") + what + " '" + stored + "'; here is '" + here + "'");
}

}  // namespace

std::string store_engine(const EngineParts& parts, const EngineOrigin& origin) {
  WireWriter out;
  out.add_bytes(file_field::kLibrary, origin.library);
  out.add_bytes(file_field::kDevice, origin.device);
  out.add_bytes(file_field::kSettings, origin.settings);
  out.add_varint(file_field::kLayers, static_cast<std::uint64_t>(parts.num_layers));
  if (!parts.bind.outputs.empty()) out.add_bytes(file_field::kBind, ir::to_text(parts.bind));
  if (!parts.call.outputs.empty()) out.add_bytes(file_field::kCall, ir::to_text(parts.call));
  for (const NamedParameter& each : parts.network.inputs) {
    out.add_bytes(file_field::kInput, write_parameter(each));
  }
  for (const NamedParameter& each : parts.network.refittable) {
    out.add_bytes(file_field::kRefittable, write_parameter(each));
  }
  for (const std::string& each : parts.network.outputs) out.add_bytes(file_field::kOutput, each);
  out.add_bytes(file_field::kPlan, parts.plan);
  return artifact::seal(kMagic, out.bytes());
}

EngineParts read_engine(std::string_view bytes, const EngineOrigin& here) {
  bytes = artifact::unseal(kMagic, "engine", bytes);
  StoredEngine engine;
  WireReader reader(bytes);
  for (WireField field; reader.next(field);) read_field(field, engine);
  if (reader.is_damaged()) refuse("holds a field that cannot be read");
  check_same("by", engine.origin.library, here.library);
  check_same("for", engine.origin.device, here.device);
  check_same("with", engine.origin.settings, here.settings);
  return std::move(engine.parts);
}

}  // namespace graphnet::tensorrt
