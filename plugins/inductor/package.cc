// SPDX-License-Identifier: MIT
//
// A sealed message with the fields numbered below.
#include "package.h"

#include <utility>

#include "artifact/file_digest.h"
#include "artifact/sealed_message.h"
#include "artifact/wire_format.h"
#include "graphnet/failure.h"

namespace graphnet::inductor {

using artifact::WireField;
using artifact::WireReader;
using artifact::WireWriter;

namespace {

constexpr std::string_view kMagic = "graphnet inductor package 1\n";

namespace field {
enum : std::uint32_t {
  kMaker = 1,
  kLibrary = 2,
  kArgument = 3,  // twice the position, and 1 for a weight
  kConstant = 4,
  kData = 5,
  kTimes = 6,
  kIsFrozen = 7,
  kCalls = 8,
};
}
namespace constant_field {
enum : std::uint32_t { kName = 1, kCode = 2, kBits = 3, kExtent = 4, kOffset = 5 };
}

[[noreturn]] void refuse_package(const char* reason) {
  throw Failure(GN_STATUS_INVALID_ARGUMENT, std::string("stored package ") + reason);
}

std::string write_constant(const Package::Constant& constant) {
  WireWriter out;
  out.add_bytes(constant_field::kName, constant.name);
  out.add_varint(constant_field::kCode, constant.dtype.code);
  out.add_varint(constant_field::kBits, constant.dtype.bits);
  for (const std::int64_t extent : constant.shape) {
    out.add_varint(constant_field::kExtent, static_cast<std::uint64_t>(extent));
  }
  out.add_varint(constant_field::kOffset, constant.offset);
  return out.bytes();
}

Package::Constant read_constant(std::string_view bytes) {
  Package::Constant constant;
  constant.dtype.lanes = 1;
  WireReader reader(bytes);
  for (WireField each; reader.next(each);) {
    const auto byte = static_cast<std::uint8_t>(each.value);
    if (each.number == constant_field::kName) constant.name = each.bytes;
    if (each.number == constant_field::kCode) constant.dtype.code = byte;
    if (each.number == constant_field::kBits) constant.dtype.bits = byte;
    if (each.number == constant_field::kOffset) constant.offset = each.value;
    if (each.number == constant_field::kExtent) {
      constant.shape.push_back(static_cast<std::int64_t>(each.value));
    }
  }
  return constant;
}

void read_field(const WireField& each, Package& package) {
  switch (each.number) {
    case field::kLibrary:
      package.library = each.bytes;
      break;
    case field::kArgument:
      package.arguments.push_back(
          {(each.value & 1) != 0, static_cast<std::uint32_t>(each.value / 2)});
      break;
    case field::kConstant:
      package.constants.push_back(read_constant(each.bytes));
      break;
    case field::kData:
      package.data = each.bytes;
      break;
    case field::kTimes:
      package.times = each.bytes;
      break;
    case field::kCalls:
      package.calls = each.bytes;
      break;
    case field::kIsFrozen:
      package.is_frozen = each.value != 0;
      break;
    default:
      break;
  }
}

}  // namespace

Package make_package(const gn_graph_body& body, ModuleText module, Compiled compiled,
                     bool is_frozen) {
  Package package;
  package.library = std::move(compiled.library);
  package.times = std::move(compiled.times);
  package.calls = std::move(compiled.calls);
  package.arguments = std::move(module.arguments);
  package.is_frozen = is_frozen;
  if (is_frozen) return package;
  package.data = std::move(module.data);
  for (const ModuleText::Constant& constant : module.constants) {
    const gn_value& value = body.values[constant.value];
    package.constants.push_back({"c" + std::to_string(constant.value),
                                 value.dtype,
                                 {value.shape, value.shape + value.rank},
                                 constant.offset});
  }
  return package;
}

std::string maker_text(const Options& options) {
  return std::string("torch " GN_INDUCTOR_TORCH ", compile.py " GN_INDUCTOR_SCRIPT ", threads ") +
         std::to_string(options.threads) + ", freezing " + (options.freezing ? "1" : "0") +
         ", max_autotune " + (options.max_autotune ? "1" : "0") + ", processor " +
         artifact::processor_digest();
}

std::string store(const Package& package, const std::string& maker) {
  WireWriter out;
  out.add_bytes(field::kMaker, maker);
  out.add_bytes(field::kLibrary, package.library);
  for (const Argument& argument : package.arguments) {
    out.add_varint(field::kArgument, 2ULL * argument.position + (argument.is_weight ? 1 : 0));
  }
  for (const auto& each : package.constants) out.add_bytes(field::kConstant, write_constant(each));
  out.add_bytes(field::kData, package.data);
  out.add_bytes(field::kTimes, package.times);
  out.add_varint(field::kIsFrozen, package.is_frozen ? 1 : 0);
  out.add_bytes(field::kCalls, package.calls);
  return artifact::seal(kMagic, out.bytes());
}

Package load(std::string_view bytes, const std::string& maker) {
  bytes = artifact::unseal(kMagic, "package", bytes);
  Package package;
  WireReader reader(bytes);
  for (WireField each; reader.next(each);) {
    if (each.number == field::kMaker && each.bytes != maker) {
      refuse_package("was made by another compiler, with other options or for another processor");
    }
    read_field(each, package);
  }
  if (reader.is_damaged()) refuse_package("is damaged");
  return package;
}

}  // namespace graphnet::inductor
