// SPDX-License-Identifier: MIT
#include "tvm_plugin/statements.h"

#include <functional>
#include <vector>

#include "tvm_plugin/expression.h"
#include "tvm_plugin/kernel.h"

namespace graphnet::tvm {

namespace {

// The largest tile has 12 rows of 4 panels of 32 columns in float64.
constexpr std::int64_t kMostBytes = 12 << 10;
// TVM's name for a buffer that stays what it is.
constexpr const char* kStaysOnStack = "disable_lower_builtin";

/// Fields of a statement that are statements.
std::vector<const char*> inner_fields(const Ref& statement) {
  if (is(statement, "tirx.For") || is(statement, "tirx.While") || is(statement, "tirx.AttrStmt")) {
    return {"body"};
  }
  if (is(statement, "tirx.IfThenElse")) return {"then_case", "else_case"};
  return {};
}

using Change = std::function<Ref(const Ref&)>;

Ref with_parts(const Ref& sequence, const Change& change) {
  const auto parts = field(sequence, "seq").cast<Array<Ref>>();
  std::vector<Ref> made;
  bool is_changed = false;
  for (const Ref& part : parts) {
    made.push_back(change(part));
    is_changed = is_changed || !made.back().same_as(part);
  }
  return is_changed ? with_field(sequence, "seq", to_array(made)) : sequence;
}

/// The statement with those that hold no others changed.
Ref with_leaves(const Ref& statement, const Change& change) {
  const auto within = [&](const Ref& inner) { return with_leaves(inner, change); };
  if (is(statement, "tirx.SeqStmt")) return with_parts(statement, within);
  const std::vector<const char*> fields = inner_fields(statement);
  if (fields.empty()) return change(statement);
  Ref made = statement;
  for (const char* name : fields) {
    const Any inner = field(statement, name);
    if (inner == nullptr) continue;
    const Ref before = inner.cast<Ref>();
    const Ref after = within(before);
    if (!after.same_as(before)) made = with_field(made, name, after);
  }
  return made;
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

Ref on_stack(const Ref& statement) {
  if (!is(statement, "tirx.AllocBuffer")) return statement;
  const Ref buffer = child(statement, "buffer");
  // Others stay in memory, and TVM aligns the stack's to 16 bytes only.
  if (role_of(field(buffer, "name").cast<String>()) != BlockRole::kAcc) return statement;
  const std::int64_t bytes = bytes_of_buffer(buffer);
  if (bytes <= 0 || bytes > kMostBytes) return statement;
  auto annotations = field(statement, "annotations").cast<Map<String, Any>>();
  annotations.Set(kStaysOnStack, literal(Type::kBool, 1));
  return with_field(statement, "annotations", annotations);
}

}  // namespace

Ref with_tiles_on_stack(const Ref& function) {
  return with_field(function, "body", with_leaves(child(function, "body"), on_stack));
}

std::int64_t num_statements(const Ref& function) {
  std::int64_t count = 0;
  with_leaves(child(function, "body"), [&](const Ref& statement) {
    ++count;
    return statement;
  });
  return count;
}

}  // namespace graphnet::tvm
