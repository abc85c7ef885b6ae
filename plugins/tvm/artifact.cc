// SPDX-License-Identifier: MIT
//
// A sealed message with the fields numbered below.
#include "tvm_plugin/artifact.h"

#include "artifact/sealed_message.h"
#include "artifact/wire_format.h"
#include "graphnet/failure.h"

namespace graphnet::tvm {

using artifact::WireField;
using artifact::WireReader;
using artifact::WireWriter;

namespace {

constexpr std::string_view kMagic = "graphnet tvm program 2\n";
// A value takes more room in memory than in bytes; the largest sample has a few thousand.
constexpr std::size_t kMostEntries = std::size_t{1} << 20U;

namespace file_field {
enum : std::uint32_t {
  kTvm = 1,
  kOptions = 2,
  kProcessor = 3,
  kCode = 4,
  kValue = 5,
  kConstant = 6,
  kMainCall = 7,  // in order, as those of bind
  kBindCall = 8,
  kOutput = 9,
  kRule = 10,
  kRuleCount = 11,  // follows its rule
};
}
namespace value_field {
enum : std::uint32_t { kSource = 1, kIndex = 2, kType = 3, kExtent = 4, kStorageExtent = 5 };
}
namespace call_field {
enum : std::uint32_t { kFunction = 1, kIsExtern = 2, kInput = 3, kAttribute = 4, kResult = 5 };
}

[[noreturn]] void refuse(const std::string& reason) {
  throw Failure(GN_STATUS_INVALID_ARGUMENT, "stored program " + reason);
}

template <typename Integer>
void add_all(WireWriter& out, std::uint32_t field, const std::vector<Integer>& list) {
  for (const Integer each : list) out.add_varint(field, static_cast<std::uint64_t>(each));
}

template <typename Entry>
void push(std::vector<Entry>& list, Entry entry) {
  if (list.size() >= kMostEntries) refuse("has more entries than this plugin writes");
  list.push_back(std::move(entry));
}

std::string write_value(const StoredValue& value) {
  WireWriter out;
  if (value.is_argument) {
    out.add_varint(value_field::kSource, static_cast<std::uint64_t>(value.source));
    out.add_varint(value_field::kIndex, value.index);
  }
  out.add_varint(value_field::kType, static_cast<std::uint64_t>(value.type));
  add_all(out, value_field::kExtent, value.shape);
  add_all(out, value_field::kStorageExtent, value.storage);
  return out.bytes();
}

/// A number that has to be that of an enumerator; others become one beyond all.
template <typename Enum>
Enum enumerator(std::uint64_t number) {
  return static_cast<Enum>(number > 255 ? 255 : number);
}

StoredValue read_value(std::string_view bytes) {
  StoredValue value;
  WireReader reader(bytes);
  for (WireField field; reader.next(field);) {
    const auto number = static_cast<std::int64_t>(field.value);
    if (field.number == value_field::kSource) {
      value.is_argument = true;
      value.source = enumerator<ArgumentSource>(field.value);
    }
    if (field.number == value_field::kIndex) value.index = static_cast<std::uint32_t>(field.value);
    if (field.number == value_field::kType) value.type = enumerator<Type>(field.value);
    if (field.number == value_field::kExtent) push(value.shape, number);
    if (field.number == value_field::kStorageExtent) push(value.storage, number);
  }
  if (reader.is_damaged()) refuse("holds a value that cannot be read");
  return value;
}

std::string write_call(const KernelCall& call) {
  WireWriter out;
  out.add_bytes(call_field::kFunction, call.function);
  out.add_varint(call_field::kIsExtern, call.is_extern ? 1 : 0);
  add_all(out, call_field::kInput, call.inputs);
  add_all(out, call_field::kAttribute, call.attributes);
  add_all(out, call_field::kResult, call.results);
  return out.bytes();
}

KernelCall read_call(std::string_view bytes) {
  KernelCall call;
  WireReader reader(bytes);
  for (WireField field; reader.next(field);) {
    const auto number = static_cast<std::int64_t>(field.value);
    const auto id = static_cast<std::int32_t>(field.value);
    if (field.number == call_field::kFunction) call.function = field.bytes;
    if (field.number == call_field::kIsExtern) call.is_extern = field.value != 0;
    if (field.number == call_field::kInput) push(call.inputs, id);
    if (field.number == call_field::kAttribute) push(call.attributes, number);
    if (field.number == call_field::kResult) push(call.results, id);
  }
  if (reader.is_damaged()) refuse("holds a call that cannot be read");
  return call;
}

/// A stored program before anything of it is believed.
struct StoredProgram {
  std::string_view tvm;
  std::string_view options;
  std::string_view processor;
  std::string_view code;
  CallPlan plan;
};

void read_field(const WireField& field, StoredProgram& program, std::string& rule) {
  CallPlan& plan = program.plan;
  switch (field.number) {
    case file_field::kTvm:
      program.tvm = field.bytes;
      break;
    case file_field::kOptions:
      program.options = field.bytes;
      break;
    case file_field::kProcessor:
      program.processor = field.bytes;
      break;
    case file_field::kCode:
      program.code = field.bytes;
      break;
    case file_field::kValue:
      push(plan.values, read_value(field.bytes));
      break;
    case file_field::kConstant:
      push(plan.constants, lowering::SharedBytes(field.bytes));
      break;
    case file_field::kMainCall:
      push(plan.main, read_call(field.bytes));
      break;
    case file_field::kBindCall:
      push(plan.bind, read_call(field.bytes));
      break;
    case file_field::kOutput:
      push(plan.outputs, static_cast<std::int32_t>(field.value));
      break;
    case file_field::kRule:
      rule = field.bytes;
      break;
    case file_field::kRuleCount:
      plan.kernels_by_rule[rule] = static_cast<std::int64_t>(field.value);
      break;
    default:
      break;
  }
}

StoredProgram read_program(std::string_view bytes) {
  bytes = artifact::unseal(kMagic, "program", bytes);
  StoredProgram program;
  std::string rule;
  WireReader reader(bytes);
  for (WireField field; reader.next(field);) read_field(field, program, rule);
  if (reader.is_damaged()) refuse("holds a field that cannot be read");
  return program;
}

void check_origin(const StoredProgram& program, const Origin& here) {
  if (program.tvm != here.tvm) {
    refuse("was made by another TVM: " + std::string(program.tvm) + "; this one is " + here.tvm);
  }
  if (program.options != here.options) {
    refuse("was made with '" + std::string(program.options) + "', not '" + here.options + "'");
  }
  if (program.processor != here.processor) refuse("is for a processor with other features");
}

}  // namespace

std::string write_artifact(const Artifact& program, const Origin& origin) {
  const CallPlan& plan = program.plan;
  WireWriter out;
  out.add_bytes(file_field::kTvm, origin.tvm);
  out.add_bytes(file_field::kOptions, origin.options);
  out.add_bytes(file_field::kProcessor, origin.processor);
  out.add_bytes(file_field::kCode, program.code);
  for (const StoredValue& value : plan.values) {
    out.add_bytes(file_field::kValue, write_value(value));
  }
  for (const lowering::SharedBytes& constant : plan.constants) {
    out.add_bytes(file_field::kConstant, constant.view());
  }
  for (const KernelCall& call : plan.main) {
    out.add_bytes(file_field::kMainCall, write_call(call));
  }
  for (const KernelCall& call : plan.bind) {
    out.add_bytes(file_field::kBindCall, write_call(call));
  }
  add_all(out, file_field::kOutput, plan.outputs);
  for (const auto& [rule, count] : plan.kernels_by_rule) {
    out.add_bytes(file_field::kRule, rule);
    out.add_varint(file_field::kRuleCount, static_cast<std::uint64_t>(count));
  }
  return artifact::seal(kMagic, out.bytes());
}

Artifact read_artifact(std::string_view bytes, const Origin& here) {
  StoredProgram program = read_program(bytes);
  check_origin(program, here);
  const std::string flaw = flaw_of(program.plan);
  if (!flaw.empty()) refuse("names " + flaw);
  return {std::move(program.plan), std::string(program.code)};
}

}  // namespace graphnet::tvm
