// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace graphnet::openvino {

/// What an exception of OpenVINO says to a user, on one line: without its source files and names of
/// its own nodes; of a failed conversion each operator with its reason.
std::string plain_reason(const std::string& message);

}  // namespace graphnet::openvino
