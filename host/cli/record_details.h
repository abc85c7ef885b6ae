// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "record/record.h"

namespace graphnet::cli {

/// What `-v` shows of a record beside its row, as indented lines: the time of each phase, how the
/// timing went, memory, notes; of one that crashed where it did, and the last lines that sample or
/// plugin wrote. With `verbosity` 2 also what the compiler was given and what the plugin says of
/// what it made: library, options, math, sizes of the graph, and the command that repeats it.
/// Empty with `verbosity` 0.
std::string record_details(const record::Record& record, int verbosity);

}  // namespace graphnet::cli
