// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "eager/engine.h"
#include "measure/sequential.h"
#include "plugin/host_services.h"
#include "sample/arguments.h"
#include "sample/sample.h"
#include "worker/dense_copy.h"
#include "worker/device_arguments.h"

namespace graphnet::worker {

/// The same arguments as an engine on the host sees them, borrowed.
std::vector<eager::EngineArgument> engine_arguments(std::vector<sample::Argument>& arguments);
/// As an engine sees them whose calls are made on their device, borrowed.
std::vector<eager::EngineArgument> engine_arguments(const DeviceArguments& arguments);

/// Copies the outputs of an engine's last run, dense; allocates on the first use of `outputs` only.
base::Status copy_outputs(const eager::Engine& engine, std::vector<KeptOutput>& outputs);

/// Points tensors at results of libtorch: data and strides.
void point_at(const std::vector<eager::EngineOutput>& results, DLTensor* const* outputs,
              std::uint64_t num_outputs);

/// The reference side of one sample: libtorch's eager engine on the generated arguments.
class EagerSide final : public plugin::EagerService {
 public:
  /// Finishes input generation (torch's generator) on the host, brings the arguments to the device
  /// of the calls and resolves the program's calls.
  ///
  /// errors   kUnsupported with every spelling that cannot run; kEnvironment: no memory there
  static base::Result<std::unique_ptr<EagerSide>> create(
      const sample::Sample& sample, std::vector<sample::Argument>& arguments,
      device::TensorDevice& device = device::host_device());

  /// Measures the side; the first call's outputs are kept.
  base::Result<measure::SideDurations> measure(measure::TrialCounts counts);

  /// What a protocol calls; the first call's outputs are kept. Before every other call as much
  /// memory is written as the plugin's outputs have, which are filled with poison before each of
  /// its calls: caches are as warm.
  measure::SideCalls calls();

  const std::vector<KeptOutput>& kept() const { return kept_; }
  /// Copies the outputs of the last run; allocates on the first use of `outputs` only.
  base::Status copy_outputs(std::vector<KeptOutput>& outputs) const {
    return worker::copy_outputs(*engine_, outputs);
  }
  /// Copies them as a plugin's are copied, on the calling thread: libtorch would use all its
  /// threads. Returns how long that took, in nanoseconds. A plugin's outputs are dense; of those
  /// that are not, the time is that of as many dense bytes.
  ///
  /// order    after copy_outputs() with the same `outputs`, which has allocated them
  base::Result<double> time_copy(std::vector<KeptOutput>& outputs) const;
  /// The outputs of the last run where libtorch has put them. Borrowed until the next run.
  std::vector<DLTensor> outputs_in_place() const;
  const eager::Engine& engine() const { return *engine_; }
  const DeviceArguments& arguments() const { return arguments_; }
  device::TensorDevice& device() const { return arguments_.device(); }

  // EagerService: what the host table runs for a plugin.
  base::Status prepare() override;
  bool needs_prepare() const override { return engine_->needs_prepare(); }
  /// Complete when it returns on the host only: elsewhere copying outputs waits, as calls() do.
  base::Status run() override { return engine_->run(); }
  void describe_outputs(DLTensor* const* outputs, std::uint64_t num_outputs) override;

 private:
  EagerSide(DeviceArguments arguments, std::unique_ptr<eager::Engine> engine)
      : arguments_(std::move(arguments)), engine_(std::move(engine)) {}

  base::Status allocate_scratch();
  base::Status prepare_call();

  DeviceArguments arguments_;
  std::unique_ptr<eager::Engine> engine_;
  std::vector<KeptOutput> kept_;
  std::optional<device::DeviceBuffer> scratch_;
};

}  // namespace graphnet::worker
