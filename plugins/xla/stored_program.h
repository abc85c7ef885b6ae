// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "xla/program_executable.h"

namespace graphnet::xla {

/// An executable as bytes that load_program takes on the same kind of processor with the same PJRT
/// file. Weights are not part of it.
///
/// errors   INTERNAL, UNAVAILABLE
std::string store_program(const ProgramExecutable& executable);

/// The executable again; weights are bound anew.
///
/// errors   INVALID_ARGUMENT: not such bytes, cut off or damaged, made by another PJRT file (some
/// XLA
///          versions load the code of others and run it wrongly) or for another processor
std::unique_ptr<ProgramExecutable> load_program(std::shared_ptr<const PjrtClient> client,
                                                std::string_view bytes);

}  // namespace graphnet::xla
