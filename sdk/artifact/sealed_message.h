// SPDX-License-Identifier: MIT
//
// The frame in which plugins store what they compile: a line that names kind and layout, the
// SHA-256 of the message in hexadecimal, and the message (wire_format.h). Another layout gets
// another line.
#pragma once

#include <string>
#include <string_view>

namespace graphnet::artifact {

/// magic   "graphnet xla program 1\n"
std::string seal(std::string_view magic, std::string_view message);

/// The message, which lies in `bytes`.
///
/// noun     of what is stored, for messages: "program"
/// errors   Failure INVALID_ARGUMENT: another line, cut off, or damaged
std::string_view unseal(std::string_view magic, std::string_view noun, std::string_view bytes);

}  // namespace graphnet::artifact
