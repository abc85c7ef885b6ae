// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "graph/graph.h"
#include "journal/worker_message.h"
#include "measure/paired.h"
#include "measure/sequential.h"
#include "plugin/backend.h"
#include "record/flag.h"
#include "sample/arguments.h"
#include "worker/argument_watch.h"
#include "worker/artifact_cache.h"
#include "worker/dense_copy.h"

namespace graphnet::worker {

/// How an executable came to be; one of the two times is set.
struct CompileTimes {
  std::optional<double> compile_ns;
  std::optional<double> load_ns;  ///< of an artifact
  std::string note;               ///< what is wrong with the artifact cache; empty: nothing
};

/// The plugin's side of one sample, phase by phase. After the last call it is checked that the
/// plugin wrote to its outputs, to all of them, and to nothing else that is the host's.
///
/// order    open, offer_body, compile, bind, measure; nothing else after a failure
class PluginSide {
 public:
  /// Calls are made where the arguments are.
  ///
  /// shapes   eager_outputs: kept outputs of the reference, which say what the plugin must give
  PluginSide(const journal::Task& task, const std::string& sample, const DeviceArguments& arguments,
             const std::vector<KeptOutput>& eager_outputs, plugin::EagerService* eager,
             plugin::OnStep on_step);

  plugin::CallStatus open();
  /// Which arguments are weights, in signature order: the one decision that graph and plugin share.
  std::vector<bool> weights() const;
  /// The graph to offer the plugin, or why there is none. Its random values become further inputs,
  /// its specialised arguments constants.
  ///
  /// order    after open, before compile
  void offer_body(base::Result<graph::Graph> body);
  /// Whether the plugin would compile the graph, with every reason against it; makes nothing.
  plugin::CallStatus check();
  /// Compiles, or loads what an earlier run put into Task::artifact_cache, and puts it there.
  plugin::CallStatus compile(CompileTimes& times);
  /// May be called again after the weights have changed in place.
  ///
  /// units    nanoseconds in the out parameter
  plugin::CallStatus bind(double& bind_ns);
  /// Makes another executable from what the weights hold now, which gets all calls, bind included,
  /// until take_first_back(). Mode `frozen`. After a failure the first one is there again.
  plugin::CallStatus compile_second(CompileTimes& times);
  /// errors   the last call of the second one moved an output
  base::Status take_first_back();
  /// Bytes that the plugin said it keeps because of bind.
  std::uint64_t kept_bytes() const { return executable_ ? executable_->kept_bytes() : 0; }
  /// What the plugin says of what it made; see Record::plugin_info. After bind.
  plugin::CallStatus describe(base::Json& info);
  plugin::CallStatus measure(measure::TrialCounts counts, measure::SideDurations& durations);

  /// Gives inputs other content; see measure::SideCalls::renew.
  using Renew = std::function<base::Status()>;

  /// First call and warm-up calls of protocol `paired`; the first call's outputs are kept.
  plugin::CallStatus warm_up(const measure::PairedSettings& settings, int threads,
                             measure::Warmup& warmup, const Renew& renew = nullptr);
  /// Captures one call, which is what calls() launch from then on. The inputs stay where they are:
  /// new content reaches a launch as it reaches a call.
  ///
  /// order    after the warm-up
  /// units    nanoseconds in the out parameter: capture and instantiation
  /// errors   kUnsupported: not on this device, or the plugin calls the eager service, whose memory
  ///          a graph does not hold; kBroken: what it does in run cannot be captured
  plugin::CallStatus capture(double& capture_ns);
  /// First launches of what was captured, until they have settled.
  plugin::CallStatus warm_up_replays(const measure::PairedSettings& settings, int threads,
                                     measure::Warmup& warmup, const Renew& renew = nullptr);
  bool is_captured() const { return captured_.has_value(); }
  /// Of the captured graph; 0 without one.
  std::size_t num_graph_nodes() const { return captured_ ? captured_->num_nodes() : 0; }

