// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "record/phase.h"
#include "record/word.h"

namespace graphnet::record {

/// What became of a sample with a plugin; the table says what each means.
enum class Outcome : std::uint8_t {
  kNone,  ///< not known yet, or a record without
  kOk,
  kAccuracyMismatch,
  kShapeMismatch,
  kDtypeMismatch,
  kCountMismatch,
  kNonFinite,
  kUnsupported,
  kCompileFailed,
  kRuntimeFailed,
  kCrashed,
  kTimedOut,
  kOutOfMemory,
  kKilled,
  kPluginFailed,
  kReferenceFailed,
  kInvalidSample,
  kSkipped,
  kOther,  ///< a word of a newer version
};

/// Who has to mend it.
enum class Blame : std::uint8_t { kNobody, kPlugin, kReference, kSample, kMachine };

/// Whether a record says something about its backend: the one answer of tables, pages, scores and
/// SQL. Exit code, resume and merge ask other things of the same rows.
enum class Counting : std::uint8_t {
  kCounted,     ///< the backend did it; its speedup may enter means (score/evidence.h)
  kFailed,      ///< the backend did not: one of its failures
  kNotCounted,  ///< neither: nothing is known of the backend
};

/// "counted", "failed", "not_counted".
const char* counting_name(Counting counting);

/// Which outcomes make the exit code 1, as --fail-on names them; each one includes those before it.
enum class FailOn : std::uint8_t {
  kNever,
  kError,   ///< as kFailed, without unsupported
  kFailed,  ///< as kAny, without skipped
  kAny,     ///< all but ok
};

/// How a sample failed on a backend; upstream's error types.
///
/// source   GraphNet bench positive_tolerance_interpretation
enum class Failure : std::uint8_t {
  kNone,           ///< both sides ran: levels of tolerance say how well they agree
  kAccuracy,       ///< both ran and differ at the level that was asked for; of no outcome
  kNonFinite,      ///< NaN or infinities where eager has none, or the other way round
  kTypeMismatch,   ///< another element type
  kShapeMismatch,  ///< another shape or number of outputs
  kRuntime,        ///< the compiled program did not run to its end
  kCompile,        ///< it was not compiled
  kReference,      ///< eager itself failed
};
inline constexpr std::size_t kNumFailures = 8;

struct OutcomeFacts {
  Outcome value;
  const char* name;  ///< as stored
  Blame blame;
  Counting counting;  ///< but see counting_of()
  /// The mildest --fail-on for which it makes the exit code 1; kNever: none.
  FailOn exits;
  bool is_open;  ///< but see leaves_open()
  /// Found by comparing outputs: both sides ran to their end.
  bool is_compared;
  /// Its class in scores, in phases where the plugin compiles (Phase::compiles) and in others...
  Failure while_compiling;
  Failure failure;
  /// ...and what upstream's analysis makes of the lines that its program prints for such a sample.
  Failure upstream;
  const char* meaning;  ///< one line, for `graphnet help words`
};

namespace outcome_table {

using B = Blame;
using C = Counting;
using E = FailOn;
using F = Failure;
using O = Outcome;

/// `plugin_failed` and others with two classes: of a phase in which the plugin compiles, and later.
/// A lack of evidence is no failure of a compiler: `invalid_sample` and `skipped` are not counted,
/// nor is a word that this version does not know. `reference_failed` is, as upstream counts it.
inline constexpr OutcomeFacts kRows[] = {
    {O::kNone, "", B::kNobody, C::kNotCounted, E::kError, false, false, F::kNone, F::kNone,
     F::kNone, ""},
    {O::kOk, "ok", B::kNobody, C::kCounted, E::kNever, false, true, F::kNone, F::kNone, F::kNone,
     "every output is accepted by the outcome rule"},
    {O::kAccuracyMismatch, "accuracy_mismatch", B::kPlugin, C::kFailed, E::kError, false, true,
     F::kNone, F::kNone, F::kNone,
     "an output differs from eager's by more than the outcome rule allows"},
    {O::kShapeMismatch, "shape_mismatch", B::kPlugin, C::kFailed, E::kError, false, true,
     F::kShapeMismatch, F::kShapeMismatch, F::kNone, "an output has another shape than eager's"},
    {O::kDtypeMismatch, "dtype_mismatch", B::kPlugin, C::kFailed, E::kError, false, true,
     F::kTypeMismatch, F::kTypeMismatch, F::kShapeMismatch,
     "an output has another element type than eager's"},
    {O::kCountMismatch, "count_mismatch", B::kPlugin, C::kFailed, E::kError, false, true,
     F::kShapeMismatch, F::kShapeMismatch, F::kShapeMismatch,
     "the plugin gives another number of outputs than eager"},
    {O::kNonFinite, "non_finite", B::kPlugin, C::kFailed, E::kError, false, true, F::kNonFinite,
     F::kNonFinite, F::kNone,
     "an output has NaN or infinities where eager's has none, or the other way round"},
    {O::kUnsupported, "unsupported", B::kPlugin, C::kFailed, E::kFailed, false, false, F::kCompile,
     F::kCompile, F::kReference, "the plugin reports that it does not support the graph"},
    {O::kCompileFailed, "compile_failed", B::kPlugin, C::kFailed, E::kError, false, false,
     F::kCompile, F::kCompile, F::kReference, "compile or bind gave an error"},
    {O::kRuntimeFailed, "runtime_failed", B::kPlugin, C::kFailed, E::kError, false, false,
     F::kCompile, F::kRuntime, F::kReference, "a call of the executable gave an error"},
    {O::kCrashed, "crashed", B::kPlugin, C::kFailed, E::kError, false, false, F::kCompile,
     F::kRuntime, F::kReference, "the plugin's code ended the worker by a signal"},
    {O::kTimedOut, "timed_out", B::kPlugin, C::kFailed, E::kError, false, false, F::kCompile,
     F::kRuntime, F::kReference, "a phase took longer than its limit"},
    {O::kOutOfMemory, "out_of_memory", B::kPlugin, C::kFailed, E::kError, false, false, F::kCompile,
     F::kRuntime, F::kReference, "the plugin needed more memory than there is"},
    {O::kKilled, "killed", B::kMachine, C::kFailed, E::kError, false, false, F::kCompile,
     F::kRuntime, F::kReference, "somebody else killed the worker, not for lack of memory"},
    {O::kPluginFailed, "plugin_failed", B::kPlugin, C::kFailed, E::kError, false, false,
     F::kCompile, F::kRuntime, F::kReference,
     "the plugin was refused, broke the protocol, or was caught cheating"},
    {O::kReferenceFailed, "reference_failed", B::kReference, C::kFailed, E::kError, false, false,
     F::kReference, F::kReference, F::kReference, "eager itself could not run the sample"},
    {O::kInvalidSample, "invalid_sample", B::kSample, C::kNotCounted, E::kError, false, false,
     F::kNone, F::kNone, F::kNone, "the sample's own files are wrong"},
    {O::kSkipped, "skipped", B::kMachine, C::kNotCounted, E::kAny, true, false, F::kNone, F::kNone,
     F::kNone, "not tried: the sample does not fit the limits of this run or machine"},
    {O::kOther, "", B::kNobody, C::kNotCounted, E::kError, false, false, F::kNone, F::kNone,
     F::kNone, ""},
};
static_assert(is_word_table(kRows), "one row an outcome, in their order, with a name of its own");

}  // namespace outcome_table

constexpr const auto& table(Outcome /*any*/) {
  return outcome_table::kRows;
}

/// Whether a record counts, by its outcome and the last phase that it entered: `plugin_failed`
/// without a phase is not counted, for the plugin was refused before any of its code ran and may be
/// mended beside its library. Else as the table says.
Counting counting_of(const Word<Outcome>& outcome, const Word<Phase>& phase);

/// Whether the next time may go otherwise though nothing in the task has changed: `skipped` (other
/// limits, more memory), and a plugin that was refused. --resume runs such a task again, which
/// takes milliseconds, and in a merge any other record of it wins. An invalid sample stays one: its
/// content is part of the task.
bool leaves_open(const Word<Outcome>& outcome, const Word<Phase>& phase);

/// Why it is not counted, for readers: "skipped", "invalid_sample", a reason of left_out.h, or the
/// word that is not known. Empty if it is counted or failed.
std::string why_not_counted(const Word<Outcome>& outcome, const Word<Phase>& phase);

/// Whether an outcome makes the exit code 1.
bool fails_run(const Word<Outcome>& outcome, FailOn fail_on);

/// Upstream's error type of an outcome that is counted or failed; `compat` as upstream's analysis
/// sees it.
Failure failure_of(Outcome outcome, Phase phase, bool compat);

}  // namespace graphnet::record
