// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "eager/tracer.h"

namespace graphnet::eager {

/// Python-level logic of a function, in terms of operator calls.
using Lowering = Value (*)(Tracer&, CallArguments);

/// What a callee spelling means: a lowering of ours, else an ATen operator of that name, else
/// neither (unsupported).
struct CallTarget {
  Lowering lowering = nullptr;
  std::string aten_name;
  std::string overload;  ///< that the spelling names, "aten::add.Tensor"; empty: none
};

/// "torch.nn.functional.relu" or "Tensor.view", as spelled in tables and messages.
std::string spelling_of(const graph::Expression& call);

/// Looks a call up: first the table of Python-level functions, then the operator registry by the
/// rules of the spelling (`torch.x`, `torch._C._nn.x`, `Tensor.x`, `torch.ops.aten.x.overload`).
CallTarget resolve_call(const graph::Expression& call);

/// One row of the table of Python-level functions.
struct CallRow {
  const char* spelling;
  Lowering lowering;
};

// The table in parts, one per file; see the file of the same name.
extern const std::vector<CallRow> kHostCalls;        // host_calls.cc
extern const std::vector<CallRow> kFunctionalCalls;  // functional_calls.cc
extern const std::vector<CallRow> kAttentionCalls;   // attention_calls.cc
extern const std::vector<CallRow> kResizeCalls;      // resize_calls.cc
extern const std::vector<CallRow> kVmapCalls;        // vmap_calls.cc

/// Arguments of a Python function sorted into its parameters.
///
/// errors   TraceError kInput for an unknown keyword, too many arguments or a missing one
class PythonArguments {
 public:
  /// `signature`: parameter names; the defaults of missing ones are None.
  PythonArguments(const char* function, std::vector<std::string> signature,
                  CallArguments arguments);

  bool has(const std::string& name) const { return find(name) != nullptr; }
  /// The argument; a missing one is an error.
  const Value& operator[](const std::string& name) const;
  /// The argument, or the default if it is missing.
  Value get(const std::string& name, Value fallback) const;
  bool get_bool(const std::string& name, bool fallback) const;

 private:
  const Value* find(const std::string& name) const;
  std::string function_;
  std::vector<std::string> signature_;
  std::vector<Value> values_;
  std::vector<bool> given_;
};

}  // namespace graphnet::eager
