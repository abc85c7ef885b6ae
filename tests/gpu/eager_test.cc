// SPDX-License-Identifier: MIT
// libtorch on a CUDA device against libtorch on the CPU. Skipped with the reason where there is no
// device or no CUDA part of libtorch.
#include <gtest/gtest.h>

#include <algorithm>

#include "device/driver_state.h"
#include "eager/cuda_library.h"
#include "gpu/places.h"
#include "unit/eager/sample_arguments.h"
#include "verify/compare.h"

namespace graphnet::eager {
namespace {

using Outputs = std::vector<std::vector<std::byte>>;

class EagerOnCuda : public testing::Test {
 protected:
  /// Before anything else of libtorch.
  static void SetUpTestSuite() {
    loaded_ = load_cuda();
    ::setenv("GRAPHNET_GPU_SAMPLES", tests::samples_folder().c_str(), /*overwrite=*/0);
  }

  void SetUp() override {
    const device::DriverState driver = device::probe_driver();
    if (!driver.is_ready()) GTEST_SKIP() << driver.reason;
    if (!loaded_.is_ok()) GTEST_SKIP() << loaded_.to_string();
  }

  static base::Status loaded_;
};

base::Status EagerOnCuda::loaded_;

/// The outputs of two runs on a device, dense; the second replays the tape.
base::Result<Outputs> run_twice(const graph::Program& program,
                                const std::vector<EngineArgument>& arguments,
                                base::DeviceName device, std::unique_ptr<Engine>& engine) {
  GN_ASSIGN_OR_RETURN(engine, Engine::create(program, arguments, device, sample::kReplaySeed));
  Outputs outputs;
  for (int run = 0; run < 2; ++run) {
    GN_RETURN_IF_ERROR(engine->prepare());
    GN_RETURN_IF_ERROR(engine->run());
    GN_RETURN_IF_ERROR(engine->wait());
  }
  for (std::size_t i = 0; i < engine->outputs().size(); ++i) {
    const EngineOutput& output = engine->outputs()[i];
    std::size_t count = base::dtype_bytes(output.dtype);
    for (const std::int64_t extent : output.shape) count *= static_cast<std::size_t>(extent);
    outputs.emplace_back(count);
    GN_RETURN_IF_ERROR(engine->copy_output(i, outputs.back().data()));
  }
  return outputs;
}

std::vector<verify::TensorView> views(const Engine& engine, const Outputs& outputs) {
  std::vector<verify::TensorView> all;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    all.push_back({engine.outputs()[i].dtype, engine.outputs()[i].shape, outputs[i].data()});
  }
  return all;
}

TEST_F(EagerOnCuda, GivesWhatTheProcessorGives) {
  for_each_sample("GRAPHNET_GPU_SAMPLES", [](const sample::Sample& sample) {
    auto arguments = sample::replay(sample.metas, sample.program.parameters, sample::kReplaySeed);
    ASSERT_TRUE(arguments.is_ok()) << arguments.status().to_string();
    const auto given = engine_arguments(*arguments);
    ASSERT_TRUE(Engine::finish_replay(sample.program, given, sample::kReplaySeed).is_ok());
    const std::string digest = sample::arguments_digest(*arguments);
    std::unique_ptr<Engine> on_cpu;
    std::unique_ptr<Engine> on_cuda;
    const auto found = run_twice(sample.program, given, {true, 0}, on_cuda);
    ASSERT_TRUE(found.is_ok()) << sample.name << ": " << found.status().to_string();
    EXPECT_EQ(sample::arguments_digest(*arguments), digest) << "the host's copy is not written to";
    const auto wanted = run_twice(sample.program, given, {}, on_cpu);
    ASSERT_TRUE(wanted.is_ok()) << sample.name << ": " << wanted.status().to_string();
    EXPECT_EQ(on_cuda->num_operator_calls(), on_cpu->num_operator_calls()) << sample.name;
    // The generators of the two are different ones.
    const auto& notes = on_cpu->notes();
    if (std::find(notes.begin(), notes.end(), kNoteRandom) != notes.end()) return;
    const auto compared = verify::compare_outputs(views(*on_cpu, *wanted), views(*on_cuda, *found));
    EXPECT_EQ(compared.outcome, record::Outcome::kOk) << sample.name << ": " << compared.message;
  });
}

}  // namespace
}  // namespace graphnet::eager
