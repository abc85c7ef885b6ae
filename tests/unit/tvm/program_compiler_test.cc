// SPDX-License-Identifier: MIT
//
// Programs through TVM itself: compiled, stored, loaded, found again.
#include "tvm_plugin/program_compiler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <optional>

#include "artifact/temporary_folder.h"
#include "graphnet/failure.h"
#include "lowering/builder.h"
#include "support/mentions.h"
#include "support/one_core.h"
#include "tvm_plugin/legalize.h"
#include "tvm_plugin/linked_code.h"
#include "tvm_plugin/schedule.h"
#include "tvm_plugin/tuning.h"
#include "tvm_plugin/tuning_database.h"
#include "unit/tvm/one_input.h"
#include "unit/tvm/program_compiler_fixture.h"

namespace graphnet::tvm {
namespace program_compiler_test {

using tests::mentions;

namespace fs = std::filesystem;

constexpr std::int64_t kRows = 20;
constexpr std::int64_t kColumns = 80;  // a weight of kColumns x kColumns is not folded

/// softmax(x w) and the indices that sort it: panels in bind, rules, vector math, a function of the
/// plugin's own.
ir::Graph sample() {
  ir::GraphEmitter emitter(true);
  lowering::Builder b(emitter);
  const lowering::Tensor x = one_input(emitter, {kRows, kColumns});
  std::vector<float> weight(kColumns * kColumns);
  for (std::size_t i = 0; i < weight.size(); ++i) weight[i] = static_cast<float>(i % 13) - 6;
  const lowering::Tensor w = emitter.constant(Type::kF32, {kColumns, kColumns}, weight.data());
  const lowering::Tensor y = b.softmax(b.matmul(x, w), 1);
  const auto [values, indices] = emitter.sort(y, 1, true);
  return legalize(emitter.finish({y, values, indices}), true).graph;
}

/// Softmax and product in turns, no two of one shape: kernels enough for several threads.
ir::Graph long_sample() {
  ir::GraphEmitter emitter(true);
  lowering::Builder b(emitter);
  lowering::Tensor y = one_input(emitter, {kRows, kColumns});
  for (std::int64_t columns = kColumns / 2; columns <= kColumns; columns += 8) {
    const std::vector<float> weight(static_cast<std::size_t>(kColumns * columns), 0.125F);
    const Shape shape = {kColumns, columns};
    y = b.softmax(b.matmul(y, emitter.constant(Type::kF32, shape, weight.data())), 1);
    const lowering::Tensor back = emitter.constant(Type::kF32, {columns, kColumns}, weight.data());
    y = b.matmul(y, back);
  }
  const auto [values, indices] = emitter.sort(y, 1, true);
  Forms forms;
  forms.has_attention = false;  // such pairs of products are attention
  return legalize(emitter.finish({y, values, indices}), true, forms).graph;
}

/// Tensors of one call, in memory of the test's, aligned as a host's are.
struct Call {
  Call() {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 7) / 8;
    add(x.data(), {kDLFloat, 32, 1});
    add(y.data(), {kDLFloat, 32, 1});
    add(sorted.data(), {kDLFloat, 32, 1});
    add(indices.data(), {kDLInt, 64, 1});
  }
  void add(void* data, DLDataType type) {
    DLTensor tensor = {};
    tensor.data = data;
    tensor.device = {kDLCPU, 0};
    tensor.ndim = 2;
    tensor.dtype = type;
    tensor.shape = shape;
    tensors.push_back(tensor);
  }
  void run(ProgramExecutable& executable) {
    bind_and_run(executable, {&tensors[0]}, {&tensors[1], &tensors[2], &tensors[3]});
  }
  float first_row_sum() const { return std::accumulate(y.begin(), y.begin() + kColumns, 0.0F); }

