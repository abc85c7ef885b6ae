// SPDX-License-Identifier: MIT
#include "worker/ready_sample.h"

#include "base/memory.h"
#include "worker/admission.h"
#include "worker/eager_side.h"

namespace graphnet::worker {

using base::Code;
using base::Result;
using base::Status;

Result<ReadySample> ready_sample(const std::filesystem::path& folder,
                                 const std::vector<sample::ValueBound>& bounds) {
  ReadySample ready;
  GN_ASSIGN_OR_RETURN(ready.sample, sample::load_sample(folder));
  GN_RETURN_IF_ERROR(sample::set_bounds(bounds, ready.sample.metas));
  const graph::Program& program = ready.sample.program;
  GN_RETURN_IF_ERROR(eager::Engine::check(program));
  GN_ASSIGN_OR_RETURN(const eager::Plan plan, plan_sample(ready.sample));
  ready.refused = refusal(plan, {base::available_memory_bytes(), 0});
  if (!ready.refused.empty()) return ready;
  GN_ASSIGN_OR_RETURN(
      ready.values,
      sample::generate_arguments(ready.sample.metas, program.parameters, sample::kUpstreamSeed));
  ready.views = engine_arguments(ready.values);
  GN_RETURN_IF_ERROR(eager::Engine::finish_arguments(program, ready.views, sample::kUpstreamSeed));
  return ready;
}

Result<ReadySample> fitting_sample(const std::filesystem::path& folder) {
  GN_ASSIGN_OR_RETURN(ReadySample ready, ready_sample(folder));
  if (ready.refused.empty()) return ready;
  return Status(Code::kEnvironment, ready.refused);
}

}  // namespace graphnet::worker
