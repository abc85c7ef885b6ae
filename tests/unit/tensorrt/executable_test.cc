// SPDX-License-Identifier: MIT
#include "tensorrt/executable.h"

#include <string>
#include <vector>

#include "support/mentions.h"
#include "unit/tensorrt/engine_fixture.h"

namespace graphnet::tensorrt {
namespace executable_test {

using tests::mentions;

using Executable = EngineFixture;

TEST_F(Executable, ComputesWithTheWeightsOfTheLastBind) {
  for (const BoundWeights bound : {BoundWeights::kRefitted, BoundWeights::kInputs}) {
    const auto engine = make(bound);
    Matrix input({1, 2, 3, 4});
    Matrix weight({10, 20, 30, 40});
    Matrix output({0, 0, 0, 0});
    bind(*engine, weight);
    run(*engine, input, output);
    EXPECT_EQ(output.elements(), (std::vector<float>{220, 880, 1980, 3520}));
    weight.elements() = {1, 1, 1, 1};
    bind(*engine, weight);
    run(*engine, input, output);
    EXPECT_EQ(output.elements(), (std::vector<float>{4, 6, 8, 10}));
  }
}

// TensorRT synchronises more on the default stream.
TEST_F(Executable, CallsOnTheDefaultStreamGoToOneOfItsOwn) {
  Matrix input({1, 2, 3, 4});
  Matrix weight({1, 1, 1, 1});
  Matrix output({0, 0, 0, 0});
  {
    const auto engine = make(BoundWeights::kInputs);
    bind(*engine, weight);
    run(*engine, input, output);
    run(*engine, input, output);
    int captured = 0;
    run(*engine, input, output, &captured);
    ASSERT_EQ(control_->streams.size(), 3U);
    EXPECT_NE(control_->streams[0], nullptr);
    EXPECT_EQ(control_->streams[1], control_->streams[0]);
    EXPECT_EQ(control_->streams[2], &captured);
    EXPECT_EQ(control_->open_streams, 1);
  }
  EXPECT_EQ(control_->open_streams, 0);
}

TEST_F(Executable, AsksForWhatItNeeds) {
  BuildSettings settings;
  settings.allows_tf32 = false;
  make(BoundWeights::kRefitted, settings);
  EXPECT_EQ(control_->flags, (std::vector<std::string>{"set 22", "clear 6", "set 23"}));
  control_->flags.clear();
  settings.allows_tf32 = true;
  make(BoundWeights::kInputs, settings);
  EXPECT_EQ(control_->flags, (std::vector<std::string>{"clear 22", "set 6", "set 23"}));
}

TEST_F(Executable, DoesNotRunWithoutWeights) {
  const auto engine = make();
  Matrix input({1, 2, 3, 4});
  Matrix output({0, 0, 0, 0});
  failure_of(GN_STATUS_INVALID_ARGUMENT, [&] { run(*engine, input, output); });
}

TEST_F(Executable, SaysWhatTheLibrarySays) {
  control_->fails_to_build = true;
  EXPECT_TRUE(mentions(failure_of(GN_STATUS_COMPILE_FAILED, [&] { make(); }),
                       {"builds no engine", "no implementation for node x"}));
  *control_ = {};
  control_->fails_to_load = true;
  EXPECT_TRUE(mentions(failure_of(GN_STATUS_COMPILE_FAILED, [&] { make(); }),
                       {"loads no engine", "incompatible serialization version"}));
  *control_ = {};
  const auto engine = make();
  Matrix weight({1, 1, 1, 1});
  bind(*engine, weight);
  control_->fails_to_run = true;
  Matrix input({1, 2, 3, 4});
  Matrix output({0, 0, 0, 0});
  EXPECT_TRUE(mentions(failure_of(GN_STATUS_RUNTIME_FAILED, [&] { run(*engine, input, output); }),
                       {"does not run", "illegal memory access"}));
}

// A product's bias that the library has lost would keep its old content.
TEST_F(Executable, RefusesABindThatLeavesWeightsOut) {
  const auto engine = make();
  control_->forgets_a_weight = true;
  Matrix weight({1, 1, 1, 1});
  EXPECT_TRUE(mentions(failure_of(GN_STATUS_RUNTIME_FAILED, [&] { bind(*engine, weight); }),
                       {"1 more weights", "bias7"}));
  control_->forgets_names = true;
  EXPECT_TRUE(mentions(failure_of(GN_STATUS_RUNTIME_FAILED, [&] { bind(*engine, weight); }),
                       {"1 more weights", "without a name"}));
  Matrix input({1, 2, 3, 4});
  Matrix output({0, 0, 0, 0});
  failure_of(GN_STATUS_INVALID_ARGUMENT, [&] { run(*engine, input, output); });
}

// Builders say errors of kernels that do not fit, and take others.
TEST_F(Executable, TakesWhatIsBuiltInSpiteOfErrors) {
  control_->grumbles = true;
  EXPECT_NE(make(), nullptr);
}

TEST_F(Executable, TimesAnewWhatTheCacheOfAnotherDeviceKnows) {
  BuildSettings settings;
  settings.timing_cache = "of another device";
  control_->caches_refused = 1;
  EXPECT_NE(make(BoundWeights::kRefitted, settings), nullptr);
  EXPECT_EQ(control_->caches_refused, 0);
}

TEST_F(Executable, StopsBuildingWhenItIsCancelled) {
  BuildSettings settings;
  settings.cancelled = [this] { return control_->steps == 2; };
  const std::string message =
      failure_of(GN_STATUS_COMPILE_FAILED, [&] { make(BoundWeights::kRefitted, settings); });
  EXPECT_TRUE(mentions(message, {"canceled"}));
  EXPECT_EQ(control_->steps, 2);
}

TEST_F(Executable, ComputesTheSameOnceItIsLoaded) {
  for (const BoundWeights bound : {BoundWeights::kRefitted, BoundWeights::kInputs}) {
    const std::string stored = make(bound)->store();
    control_->fails_to_build = true;
    const auto engine = load(stored, bound);
    control_->fails_to_build = false;
    Matrix input({1, 2, 3, 4});
    Matrix weight({10, 20, 30, 40});
    Matrix output({0, 0, 0, 0});
    EXPECT_EQ(make(bound)->describe(), engine->describe());
    failure_of(GN_STATUS_INVALID_ARGUMENT, [&] { run(*engine, input, output); });
    bind(*engine, weight);
    run(*engine, input, output);
    EXPECT_EQ(output.elements(), (std::vector<float>{220, 880, 1980, 3520}));
  }
}

TEST_F(Executable, IsStoredOnceAndBeforeItIsBound) {
  const auto engine = make();
  EXPECT_FALSE(engine->store().empty());
  failure_of(GN_STATUS_UNSUPPORTED, [&] { engine->store(); });
  const auto bound = make();
  Matrix weight({1, 1, 1, 1});
  bind(*bound, weight);
  failure_of(GN_STATUS_UNSUPPORTED, [&] { bound->store(); });
}

TEST_F(Executable, RefusesWhatIsDamagedOrMadeForElse) {
  const std::string stored = make()->store();
  const auto refusal = [&](const std::string& bytes, BoundWeights bound = BoundWeights::kRefitted,
                           const BuildSettings& settings = {}) {
    return failure_of(GN_STATUS_INVALID_ARGUMENT, [&] { load(bytes, bound, settings); });
  };
  EXPECT_TRUE(mentions(refusal(""), {"none of this version"}));
  EXPECT_TRUE(mentions(refusal("a plan of trtexec"), {"none of this version"}));
  for (std::size_t size = stored.size() - 1; size > 40; size /= 2) {
    EXPECT_TRUE(mentions(refusal(stored.substr(0, size)), {"cut off or damaged"})) << size;
  }
  std::string damaged = stored;
  damaged.back() ^= 1;
  EXPECT_TRUE(mentions(refusal(damaged), {"cut off or damaged"}));
  BuildSettings settings;
  settings.level = 5;
  EXPECT_TRUE(mentions(refusal(stored, BoundWeights::kRefitted, settings), {"level=3", "level=5"}));
  EXPECT_TRUE(
      mentions(refusal(stored, BoundWeights::kInputs), {"=refitted", "bound_weights=inputs"}));
  control_->device = "Imaginary 10";
  EXPECT_TRUE(mentions(refusal(stored),
                       {"built for", "Imaginary 9, compute capability 8.9, 58", "Imaginary 10"}));
  control_->device = "Imaginary 9";
  control_->fails_to_load = true;
  EXPECT_TRUE(mentions(refusal(stored), {"loads no engine", "incompatible serialization version"}));
}

TEST_F(Executable, RefusesWhatAnotherLibraryBuilt) {
  const EngineOrigin here = {"TensorRT 11.1.0.0", "a device", "level=3"};
  const std::string stored = store_engine({"plan", 1, {}, {}, {}}, here);
  EXPECT_EQ(read_engine(stored, here).plan, "plan");
  EXPECT_TRUE(
      mentions(failure_of(GN_STATUS_INVALID_ARGUMENT,
                          [&] {
                            read_engine(stored, {"TensorRT 11.2.0.0", "a device", "level=3"});
                          }),
               {"built by", "TensorRT 11.1.0.0", "TensorRT 11.2.0.0"}));
}

TEST_F(Executable, SaysThatNoDeviceIsCurrent) {
  control_->has_context = false;
  EXPECT_TRUE(mentions(failure_of(GN_STATUS_RUNTIME_FAILED, [&] { make(); }),
                       {"which device is current", "error 201"}));
}

}  // namespace executable_test
}  // namespace graphnet::tensorrt
