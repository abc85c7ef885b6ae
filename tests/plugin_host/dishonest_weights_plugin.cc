// SPDX-License-Identifier: MIT
//
// As dishonest_plugin.cc, with tricks that only other weights bring to light: all of them do the
// work of an honest plugin, and are right on the weights that they get first. Run by
// dishonest_weights_test.cc, which says how each must be caught.
#include <cstring>
#include <memory>
#include <vector>

#include "support/mlp_plugin.h"

namespace {

enum Trick {
  built_in_weights,  // computes with the values of its first weights, as if they were in its code
  ignores_inputs,    // gives the results of the first call after each bind
  stays_bound,       // takes the second weights, and no others after them
};
constexpr Trick kTrick = TRICK;

struct Executable final : gn_executable {
  std::vector<float> kept_weights[4];
  std::vector<float> kept_output;
  std::vector<float> scratch;
  int num_binds = 0;

  void bind(const gn_bind_args& args) override {
    ++num_binds;
    kept_output.clear();
    if (num_binds > (kTrick == built_in_weights ? 1 : 2)) return;
    Mlp::bind(args);
    keep(0, first.weight, first.num_inputs * first.num_outputs);
    keep(1, first.bias, first.num_outputs);
    keep(2, second.weight, second.num_inputs * second.num_outputs);
    keep(3, second.bias, second.num_outputs);
  }

  void keep(int index, const float*& values, std::int64_t count) {
    if (kTrick == ignores_inputs) return;
    kept_weights[index].assign(values, values + count);
    values = kept_weights[index].data();
  }

  void play(const float* input, float* output) override {
    if (kTrick != ignores_inputs) return compute(input, output);
    scratch.resize(static_cast<std::size_t>(output_count()));
    compute(input, scratch.data());
    if (kept_output.empty()) kept_output = scratch;
    std::memcpy(output, kept_output.data(), kept_output.size() * sizeof(float));
  }
};

}  // namespace

std::unique_ptr<gn_executable> graphnet::tests::make_executable() {
  return std::make_unique<Executable>();
}
