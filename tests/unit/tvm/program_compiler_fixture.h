// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "graphnet/failure.h"
#include "lowering/ir/interpret.h"
#include "support/temp_dir.h"
#include "tvm_plugin/extern_functions.h"
#include "tvm_plugin/ffi_symbols.h"
#include "tvm_plugin/legalize.h"
#include "tvm_plugin/program_compiler.h"
#include "tvm_plugin/tvm_library.h"
#include "tvm_plugin/vector_math.h"

namespace graphnet::tvm {

inline void bind_and_run(ProgramExecutable& executable, std::vector<const DLTensor*> inputs,
                         std::vector<DLTensor*> outputs) {
  gn_bind_args bound = {};
  bound.struct_size = sizeof(bound);
  executable.bind(bound);
  gn_run_args args = {};
  args.struct_size = sizeof(args);
  args.inputs = inputs.data();
  args.num_inputs = static_cast<std::uint32_t>(inputs.size());
  args.outputs = outputs.data();
  args.num_outputs = static_cast<std::uint32_t>(outputs.size());
  args.rebind = 1;
  executable.run(args);
}

/// A call with one input and one output, aligned as a host's tensors are.
struct OneCall {
  static constexpr std::int64_t kMostElements = 1021 * 20;
  alignas(64) float x[kMostElements];
  alignas(64) float y[kMostElements];

  explicit OneCall(std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) x[i] = static_cast<float>(i * 37 % 101) / 8 - 6;
  }
  void run(ProgramExecutable& executable, Shape in, Shape out) {
    DLTensor tensors[2] = {};
    for (DLTensor& tensor : tensors) {
      tensor.data = &tensor == tensors ? x : y;
      tensor.device = {kDLCPU, 0};
      Shape& shape = &tensor == tensors ? in : out;
      tensor.ndim = static_cast<int>(shape.size());
      tensor.dtype = {kDLFloat, 32, 1};
      tensor.shape = shape.data();
    }
    bind_and_run(executable, {&tensors[0]}, {&tensors[1]});
  }
};

class ProgramCompilerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(tvm_folder() + "/tvm/lib/libtvm_compiler.so")) {
      GTEST_SKIP() << "no TVM: ./graphnet run --config tvm.yaml fetches it";
    }
    static const bool is_ready = [] {
      TvmLibrary::open(2);
      register_extern_functions();
      register_vector_math(Math::kPolynomials);
      return true;
    }();
    ASSERT_TRUE(is_ready);
    std::filesystem::create_directory(temporary());
    ::setenv("TMPDIR", temporary().c_str(), 1);
  }
  void TearDown() override {
    if (std::filesystem::exists(temporary())) {
      EXPECT_TRUE(std::filesystem::is_empty(temporary())) << "files are left behind";
    }
    ::unsetenv("TMPDIR");
  }

  std::string temporary() const { return folder_.path() / "temporary"; }
  ProgramCompiler compiler(Schedule schedule = Schedule::kRules, int threads = 1) {
    Options options;
    options.schedule = schedule;
    return ProgramCompiler(options, make_target("", threads),
                           [this](const std::string& text) { warnings_ += text + "\n"; });
  }
  static std::string failure_of(const std::function<void()>& body) {
    try {
      body();
    } catch (const Failure& failure) {
      return failure.what();
    }
    return "none";
  }

  /// One input and one output: what is compiled for one thread and for two, against the
  /// interpreter.
  void expect_as_interpreted(const lowering::ir::Graph& graph, const Shape& in, const Shape& out,
                             const std::string& about) {
    OneCall call(lowering::num_elements(in));
    lowering::ir::Arguments arguments;
    arguments.inputs.push_back({{Type::kF32, in}, {}});
    for (std::int64_t i = 0; i < lowering::num_elements(in); ++i) {
      arguments.inputs[0].elements.push_back(call.x[i]);
    }
    const auto expected = lowering::ir::interpret(graph, arguments)[0].elements;
    for (const int threads : {1, 2}) {
      const CompiledProgram made =
          compiler(Schedule::kRules, threads).compile(legalize(graph, true).graph);
      call.run(*made.executable, in, out);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        ASSERT_NEAR(call.y[i], static_cast<double>(expected[i].real()), 1e-3)
            << about << ", " << threads << " threads, element " << i;
      }
    }
  }

  tests::TempDir folder_;
  std::string warnings_;
};

}  // namespace graphnet::tvm
