// SPDX-License-Identifier: MIT
//
// Plugin tensorrt against a genuine library of NVIDIA: TensorRT-RTX, whose builder needs no device.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "graphnet/failure.h"
#include "lowering/ir/text.h"
#include "support/mentions.h"
#include "tensorrt/engine.h"
#include "tensorrt/legalize.h"
#include "tensorrt/write_network.h"

namespace graphnet::tensorrt {
namespace rtx_test {

using tests::mentions;

constexpr const char* kGraph =
    "%0: f32[1,3,8,8] = input index=0\n"
    "%1: f32[4,3,3,3] = weight index=0\n"
    "%2: f32[1,4,8,8] = convolution(%0, %1) stride=[1,1] low=[1,1] high=[1,1] input_dilation=[1,1] "
    "kernel_dilation=[1,1] groups=1 layout=[] kernel_layout=[]\n"
    "%3: f32[1,4,8,8] = tanh(%2)\n"
    "return %3\n";

class Rtx : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(GN_TENSORRT_RTX)) {
      GTEST_SKIP() << "no TensorRT-RTX in " GN_TENSORRT_RTX ": tests/run fetches it";
    }
    library_ = Library::open(GN_TENSORRT_RTX);
    builder_ = library_.make_builder();
  }

  /// errors   Failure of the builder
  Plan build(const BuildSettings& settings) {
    const lowering::ir::Built built = legalize(lowering::ir::parse(kGraph));
    LibraryNetwork network(library_, builder_.get());
    const WrittenNetwork written = write_network(built.graph, network);
    EXPECT_TRUE(written.failures.empty()) << lowering::describe_failures(written.failures);
    EXPECT_EQ(written.refittable.size(), 1U);
    return build_plan(library_, builder_.get(), network, settings);
  }
  std::string failure_of(const BuildSettings& settings) {
    try {
      build(settings);
    } catch (const Failure& failure) {
      EXPECT_EQ(failure.code(), GN_STATUS_COMPILE_FAILED);
      return failure.what();
    }
    ADD_FAILURE() << "nothing failed";
    return "";
  }

  Library library_;
  Object builder_;
};

TEST_F(Rtx, BuildsForEachDeviceThatItKnows) {
  for (const std::int32_t capability : {86, 89, 120}) {
    BuildSettings settings;
    settings.compute_capability = capability;
    EXPECT_EQ(build(settings).bytes.substr(0, 4), "vtrt") << capability;
  }
}

TEST_F(Rtx, SaysWhichDeviceItDoesNotKnow) {
  BuildSettings settings;
  settings.compute_capability = 90;
  EXPECT_TRUE(mentions(failure_of(settings), {"compute capability 90"}));
}

TEST_F(Rtx, NeedsADeviceIfNoneIsNamed) {
  EXPECT_TRUE(mentions(failure_of({}), {"builds no engine"}));
}

// It prepares weights that can be exchanged on the device, with the kernels that do that there.
TEST_F(Rtx, NeedsADeviceForARefittableEngine) {
  BuildSettings settings;
  settings.compute_capability = 86;
  settings.is_refittable = true;
  EXPECT_TRUE(mentions(failure_of(settings), {"builds no engine", "CUDA"}));
}

TEST_F(Rtx, StopsWhenItIsCancelled) {
  BuildSettings settings;
  settings.compute_capability = 86;
  int asked = 0;
  settings.cancelled = [&asked] { return ++asked > 1; };
  EXPECT_TRUE(mentions(failure_of(settings), {"cancel"}));
  EXPECT_GE(asked, 2);
}

// A layer whose operands do not fit is refused where it is made, in the library's own words.
TEST_F(Rtx, NamesTheLayerThatDoesNotFit) {
  LibraryNetwork network(library_, builder_.get());
  network.begin_node("aten::add model.py:3:5");
  const Tensor a = network.input("input0", Type::kF32, {2, 3});
  const Tensor b = network.input("input1", Type::kF16, {2, 3});
  try {
    network.elementwise(nv::Elementwise::kSum, a, b);
    FAIL() << "the sum of two types was taken";
  } catch (const lowering::LoweringError& error) {
    EXPECT_TRUE(mentions(error.what(), {"addElementWise", "input0", "input1", "Float", "Half"}));
  }
}

TEST_F(Rtx, LoadsNothingThatIsNoEngine) {
  const Object runtime = library_.make_runtime();
  const std::string garbage(4096, 'x');
  try {
    library_.make(GN_STATUS_COMPILE_FAILED, "loads no engine", Slot::kRuntimeDeserialize,
                  runtime.get(), static_cast<const void*>(garbage.data()), garbage.size());
    FAIL() << "garbage was loaded";
  } catch (const Failure& failure) {
    EXPECT_TRUE(mentions(failure.what(), {"loads no engine"}));
  }
}

}  // namespace rtx_test
}  // namespace graphnet::tensorrt
