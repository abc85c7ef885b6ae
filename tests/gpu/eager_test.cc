// SPDX-License-Identifier: MIT
// libtorch on a CUDA device against libtorch on the CPU. Skipped with the reason where there is no
// device or no CUDA part of libtorch.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utility>

#include "device/driver_state.h"
#include "eager/cuda_library.h"
#include "gpu/locations.h"
#include "graph/index_outputs.h"
#include "unit/eager/sample_arguments.h"
#include "verify/compare.h"

namespace graphnet::eager {
namespace eager_test {

using Outputs = std::vector<std::vector<std::byte>>;

class EagerOnCuda : public testing::Test {
 protected:
  /// Before anything else of libtorch.
  static void SetUpTestSuite() {
    loaded_ = load_cuda();
    // As a worker does by default: libtorch's own setting allows it in convolutions.
    if (loaded_.is_ok()) loaded_ = allow_tf32(false);
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

base::Result<Outputs> copies_of(const Engine& engine) {
  Outputs outputs;
  for (std::size_t i = 0; i < engine.outputs().size(); ++i) {
    const EngineOutput& output = engine.outputs()[i];
    std::size_t count = base::dtype_bytes(output.dtype);
    for (const std::int64_t extent : output.shape) count *= static_cast<std::size_t>(extent);
    outputs.emplace_back(count);
    GN_RETURN_IF_ERROR(engine.copy_output(i, outputs.back().data()));
  }
  return outputs;
}

/// The outputs of two runs on a device, dense; the second replays the tape.
base::Result<Outputs> run_twice(const graph::Program& program,
                                const std::vector<EngineArgument>& arguments,
                                base::DeviceName device, std::unique_ptr<Engine>& engine) {
  GN_ASSIGN_OR_RETURN(engine, Engine::create(program, arguments, device, sample::kUpstreamSeed));
  for (int run = 0; run < 2; ++run) {
    GN_RETURN_IF_ERROR(engine->prepare());
    GN_RETURN_IF_ERROR(engine->run());
    GN_RETURN_IF_ERROR(engine->wait());
  }
  return copies_of(*engine);
}

std::vector<verify::TensorView> views(const Engine& engine, const Outputs& outputs) {
  std::vector<verify::TensorView> all;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    all.push_back({engine.outputs()[i].dtype, engine.outputs()[i].shape, outputs[i].data()});
  }
  return all;
}

/// What indices among the outputs select from, with the memory that it lies in.
struct Selected {
  std::unique_ptr<Engine> engine;
  Outputs values;
  std::vector<verify::OutputContext> contexts;
};

verify::IndexKind kind_of(const graph::IndexOutput& index) {
  if (index.selection == graph::Selection::kSort) return verify::IndexKind::kOrdered;
  if (index.selection != graph::Selection::kTopK) return verify::IndexKind::kOne;
  return index.sorted ? verify::IndexKind::kOrdered : verify::IndexKind::kUnordered;
}

/// As worker/correctness.cc: two devices may choose different ones of equal values.
base::Result<Selected> select_on_cpu(const graph::Program& program,
                                     const std::vector<EngineArgument>& arguments,
                                     std::size_t num_outputs) {
  Selected selected;
  selected.contexts.resize(num_outputs);
  const graph::IndexOutputs found = graph::index_outputs(program);
  if (found.all.empty() || found.num_outputs != num_outputs) return selected;
  std::vector<graph::ExtraResult> extra;
  for (const graph::IndexOutput& index : found.all) extra.push_back(index.values);
  const graph::Program extended = graph::with_extra_results(program, extra);
  GN_ASSIGN_OR_RETURN(selected.engine,
                      Engine::create(extended, arguments, {}, sample::kUpstreamSeed));
  GN_RETURN_IF_ERROR(selected.engine->prepare());
  GN_RETURN_IF_ERROR(selected.engine->run());
  GN_ASSIGN_OR_RETURN(selected.values, copies_of(*selected.engine));
  const auto all = views(*selected.engine, selected.values);
  for (std::size_t i = 0; i < found.all.size(); ++i) {
    const graph::IndexOutput& index = found.all[i];
    verify::IndexSource source;
    source.values = all.at(num_outputs + i);
    source.kind = kind_of(index);
    if (index.dim) {
      const auto rank = static_cast<std::int64_t>(source.values.shape.size());
      source.dim = static_cast<std::size_t>(*index.dim < 0 ? *index.dim + rank : *index.dim);
    }
    selected.contexts[index.output].indices = std::move(source);
  }
  return selected;
}

TEST_F(EagerOnCuda, GivesWhatTheProcessorGives) {
  for_each_sample("GRAPHNET_GPU_SAMPLES", [](const sample::Sample& sample) {
    auto arguments =
        sample::generate_arguments(sample.metas, sample.program.parameters, sample::kUpstreamSeed);
    ASSERT_TRUE(arguments.is_ok()) << arguments.status().to_string();
    const auto given = engine_arguments(*arguments);
    ASSERT_TRUE(Engine::finish_arguments(sample.program, given, sample::kUpstreamSeed).is_ok());
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
    const auto selected = select_on_cpu(sample.program, given, wanted->size());
    ASSERT_TRUE(selected.is_ok()) << sample.name << ": " << selected.status().to_string();
    const auto compared = verify::compare_outputs(views(*on_cpu, *wanted), views(*on_cuda, *found),
                                                  selected->contexts);
    EXPECT_EQ(compared.outcome, record::Outcome::kOk) << sample.name << ": " << compared.message;
  });
}

}  // namespace eager_test
}  // namespace graphnet::eager
