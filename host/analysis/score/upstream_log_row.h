// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "score/row.h"
#include "score/upstream_log.h"

namespace graphnet::score {

/// A sample of an upstream log as scores see it.
///
/// By default the classes are what happened; first row that holds:
///
/// | the lines                                    | class                                      |
/// |----------------------------------------------|--------------------------------------------|
/// | announced only; cut off                      | left out: `not begun`; `cut off`           |
/// | of two runs; with a value that is no number  | left out: `mixed up`; `garbled`            |
/// | upstream reported no times: they were noisy  | left out: `noisy`                          |
/// | eager is said to have failed                 | kReference                                 |
/// | compiled is said to have failed, our outcome | that outcome's                             |
/// | in the message (`compile_failed: ...`)       |                                            |
/// | the same without; or the sample just ends    | after 0, 1, 2 Profiling lines: kReference, |
/// | (compilers work in the first call)           | kCompile, kRuntime                         |
/// | outputs are more or fewer; types differ      | kShapeMismatch; kTypeMismatch              |
/// | shapes differ                                | kShapeMismatch                             |
/// | otherwise                                    | by level; `noisy` if quartiles are wide    |
///
/// With `compat` the class is upstream's: an eager failure without type lines, a compile failure
/// without those of the compiled side, a shape mismatch where no tolerance was printed, a type
/// mismatch, a runtime failure if any line holds "Error:" or "Exception:", in this order.
///
/// The backend's name is the Config line `compiler`, "unknown" without one.
///
/// source   GraphNet bench analysis_util
Row row_of(const LogSample& sample, bool compat);

/// "<family>/<model>" of a sample's path: what is below the nearest folder called "samples" or
/// "..._samples", else the last two components, three if the last is a subgraph ("subgraph_7",
/// "subgraph"). Bundled samples and those of upstream's tree get the name that records have.
std::string sample_of_path(const std::string& path);

}  // namespace graphnet::score
