// SPDX-License-Identifier: MIT
#include "tensorrt/executable.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "graphnet/failure.h"
#include "lowering/ir/text.h"
#include "support/mentions.h"
#include "tensorrt/legalize.h"
#include "unit/tensorrt/fake_runtime.h"

namespace graphnet::tensorrt {
namespace {

namespace ir = lowering::ir;
using tests::mentions;

// (input + weight) * (weight + weight): the second factor is what bind computes.
constexpr const char* kGraph =
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

class Executable : public testing::Test {
 protected:
  void SetUp() override {
    library_ = Library::open(GN_TENSORRT_RUNTIME);
    void* const handle = ::dlopen(GN_TENSORRT_RUNTIME, RTLD_NOW | RTLD_NOLOAD);
    control_ = reinterpret_cast<FakeRuntimeControl>(::dlsym(handle, "fake_runtime_control"))();
    *control_ = {};
  }
  std::unique_ptr<EngineExecutable> make(BoundWeights bound = BoundWeights::kRefitted,
                                         const BuildSettings& settings = {}) const {
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
  static void run(EngineExecutable& engine, Matrix& input, Matrix& output) {
    const DLTensor* inputs[] = {input.tensor()};
    DLTensor* outputs[] = {output.tensor()};
    gn_run_args args = {};
    args.inputs = inputs;
    args.num_inputs = 1;
    args.outputs = outputs;
    args.num_outputs = 1;
    args.rebind = 1;
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
    failure_of(GN_STATUS_INVALID_ARGUMENT, [&] { run(*engine, input, output); });
    bind(*engine, weight);
    run(*engine, input, output);
    EXPECT_EQ(output.elements(), (std::vector<float>{220, 880, 1980, 3520}));
    EXPECT_EQ(make(bound)->describe(), engine->describe());
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
  const std::string stored = store_engine({"plan", 1, {}, {}}, here);
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

}  // namespace
}  // namespace graphnet::tensorrt
