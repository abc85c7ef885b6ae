// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "journal/worker_message.h"
#include "measure/sequential.h"
#include "plugin/backend.h"
#include "sample/replay.h"
#include "worker/dense_copy.h"

namespace graphnet::worker {

/// The plugin's side of one sample, phase by phase.
///
/// order    open, compile, bind, measure; nothing else after a failure
class PluginSide {
 public:
  /// shapes   eager_outputs: kept outputs of the reference, which say what the plugin must give
  PluginSide(const journal::Task& task, const std::string& sample,
             const std::vector<sample::Argument>& arguments,
             const std::vector<KeptOutput>& eager_outputs, plugin::EagerService* eager);

  plugin::CallStatus open();
  /// units    nanoseconds in the out parameters
  plugin::CallStatus compile(double& compile_ns);
  plugin::CallStatus bind(double& bind_ns);
  plugin::CallStatus measure(measure::TrialCounts counts, measure::SideDurations& durations);

  const std::vector<KeptOutput>& kept() const { return kept_; }
  std::uint64_t eager_runs() { return services_ ? services_->take_eager_runs() : 0; }

 private:
  base::Status keep_outputs();

  const journal::Task& task_;
  plugin::Signature signature_;
  std::vector<void*> argument_data_;
  plugin::EagerService* eager_;
  std::optional<plugin::Library> library_;
  std::unique_ptr<plugin::HostServices> services_;
  std::unique_ptr<plugin::Backend> backend_;
  std::unique_ptr<plugin::Executable> executable_;
  std::vector<KeptOutput> kept_;
};

}  // namespace graphnet::worker
