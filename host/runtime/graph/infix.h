// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "graph/program.h"

namespace graphnet::graph {

/// An operator between two operands.
struct InfixOperator {
  std::string_view text;
  ExpressionKind kind;  ///< kBinary or kCompare
  int precedence;       ///< operators of a larger one bind more tightly
};

/// Of Python's operators those that tensors have. All group from the left but `**`, which groups
/// from the right; comparisons do not group at all (`a < b < c` means `a < b and b < c`).
///
/// source   Python language reference, 6.17 "Operator precedence"
inline constexpr InfixOperator kInfixOperators[] = {
    {">", ExpressionKind::kCompare, 1},  {"<", ExpressionKind::kCompare, 1},
    {">=", ExpressionKind::kCompare, 1}, {"<=", ExpressionKind::kCompare, 1},
    {"==", ExpressionKind::kCompare, 1}, {"!=", ExpressionKind::kCompare, 1},
    {"|", ExpressionKind::kBinary, 2},   {"&", ExpressionKind::kBinary, 4},
    {"+", ExpressionKind::kBinary, 6},   {"-", ExpressionKind::kBinary, 6},
    {"*", ExpressionKind::kBinary, 7},   {"/", ExpressionKind::kBinary, 7},
    {"//", ExpressionKind::kBinary, 7},  {"%", ExpressionKind::kBinary, 7},
    {"@", ExpressionKind::kBinary, 7},   {"**", ExpressionKind::kBinary, 9},
};

inline constexpr int kComparePrecedence = 1;
inline constexpr int kSignPrecedence = 8;   ///< of `-` and `~` before an operand
inline constexpr int kPowerPrecedence = 9;  ///< of `**`
inline constexpr int kAtomPrecedence = 10;  ///< of names, constants, calls and what is in brackets

/// The operator of this text; null if there is none.
inline const InfixOperator* find_infix(std::string_view text) {
  for (const InfixOperator& row : kInfixOperators) {
    if (row.text == text) return &row;
  }
  return nullptr;
}

}  // namespace graphnet::graph
