// SPDX-License-Identifier: MIT
#include "tvm_plugin/element.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "lowering/builder.h"
#include "lowering/ir/graph_emitter.h"
#include "lowering/tensor.h"
#include "tvm_plugin/stage.h"
#include "unit/tvm/program_compiler_fixture.h"

namespace graphnet::tvm {
namespace element_test {

using lowering::Tensor;

TEST(MatchingRuns, KeepsEqualDimensionsApart) {
  const std::vector<ShapeRun> runs = matching_runs({2, 3, 4}, {2, 12});
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[1].in_begin, 1U);
  EXPECT_EQ(runs[1].in_end, 3U);
  EXPECT_EQ(runs[1].out_begin, 1U);
  EXPECT_EQ(runs[1].out_end, 2U);
}

// Runs cover both shapes, in order, and hold equally many elements.
TEST(MatchingRuns, CoversAnyTwoShapesOfOneSize) {
  std::mt19937 random(7);
  const auto factors = [&](std::int64_t count) {
    Shape shape;
    while (count > 1) {
      std::int64_t factor = 1 + static_cast<std::int64_t>(random() % 6);
      while (count % factor != 0) --factor;
      shape.push_back(factor);
      count /= factor;
    }
    return shape;
  };
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t count = 720;
    const Shape in = factors(count);
    const Shape out = factors(count);
    std::size_t next_in = 0;
    std::size_t next_out = 0;
    for (const ShapeRun& run : matching_runs(in, out)) {
      EXPECT_EQ(run.in_begin, next_in);
      EXPECT_EQ(run.out_begin, next_out);
      const Shape left(in.begin() + static_cast<std::ptrdiff_t>(run.in_begin),
                       in.begin() + static_cast<std::ptrdiff_t>(run.in_end));
      const Shape right(out.begin() + static_cast<std::ptrdiff_t>(run.out_begin),
                        out.begin() + static_cast<std::ptrdiff_t>(run.out_end));
      EXPECT_EQ(lowering::num_elements(left), lowering::num_elements(right));
      next_in = run.in_end;
      next_out = run.out_end;
    }
    EXPECT_EQ(next_in, in.size());
    EXPECT_EQ(next_out, out.size());
  }
}

class ElementWriterTest : public ProgramCompilerTest {
 protected:
  /// An element of a relative shift: rows of 9 are padded to 10 and read as rows of 5 without the
  /// first, then as rows of 9 again, of which `columns` are kept.
  Expr shifted(std::int64_t columns) {
    ir::GraphEmitter emitter(true);
    lowering::Builder b(emitter);
    const Tensor x = emitter.parameter(ir::ParameterSource::kInput, 0, {Type::kF32, {3, 5, 9}});
    const Tensor padded = b.pad(x, 0.5, {0, 0, 1}, {0, 0, 0});
    const Tensor rest = b.slice(b.reshape(padded, {3, 10, 5}), 1, 1, 10);
    graph_ = emitter.finish({b.slice(b.reshape(rest, {3, 5, 9}), 2, 0, columns)});
    plan_ = plan_kernels(graph_);
    const ir::ValueId root = graph_.outputs[0];
    ElementWriter writer(graph_, plan_, root);
    const Shape shape = {3, 5, columns};
    const Axes loops = loops_over(shape);
    for (std::size_t i = 0; i < shape.size(); ++i) writer.set_extent(loops.variables[i], shape[i]);
    return writer.body(root, loops.variables);
  }

  /// Whether an element is read, and nothing asked before.
  static bool is_load(const Expr& e) {
    return is(e, "ir.Call") && is(field(e, "args").cast<Array<Ref>>()[0], "te.Tensor");
  }

  ir::Graph graph_;
  KernelPlan plan_;
};

TEST_F(ElementWriterTest, LeavesOutWhatNoIndexReaches) {
  EXPECT_TRUE(is_load(shifted(5))) << "the padding is not read";
  EXPECT_FALSE(is_load(shifted(9))) << "rows end in what was padded";
}

}  // namespace element_test
}  // namespace graphnet::tvm
