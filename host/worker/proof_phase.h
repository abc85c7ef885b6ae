// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "eager/dispatcher_counts.h"
#include "proof/execute_deny.h"
#include "proof/regions.h"
#include "proof/verdict.h"
#include "worker/correctness.h"
#include "worker/device_tracing.h"
#include "worker/input_shuffle.h"
#include "worker/step_times.h"

namespace graphnet::worker {

/// Calls the plugin while witnesses look on (host/proof). Nothing may be timed in the process
/// afterwards: mappings have been split and caches of the loader are cold.
///
/// All code is closed in the first call, libtorch's and what is shared with it in each.
///
/// Each traced call gets inputs that no call has seen, and outputs that are worthless before it;
/// the last one's outputs are compared with those of an untraced call on the same inputs. On a
/// device as many launches of a captured call are traced too, and as many calls of eager, whose
/// busy time stands beside the plugin's.
///
/// `ledger` gets, besides what proof/ledger.h says:
///
/// | key           | holds                                                                   |
/// |---------------|-------------------------------------------------------------------------|
/// | `witness`     | "full", or "counts" if the execute-deny witness did not look            |
/// | `unavailable` | why it did not; absent if it did                                        |
/// | `tolerated_threads` | of the CUDA driver, which block SIGSEGV and are not seen by it;   |
/// |               | absent if there are none                                                |
/// | `calls`       | traced calls                                                            |
/// | `quiet_looks` | looks until no thread ran denied code by itself                         |
/// | `arm_ns`      | mean of closing and opening everything, once                            |
/// | `call_ns`, `traced_call_ns` | the untraced call, and the mean of the traced ones        |
/// | `extra_ns`    | what the phase took beyond the calls themselves, traps included         |
/// | `steps`       | [[step, nanoseconds], ...] of the whole phase, one after the other      |
/// | `moments`     | {"hits", "samples"}, each as in proof/moments.h, since the first step   |
/// | `outputs`     | "equal", "within tolerance", or how they differ                         |
/// | `device`      | of calls on a device: worker/device_tracing.h                           |
/// | `replayed_outputs` | protocols that replay: as `outputs`, of a launch of the captured   |
/// |               | graph against a call of the plugin on the same inputs                   |
/// | `dispatcher`  | {"called": {name: times}, "nested", "threads"} in the traced calls      |
class ProofPhase {
 public:
  /// `flags`: of the timed calls; `mode`: "full" or "counts" (without the execute-deny witness).
  /// `device`: what looks at the device of the calls, borrowed; null on the CPU.
  ProofPhase(const ComparedSample& compared, const proof::MapHistory& history,
             const std::string& mode, std::vector<record::Word<record::Flag>> flags,
             DeviceTracing* device = nullptr);

  /// Calls under the execute-deny witness and the dispatcher counts. Returns the verdict.
  record::Verdict trace(base::Json& ledger);
  /// Calls under the sampler, for 20 ms or one call. The verdict does not depend on it.
  void sample(base::Json& ledger);

 private:
  base::Status start_witness(base::Json& ledger);
  void name_hits(base::Json& ledger);
  void write_times(base::Json& ledger) const;
  base::Status trace_calls(base::Json& ledger);
  base::Status traced_call(eager::DispatcherUse& use);
  base::Status watched_call();
  base::Status armed_call();
  base::Status call();
  base::Status traced_on_device(proof::CallSide side, const measure::SideCalls& calls,
                                const char* step);
  base::Status trace_others(base::Json& ledger);
  base::Status trace_replays(base::Json& ledger);
  void finish_device(base::Json& ledger);
  base::Status compare_outputs(base::Json& ledger);
  base::Status look_for_stale_outputs(const std::vector<KeptOutput>& traced);
  base::Result<bool> answers_the_same();
  base::Status count_program(const eager::DispatcherUse& use);

  StepTimes steps_;  // first: it times the other members too
  const ComparedSample& compared_;
  measure::SideCalls side_;  // of the plugin
  std::vector<proof::Region> regions_;
  std::string mode_;
  DeviceTracing* device_;
  proof::Evidence evidence_;
  InputShuffle shuffle_;
  std::unique_ptr<proof::ExecuteDeny> witness_;
  std::vector<proof::Hit> hits_;
  int num_calls_ = 0;
};

}  // namespace graphnet::worker
