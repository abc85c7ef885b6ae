// SPDX-License-Identifier: MIT
#include "eager/vector_math.h"

#include <ATen/Functions.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/InferenceMode.h>

#include <string>

#include "eager/wall.h"

namespace graphnet::eager {

namespace {

base::Status call_vector_functions() {
  return guarded([] {
    const c10::InferenceMode inference;
    for (const auto type : {at::kFloat, at::kDouble}) {
      for (const char* name : kVectorFunctions) {
        const auto function = c10::Dispatcher::singleton().findSchemaOrThrow(
            ("aten::" + std::string(name)).c_str(), "");
        c10::Stack stack = {at::full({1}, 0.5, type)};
        function.callBoxed(&stack);
      }
    }
  });
}

}  // namespace

void resolve_vector_math() {
  // Where this fails (out of memory), no graph can run either, and says so.
  static const base::Status status = call_vector_functions();
  static_cast<void>(status);
}

}  // namespace graphnet::eager
