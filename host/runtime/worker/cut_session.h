// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace graphnet::worker {

/// Serves one request of supervise/bisection.h: {"task": ..., "nodes": 12} gives the plugin the
/// sample's graph as far as that node, runs it once and compares the values that live behind it.
/// Writes one line of JSON to descriptor 3.
///
/// errors   non-zero exit code if the request is none
int run_cut(std::string_view request);

}  // namespace graphnet::worker
