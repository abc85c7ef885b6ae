// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/dtype.h"

namespace graphnet::graph {

/// A position in a source file, for error messages.
///
/// units    line and column count from 1, columns in bytes
struct Position {
  std::int32_t line = 0;
  std::int32_t column = 0;
};

/// Index of a variable of a Program: parameters first, then locals in order of first assignment.
/// Every assignment to a source name makes a new variable only if the name is new.
using VariableId = std::int32_t;

enum class ExpressionKind : std::uint8_t {
  kNone,
  kBool,     ///< `integer` is 0 or 1
  kInteger,  ///< `integer`
  kFloat,    ///< `number`
  kString,   ///< `text`
  kEllipsis,
  kDType,         ///< `torch.float32`; `text` is "float32"
  kDevice,        ///< `device(type="cuda", index=0)`; `text` is the type, `integer` the index or -1
  kMemoryFormat,  ///< `torch.contiguous_format`; `text` is "contiguous_format"
  kLayout,        ///< `torch.strided`; `text` is "strided"
  kVariable,      ///< `variable`
  kTuple,         ///< `children`
  kList,          ///< `children`
  kSlice,         ///< `slice(a, b, c)`; three children
  kCall,          ///< function call; `text` is the dotted callee, children are arguments
  kMethod,        ///< method call; `text` is the method name, children[0] is the receiver
  kBinary,        ///< `text` is the operator ("+", "//", "@", ...); two children
  kCompare,       ///< `text` is the operator (">", "==", ...); two children
  kUnary,         ///< `text` is "-" or "~"; one child
  kSubscript,     ///< children[0] is the base, children[1] the index (maybe a tuple)
  kAttribute,     ///< `text` is the attribute; one child
};

/// Node of the expression tree, exactly as written. `-1` and `-inf` are folded into constants.
struct Expression {
  ExpressionKind kind = ExpressionKind::kNone;
  Position position;
  VariableId variable = -1;
  std::int64_t integer = 0;
  double number = 0;
  std::string text;
  std::vector<Expression> children;
  /// For calls: keyword of each child, "" for positional ones; same length as children.
  std::vector<std::string> keywords;
};

/// Reads a variable.
Expression variable_expression(VariableId variable);
Expression integer_expression(std::int64_t value);

enum class StatementKind : std::uint8_t {
  kAssign,     ///< target = value
  kAugmented,  ///< target <text>= value, in place; `text` is "+", "*", ...
  kSetItem,    ///< target[index] = value
  kRelease,    ///< a = b = ... = None: the last use of `released`
};

/// One statement of the straight-line program.
struct Statement {
  StatementKind kind = StatementKind::kAssign;
  Position position;
  VariableId target = -1;
  std::string text;
  Expression index;                  ///< kSetItem
  Expression value;                  ///< all but kRelease
  std::vector<VariableId> released;  ///< kRelease
};

/// What a parameter is; sample/parameter_kind.h decides it.
enum class ParameterKind : std::uint8_t {
  kParameter,  ///< a weight
  kBuffer,     ///< state of a module that is not learned: running statistics
  kTensor,     ///< an input, or what nothing is known of
  kSymInt,     ///< an extent; at run time a 0-d int64 tensor
};

/// What stands behind the name of a parameter.
enum class Annotation : std::uint8_t {
  kNone,
  kTensor,     ///< torch.Tensor
  kParameter,  ///< torch.nn.parameter.Parameter
  kSymInt,     ///< torch.SymInt
};

/// An argument of forward(), in signature order.
struct Parameter {
  std::string name;
  ParameterKind kind = ParameterKind::kTensor;
  Position position;
  Annotation annotation = Annotation::kNone;
};

/// The program exactly as written in model.py, in-place operations included.
///
/// order    statements in source order; `parameters` in the order of forward's signature, which is
///          also the order of every argument list in records and digests
/// source   grammar: GraphNet model.py, all 2,495 torch samples and what upstream's tools write
struct Program {
  std::string file;  ///< path for messages
  std::vector<Parameter> parameters;
  std::vector<std::string> variables;  ///< names by VariableId; parameters come first
  std::vector<Statement> statements;
  /// What `return` gives: kVariable, kNone, or a kTuple or kList of these.
  Expression returned;
  std::vector<VariableId> results;  ///< the variables in it, in order; a pass may add to them
  /// Element type of floating results for which neither operands nor arguments name one:
  /// `torch.zeros(3)`, an integer tensor over another. torch's own default unless a pass changed
  /// it.
  base::DType default_dtype = base::DType::kFloat32;
};

/// "model.py:12:5".
std::string format_position(const Program& program, Position position);

/// Where programs that write Python differ in an expression.
struct Spelling {
  std::string_view equals = "=";   ///< between a keyword and its value
  char quote = '"';                ///< of a string that has no quotes inside
  bool has_index_brackets = true;  ///< `x[(a, b)]`, not `x[a, b]`
  std::string_view ellipsis = "Ellipsis";
  std::string_view device = "device";
  std::string_view inf = "inf";
  std::string_view nan = "nan";
};

/// Source-like text of one expression: `torch.cat((a, b), dim=1)`. What the parser reads of it is
/// the same expression.
std::string format_expression(const Program& program, const Expression& expression,
                              const Spelling& spelling = {});

/// The same of an index, in its square brackets.
std::string format_index(const Program& program, const Expression& index,
                         const Spelling& spelling = {});

}  // namespace graphnet::graph
