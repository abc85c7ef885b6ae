// SPDX-License-Identifier: MIT
//
// In words of our own, the declarations of BladeDISC's RAL that plugins/bladedisc/ral_engine.cc
// uses, under the paths that it includes, so that it is compiled somewhere. Names, types and bases
// were read in the sources of alibaba/BladeDISC below tao_compiler/mlir/ral: those of the context
// and its base at 894b0a9, of the processor's at 5b713da, of the GPU's at 098dcf6. Nothing was ever
// compiled with the headers themselves, and classes are not laid out as theirs.
#pragma once

#include <stdint.h>

// Names as in RAL. NOLINTBEGIN(readability-identifier-naming)

extern "C" {

typedef void* tao_ral_context_t;
typedef int32_t tao_ral_status_t;

/// `context`: an ExecutionContext.
void tao_ral_call_impl(tao_ral_context_t context, void* name, void** arguments);
/// `context`: a Context, here and below.
tao_ral_status_t tao_ral_last_error(tao_ral_context_t context, const char** message);
void tao_ral_clear_error(tao_ral_context_t context);

}  // extern "C"

// NOLINTEND(readability-identifier-naming)
