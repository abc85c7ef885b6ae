// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "journal/record.h"
#include "score/row.h"

namespace graphnet::score {

/// A record as scores see it.
///
/// | outcome                                  | default                  | compat            |
/// |------------------------------------------|--------------------------|-------------------|
/// | ok, accuracy_mismatch                    | by level                 | by level          |
/// | non_finite                               | kNonFinite               | by level          |
/// | shape_mismatch                           | kShapeMismatch           | by level          |
/// | count_mismatch                           | kShapeMismatch           | kShapeMismatch    |
/// | dtype_mismatch                           | kTypeMismatch            | kShapeMismatch    |
/// | unsupported, compile_failed              | kCompile                 | kReference        |
/// | runtime_failed, crashed, timed_out,      | kCompile in phases       | kReference        |
/// | out_of_memory, killed, plugin_failed     | compile, bind; kRuntime  |                   |
/// | reference_failed                         | kReference               | kReference        |
/// | plugin_failed without a phase            | left out: "not usable"   | the same          |
/// | invalid_sample, skipped, interrupted,    | left out, by that name   | the same          |
/// | any that is not known                    |                          |                   |
///
/// In compat a sample that upstream refuses to run (journal::upstream_refusal()) is kReference too.
///
/// `compat` is what upstream's analysis makes of the lines that its program prints for such a
/// sample. Levels by default: a NaN equals a NaN, indices accepted by the values they select and
/// random outputs accepted by their distribution are correct at every level, complex outputs are
/// judged as their parts; in compat as upstream prints them.
///
/// A row judged by level is left out but can be kept if its speedup is doubtful, or if its outcome
/// is ok and no evidence (see evidence.h).
Row row_of(const journal::Record& record, bool compat);

/// The failure of an outcome by the first column of the table, kRuntime where the phase decides;
/// nothing for an outcome that scores do not know.
std::optional<Failure> failure_of_outcome(const std::string& outcome);

}  // namespace graphnet::score
