// SPDX-License-Identifier: MIT
//
// A sealed message with the fields numbered below.
#include "bladedisc/package.h"

#include <cstring>
#include <utility>

#include "artifact/sealed_message.h"
#include "artifact/wire_format.h"
#include "graphnet/failure.h"

namespace graphnet::bladedisc {

namespace {

using artifact::WireField;
using artifact::WireReader;
using artifact::WireWriter;
using lowering::stablehlo::ArgumentSource;
using lowering::stablehlo::TensorType;

constexpr std::string_view kMagic = "graphnet bladedisc package 1\n";

namespace field {
enum : std::uint32_t {
  kMaker = 1,
  kLibrary = 2,
  kMetadata = 3,
  kArgument = 4,  // the tensor as the protocol has it, then its index
  kResult = 5,
  kMemoryBytes = 6,
};
}

[[noreturn]] void refuse(const char* reason) {
  throw Failure(GN_STATUS_INVALID_ARGUMENT, std::string("stored package ") + reason);
}

Slot place(const TensorType& type, gn_disc_kind kind, std::uint32_t index, std::uint64_t& end) {
  if (type.shape.size() > GN_DISC_MAX_RANK) {
    throw Failure(GN_STATUS_UNSUPPORTED, "gn-disc/1 has tensors of up to " +
                                             std::to_string(GN_DISC_MAX_RANK) + " dimensions");
  }
  Slot slot;
  slot.index = index;
  slot.tensor.code = type.dtype.code;
  slot.tensor.bits = type.dtype.bits;
  slot.tensor.kind = static_cast<std::uint8_t>(kind);
  slot.tensor.rank = static_cast<std::uint8_t>(type.shape.size());
  slot.tensor.bytes = (type.dtype.bits + 7U) / 8U;
  for (std::size_t i = 0; i < type.shape.size(); ++i) {
    slot.tensor.shape[i] = type.shape[i];
    slot.tensor.bytes *= static_cast<std::uint64_t>(type.shape[i]);
  }
  slot.tensor.offset = end;
  end += (slot.tensor.bytes + GN_DISC_ALIGNMENT - 1) / GN_DISC_ALIGNMENT * GN_DISC_ALIGNMENT;
  return slot;
}

std::string bytes_of(const Slot& slot) {
  std::string bytes(reinterpret_cast<const char*>(&slot.tensor), sizeof(slot.tensor));
  return bytes.append(reinterpret_cast<const char*>(&slot.index), sizeof(slot.index));
}

Slot slot_of(std::string_view bytes) {
  Slot slot;
  if (bytes.size() != sizeof(slot.tensor) + sizeof(slot.index)) refuse("is damaged");
  std::memcpy(&slot.tensor, bytes.data(), sizeof(slot.tensor));
  std::memcpy(&slot.index, bytes.data() + sizeof(slot.tensor), sizeof(slot.index));
  return slot;
}

}  // namespace

Package make_package(const lowering::stablehlo::LoweredProgram& program, Compiled compiled) {
  Package package;
  package.library = std::move(compiled.library);
  package.metadata = std::move(compiled.metadata);
  for (const auto& argument : program.main.arguments) {
    const gn_disc_kind kind =
        argument.source == ArgumentSource::kWeight ? GN_DISC_WEIGHT : GN_DISC_INPUT;
    package.arguments.push_back(place(argument.type, kind, argument.index, package.memory_bytes));
  }
  for (std::size_t i = 0; i < program.main.results.size(); ++i) {
    package.results.push_back(place(program.main.results[i], GN_DISC_RESULT,
                                    program.result_outputs[i], package.memory_bytes));
  }
  return package;
}

std::string store(const Package& package, const std::string& maker) {
  WireWriter out;
  out.add_bytes(field::kMaker, maker);
  out.add_bytes(field::kLibrary, package.library);
  out.add_bytes(field::kMetadata, package.metadata);
  for (const Slot& slot : package.arguments) out.add_bytes(field::kArgument, bytes_of(slot));
  for (const Slot& slot : package.results) out.add_bytes(field::kResult, bytes_of(slot));
  out.add_varint(field::kMemoryBytes, package.memory_bytes);
  return artifact::seal(kMagic, out.bytes());
}

Package load(std::string_view bytes, const std::string& maker) {
  bytes = artifact::unseal(kMagic, "package", bytes);
  Package package;
  WireReader reader(bytes);
  for (WireField each; reader.next(each);) {
    if (each.number == field::kMaker && each.bytes != maker) {
      refuse("was made by another compiler or with other options");
    }
    if (each.number == field::kLibrary) package.library = each.bytes;
    if (each.number == field::kMetadata) package.metadata = each.bytes;
    if (each.number == field::kArgument) package.arguments.push_back(slot_of(each.bytes));
    if (each.number == field::kResult) package.results.push_back(slot_of(each.bytes));
    if (each.number == field::kMemoryBytes) package.memory_bytes = each.value;
  }
  if (reader.is_damaged()) refuse("is damaged");
  return package;
}

}  // namespace graphnet::bladedisc
