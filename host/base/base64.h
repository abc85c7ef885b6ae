// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace graphnet::base {

/// Decodes standard base64 with its padding; blanks around it are skipped.
///
/// errors   kInput for other characters or a length that no encoder writes
/// source   RFC 4648, section 4
Result<std::string> decode_base64(std::string_view text);

}  // namespace graphnet::base