  std::int64_t shape[2] = {kRows, kColumns};
  alignas(kBufferAlignment) std::array<float, kRows * kColumns> x;
  alignas(kBufferAlignment) std::array<float, kRows * kColumns> y;
  alignas(kBufferAlignment) std::array<float, kRows * kColumns> sorted;
  alignas(kBufferAlignment) std::array<std::int64_t, kRows * kColumns> indices;
  std::vector<DLTensor> tensors;
};

TEST_F(ProgramCompilerTest, ProfilesKernels) {
  Options options;
  options.profile = true;
  const ProgramCompiler made(options, make_target("", 1), [](const std::string&) {});
  const CompiledProgram compiled = made.compile(sample());
  const auto profile = [](const CompiledProgram& program) {
    return describe_profile(program.executable->plan(), program.executable->call_times(),
                            program.notes);
  };
  Call call;
  call.run(*compiled.executable);
  EXPECT_EQ(profile(compiled), "") << "the first run is not measured";
  for (int i = 0; i < 3; ++i) call.run(*compiled.executable);
  for (const char* const wanted : {"profile: 3 kernels, ", "means of 3 runs", " in 1 calls, ",
                                   "GFLOP/s, product ", "[20,80]", "graphnet.sort"}) {
    EXPECT_NE(profile(compiled).find(wanted), std::string::npos) << wanted << profile(compiled);
  }
  const CompiledProgram silent = compiler().compile(sample());
  for (int i = 0; i < 2; ++i) call.run(*silent.executable);
  EXPECT_EQ(profile(silent), "");
}

TEST_F(ProgramCompilerTest, StoredProgramsDoTheSame) {
  const ProgramCompiler made = compiler();
  const CompiledProgram compiled = made.compile(sample());
  const auto loaded = made.load(made.store(*compiled.executable));
  Call before;
  Call after;
  before.run(*compiled.executable);
  after.run(*loaded);
  EXPECT_EQ(before.y, after.y);
  EXPECT_EQ(before.sorted, after.sorted);
  EXPECT_EQ(before.indices, after.indices);
  EXPECT_NEAR(before.first_row_sum(), 1, 1e-5);
  EXPECT_EQ(loaded->plan().bind.size(), compiled.executable->plan().bind.size());
  EXPECT_FALSE(loaded->plan().bind.empty());
  EXPECT_NE(failure_of([&] { made.store(*loaded); }).find("was loaded"), std::string::npos);
}

// Lanes of 16, 8 and 4 with and without a rest, none, and columns that no vector divides.
TEST_F(ProgramCompilerTest, RowsOfAnyWidthAreRight) {
  const ProgramCompiler made = compiler();
  for (const std::int64_t columns : {3, 5, 8, 13, 16, 24, 31, 50, 226, 257}) {
    ir::GraphEmitter emitter(true);
    lowering::Builder b(emitter);
    emitter.begin_node("aten::softmax.int", "");
    const lowering::Tensor y = b.softmax(one_input(emitter, {kRows, columns}), 1);
    const CompiledProgram compiled = made.compile(legalize(emitter.finish({y}), true).graph);
    OneCall call(kRows * columns);
    call.run(*compiled.executable, {kRows, columns}, {kRows, columns});
    for (std::int64_t row = 0; row < kRows; ++row) {
      const float* const x = call.x + row * columns;
      const float* const shares = call.y + row * columns;
      double sum = 0;
      for (std::int64_t i = 0; i < columns; ++i) sum += std::exp(static_cast<double>(x[i]));
      for (std::int64_t i = 0; i < columns; ++i) {
        ASSERT_NEAR(shares[i], std::exp(static_cast<double>(x[i])) / sum, 1e-6)
            << columns << " columns, row " << row << ", column " << i;
      }
    }
  }
  EXPECT_EQ(warnings_, "") << "a rule was refused";
}

// Sums whose reciprocal is no number: exponentials of x less a number that is not the largest, and
// of those alone that a mask leaves.
TEST_F(ProgramCompilerTest, SharesOfSmallSumsAreRight) {
  constexpr std::int64_t kWide = 16;
  for (const bool is_masked : {false, true}) {
    ir::GraphEmitter emitter(true);
    lowering::Builder b(emitter);
    const lowering::Tensor x = one_input(emitter, {kRows, kWide});
    const lowering::Tensor scaled = b.multiply(x, 0.0);
    const lowering::Tensor first =
        b.compare(lowering::Comparison::kLt, emitter.iota(Type::kF32, {kRows, kWide}, 1), 1.0);
    const lowering::Tensor zeros = b.full(Type::kF32, {kRows, kWide}, 0);
    // Column 0 is 95 above the others.
    const lowering::Tensor scores =
        b.select(first, b.add(scaled, b.full(Type::kF32, {kRows, kWide}, 95)), scaled);
    const lowering::Tensor relative =
        is_masked ? b.subtract(scores, b.reduce(lowering::Reduction::kMaxNumber, scores, {1}, true))
                  : b.subtract(scaled, b.full(Type::kF32, {kRows, kWide}, 95));
    const lowering::Tensor all = b.unary(lowering::Unary::kExp, relative);
    const lowering::Tensor weights = is_masked ? b.select(first, zeros, all) : all;
    const lowering::Tensor y =
        b.divide(weights, b.reduce(lowering::Reduction::kSum, weights, {1}, true));
    const CompiledProgram made = compiler().compile(legalize(emitter.finish({y}), true).graph);
    OneCall call(kRows * kWide);
    call.run(*made.executable, {kRows, kWide}, {kRows, kWide});
    EXPECT_NEAR(call.y[kWide - 1], is_masked ? 1.0 / (kWide - 1) : 1.0 / kWide, 1e-3) << is_masked;
  }
}

// An image of three channels, lanes of 8 and 4 and none of a depthwise convolution, columns that no
// vector divides behind a convolution, and copies that pad and transpose.
TEST_F(ProgramCompilerTest, ConvolutionsOfAnyChannelsAreRight) {
  // In, out, groups, taps and steps along each dimension.
  const Shape cases[] = {{3, 18, 1, 3, 1}, {24, 24, 24, 3, 1}, {20, 20, 20, 3, 1},
                         {7, 7, 7, 3, 1},  {32, 32, 32, 3, 1}, {16, 16, 8, 3, 1},
                         {7, 20, 1, 3, 2}, {24, 18, 1, 1, 2}};
  for (const Shape& each : cases) {
    const Shape image = {1, each[0], 9, 11};
    const Shape kernel = {each[1], each[0] / each[2], each[3], each[3]};
    const Shape pad(2, each[3] / 2);
    const Shape steps(2, each[4]);
    std::vector<float> weights(static_cast<std::size_t>(lowering::num_elements(kernel)));
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<float>(i % 13) - 6;
    ir::GraphEmitter emitter(true);
    lowering::Builder b(emitter);
    const lowering::ConvolutionAttributes a = {steps, pad, pad, {1, 1}, {1, 1}, each[2]};
    const lowering::Tensor y =
        b.clamp(emitter.convolution(one_input(emitter, image),
                                    emitter.constant(Type::kF32, kernel, weights.data()), a),
                0, 100);
    expect_as_interpreted(emitter.finish({y}), image, y.shape,
                          std::to_string(each[0]) + " channels");
  }
  EXPECT_EQ(warnings_, "") << "a rule was refused";
}

// Panels that are full, one that is not, and more of them than are taken together; rows for several
// tiles, which threads share.
TEST_F(ProgramCompilerTest, ProductsOfAnyColumnsAreRight) {
  constexpr std::int64_t kMany = 101;
  constexpr std::int64_t kDepth = 24;
  for (const std::int64_t columns : {5, 24, 32, 37, 72, 130}) {
    const Shape in = {kMany, kDepth};
    std::vector<float> weights(static_cast<std::size_t>(kDepth * columns));
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<float>(i % 11) - 5;
    ir::GraphEmitter emitter(true);
    lowering::Builder b(emitter);
    const lowering::Tensor w = emitter.constant(Type::kF32, {kDepth, columns}, weights.data());
    const lowering::Tensor y = b.clamp(b.matmul(one_input(emitter, in), w), -20, 100);
    expect_as_interpreted(emitter.finish({y}), in, y.shape, std::to_string(columns) + " columns");
  }
  EXPECT_EQ(warnings_, "") << "a rule was refused";
}

// With one core there is one part, with more there are more; what they compute is the same.
TEST_F(ProgramCompilerTest, ThreadsShareTheKernelsOut) {
  const ProgramCompiler made = compiler();
  const CompiledProgram many = made.compile(long_sample());
  std::optional<tests::OneCore> one_core(std::in_place);
  const CompiledProgram alone = made.compile(long_sample());
  const bool had_more = one_core->usable_before() > 1;
  one_core.reset();
  EXPECT_EQ(alone.executable->code().libraries.size(), 1U);
  EXPECT_EQ(many.executable->code().libraries.size() > 1, had_more);
  const auto loaded = made.load(made.store(*many.executable));
  Call one;
  Call parts;
  Call stored;
  one.run(*alone.executable);
  parts.run(*many.executable);
  stored.run(*loaded);
  EXPECT_EQ(one.y, parts.y);
  EXPECT_EQ(one.y, stored.y);
  EXPECT_NE(one.first_row_sum(), 0);
}

/// Whether LLVM's text of the code has a word. `file` is written.
bool code_has(const std::string& word, const std::vector<Ref>& libraries, const std::string& file) {
  return std::any_of(libraries.begin(), libraries.end(), [&](const Ref& library) {
    call("ffi.ModuleWriteToFile", library, String(file), String("ll"));
    return artifact::read_bytes(file).find(word) != std::string::npos;
  });
}

// A loop that is shared out is a function of its own. Elements, rows and a product, of which no
// vector divides a row; all have work that is worth it.
TEST_F(ProgramCompilerTest, LoopsAreSharedOutWhereCallsMayUseThreads) {
  constexpr std::int64_t kWide = 1021;
  const std::vector<float> weight(kWide * kColumns, 0.125F);
  for (int kind = 0; kind < 3; ++kind) {
    ir::GraphEmitter emitter(true);
    lowering::Builder b(emitter);
    const lowering::Tensor x = one_input(emitter, {kRows, kWide});
    const lowering::Tensor y =
        kind == 0   ? b.clamp(emitter.transpose(x, {1, 0}), 0, 5)
        : kind == 1 ? b.softmax(x, 1)
                    : b.matmul(x, emitter.constant(Type::kF32, {kWide, kColumns}, weight.data()));
    const Shape shape = y.shape;
    const ir::Graph graph = legalize(emitter.finish({y}), true).graph;
    OneCall alone(kRows * kWide);
    OneCall shared(kRows * kWide);
    for (const int threads : {1, 2}) {
      const CompiledProgram made = compiler(Schedule::kRules, threads).compile(graph);
      EXPECT_EQ(code_has("parallel_lambda", made.executable->code().libraries,
                         folder_.path() / "code.ll"),
                threads > 1)
          << kind;
      (threads == 1 ? alone : shared).run(*made.executable, {kRows, kWide}, shape);
    }
    const std::int64_t count = lowering::num_elements(shape);
    EXPECT_TRUE(std::equal(alone.y, alone.y + count, shared.y)) << kind;
    EXPECT_NE(std::count(alone.y, alone.y + count, 0.0F), count) << kind;
  }
  EXPECT_EQ(warnings_, "") << "a rule was refused";
}

TEST_F(ProgramCompilerTest, ProgramsForOtherThreadsAreRefused) {
  const std::string bytes = compiler().store(*compiler().compile(sample()).executable);
  const ProgramCompiler other = compiler(Schedule::kRules, 2);
  EXPECT_TRUE(mentions(failure_of([&] { other.load(bytes); }), {"threads=1", "threads=2"}));
}

TEST_F(ProgramCompilerTest, ProgramsOfOtherOptionsAreRefused) {
  const ProgramCompiler made = compiler();
  const std::string bytes = made.store(*made.compile(sample()).executable);
  const ProgramCompiler other = compiler(Schedule::kNone);
  EXPECT_NE(failure_of([&] { other.load(bytes); }).find("schedule=rules"), std::string::npos);
}

TEST_F(ProgramCompilerTest, CodeThatTheSystemDoesNotLoadIsAnErrorThatSaysSo) {
  EXPECT_TRUE(mentions(failure_of([] { load_code("no library"); }), {"stored program", "loaded"}));
}

TEST_F(ProgramCompilerTest, WithoutLinkerNothingIsSerialisable) {
  const ProgramCompiler made = compiler();
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", temporary().c_str(), 1);
  const CompiledProgram compiled = made.compile(sample());
  const std::string reason = failure_of([&] { made.store(*compiled.executable); });
  ::setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(reason.rfind("not serialisable: the linker 'ld' (Debian: binutils)", 0), 0U) << reason;
  Call call;
  call.run(*compiled.executable);
  EXPECT_NEAR(call.first_row_sum(), 1, 1e-5);
}

/// A product of float32 [rows, 256] by a weight [256, columns], computed in `type`.
ir::Graph product(std::int64_t rows, std::int64_t columns, Type type) {
  constexpr std::int64_t kDepth = 256;
  ir::GraphEmitter emitter(true);
  lowering::Builder b(emitter);
  const std::vector<float> weight(static_cast<std::size_t>(kDepth * columns), 1.0F);
  const lowering::Tensor w = emitter.constant(Type::kF32, {kDepth, columns}, weight.data());
  const lowering::Tensor x = one_input(emitter, {rows, kDepth});
  const lowering::Tensor y = b.matmul(b.convert(x, type), b.convert(w, type));
  return legalize(emitter.finish({b.convert(y, Type::kF32)}), true).graph;
}

/// By a weight of 256 KiB in float32.
ir::Graph large_product(Type type) {
  return product(kRows, 256, type);
}

// Whatever the right side's elements are stored as: where it is not recognised only time is lost.
TEST_F(ProgramCompilerTest, ProductsPrefetchTheirRightSide) {
  const std::string file = folder_.path() / "code.ll";
  for (const Type type : {Type::kF32, Type::kF16, Type::kBF16}) {
    const ir::Graph graph = large_product(type);
    for (const Schedule schedule : {Schedule::kRules, Schedule::kNone}) {
      const CompiledProgram made = compiler(schedule).compile(graph);
      EXPECT_EQ(code_has("call void @llvm.prefetch", made.executable->code().libraries, file),
                schedule == Schedule::kRules)
          << static_cast<int>(type);
    }
  }
}

// In the workspace they were written after each step of the depth once a loop was shared out. Tiles
// of one panel, and rows of four panels whose last is not full.
TEST_F(ProgramCompilerTest, TilesOfSumsAreOnTheStack) {
  for (const std::int64_t columns : {256, 120}) {
    for (const Type type : {Type::kF32, Type::kF64}) {
      const ir::Graph graph = product(249, columns, type);
      for (const int threads : {1, 2}) {
        const KernelModule kernels =
            make_kernel_module(graph, plan_kernels(graph, kAvx512, threads), Schedule::kRules);
        const CompiledCode code = compile_module(kernels.module, make_target("x86-64-v4", threads));
        EXPECT_FALSE(code_has("AllocWorkspace", code.libraries, folder_.path() / "code.ll"))
            << columns << " columns, type " << static_cast<int>(type) << ", " << threads
            << " threads";
      }
    }
  }
}

TEST_F(ProgramCompilerTest, ModulesOfTracesPrefetchToo) {
  const auto has_prefetching = [&](const Ref& module) {
    const Ref library = build_kernels(module, make_target("", 1));
    return code_has("llvm.prefetch", {library}, folder_.path() / "code.ll");
  };
  int found = 0;
  const ir::Graph graph = large_product(Type::kF32);
  make_kernel_module(graph, plan_kernels(graph), Schedule::kTuned, [&](const auto& arranged) {
    for (const ArrangedKernel& kernel : arranged) {
      const Ref anew =
          make("s_tir.schedule.TracedSchedule", module_of(kernel.function), -1, 0, 1, true);
      call("s_tir.schedule.TraceApplyToSchedule",
           make("s_tir.schedule.ScheduleGetTrace", kernel.schedule), anew, false, nullptr);
      if (!has_prefetching(module_with(kernel.schedule))) continue;
      ++found;
      EXPECT_FALSE(has_prefetching(module_with(anew)));
      EXPECT_TRUE(has_prefetching(with_prefetching(module_with(anew))));
    }
    return std::vector<Ref>(arranged.size());
  });
  EXPECT_EQ(found, 1);
}

TEST_F(ProgramCompilerTest, TuningMeasuresAndKeepsWhatItMeasured) {
  const Target target = make_target("", 1);
  const auto warn = [this](const std::string& text) { warnings_ += text + "\n"; };
  const TuningSettings settings = {600, 2, folder_.path() / "database", target, warn};
  const ir::Graph graph = sample();
  const KernelPlan kernels = plan_kernels(graph);
  std::vector<TuningReport> reports;
  KernelModule module;
  for (int i = 0; i < 2; ++i) {
    module = make_kernel_module(graph, kernels, Schedule::kTuned, [&](const auto& arranged) {
      std::vector<TuningTask> tasks;
      for (const ArrangedKernel& kernel : arranged) {
        tasks.push_back({kernel.name, module_of(kernel.function), kernel.schedule, kernel.buffers,
                         kernel.calls});
      }
      reports.push_back(tune(tasks, settings));
      return reports.back().functions;
    });
  }
  EXPECT_EQ(warnings_, "");
  EXPECT_GT(reports[0].trials, 0);
  EXPECT_GT(reports[0].known, reports[0].trials - reports[0].failures)
      << "the rules' are known too";
  EXPECT_EQ(reports[1].trials, 0) << "all is in the database";
  EXPECT_EQ(reports[1].known, reports[0].known);
  ProgramExecutable tuned(make_call_plan(graph, kernels, module),
                          compile_module(module.module, target));
  Call by_rule;
  Call by_measure;
  by_rule.run(*compiler().compile(graph).executable);
  by_measure.run(tuned);
  for (std::size_t i = 0; i < by_rule.y.size(); ++i) {
    EXPECT_NEAR(by_rule.y[i], by_measure.y[i], 1e-6);
  }
}

TEST_F(ProgramCompilerTest, ADatabaseThatCannotBeReadIsPutAside) {
  const std::string database = folder_.path() / "database";
  const Target target = make_target("", 1);
  const auto warn = [this](const std::string& text) { warnings_ += text + "\n"; };
  { const TuningDatabase made(database, target, warn); }
  EXPECT_EQ(warnings_, "");
  fs::path own;
  for (const auto& entry : fs::directory_iterator(database)) own = entry.path();
  std::ofstream(own / "workloads.json") << "[\"half a li";
  { const TuningDatabase opened(database, target, warn); }
  EXPECT_NE(warnings_.find("is put aside"), std::string::npos) << warnings_;
  EXPECT_TRUE(fs::exists(own / "workloads.json.damaged"));
  warnings_.clear();
  { const TuningDatabase again(database, target, warn); }
  EXPECT_EQ(warnings_, "");
  const std::string file = folder_.write("file", "");
  EXPECT_NE(failure_of([&] { TuningDatabase(file, target, warn); }).find("tune_database"),
            std::string::npos);
}

}  // namespace program_compiler_test
}  // namespace graphnet::tvm
