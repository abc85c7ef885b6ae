// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "record/record.h"
#include "report/perfetto.h"

namespace graphnet::report {

/// Records as a trace: a track a record with its phases, and below it one each for eager, the
/// plugin and the steps of the proof. Records follow each other as in `records`.
///
/// Records hold how long things took and in which order, not when: slices lie end to end from the
/// start of their phase, so what passed between two calls (untimed calls, checks) is the empty rest
/// of the phase. Side samples of several calls are one slice. Of the proof they hold when, too: the
/// tracer's hits and the sampler's finds are instants on a track for each thread. The verdict
/// stands at the end of its record.
PerfettoTrace timeline(const std::vector<record::Record>& records);

}  // namespace graphnet::report
