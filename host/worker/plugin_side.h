// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "journal/worker_message.h"
#include "measure/sequential.h"
#include "plugin/backend.h"
#include "sample/replay.h"
#include "worker/argument_watch.h"
#include "worker/dense_copy.h"

namespace graphnet::worker {

/// The plugin's side of one sample, phase by phase. After the last call it is checked that the
/// plugin wrote to its outputs, to all of them, and to nothing else that is the host's.
///
/// order    open, compile, bind, measure; nothing else after a failure
class PluginSide {
 public:
  /// shapes   eager_outputs: kept outputs of the reference, which say what the plugin must give
  PluginSide(const journal::Task& task, const std::string& sample,
             const std::vector<sample::Argument>& arguments,
             const std::vector<KeptOutput>& eager_outputs, plugin::EagerService* eager,
             plugin::OnStep on_step);

  plugin::CallStatus open();
  /// units    nanoseconds in the out parameters
  plugin::CallStatus compile(double& compile_ns);
  plugin::CallStatus bind(double& bind_ns);
  plugin::CallStatus measure(measure::TrialCounts counts, measure::SideDurations& durations);

  const std::vector<KeptOutput>& kept() const { return kept_; }
  std::uint64_t eager_runs() { return services_ ? services_->take_eager_runs() : 0; }

 private:
  base::Status keep_outputs();
  plugin::CallStatus check_memory() const;
  /// Where the results of the eager engine's last run are.
  std::vector<DLTensor> eager_outputs() const;

  const journal::Task& task_;
  const std::vector<sample::Argument>& arguments_;
  plugin::Signature signature_;
  std::vector<void*> argument_data_;
  plugin::EagerService* eager_;
  plugin::OnStep on_step_;
  std::optional<ArgumentWatch> watch_;
  std::optional<plugin::Library> library_;
  std::unique_ptr<plugin::HostServices> services_;
  std::unique_ptr<plugin::Backend> backend_;
  std::unique_ptr<plugin::Executable> executable_;
  std::vector<KeptOutput> kept_;
};

}  // namespace graphnet::worker
