// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "extern_calls.h"
#include "package.h"
#include "shim.h"

namespace graphnet::inductor {

/// The functions that a library of AOTInductor exports, as far as they are called. Return 0 for
/// success.
///
/// source   torch/csrc/inductor/aoti_runtime/interface.h
struct ModelFunctions {
  struct Container;  // opaque
  struct NamedConstant {
    const char* name;
    Tensor tensor;
  };
  std::int32_t (*create)(Container**, std::size_t num_models, const char* device,
                         const char* cubin_folder);
  std::int32_t (*destroy)(Container*);
  std::int32_t (*run)(Container*, Tensor* inputs, std::size_t num_inputs, Tensor* outputs,
                      std::size_t num_outputs, void* stream, ExternCalls* proxy_executor);
  std::int32_t (*num_inputs)(Container*, std::size_t*);
  std::int32_t (*num_outputs)(Container*, std::size_t*);
  std::int32_t (*num_constants)(Container*, std::size_t*);
  std::int32_t (*constant_name)(Container*, std::size_t, const char**);
  std::int32_t (*attribute_name)(Container*, std::size_t, const char**);
  std::int32_t (*update)(Container*, const NamedConstant*, std::size_t, bool use_inactive,
                         bool validate_all);
};

/// A package in memory, ready to be called.
class Model {
 public:
  /// errors   Failure INVALID_ARGUMENT: the library cannot be loaded or is not of this package;
  ///          the package's list of operator calls cannot be read
  explicit Model(Package package);
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;
  ~Model();

  /// Weights are read in place. May be called again.
  ///
  /// errors   Failure RUNTIME_FAILED
  void bind(const gn_bind_args& args);

  /// errors   Failure RUNTIME_FAILED
  void run(const gn_run_args& args);

  const Package& package() const { return package_; }

  /// Weights that the code holds folded or packed; 0 unless they were known.
  std::size_t num_frozen() const { return num_frozen_; }

  /// Share of a call that copying its outputs takes, of the first calls: a clock in every call
  /// would cost small graphs more than the copy. Before there were any: negative.
  double copy_share() const;

 private:
  void open_library();
  void name_constants();
  void call();
  void copy_outputs(const gn_run_args& args) const;
  void copy_output(Tensor from, const DLTensor& to) const;

  Package package_;
  ExternCalls extern_calls_;
  void* library_ = nullptr;
  ModelFunctions functions_ = {};
  ModelFunctions::Container* container_ = nullptr;
  std::vector<const char*> constant_names_;  ///< by position
  std::vector<std::string> attributes_;      ///< by position: "w3", "c7"
  std::size_t num_frozen_ = 0;
  std::vector<TensorHandle> given_;       ///< weights and constants, in use until the next bind
  std::vector<const DLTensor*> weights_;  ///< by position in the signature
  std::vector<Tensor> inputs_;
  std::vector<Tensor> outputs_;
  int clocked_calls_ = 0;
  std::chrono::steady_clock::duration in_calls_{};
  std::chrono::steady_clock::duration in_copies_{};
};

}  // namespace graphnet::inductor
