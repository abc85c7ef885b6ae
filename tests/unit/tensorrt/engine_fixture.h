// SPDX-License-Identifier: MIT
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graphnet/failure.h"
#include "lowering/ir/text.h"
#include "tensorrt/executable.h"
#include "tensorrt/legalize.h"
#include "unit/tensorrt/fake_runtime.h"

namespace graphnet::tensorrt {

// (input + weight) * (weight + weight): the second factor is what bind computes.
inline constexpr const char* kGraph =
    "%0: f32[2,2] = input index=0\n"
    "%1: f32[2,2] = weight index=0\n"
    "%2: f32[2,2] = add(%0, %1)\n"
    "%3: f32[2,2] = add(%1, %1)\n"
    "%4: f32[2,2] = multiply(%2, %3)\n"
    "return %4\n";

/// A 2 x 2 tensor of the host.
class Matrix {
 public:
  explicit Matrix(std::vector<float> elements) : elements_(std::move(elements)) {
    tensor_ = {elements_.data(), {kDLCUDA, 0}, 2, {kDLFloat, 32, 1}, shape_, strides_, 0};
  }
  Matrix(const Matrix&) = delete;
  DLTensor* tensor() { return &tensor_; }
  std::vector<float>& elements() { return elements_; }

 private:
  std::vector<float> elements_;
  std::int64_t shape_[2] = {2, 2};
  std::int64_t strides_[2] = {2, 1};
  DLTensor tensor_ = {};
};

/// Engines of the made-up TensorRT, whose device is the host.
class EngineFixture : public testing::Test {
 protected:
  void SetUp() override {
    library_ = Library::open(GN_TENSORRT_RUNTIME);
    void* const handle = ::dlopen(GN_TENSORRT_RUNTIME, RTLD_NOW | RTLD_NOLOAD);
    control_ = reinterpret_cast<FakeRuntimeControl>(::dlsym(handle, "fake_runtime_control"))();
    *control_ = {};
  }
  std::unique_ptr<EngineExecutable> make(BoundWeights bound = BoundWeights::kRefitted,
                                         const BuildSettings& settings = {}) const {
    namespace ir = lowering::ir;
    ir::StagedGraph staged = ir::split_by_stage(legalize(ir::parse(kGraph)).graph);
    return EngineExecutable::build(library_, std::move(staged), bound, settings,
                                   GN_TENSORRT_RUNTIME);
  }
  static void bind(EngineExecutable& engine, Matrix& weight) {
    const DLTensor* weights[] = {weight.tensor()};
    gn_bind_args args = {};
    args.weights = weights;
    args.num_weights = 1;
    engine.bind(args);
    EXPECT_GT(args.kept_bytes, 0U);
  }
  static void run(EngineExecutable& engine, Matrix& input, Matrix& output, void* stream = nullptr) {
    const DLTensor* inputs[] = {input.tensor()};
    DLTensor* outputs[] = {output.tensor()};
    gn_run_args args = {};
    args.inputs = inputs;
    args.num_inputs = 1;
    args.outputs = outputs;
    args.num_outputs = 1;
    args.rebind = 1;
    args.stream = stream;
    engine.run(args);
  }
  std::unique_ptr<EngineExecutable> load(const std::string& stored,
                                         BoundWeights bound = BoundWeights::kRefitted,
                                         const BuildSettings& settings = {}) const {
    return EngineExecutable::load(library_, stored, bound, settings, GN_TENSORRT_RUNTIME);
  }
  static std::string failure_of(std::uint32_t code, const std::function<void()>& action) {
    try {
      action();
    } catch (const Failure& failure) {
      EXPECT_EQ(failure.code(), code) << failure.what();
      return failure.what();
    }
    ADD_FAILURE() << "nothing failed";
    return "";
  }

  Library library_;
  FakeRuntime* control_ = nullptr;
};

}  // namespace graphnet::tensorrt
