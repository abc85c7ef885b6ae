// SPDX-License-Identifier: MIT
#include "worker/kept_reference.h"

#include <algorithm>
#include <string>
#include <vector>

#include "outputs/kept_outputs.h"
#include "outputs/outputs_comparison.h"
#include "verify/compare.h"
#include "worker/record_writer.h"

namespace graphnet::worker {

using base::Status;

namespace {

std::vector<std::string> output_names(const sample::Sample& sample, std::size_t num_outputs) {
  std::vector<std::string> names;
  for (const graph::VariableId variable : sample.program.results) {
    names.push_back(sample.program.variables[static_cast<std::size_t>(variable)]);
  }
  // A variable may hold several tensors.
  if (names.size() != num_outputs) names.clear();
  return names;
}

/// The whole rule runs the program, whose outputs must be those that are compared.
bool are_alike(const std::vector<KeptOutput>& a, const std::vector<KeptOutput>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& one, const auto& other) {
    return one.dtype == other.dtype && one.shape == other.shape;
  });
}

/// By the whole rule. Either of the two may be the wrong one, and the rule trusts the first: each
/// has to stand in both places.
record::ReferenceSide judge(const ComparedSample& compared,
                            const std::vector<KeptOutput>& reference,
                            const std::vector<KeptOutput>& here) {
  const PresentJudgement first = judge_on_present_inputs(compared, reference, here);
  record::ReferenceSide side = outputs::side_of(first.comparison, views(reference), views(here));
  if (first.standing == PresentStanding::kWrong) return side;
  const PresentJudgement second = judge_on_present_inputs(compared, here, reference);
  if (second.standing != PresentStanding::kOk) {
    side.outcome = second.comparison.outcome;
    side.message = second.comparison.message;
  }
  if (second.standing == PresentStanding::kWrong) return side;
  if (side.outcome != record::Outcome::kOk) side.ill_conditioned = true;
  return side;
}

record::ReferenceSide compare_outputs(const ComparedSample* compared,
                                      const std::vector<KeptOutput>& reference,
                                      const std::vector<KeptOutput>* here) {
  record::ReferenceSide side;
  if (here == nullptr || here->empty() || reference.empty()) {
    side.message = reference.empty() ? "the reference has none" : "there are none here";
    return side;
  }
  const auto plain = verify::compare_outputs(views(reference), views(*here));
  const bool is_settled = compared == nullptr || plain.outcome == record::Outcome::kOk ||
                          !are_alike(reference, *here) ||
                          !are_alike(reference, compared->eager.kept());
  if (is_settled) return outputs::side_of(plain, views(reference), views(*here));
  return judge(*compared, reference, *here);
}

}  // namespace

void forget_kept_outputs(SessionLog& log) {
  if (log.task().kept_file.empty()) return;
  const Status removed = outputs::remove_kept(log.task().kept_file);
  if (!removed.is_ok()) log.record().checks.outputs_not_kept = one_line(removed);
}

void keep_session_outputs(SessionLog& log, const sample::Sample& sample, const EagerSide& eager,
                          const PluginSide* plugin) {
  record::Record& record = log.record();
  if (log.task().kept_file.empty() || eager.kept().empty()) return;
  record.checks.outputs_not_kept.clear();
  outputs::ReturnedOutputs returned;
  returned.eager = views(eager.kept());
  if (plugin != nullptr) returned.plugin = views(plugin->kept());
  returned.names = output_names(sample, returned.eager.size());
  const Status kept = outputs::keep_outputs(log.task().kept_file, record, returned);
  if (!kept.is_ok()) record.checks.outputs_not_kept = one_line(kept);
}

void compare_with_reference(SessionLog& log, const EagerSide& eager, const PluginSide* plugin,
                            const ComparedSample* compared) {
  if (log.task().reference_file.empty() || eager.kept().empty()) return;
  record::Record& record = log.record();
  record::Reference& reference = record.checks.reference;
  const auto kept = outputs::read_kept_outputs(log.task().reference_file);
  if (!kept.is_ok()) {
    reference.missing = one_line(kept.status());
    return;
  }
  const record::Record& there = kept->facts.record;
  reference = outputs::start_reference(there, record);
  if (!reference.missing.empty()) return;
  reference.eager = compare_outputs(compared, kept->eager, &eager.kept());
  reference.plugin =
      compare_outputs(compared, kept->plugin, plugin == nullptr ? nullptr : &plugin->kept());
  outputs::add_times(there.eager.median_ns, record.eager.median_ns, reference.eager);
  outputs::add_times(there.plugin_side.median_ns, record.plugin_side.median_ns, reference.plugin);
}

}  // namespace graphnet::worker
