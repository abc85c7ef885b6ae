// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace graphnet::worker {

/// Serves one request of supervise/inspection.h: takes it as JSON text, writes one line of JSON a
/// sample to descriptor 3, in the order asked for. A sample that cannot be inspected is a line with
/// an error.
///
/// errors   non-zero exit code if the request is none or nobody takes the answer
int run_inspection(std::string_view request);

}  // namespace graphnet::worker
