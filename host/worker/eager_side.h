// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <vector>

#include "eager/engine.h"
#include "measure/sequential.h"
#include "plugin/host_services.h"
#include "sample/replay.h"
#include "sample/sample.h"
#include "worker/dense_copy.h"

namespace graphnet::worker {

/// The same arguments as the engine sees them, borrowed.
std::vector<eager::EngineArgument> engine_arguments(std::vector<sample::Argument>& arguments);

/// Copies the outputs of an engine's last run, dense; allocates on the first use of `outputs` only.
base::Status copy_outputs(const eager::Engine& engine, std::vector<KeptOutput>& outputs);

/// Points tensors at results of libtorch: data and strides.
void point_at(const std::vector<eager::EngineOutput>& results, DLTensor* const* outputs,
              std::uint64_t num_outputs);

/// The reference side of one sample: libtorch's eager engine on the replayed arguments.
class EagerSide final : public plugin::EagerService {
 public:
  /// Finishes replay (torch's generator) and resolves the program's calls.
  ///
  /// errors   kUnsupported with every spelling that cannot run
  static base::Result<std::unique_ptr<EagerSide>> create(const sample::Sample& sample,
                                                         std::vector<sample::Argument>& arguments);

  /// Measures the side; the first call's outputs are kept.
  base::Result<measure::SideDurations> measure(measure::TrialCounts counts);

  /// What a protocol calls; the first call's outputs are kept.
  measure::SideCalls calls();

  const std::vector<KeptOutput>& kept() const { return kept_; }
  /// Copies the outputs of the last run; allocates on the first use of `outputs` only.
  base::Status copy_outputs(std::vector<KeptOutput>& outputs) const {
    return worker::copy_outputs(*engine_, outputs);
  }
  const eager::Engine& engine() const { return *engine_; }

  // EagerService: what the host table runs for a plugin.
  base::Status prepare() override { return engine_->prepare(); }
  bool needs_prepare() const override { return engine_->needs_prepare(); }
  base::Status run() override { return engine_->run(); }
  void describe_outputs(DLTensor* const* outputs, std::uint64_t num_outputs) override;

 private:
  explicit EagerSide(std::unique_ptr<eager::Engine> engine) : engine_(std::move(engine)) {}

  std::unique_ptr<eager::Engine> engine_;
  std::vector<KeptOutput> kept_;
};

}  // namespace graphnet::worker
