// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace graphnet::xla {

/// XLA's message about a program that it does not compile, made readable: the first diagnostic with
/// the line of the program it is about, without the advice on versions that follows it. Messages
/// without a location in the program come back as they are.
///
/// text     the program; its lines count from 1
std::string explain_compile_error(const std::string& message, const std::string& text);

}  // namespace graphnet::xla
