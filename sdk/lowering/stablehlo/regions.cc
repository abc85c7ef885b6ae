// SPDX-License-Identifier: MIT
#include "lowering/stablehlo/regions.h"

#include <string_view>

#include "lowering/stablehlo/syntax.h"

namespace graphnet::lowering::stablehlo {

namespace {

const char* name_of(Reduction kind) {
  switch (kind) {
    case Reduction::kSum:
      return "add";
    case Reduction::kProduct:
      return "multiply";
    case Reduction::kMax:
    case Reduction::kMaxNumber:
      return "maximum";
    case Reduction::kMin:
      return "minimum";
    case Reduction::kAnd:
      return "and";
    case Reduction::kOr:
      return "or";
  }
  return "";
}

/// A region's lines as they are written in StableHLO, in the dialect: names of operations differ.
std::string spelled(const Spelling& spelling, std::string_view text) {
  constexpr std::string_view kWritten = "stablehlo.";
  std::string result;
  for (std::size_t at = text.find(kWritten); at != text.npos; at = text.find(kWritten)) {
    result.append(text, 0, at).append(spelling.dialect).append(".");
    text.remove_prefix(at + kWritten.size());
  }
  return result.append(text);
}

// The body of a region over two scalars %p, %q of this type.
std::string reducer_body(const Spelling& spelling, Reduction kind, Type type) {
  const std::string scalar = type_text(type, {});
  if (!needs_select(spelling, kind, type)) {
    return "%s = stablehlo." + std::string(name_of(kind)) + " %p, %q : " + scalar +
           " stablehlo.return %s : " + scalar;
  }
  const std::string pair = " : (" + scalar + ", " + scalar + ") -> tensor<i1> ";
  return std::string("%s = stablehlo.compare ") + (kind == Reduction::kMax ? "GT" : "LT") +
         ", %p, %q, FLOAT" + pair + "%t = stablehlo.compare NE, %p, %p, FLOAT" + pair +
         "%u = stablehlo.or %s, %t : tensor<i1> %v = stablehlo.select %u, %p, %q : tensor<i1>, " +
         scalar + " stablehlo.return %v : " + scalar;
}

}  // namespace

std::string reducer_name(const Spelling& spelling, Reduction kind) {
  return std::string(spelling.dialect) + "." + name_of(kind);
}

bool needs_select(const Spelling& spelling, Reduction kind, Type type) {
  return spelling.selects_in_reductions && is_float(type) &&
         (kind == Reduction::kMax || kind == Reduction::kMin);
}

std::string binary_region(const Spelling& spelling, Reduction kind, Type type) {
  const std::string scalar = type_text(type, {});
  return spelled(spelling, "({ ^bb0(%p: " + scalar + ", %q: " + scalar +
                               "): " + reducer_body(spelling, kind, type) + " })");
}

std::string index_region(const Spelling& spelling, bool largest, Type type) {
  const std::string scalar = type_text(type, {});
  const std::string values = " : (" + scalar + ", " + scalar + ") -> tensor<i1> ";
  const auto compare = [&](const char* to, const char* how, const char* a, const char* b) {
    return std::string(to) + " = stablehlo.compare " + how + ", " + a + ", " + b + ", " +
           comparison_type(type) + values;
  };
  const auto logic = [](const char* to, const char* op, const char* a, const char* b) {
    return std::string(to) + " = stablehlo." + op + " " + a + ", " + b + " : tensor<i1> ";
  };
  std::string body = compare("%r0", largest ? "GT" : "LT", "%p", "%q") +
                     compare("%r1", "NE", "%p", "%p") + compare("%r2", "NE", "%q", "%q") +
                     compare("%r3", "EQ", "%p", "%q");
  body += "%r4 = stablehlo.not %r2 : tensor<i1> " + logic("%r5", "and", "%r1", "%r4") +
          logic("%r6", "or", "%r0", "%r5") + logic("%r7", "and", "%r1", "%r2") +
          logic("%r8", "or", "%r3", "%r7") +
          "%r9 = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1> " +
          logic("%r10", "and", "%r8", "%r9") + logic("%r11", "or", "%r6", "%r10");
  body += "%r12 = stablehlo.select %r11, %p, %q : tensor<i1>, " + scalar +
          " %r13 = stablehlo.select %r11, %i, %j : tensor<i1>, tensor<i32> stablehlo.return %r12, "
          "%r13 : " +
          scalar + ", tensor<i32>";
  return spelled(spelling, "({ ^bb0(%p: " + scalar + ", %i: tensor<i32>, %q: " + scalar +
                               ", %j: tensor<i32>): " + body + " })");
}

std::string order_region(const Spelling& spelling, bool descending, Type type) {
  const std::string scalar = type_text(type, {});
  const std::string values = " : (" + scalar + ", " + scalar + ") -> tensor<i1> ";
  const std::string head =
      "({ ^bb0(%p: " + scalar + ", %q: " + scalar + ", %i: tensor<i32>, %j: tensor<i32>): ";
  const char* const how = descending ? "GT" : "LT";
  if (!is_float(type)) {
    return spelled(spelling, head + "%r0 = stablehlo.compare " + how + ", %p, %q, " +
                                 comparison_type(type) + values +
                                 "stablehlo.return %r0 : tensor<i1> })");
  }
  // NaN is the largest: first when descending, last when ascending.
  const char* const nan_first = descending ? "%p" : "%q";
  const char* const number = descending ? "%q" : "%p";
  return spelled(
      spelling,
      head + "%r0 = stablehlo.compare " + how + ", %p, %q, FLOAT" + values +
          "%r1 = stablehlo.compare NE, " + nan_first + ", " + nan_first + ", FLOAT" + values +
          "%r2 = stablehlo.compare EQ, " + number + ", " + number + ", FLOAT" + values +
          "%r3 = stablehlo.and %r1, %r2 : tensor<i1> %r4 = stablehlo.or %r0, %r3 : tensor<i1> "
          "stablehlo.return %r4 : tensor<i1> })");
}

std::string replace_region(const Spelling& spelling, Type type) {
  const std::string scalar = type_text(type, {});
  return spelled(spelling, "({ ^bb0(%p: " + scalar + ", %q: " + scalar +
                               "): stablehlo.return %q : " + scalar + " })");
}

}  // namespace graphnet::lowering::stablehlo
