// SPDX-License-Identifier: MIT
#include "worker/correctness.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "base/memory.h"
#include "eager/float64_truth.h"
#include "graph/index_outputs.h"
#include "verify/distribution.h"
#include "verify/subnormals.h"
#include "worker/admission.h"
#include "worker/dense_copy.h"
#include "worker/rounding.h"

namespace graphnet::worker {

using base::Json;
using base::Result;
using base::Status;
using record::Outcome;

namespace {

// Below this a float64 run is made for the numbers alone; above the other, some 20 s on one core,
// it is never made.
constexpr double kFreeFloat64Flop = 50e6;
constexpr double kMostFloat64Flop = 500e9;

/// What the outcome rule may ask for, with the memory that its contexts point into.
class Evidence {
 public:
  explicit Evidence(const ComparedSample& compared) : compared_(compared) {
    contexts_.resize(compared.eager.kept().size());
  }

  const std::vector<verify::OutputContext>& contexts() const { return contexts_; }

  /// Whether eager itself gives other integers or bools than in float64.
  bool eager_differs(std::size_t output, const KeptOutput& eager) const {
    if (output >= truth_.size() || !verify::is_exact(eager.dtype)) return false;
    const KeptOutput& truth = truth_[output];
    const bool fits = truth.dtype == eager.dtype && truth.shape == eager.shape;
    return fits &&
           std::memcmp(truth.bytes.data(), eager.bytes.data(), eager.bytes.num_bytes()) != 0;
  }

  Status add_indices();
  Status add_float64(bool is_needed);

 private:
  Status run_float64(const eager::Plan& plan);

