// SPDX-License-Identifier: MIT
#pragma once

#include "record/record.h"
#include "score/row.h"

namespace graphnet::score {

/// A record as scores see it: its failure is that of the table of outcomes (record/outcome.h), and
/// what is not counted there is left out, with record::why_not_counted() as the reason. An outcome
/// without a failure is judged by level.
///
/// In compat a sample that upstream refuses to run (record::upstream_refusal()) is kReference too.
///
/// `compat` is what upstream's analysis makes of the lines that its program prints for such a
/// sample. Levels by default: a NaN equals a NaN, indices accepted by the values they select and
/// random outputs accepted by their distribution are correct at every level, complex outputs are
/// judged as their parts; in compat as upstream prints them.
///
/// A row judged by level is left out but can be kept if its speedup is doubtful, or if its outcome
/// is ok and no evidence (see evidence.h).
Row row_of(const record::Record& record, bool compat);

/// What a record's row has as its backend; conditions that the record does not know are absent.
Backend backend_of(const record::Record& record);

}  // namespace graphnet::score
