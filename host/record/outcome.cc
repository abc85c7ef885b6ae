// SPDX-License-Identifier: MIT
#include "record/outcome.h"

#include "record/left_out.h"

namespace graphnet::record {

const char* counting_name(Counting counting) {
  switch (counting) {
    case Counting::kCounted:
      return "counted";
    case Counting::kFailed:
      return "failed";
    case Counting::kNotCounted:
      break;
  }
  return "not_counted";
}

namespace {

bool was_refused(const Word<Outcome>& outcome, const Word<Phase>& phase) {
  return outcome == Outcome::kPluginFailed && phase.empty();
}

}  // namespace

Counting counting_of(const Word<Outcome>& outcome, const Word<Phase>& phase) {
  return was_refused(outcome, phase) ? Counting::kNotCounted : facts_of(outcome.value()).counting;
}

bool leaves_open(const Word<Outcome>& outcome, const Word<Phase>& phase) {
  return was_refused(outcome, phase) || facts_of(outcome.value()).is_open;
}

std::string why_not_counted(const Word<Outcome>& outcome, const Word<Phase>& phase) {
  if (counting_of(outcome, phase) != Counting::kNotCounted) return "";
  if (was_refused(outcome, phase)) return name_of(LeftOut::kNotUsable);
  return outcome.empty() ? name_of(LeftOut::kNoOutcome) : outcome.text();
}

bool fails_run(const Word<Outcome>& outcome, FailOn fail_on) {
  const FailOn mildest = facts_of(outcome.value()).exits;
  return mildest != FailOn::kNever && fail_on >= mildest;
}

Failure failure_of(Outcome outcome, Phase phase, bool compat) {
  const OutcomeFacts& facts = facts_of(outcome);
  if (compat) return facts.upstream;
  return facts_of(phase).compiles ? facts.while_compiling : facts.failure;
}

}  // namespace graphnet::record
