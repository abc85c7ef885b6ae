// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "device/tensor_device.h"
#include "plugin/host_services.h"
#include "plugin/library.h"
#include "plugin/status_bridge.h"

namespace graphnet::plugin {

/// Every record of a sweep holds it.
inline constexpr std::size_t kMaxInfoBytes = 64U << 10U;

/// An executable of a backend with the tensors of its calls.
///
/// Outputs are buffers of the host's on a device, 256-byte aligned, poisoned (floats with NaN) and
/// guarded on both sides; inputs and weights are borrowed and lie on the same device.
class Executable {
 public:
  Executable(const Library& library, gn_backend* backend, gn_executable* handle,
             const Signature& signature, const std::vector<void*>& argument_data,
             device::TensorDevice& device);
  ~Executable();
  Executable(const Executable&) = delete;
  Executable& operator=(const Executable&) = delete;

  /// Fails only for want of memory; call before anything else.
  base::Status allocate_outputs();
  /// Hands over what the weights hold now; may be called again when that has changed.
  CallStatus bind();
  /// Puts the output tensors back to the host's buffers; before every run, outside the clock.
  void prepare();
  /// One call; outputs() then hold its results. On a CUDA device its work goes to a stream, null
  /// for the default one; what is captured there has no results.
  CallStatus run(void* stream = nullptr);
  /// The same call of a slot that does nothing: what the ABI costs. It reaches no code of the
  /// plugin.
  CallStatus run_nothing();

  /// Fills the host's output buffers with poison, so that whatever a call leaves out shows.
  base::Status poison_outputs();

  /// Looks, after any run and before outputs are read, for output tensors of which something other
  /// than the data was changed: pointers, shape, strides, type, device. Only the eager service may
  /// move an output elsewhere, to where `eager_outputs` says; their data is null if it was not
  /// used.
  ///
  /// errors   kBroken, naming the output
  CallStatus check_tensors(const std::vector<DLTensor>& eager_outputs) const;
  /// After the first run also for outputs that were left as they came (every byte is still poison).
  ///
  /// errors   kBroken, naming the output
  CallStatus check_outputs(const std::vector<DLTensor>& eager_outputs) const;
  /// Looks, after the last run, for writes before or behind an output.
  ///
  /// errors   kBroken, naming the output and the side
  CallStatus check_guards() const;

  /// The plugin's own word on the executable and its backend, "key: value" lines; empty without
  /// the slot.
  ///
  /// errors   what the plugin said; kBroken beyond kMaxInfoBytes
  CallStatus info(std::string& out) const;

  /// What Backend::load makes it from again, weights not included. Both sides have that slot only
  /// together with `deserialize`.
  ///
  /// errors   what the plugin said
  CallStatus serialize(std::string& out) const;

  /// Tensors of the last run; data may point into the eager engine if it was used.
  const std::vector<DLTensor>& outputs() const { return outputs_; }
  std::uint64_t kept_bytes() const { return kept_bytes_; }

 private:
  CallStatus run_slot(decltype(gn_backend_api::run) slot, void* stream);

  const Library& library_;
  gn_backend* backend_;
  gn_executable* handle_;
  const Signature& signature_;
  device::TensorDevice& device_;
  std::vector<DLTensor> inputs_;
  std::vector<DLTensor> weights_;
  std::vector<DLTensor> outputs_;
  bool is_at_home(std::size_t index) const;

  std::vector<std::vector<std::int64_t>> strides_;  // of inputs, weights, outputs, in this order
  std::vector<std::vector<std::int64_t>> output_shapes_;  // what no plugin has a pointer to
  std::vector<const DLTensor*> input_pointers_;
  std::vector<DLTensor*> output_pointers_;
  std::vector<device::DeviceBuffer> buffers_;
  bool ran_ = false;
  std::uint64_t kept_bytes_ = 0;
};

/// True if a buffer holds nothing but the poison that outputs of this type are filled with.
bool is_poison(base::DType dtype, const std::byte* data, std::size_t num_bytes);

/// A backend made by a plugin for one worker.
class Backend {
 public:
  /// `device`: where arguments lie and outputs are put; that of the services' device.
  Backend(const Library& library, HostServices& services,
          device::TensorDevice& device = device::host_device())
      : library_(library), services_(services), device_(device) {}
  ~Backend();
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  /// `options`: validated object of scalars, defaults filled in.
  ///
  /// errors   what the plugin's create said
  CallStatus create(const base::Json& options);
  /// On success `out` holds the executable, which borrows the graph's signature; the plugin may
  /// read the graph during this call only.
  CallStatus compile(const gn_graph& graph, const std::vector<void*>& argument_data,
                     std::unique_ptr<Executable>& out);
  /// Asks whether the plugin would compile a graph; it makes nothing.
  ///
  /// errors   kUnsupported with every reason; kBroken: it made an executable
  CallStatus check(const gn_graph& graph);
  /// Whether what it compiles can be serialized.
  bool can_load() const {
    return library_.api().serialize != nullptr && library_.api().deserialize != nullptr;
  }
  /// Like compile, from what an executable of the same graph was serialized to.
  CallStatus load(const gn_graph& graph, const std::string& bytes,
                  const std::vector<void*>& argument_data, std::unique_ptr<Executable>& out);

 private:
  const Library& library_;
  HostServices& services_;
  device::TensorDevice& device_;
  gn_backend* handle_ = nullptr;
};

}  // namespace graphnet::plugin
