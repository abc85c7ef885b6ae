// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <utility>

#include "measure/clock.h"
#include "sample/content.h"
#include "worker/correctness.h"
#include "worker/sensitivity.h"

namespace graphnet::worker {

using base::Status;

namespace {

struct Trial {
  const char* name;
  sample::Content content;
  std::uint32_t seed;
};

// The seed is not that from before the timing (input_evidence.h), and the plugin has had other
// weights since.
constexpr Trial kTrials[] = {
    {"seed 124", sample::Content::kOtherSeed, 124}, {"zeros", sample::Content::kZeros, 0},
    {"large", sample::Content::kLarge, 0},          {"tiny", sample::Content::kTiny, 0},
    {"negated", sample::Content::kNegated, 0},      {"permuted", sample::Content::kPermuted, 1},
};

Status run_both(const ComparedSample& compared, std::vector<KeptOutput>& eager,
                std::vector<KeptOutput>& plugin) {
  GN_RETURN_IF_ERROR(run_eager(compared, eager).status());
  GN_RETURN_IF_ERROR(compared.eager.prepare());
  GN_RETURN_IF_ERROR(compared.plugin.prepare_outputs());
  GN_RETURN_IF_ERROR(compared.plugin.calls().call());
  return compared.plugin.copy_outputs(plugin);
}

// Runs one content, and lets a seed decide.
record::OtherInput try_content(const ComparedSample& compared, const Trial& trial,
                               OtherInputs& result) {
  std::vector<KeptOutput> eager;
  std::vector<KeptOutput> plugin;
  Status ran = compared.eager.arguments().update_all();
  if (ran.is_ok()) ran = run_both(compared, eager, plugin);
  if (!ran.is_ok()) {
    return {trial.name, record::Outcome::kRuntimeFailed, ran.message(), {}, {}};
  }
  const bool is_seed = trial.content == sample::Content::kOtherSeed;
  const PresentJudgement judgement = judge_on_present_inputs(compared, eager, plugin, is_seed);
  if (is_seed && result.outcome == record::Outcome::kNone &&
      judgement.standing == PresentStanding::kWrong) {
    result.outcome = judgement.comparison.outcome;
    result.message =
        std::string("on inputs of ") + trial.name + ": " + judgement.comparison.message;
  }
  return other_input(trial.name, judgement);
}

}  // namespace

record::OtherInput other_input(std::string content, const PresentJudgement& judgement) {
  const verify::Comparison& comparison = judgement.comparison;
  const bool is_ill = judgement.standing == PresentStanding::kIllConditioned;
  double largest = 0;
  for (const verify::OutputComparison& output : comparison.outputs) {
    if (output.relative_rms && std::isfinite(*output.relative_rms)) {
      largest = std::max(largest, *output.relative_rms);
    }
  }
  const auto outcome = is_ill ? record::OtherInput::ill_conditioned() : comparison.outcome;
  return {std::move(content), outcome, comparison.message, largest, {}};
}

OtherInputs try_other_inputs(const ComparedSample& compared, double calls_ns, double budget_ns) {
  OtherInputs result;
  auto variants = sample::ContentVariants::create(compared.sample.metas, compared.arguments,
                                                  compared.eager.engine().pinned_arguments());
  if (!variants.is_ok() || variants->variable().empty()) return result;
  const std::int64_t start = measure::monotonic_raw_ns();
  for (const Trial& trial : kTrials) {
    const auto spent_ns = static_cast<double>(measure::monotonic_raw_ns() - start);
    if (spent_ns + calls_ns > budget_ns) {
      result.tried.push_back(
          {trial.name, record::OtherInput::not_tried("out of time"), "", {}, {}});
      continue;
    }
    const auto differs = variants->apply(trial.content, trial.seed);
    if (!differs.is_ok() || !*differs) continue;
    result.tried.push_back(try_content(compared, trial, result));
  }
  variants->restore();
  result.restored = compared.eager.arguments().update_all();
  return result;
}

}  // namespace graphnet::worker