  const ComparedSample& compared_;
  std::vector<verify::OutputContext> contexts_;
  std::vector<KeptOutput> selected_from_;
  std::vector<KeptOutput> truth_;
};

verify::IndexKind kind_of(const graph::IndexOutput& index) {
  if (index.selection == graph::Selection::kSort) return verify::IndexKind::kOrdered;
  if (index.selection != graph::Selection::kTopK) return verify::IndexKind::kOne;
  return index.sorted ? verify::IndexKind::kOrdered : verify::IndexKind::kUnordered;
}

Status Evidence::add_indices() {
  const graph::Program& program = compared_.sample.program;
  const graph::IndexOutputs found = graph::index_outputs(program);
  if (found.all.empty()) return Status::ok();
  const std::size_t num_outputs = compared_.eager.kept().size();
  if (found.num_outputs != num_outputs) {
    return Status(base::Code::kUnsupported, "the outputs are lists of unknown length");
  }
  std::vector<graph::ExtraResult> extra;
  for (const graph::IndexOutput& index : found.all) extra.push_back(index.values);
  const graph::Program extended = graph::with_extra_results(program, extra);
  GN_ASSIGN_OR_RETURN(
      const auto engine,
      eager::Engine::create(extended, engine_arguments(compared_.eager.arguments()),
                            compared_.eager.device().name(), sample::kUpstreamSeed));
  GN_RETURN_IF_ERROR(engine->run());
  GN_RETURN_IF_ERROR(copy_outputs(*engine, selected_from_));
  for (std::size_t i = 0; i < found.all.size(); ++i) {
    const graph::IndexOutput& index = found.all[i];
    const KeptOutput& values = selected_from_.at(num_outputs + i);
    verify::IndexSource source;
    source.values = verify::view_of(values);
    source.kind = kind_of(index);
    if (index.dim) {
      const auto rank = static_cast<std::int64_t>(values.shape.size());
      source.dim = static_cast<std::size_t>(*index.dim < 0 ? *index.dim + rank : *index.dim);
    }
    contexts_[index.output].indices = std::move(source);
  }
  return Status::ok();
}

Status Evidence::add_float64(bool is_needed) {
  const auto unavailable = [](const std::string& why) {
    return Status(base::Code::kUnsupported, why);
  };
  GN_ASSIGN_OR_RETURN(const PlanArguments arguments, plan_arguments(compared_.sample));
  const eager::Plan plan = eager::plan_float64(compared_.sample.program, arguments.all);
  if (!plan.unknown.empty()) return unavailable(plan.unknown);
  if (plan.flop > (is_needed ? kMostFloat64Flop : kFreeFloat64Flop)) {
    return unavailable("it costs " + format_flop(plan.flop));
  }
  GN_RETURN_IF_ERROR(run_float64(plan));
  for (std::size_t i = 0; i < std::min(truth_.size(), contexts_.size()); ++i) {
    const bool fits = truth_[i].dtype == base::DType::kFloat64 &&
                      truth_[i].shape == compared_.eager.kept()[i].shape;
    if (fits) contexts_[i].float64 = reinterpret_cast<const double*>(truth_[i].bytes.data());
  }
  return Status::ok();
}

Status Evidence::run_float64(const eager::Plan& plan) {
  const std::int64_t need = plan.argument_bytes + plan.peak_live_bytes + plan.output_bytes;
  if (need > base::available_memory_bytes() / 2) {
    return Status(base::Code::kUnsupported, "it does not fit in memory");
  }
  GN_ASSIGN_OR_RETURN(
      const auto truth,
      eager::Float64Truth::create(compared_.sample.program, engine_arguments(compared_.arguments)));
  GN_RETURN_IF_ERROR(truth->run());
  return copy_outputs(truth->engine(), truth_);
}

Json float64_json(const verify::Comparison& comparison) {
  Json outputs = Json::array();
  for (const verify::OutputComparison& output : comparison.outputs) {
    Json entry = nullptr;
    if (const auto& errors = output.float64_errors) {
      entry = {{"eager_rms", errors->eager_rms},
               {"plugin_rms", errors->plugin_rms},
               {"ratio", errors->ratio},
               {"usual_error", errors->usual_error},
               {"closer_than_eager", errors->closer_than_eager}};
    }
    outputs.push_back(entry);
  }
  return outputs;
}

Json indices_json(const verify::Comparison& comparison) {
  Json outputs = Json::array();
  for (const verify::OutputComparison& output : comparison.outputs) {
    Json entry = nullptr;
    if (const auto& indices = output.indices) {
      entry = {{"accepted", indices->accepted}, {"differing", indices->differing}};
      if (indices->worst_gap) entry["worst_gap"] = *indices->worst_gap;
    }
    outputs.push_back(entry);
  }
  return outputs;
}

bool draws_random_numbers(const EagerSide& eager) {
  const auto& notes = eager.engine().notes();
  return std::find(notes.begin(), notes.end(), eager::kNoteRandom) != notes.end();
}

// Accepts outputs that follow eager's distribution though every number is another one. Of eager's
// runs the first gives what it gave before, the others what comes next.
Result<std::vector<record::RandomOutput>> judge_distributions(const ComparedSample& compared,
                                                              const std::vector<KeptOutput>& eager,
                                                              const std::vector<KeptOutput>& plugin,
                                                              verify::Comparison& comparison) {
  std::vector<KeptOutput> draws[3];
  GN_RETURN_IF_ERROR(compared.eager.prepare());
  for (auto& draw : draws) {
    GN_RETURN_IF_ERROR(compared.eager.run());
    GN_RETURN_IF_ERROR(compared.eager.copy_outputs(draw));
  }
  std::vector<record::RandomOutput> judged;
  for (std::size_t i = 0; i < comparison.outputs.size(); ++i) {
    if (comparison.outputs[i].within_tolerance()) continue;
    const auto judgement = verify::judge_random_output(
        {verify::view_of(eager[i]), verify::view_of(draws[1][i]), verify::view_of(draws[2][i])},
        verify::view_of(plugin[i]));
    const bool is_same = judgement.verdict == verify::RandomVerdict::kSame;
    if (is_same) comparison.outputs[i].acceptance = verify::Acceptance::kDistribution;
    judged.push_back({static_cast<std::int64_t>(i), is_same, judgement.message, {}});
  }
  verify::settle_outcome(views(eager), views(plugin), comparison);
  return judged;
}

bool is_amplified(const verify::OutputComparison& output, const KeptOutput& eager) {
  if (!output.float64_errors || !output.relative_rms) return false;
  const auto truth = output.float64_errors->facts();
  return truth && verify::is_amplified(eager.dtype, *output.relative_rms, *truth);
}

/// Whether rounding explains all the outputs that are wrong.
bool are_rounding(const ComparedSample& compared, const std::vector<KeptOutput>& eager,
                  const verify::Comparison& comparison, const std::vector<std::size_t>& wrong) {
  const bool are_near = std::all_of(wrong.begin(), wrong.end(), [&](std::size_t i) {
    const verify::OutputComparison& output = comparison.outputs[i];
    return output.masks_equal && output.elements &&
           output.elements->relative_rms <= verify::eager_error_limit(eager[i].dtype);
  });
  if (!are_near) return false;
  const auto moved = rounding_of(compared, eager);
  return moved.is_ok() && std::all_of(wrong.begin(), wrong.end(), [&](std::size_t i) {
           const verify::ElementErrors& errors = *comparison.outputs[i].elements;
           return verify::is_rounding(eager[i].dtype, {errors.relative_rms, errors.largest},
                                      (*moved)[i]);
         });
}

}  // namespace

Status check_reproducibility(const ComparedSample& compared, record::Checks& checks) {
  checks.eager_reproducible = false;
  std::vector<KeptOutput> again;
  GN_RETURN_IF_ERROR(compared.eager.prepare());
  GN_RETURN_IF_ERROR(compared.eager.run());
  GN_RETURN_IF_ERROR(compared.eager.copy_outputs(again));
  checks.eager_reproducible = bits_equal(compared.eager.kept(), again);
  return Status::ok();
}

verify::Comparison compare_sides(const ComparedSample& compared, record::Checks& checks) {
  const auto eager = views(compared.eager.kept());
  const auto plugin = views(compared.plugin.kept());
  verify::Comparison comparison = verify::compare_outputs(eager, plugin);
  if (bits_equal(compared.eager.kept(), compared.plugin.kept())) return comparison;
  Evidence evidence(compared);
  const bool is_settled = comparison.outcome == Outcome::kOk;
  const Status indices = is_settled ? Status::ok() : evidence.add_indices();
  const Status float64 = evidence.add_float64(!is_settled);
  comparison = verify::compare_outputs(eager, plugin, evidence.contexts());
  checks.indices = indices.is_ok() ? indices_json(comparison) : Json(indices.message());
  checks.float64 = float64.is_ok() ? float64_json(comparison) : Json(float64.message());
  if (comparison.outcome == Outcome::kAccuracyMismatch && draws_random_numbers(compared.eager)) {
    auto judged =
        judge_distributions(compared, compared.eager.kept(), compared.plugin.kept(), comparison);
    if (!judged.is_ok()) checks.random_unknown = judged.status().message();
    if (judged.is_ok()) checks.random = std::move(judged).value();
  }
  return comparison;
}

PresentJudgement judge_on_present_inputs(const ComparedSample& compared,
                                         const std::vector<KeptOutput>& eager,
                                         const std::vector<KeptOutput>& plugin, bool is_thorough) {
  PresentJudgement judgement;
  judgement.comparison = verify::compare_outputs(views(eager), views(plugin));
  if (judgement.comparison.outcome == Outcome::kOk) return judgement;
  Evidence evidence(compared);
  // What cannot be had decides nothing.
  static_cast<void>(evidence.add_indices().is_ok());
  static_cast<void>(evidence.add_float64(is_thorough).is_ok());
  verify::Comparison& comparison = judgement.comparison;
  comparison = verify::compare_outputs(views(eager), views(plugin), evidence.contexts());
  if (comparison.outcome == Outcome::kAccuracyMismatch && draws_random_numbers(compared.eager)) {
    static_cast<void>(judge_distributions(compared, eager, plugin, comparison).is_ok());
  }
  if (comparison.outcome == Outcome::kOk) return judgement;
  std::vector<std::size_t> wrong;
  for (std::size_t i = 0; i < comparison.outputs.size(); ++i) {
    const verify::OutputComparison& output = comparison.outputs[i];
    const bool is_ill = output.masks_equal &&
                        (output.evidence == verify::Evidence::kIllConditioned ||
                         is_amplified(output, eager[i]) || evidence.eager_differs(i, eager[i]));
    if (!output.within_tolerance() && !is_ill) wrong.push_back(i);
  }
  const bool is_ill = wrong.empty() || are_rounding(compared, eager, comparison, wrong);
  judgement.standing = is_ill ? PresentStanding::kIllConditioned : PresentStanding::kWrong;
  return judgement;
}

record::Subnormals count_subnormals(const ComparedSample& compared) {
  const auto share = [](const auto& tensors) {
    std::int64_t subnormal = 0;
    std::int64_t elements = 0;
    for (const auto& tensor : tensors) {
      // Arithmetic on float16 is done in float32, where its subnormals are normal numbers.
      const bool is_half = tensor.dtype == base::DType::kFloat16;
      if (!base::is_floating(tensor.dtype) || is_half) continue;
      const std::int64_t count = *base::num_elements(tensor.shape);
      elements += count;
      subnormal += verify::count_subnormals(tensor.dtype, tensor.bytes.data(), count);
    }
    return elements == 0 ? 0.0 : static_cast<double>(subnormal) / static_cast<double>(elements);
  };
  return {share(compared.arguments), share(compared.eager.kept()), {}};
}

}  // namespace graphnet::worker
