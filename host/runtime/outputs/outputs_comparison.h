// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "outputs/kept_outputs.h"
#include "record/record.h"
#include "record/reference.h"
#include "verify/compare.h"

namespace graphnet::outputs {

/// Why outputs of two records are not those of one computation: another program, other arguments,
/// another seed; empty: they are.
std::string why_incomparable(const record::Record& reference, const record::Record& here);

/// Settings in which two records differ, as Reference::differences.
std::vector<std::string> differing_settings(const record::Record& reference,
                                            const record::Record& here);

/// What is known of the reference, before outputs are compared.
record::Reference start_reference(const record::Record& reference, const record::Record& here);

/// What a comparison found, the reference in the place of eager.
record::ReferenceSide side_of(const verify::Comparison& comparison,
                              const std::vector<verify::TensorView>& reference,
                              const std::vector<verify::TensorView>& here);
/// Times of one call and their ratio, as far as they are known.
///
/// units    nanoseconds
void add_times(const std::optional<double>& reference_ns, const std::optional<double>& here_ns,
               record::ReferenceSide& side);

/// Compares both sides by their outputs alone: what needs a run of the program (float64, what
/// indices select, distributions) is left out.
record::Reference compare_kept(const KeptOutputs& reference, const KeptOutputs& here);

}  // namespace graphnet::outputs
