// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "support/mlp.h"

/// The graph of mlp.h, compiled by a test plugin in its own way.
struct gn_executable : graphnet::tests::Mlp {
  gn_executable() = default;
  virtual ~gn_executable() = default;
  gn_executable(const gn_executable&) = delete;
  gn_executable& operator=(const gn_executable&) = delete;

  int num_binds = 0;  // the one that is going on among them

  /// Once, when the sizes are known.
  virtual void prepare() {}
  /// Each time that weights are handed over.
  virtual void bind(gn_bind_args& args) { Mlp::bind(args); }
  /// shapes   as Mlp::compute
  virtual void play(const float* input, float* output) = 0;
  /// One call with its tensors.
  virtual void run(const gn_run_args& args) { play(input_of(args), output_of(args)); }

  static const float* input_of(const gn_run_args& args) {
    return graphnet::tests::data_of(*args.inputs[0]);
  }
  static float* output_of(const gn_run_args& args) {
    return const_cast<float*>(graphnet::tests::data_of(*args.outputs[0]));
  }
};

namespace graphnet::tests {

/// What mlp_plugin.cc, which has the entry points of the ABI, asks of the file that it is linked
/// with.
std::unique_ptr<gn_executable> make_executable();

}  // namespace graphnet::tests
