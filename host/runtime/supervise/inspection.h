// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace graphnet::supervise {

/// What the worker program is asked about samples.
struct InspectionRequest {
  std::vector<std::filesystem::path> samples;
  std::string stage = "normal";  ///< or "program": the calls as run
  bool runs = true;              ///< false: planned on the Meta device, without data
  bool has_text = true;          ///< with the graph as text (graph/graph_text.h)
};

/// Told each sample's answer, in the order asked for: {"parameters": [{"name", "kind", "dtype",
/// "shape", "specialised"}], "outputs", "ops": [{"op", "nodes", "flop", "read_bytes",
/// "written_bytes", "dtypes", "max_rank"}], "total", "text"}, or why there is none.
using OnInspected = std::function<void(std::size_t sample, base::Result<base::Json> answer)>;

/// Asks fresh workers, which end with this process. No plugin is loaded. A sample at which a worker
/// dies has that as its answer, kEnvironment with what the worker said; the next ones go on.
///
/// errors   kEnvironment: no worker starts
base::Status inspect_samples(const std::filesystem::path& executable,
                             const InspectionRequest& request, const OnInspected& on_inspected);

}  // namespace graphnet::supervise
