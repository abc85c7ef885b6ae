// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/device_name.h"
#include "base/dtype.h"
#include "base/math_policy.h"
#include "base/result.h"
#include "graph/graph.h"
#include "graphnet/abi.h"
#include "plugin/graph_body.h"

namespace graphnet::plugin {

/// The host's eager engine as the services need it; implemented by the worker.
class EagerService {
 public:
  virtual ~EagerService() = default;
  /// Puts generator and written arguments back to their state before the first run.
  virtual base::Status prepare() = 0;
  /// False if prepare() has nothing to do.
  virtual bool needs_prepare() const = 0;
  /// Runs the program on the host's own arguments.
  virtual base::Status run() = 0;
  /// Points the tensors at the results of the last run (data, strides).
  virtual void describe_outputs(DLTensor* const* outputs, std::uint64_t num_outputs) = 0;
};

enum class Role : std::uint8_t {
  kInput,
  kWeight,
  kSpecialised,  ///< an argument that the graph has built in: the plugin never gets it
  kOutput,
};

/// An argument or output as the plugin sees it.
struct SignatureEntry {
  std::string name;
  Role role = Role::kInput;
  base::DType dtype = base::DType::kFloat32;
  std::vector<std::int64_t> shape;
};

/// What a graph takes and gives, in memory that outlives every view of it.
struct Signature {
  std::string sample;
  std::vector<SignatureEntry> arguments;  ///< signature order, inputs and weights mixed
  std::vector<SignatureEntry> outputs;
  /// By argument: its elements if the plugin may know them while it compiles, else null; those of
  /// specialised ones must be known. Empty: none.
  std::vector<const void*> known = {};
  /// The graph in normal form, with the same arguments; null if it has none, and then why.
  const graph::Graph* body = nullptr;
  std::string body_missing;
};

/// The signature of a graph by itself, which it borrows as body; nothing is specialised.
Signature signature_of(const graph::Graph& graph);

/// What a plugin is asked to use.
struct HostSettings {
  base::DeviceName device = {};
  int threads = 1;
  base::MathPolicy math = {};
  std::uint64_t memory_limit_bytes = 0;
  std::string dump_folder;
};

/// The ABI's view of a string, valid as long as the string is.
gn_string borrow(const std::string& text);

/// GN_MATH_* of a policy.
std::uint32_t to_gn(const base::MathPolicy& math);

/// DLPack's name for an element type.
DLDataType to_dl_type(base::DType dtype);
/// DLPack's name for a device.
DLDevice to_dl_device(base::DeviceName device);

/// The host table given to one backend. Must outlive the backend.
///
/// order    slots are called from the plugin's one thread
class HostServices {
 public:
  HostServices(HostSettings settings, EagerService* eager, std::uint32_t abi_minor);
  HostServices(const HostServices&) = delete;
  HostServices& operator=(const HostServices&) = delete;

  const gn_host_api* api() const { return &api_; }

  /// Runs of the eager service so far.
  std::uint64_t eager_runs() const { return eager_runs_; }
  /// The tensors that the last of them was to point at its results, as it left them. The results
  /// themselves may be gone.
  const std::vector<DLTensor>& eager_outputs() const { return eager_outputs_; }

 private:
  static HostServices& self(gn_host* host) { return *reinterpret_cast<HostServices*>(host); }
  static gn_status* status_new(gn_host*, std::uint32_t code, gn_string message);
  static void log(gn_host*, std::uint32_t level, gn_string text);
  static std::int32_t cancelled(gn_host*);
  static gn_status* graph_signature(gn_host*, const gn_graph*, gn_graph_signature* out);
  static gn_status* eager_compile(gn_host*, const gn_graph*, gn_eager_executable** out);
  static gn_status* eager_run(gn_host*, gn_eager_executable*, const gn_run_args*);
  static gn_status* graph_body(gn_host*, const gn_graph*, gn_graph_body* out);

  HostSettings settings_;
  EagerService* eager_;
  gn_host_api api_ = {};
  std::uint64_t eager_runs_ = 0;
  std::vector<DLTensor> eager_outputs_;
};

}  // namespace graphnet::plugin

/// The graph handle of the ABI: arrays that gn_graph_signature points into.
struct gn_graph {
  explicit gn_graph(const graphnet::plugin::Signature& signature);
  gn_graph(const gn_graph&) = delete;
  gn_graph& operator=(const gn_graph&) = delete;

  const graphnet::plugin::Signature& signature;
  std::vector<gn_value> inputs;
  std::vector<gn_value> weights;
  std::vector<gn_value> outputs;
  std::unique_ptr<graphnet::plugin::GraphBody> body;  // null if there is none
};
