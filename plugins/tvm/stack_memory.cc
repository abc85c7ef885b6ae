// SPDX-License-Identifier: MIT
#include "tvm_plugin/stack_memory.h"

#include <string_view>
#include <utility>
#include <vector>

#include "tvm_plugin/expression.h"

namespace graphnet::tvm {

namespace {

// A tile is at most 32 vector registers. A thread's stack has room for many of these.
constexpr std::int64_t kMostBytes = 4096;
// TVM's name for a buffer that stays what it is.
constexpr const char* kStaysOnStack = "disable_lower_builtin";

/// Fields of a statement that are statements.
struct Inner {
  std::string_view kind;
  std::vector<const char*> fields;
};
const std::vector<Inner>& inner_statements() {
  static const std::vector<Inner> table = {{"tirx.For", {"body"}},
                                           {"tirx.While", {"body"}},
                                           {"tirx.AttrStmt", {"body"}},
                                           {"tirx.IfThenElse", {"then_case", "else_case"}}};
  return table;
}

/// -1: not known.
std::int64_t bytes_of_buffer(const Ref& buffer) {
  const Ref type = child(buffer, "ty");
  const auto element = field(child(type, "dtype"), "dtype").cast<DLDataType>();
  std::int64_t bytes = (element.bits * element.lanes + 7) / 8;
  for (const Ref& each : field(type, "shape").cast<Array<Ref>>()) {
    std::int64_t extent = 0;
    if (!is_constant(each, extent)) return -1;
    bytes *= extent;
  }
  return bytes;
}

Ref with_stack(const Ref& statement) {
  if (is(statement, "tirx.AllocBuffer")) {
    const std::int64_t bytes = bytes_of_buffer(child(statement, "buffer"));
    if (bytes < 0 || bytes > kMostBytes) return statement;
    auto annotations = field(statement, "annotations").cast<Map<String, Any>>();
    annotations.Set(kStaysOnStack, literal(Type::kBool, 1));
    return with_field(statement, "annotations", annotations);
  }
  if (is(statement, "tirx.SeqStmt")) {
    Array<Ref> parts;
    for (const Ref& part : field(statement, "seq").cast<Array<Ref>>()) {
      parts.push_back(with_stack(part));
    }
    return with_field(statement, "seq", parts);
  }
  Ref changed = statement;
  for (const Inner& inner : inner_statements()) {
    if (!is(statement, inner.kind)) continue;
    for (const char* name : inner.fields) {
      const Any part = field(statement, name);
      if (part != nullptr) changed = with_field(changed, name, with_stack(part.cast<Ref>()));
    }
  }
  return changed;
}

}  // namespace

Ref keep_on_stack(Ref module) {
  for (const auto& [variable, function] : field(module, "functions").cast<Map<Ref, Ref>>()) {
    if (!is(function, "tirx.PrimFunc")) continue;
    const Ref changed = with_field(function, "body", with_stack(child(function, "body")));
    call("ir.Module_Add", module, variable, changed, true);
  }
  return module;
}

}  // namespace graphnet::tvm