  /// What a protocol calls: the plugin, or launches of what was captured. A call that fails says
  /// why in failure(). Before each, what the call before it did to the output tensors is looked at,
  /// and outputs are filled with poison: no call can tell from them what it is made for.
  measure::SideCalls calls();
  /// Calls of the plugin, whatever was captured.
  measure::SideCalls plugin_calls();
  /// What a call through the ABI takes beside the plugin's own code: a call of a slot that does
  /// nothing, by the route of the timed calls, less a call of nothing by eager's.
  ///
  /// units    nanoseconds
  double abi_call_ns();
  /// Says that calls come next, after another step.
  void announce_calls() { on_step_("gn_backend_run"); }
  const plugin::CallStatus& failure() const { return failure_; }
  /// After the last call: whether the plugin wrote to its outputs and to nothing else.
  plugin::CallStatus check_memory();
  /// Whether something was written before or behind an output so far.
  ///
  /// errors   kPlugin, naming the output; failure() says it too
  base::Status check_guards();
  /// Whether the last call left the output tensors as they were; see flag().
  base::Status check_tensors();
  /// What a failure is to be flagged as; kNone: nothing. kMovedOutput: a call changed an output's
  /// tensor, such as where its data is.
  record::Flag flag() const { return flag_; }

  const std::vector<KeptOutput>& kept() const { return kept_; }
  /// Tensors of the last run.
  const std::vector<DLTensor>& outputs() const { return executable_->outputs(); }
  /// Copies the outputs of the last run; allocates on the first use of `outputs` only.
  ///
  /// errors   as prepare_outputs(), judge_read()
  base::Status copy_outputs(std::vector<KeptOutput>& outputs);
  /// Puts the output tensors back to the host's buffers, filled with what no call writes.
  ///
  /// errors   as device::TensorDevice; kPlugin: the run before changed a tensor, see flag()
  base::Status prepare_outputs();
  /// What became of reading the outputs: that pages are closed is the plugin's failure, and a sign
  /// that it would compute when they are touched.
  base::Status judge_read(base::Status read);
  /// True if one of these copies is nothing but poison.
  bool is_unwritten(const std::vector<KeptOutput>& outputs) const;

  /// Runs so far, and those of the host's eager service that they made.
  std::uint64_t num_runs() const { return num_runs_; }
  std::uint64_t eager_runs() const { return services_ ? services_->eager_runs() : 0; }

 private:
  [[noreturn]] void end_cancelled();
  bool load(const ArtifactCache& cache, const std::string& key, const gn_graph& graph,
            CompileTimes& times);
  void keep(const ArtifactCache& cache, const std::string& key, CompileTimes& times);
  plugin::CallStatus compile_graph(const gn_graph& graph, CompileTimes& times);
  void specialise(const graph::Graph& body);
  base::Status place_random_inputs(const graph::Graph& body);
  base::Status keep_first_outputs();
  base::Status prepare_call();
  plugin::CallStatus warm_up_calls(measure::SideCalls side, const Renew& renew,
                                   const measure::PairedSettings& settings, int threads,
                                   measure::Warmup& warmup);
  measure::SideCalls timed_at_place(std::function<base::Status()> call);
  base::Status status_of(plugin::CallStatus status);
  plugin::CallStatus why_not_captured(const base::Status& status) const;
  /// Why a call failed: what the plugin said, else that copying its outputs took too much memory.
  plugin::CallStatus failure_of(base::Status status) const;
  plugin::CallStatus host_failure(base::Status status) const;
  /// Where the eager service put the results of the last call, without data if it was not used.
  std::vector<DLTensor> eager_outputs() const;

  const journal::Task& task_;
  device::TensorDevice& device() const { return arguments_.device(); }

  const DeviceArguments& arguments_;
  plugin::Signature signature_;
  std::vector<void*> argument_data_;
  std::optional<graph::Graph> body_;
  base::Status random_status_;
  std::vector<device::DeviceBuffer> random_inputs_;
  plugin::EagerService* eager_;
  const std::vector<KeptOutput>& eager_kept_;
  plugin::OnStep on_step_;
  std::optional<ArgumentWatch> watch_;
  std::optional<plugin::Library> library_;
  std::unique_ptr<plugin::HostServices> services_;
  std::unique_ptr<plugin::Backend> backend_;
  std::unique_ptr<plugin::Executable> first_executable_;  // while there is a second one
  std::unique_ptr<plugin::Executable> executable_;
  std::optional<device::CapturedGraph> captured_;  // behind what its work belongs to
  std::vector<KeptOutput> kept_;
  plugin::CallStatus failure_;
  record::Flag flag_ = record::Flag::kNone;
  std::uint64_t num_runs_ = 0;
  std::uint64_t checked_runs_ = 0;       // whose tensors have been looked at
  std::uint64_t eager_runs_before_ = 0;  // the last call
};

}  // namespace graphnet::worker
