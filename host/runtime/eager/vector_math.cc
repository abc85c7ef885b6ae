// SPDX-License-Identifier: MIT
#include "eager/vector_math.h"

#include <ATen/Functions.h>
#include <c10/core/InferenceMode.h>

#include <string>

#include "base/log.h"
#include "eager/overload.h"
#include "eager/wall.h"

namespace graphnet::eager {

base::Status call_vector_functions() {
  return guarded([] {
    const c10::InferenceMode inference;
    for (const auto type : {at::kFloat, at::kDouble}) {
      for (const char* name : kVectorFunctions) {
        const Overload* function = find_overload(std::string("aten::") + name);
        if (function == nullptr) fail_unsupported(std::string("no operator ") + name);
        c10::Stack stack = {at::full({1}, 0.5, type)};
        function->handle.callBoxed(&stack);
      }
    }
  });
}

void resolve_vector_math() {
  static const bool is_resolved = [] {
    const base::Status status = call_vector_functions();
    if (!status.is_ok()) {
      base::log(base::LogLevel::kWarning, "eager",
                "vector functions were not called before the graph, whose first results may be "
                "inexact: " +
                    status.to_string());
    }
    return status.is_ok();
  }();
  static_cast<void>(is_resolved);
}

}  // namespace graphnet::eager
