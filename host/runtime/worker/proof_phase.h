// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "eager/dispatcher_counts.h"
#include "measure/process_family.h"
#include "proof/execute_deny.h"
#include "proof/regions.h"
#include "proof/sample_evidence.h"
#include "proof/thread_sampler.h"
#include "proof/verdict.h"
#include "worker/correctness.h"
#include "worker/device_tracing.h"
#include "worker/input_shuffle.h"
#include "worker/step_times.h"

namespace graphnet::worker {

/// Finds out who did the work: calls the plugin during proof tracing (host/runtime/proof). Nothing
/// may be timed in the process afterwards: mappings have been split and caches of the loader are
/// cold.
///
/// The execute-deny tracer closes all code in the first call, and libtorch's and what is shared
/// with it in each further one.
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
/// | `witness`     | "full", or "counts" if the execute-deny tracer did not run              |
/// | `unavailable` | why it did not; absent if it did                                        |
/// | `problems`    | what failed after that, in words; absent if nothing did                 |
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
  /// What the timed calls of the plugin showed.
  struct TimedCalls {
    std::vector<record::Word<record::Flag>> flags;
    double median_ns = 0;  ///< 0: not known
  };

  /// `mode`: "full" or "counts" (without the execute-deny tracer). `device`: what traces the device
  /// of the calls, borrowed; null on the CPU. `family`: the processes that belong to this one,
  /// borrowed; null: they are not looked at.
  ProofPhase(const ComparedSample& compared, const proof::MapHistory& history,
             const std::string& mode, TimedCalls timed, DeviceTracing* device = nullptr,
             measure::ProcessFamily* family = nullptr);

  /// What the plugin calls in libtorch by design, and whether it hands its work to another process:
  /// see proof::Evidence. Before trace().
  void declare(std::vector<std::string> patterns, bool runs_elsewhere) {
    evidence_.declared = std::move(patterns);
    evidence_.runs_elsewhere = runs_elsewhere;
  }

  /// Calls under the execute-deny tracer and the dispatcher counts, and then under the sampler.
  /// Returns the verdict.
  record::Verdict trace(base::Json& ledger);
  /// Processes that the plugin started and that lived meanwhile, by name. After trace().
  const std::vector<std::string>& helpers() const { return helpers_; }

 private:
  // Steps whose durations both files ask for.
  static constexpr const char* kUntracedCall = "untraced call";
  static constexpr const char* kSampledCall = "sampled call";

  /// What the traced calls of the plugin gave.
  struct TracedCalls {
    int num_calls = 0;
    std::vector<proof::Hit> hits;
    eager::DispatcherUse operators;
  };
  /// What the sampled calls of the plugin gave.
  struct SampledTrace {
    std::vector<proof::Sample> samples;
    double beside_ns = 0;  ///< of the step of sampled calls, outside of them
    double shortest_call_ns = std::numeric_limits<double>::infinity();
    bool are_too_few = false;  ///< samples, perhaps by chance
  };
  /// How the outputs of two calls on the same inputs agree.
  struct Agreement {
    std::string word;         ///< "equal", "within tolerance", or the outcome if not accepted
    bool is_equal = false;    ///< bit by bit
    bool is_accepted = true;  ///< by the outcome rule
    std::string message;      ///< how they differ; empty if accepted
  };
  /// How eager's outputs on the present inputs differ from its first ones.
  struct EagerChange {
    bool changes_bits = false;
    bool exceeds_tolerance = false;
  };

  void start_tracer(base::Json& ledger);
  base::Status create_tracer(base::Json& ledger);
  void name_hits(const std::vector<proof::Hit>& hits, base::Json& ledger);
  void write_times(const TracedCalls& traced, double beside_sampled_ns, base::Json& ledger) const;
  void note_unavailable(const base::Status& status);

  // Traced calls of the plugin.
  base::Status trace_plugin(TracedCalls& traced, base::Json& ledger);
  base::Status trace_calls(TracedCalls& traced, base::Json& ledger);
  base::Status counted_call(TracedCalls& traced);
  base::Status traced_call(TracedCalls& traced);
  base::Status armed_call(TracedCalls& traced);
  base::Status plugin_call();
  base::Status count_program(const TracedCalls& traced);

  // Calls whose work on a device is traced.
  base::Status trace_others(int num_calls, base::Json& ledger);
  base::Status trace_replays(int num_calls, base::Json& ledger);
  base::Status traced_on_device(proof::CallSide side, const measure::SideCalls& calls,
                                const char* step);
  void finish_device(base::Json& ledger);

  // Comparisons of outputs.
  base::Status compare_outputs(base::Json& ledger);
  base::Result<Agreement> compare_with_last_call(const std::vector<KeptOutput>& traced);
  base::Status look_for_stale_outputs(const std::vector<KeptOutput>& traced);
  base::Result<EagerChange> change_of_eager();
  base::Result<bool> answers_the_same();

  // One step each.
  base::Status arm(bool is_first_call);
  base::Status disarm();
  base::Status renew_inputs();
  base::Status prepare_eager();
  base::Status prepare_call();
  base::Status untraced_call(const char* step);
  base::Result<std::int64_t> length_of_call(const char* step);
  base::Status eager_call();

  // In proof_samples.cc.
  SampledTrace sample(base::Json& ledger);
  SampledTrace sample_once(base::Json& ledger);
  base::Status sampled_calls(std::int64_t period_ns, proof::SampledCalls& called,
                             SampledTrace& sampled);
  base::Status sampled_call(proof::SampledCalls& called);
  std::int64_t sample_period_ns() const;
  /// True if too few came to tell.
  bool weigh_samples(const proof::SampleLog& log, const proof::SampledCalls& called,
                     base::Json& ledger);
  void look_for_copies(const std::vector<proof::Hit>& hits,
                       const std::vector<proof::Sample>& samples, base::Json& ledger);
  void look_for_helpers();
  base::Status look_for_slower_calls(double shortest_ns, base::Json& ledger);

  StepTimes steps_;  // first: it times the other members too
  const ComparedSample& compared_;
  measure::SideCalls side_;  // of the plugin
  std::vector<proof::Region> regions_;
  std::string mode_;
  DeviceTracing* device_;
  measure::ProcessFamily* family_;
  std::vector<std::string> helpers_;
  std::vector<std::string> problems_;
  proof::Evidence evidence_;
  std::int64_t call_length_ns_ = 0;  ///< of the longest untraced call, for the sampler's pace
  double timed_call_ns_;
  InputShuffle shuffle_;
  std::unique_ptr<proof::ExecuteDeny> tracer_;
};

}  // namespace graphnet::worker
