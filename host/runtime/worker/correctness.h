// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "record/parts.h"
#include "sample/arguments.h"
#include "sample/sample.h"
#include "verify/compare.h"
#include "worker/eager_side.h"
#include "worker/plugin_side.h"

namespace graphnet::worker {

/// One sample whose first calls have been made on both sides.
struct ComparedSample {
  const sample::Sample& sample;
  std::vector<sample::Argument>& arguments;
  EagerSide& eager;
  PluginSide& plugin;
};

/// Compares the kept outputs of both sides by the outcome rule, and finds out what the rule needs
/// where it is not settled at once:
///
/// | looked at                | when                                                            |
/// |--------------------------|-----------------------------------------------------------------|
/// | what indices select      | an integer output differs                                       |
/// | the program in float64   | a float output differs and it is too far, or the run costs      |
/// |                          | nothing to speak of (50 MFLOP); never above 500 GFLOP or half   |
/// |                          | of the free memory                                              |
/// | distributions            | a random program's outputs differ; only of outputs of which      |
/// |                          | eager's own draws differ                                        |
///
/// `checks` gets of what was looked at "float64" (per output eager_rms,
/// plugin_rms, ratio), "indices" and "random", each with the reason if it could not be had.
verify::Comparison compare_sides(const ComparedSample& compared, record::Checks& checks);

/// How outputs on other inputs than the sample's own stand.
enum class PresentStanding : std::uint8_t {
  kOk,
  /// Eager itself is not near float64, by integers or by verify::is_amplified(), or its error is no
  /// measure: neither side is to blame.
  kIllConditioned,
  kWrong,
};

struct PresentJudgement {
  PresentStanding standing = PresentStanding::kOk;
  verify::Comparison comparison;
};

/// The whole outcome rule (float64, indices, distributions) on outputs of both sides for what the
/// arguments hold at the moment. For outputs that are not near, it runs the program in float64 as
/// compare_sides() does; not `is_thorough`: only if that costs next to nothing.
PresentJudgement judge_on_present_inputs(const ComparedSample& compared,
                                         const std::vector<KeptOutput>& eager,
                                         const std::vector<KeptOutput>& plugin,
                                         bool is_thorough = true);

/// Runs eager again: `checks` gets "eager_reproducible", whether it gives the same bits; false
/// where the run fails, which the status says.
base::Status check_reproducibility(const ComparedSample& compared, record::Checks& checks);

/// A record's entry for one content of the inputs.
record::OtherInput other_input(std::string content, const PresentJudgement& judgement);

/// What other inputs than the generated ones showed.
struct OtherInputs {
  /// Contents that change no byte are left out.
  std::vector<record::OtherInput> tried;
  /// What another seed's inputs make of the sample, with one sentence; kNone: they are right.
  record::Outcome outcome = record::Outcome::kNone;
  std::string message;
  base::Status restored;  ///< why the inputs are not the sample's own again
};

/// Runs both sides on other inputs and compares them: one more seed, which decides as the sample's
/// own inputs do, and content that plugins need not withstand: zeros, large, tiny, negated,
/// permuted. What would exceed the budget is not tried. Inputs are put back.
///
/// units    nanoseconds; calls_ns: of one call of each side
OtherInputs try_other_inputs(const ComparedSample& compared, double calls_ns, double budget_ns);

/// Counts subnormal numbers in float arguments and in eager's outputs, float16 aside.
record::Subnormals count_subnormals(const ComparedSample& compared);

/// Share of subnormal arguments or outputs from which on a sample works on subnormals.
inline constexpr double kSubnormalShare = 0.01;

}  // namespace graphnet::worker
