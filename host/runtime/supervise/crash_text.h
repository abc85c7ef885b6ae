// SPDX-License-Identifier: MIT
#pragma once

#include "record/parts.h"
#include "supervise/worker_report.h"

namespace graphnet::supervise {

/// A crash as Record::crash holds it. Locations are named by the symbols of the files that hold
/// them, as far as those can be read now; those of very large files (libtorch) are not.
record::Crash describe_crash(const Crash& crash);

}  // namespace graphnet::supervise
