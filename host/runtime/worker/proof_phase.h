// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "eager/dispatcher_counts.h"
#include "measure/process_family.h"
#include "proof/execute_deny.h"
#include "proof/regions.h"
#include "proof/sample_evidence.h"
#include "proof/verdict.h"
#include "worker/correctness.h"
#include "worker/device_tracing.h"
#include "worker/input_shuffle.h"
#include "worker/step_times.h"

namespace graphnet::worker {

/// Calls the plugin while witnesses look on (host/runtime/proof). Nothing may be timed in the process
/// afterwards: mappings have been split and caches of the loader are cold.
///
/// All code is closed in the first call, libtorch's and what is shared with it in each.
///
/// Each traced call gets inputs that no call has seen, and outputs that are worthless before it;
/// the last one's outputs are compared with those of an untraced call on the same inputs. On the
/// host inputs change at the last moment, when all code is closed: nobody can compute ahead unseen.
/// Further calls, on inputs of their own too, are sampled. On a device as many launches of a
/// captured call are traced too, and as many calls of eager, whose busy time stands beside the
/// plugin's.
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
/// | `samples`     | proof/ledger.h, and `in_calls`, `in_calls_running`, `in_calls_denied`   |
/// |               | of proof/sample_evidence.h, without eager service; and `calls`          |
/// | `copied`      | [{"symbol", "module"}] of code that ran and is libtorch's: copied_code.h |
/// | `helpers`     | processes that the plugin started and that lived meanwhile, by name     |
class ProofPhase {
 public:
  /// `flags`: of the timed calls; `mode`: "full" or "counts" (without the execute-deny witness).
  /// `device`: what looks at the device of the calls, borrowed; null on the CPU. `family`: the
  /// processes that belong to this one, borrowed; null: nobody looks at them.
  ProofPhase(const ComparedSample& compared, const proof::MapHistory& history,
             const std::string& mode, std::vector<record::Word<record::Flag>> flags,
             DeviceTracing* device = nullptr, measure::ProcessFamily* family = nullptr);

  /// Calls under the execute-deny witness and the dispatcher counts, and then under the sampler.
  /// Returns the verdict.
  record::Verdict trace(base::Json& ledger);
  /// Processes that the plugin started and that lived meanwhile, by name. After trace().
  const std::vector<std::string>& helpers() const { return helpers_; }

 private:
  // Steps whose durations others ask for.
  static constexpr const char* kUnwatchedStep = "unwatched call";
  static constexpr const char* kSampledStep = "sampled call";

  base::Status start_witness(base::Json& ledger);
  void name_hits(base::Json& ledger);
  base::Status renew_now();
  // In proof_samples.cc.
  void sample(base::Json& ledger);
  base::Status sampled_call(proof::SampledCalls& called);
  std::int64_t sample_period_ns() const;
  void weigh_samples(const proof::SampleLog& log, const proof::SampledCalls& called,
                     base::Json& ledger);
  void look_for_copies(const std::vector<proof::Sample>& samples, base::Json& ledger);
  void look_for_helpers();
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
  measure::ProcessFamily* family_;
  std::vector<std::string> helpers_;
  double beside_sampled_ns_ = 0;  ///< of the step of sampled calls, outside of them
  proof::Evidence evidence_;
  InputShuffle shuffle_;
  std::unique_ptr<proof::ExecuteDeny> witness_;
  std::vector<proof::Hit> hits_;
  int num_calls_ = 0;
};

}  // namespace graphnet::worker
