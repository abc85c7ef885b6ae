// SPDX-License-Identifier: MIT
#include "tensorrt/refit_check.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "support/mentions.h"
#include "unit/tensorrt/engine_fixture.h"

namespace graphnet::tensorrt {
namespace refit_check_test {

using lowering::Type;
using tests::mentions;

std::string bytes_of(const std::vector<float>& elements) {
  return {reinterpret_cast<const char*>(elements.data()), elements.size() * sizeof(float)};
}

double apart(const std::vector<float>& got, const std::vector<float>& wanted) {
  return relative_distance(Type::kF32, bytes_of(got), bytes_of(wanted));
}

TEST(RelativeDistance, IsThatOfTheRootMeanSquares) {
  EXPECT_EQ(apart({3, 4}, {3, 4}), 0);
  EXPECT_DOUBLE_EQ(apart({3, 9}, {3, 4}), 1);
  EXPECT_EQ(apart({0, 0}, {0, 0}), 0);
  EXPECT_EQ(apart({0, 1}, {0, 0}), std::numeric_limits<double>::infinity());
  const float none = std::numeric_limits<float>::quiet_NaN();
  const float endless = std::numeric_limits<float>::infinity();
  EXPECT_EQ(apart({none, endless, 1}, {none, endless, 1}), 0);
  EXPECT_EQ(apart({none, 1}, {1, 1}), endless);
  EXPECT_EQ(apart({-endless}, {endless}), endless);
}

class Refit : public EngineFixture {
 protected:
  void bind_and_run(EngineExecutable& engine, const std::vector<float>& content) {
    // In place: the tensor points there.
    std::copy(content.begin(), content.end(), weight_.elements().begin());
    bind(engine, weight_);
    run(engine, input_, output_);
  }
  std::string loss_of(EngineExecutable& engine, const std::vector<float>& content) {
    return failure_of(GN_STATUS_RUNTIME_FAILED, [&] { bind_and_run(engine, content); });
  }

  Matrix input_{{1, 2, 3, 4}};
  Matrix weight_{{0, 0, 0, 0}};
  Matrix output_{{0, 0, 0, 0}};
};

TEST_F(Refit, NamesTheWeightThatWasLost) {
  for (const char* name : {"weight0", "bound0"}) {
    control_->loses = name;
    EXPECT_TRUE(mentions(loss_of(*make(), {10, 20, 30, 40}),
                         {std::string("has not refitted ") + name + ":", "times the tolerance"}));
    const std::string stored = make()->store();
    EXPECT_TRUE(mentions(loss_of(*load(stored), {10, 20, 30, 40}), {name}));
  }
}

TEST_F(Refit, KnowsWhatABindBeforeGave) {
  const auto engine = make();
  bind_and_run(*engine, {10, 20, 30, 40});
  EXPECT_TRUE(mentions(engine->describe(), {"refit_check: agrees"}));
  control_->loses = "weight0";
  EXPECT_TRUE(mentions(loss_of(*engine, {5, 4, 3, 2}), {"has not refitted weight0:"}));
}

TEST_F(Refit, IsCheckedOnceForEachBind) {
  const auto engine = make();
  bind_and_run(*engine, {1, 2, 3, 4});
  const std::size_t once = control_->streams.size();
  EXPECT_EQ(once, 2U) << "the engine and the one that it is compared with";
  run(*engine, input_, output_);
  EXPECT_EQ(control_->streams.size(), once + 1);
  bind_and_run(*engine, {4, 3, 2, 1});
  EXPECT_EQ(control_->streams.size(), once + 3);
}

TEST_F(Refit, IsNotCheckedWhereNobodyWantsIt) {
  BuildSettings settings;
  settings.checks_refit = false;
  control_->loses = "weight0";
  const auto engine = make(BoundWeights::kRefitted, settings);
  bind_and_run(*engine, {10, 20, 30, 40});
  EXPECT_EQ(engine->describe().find("refit_check"), std::string::npos);
}

// Two engines may differ for other reasons, of which the host judges.
TEST_F(Refit, AccusesNoWeightOfWhatNoneExplains) {
  const auto engine = make();
  control_->adds = 1000;
  bind_and_run(*engine, {10, 20, 30, 40});
  EXPECT_TRUE(mentions(engine->describe(), {"refit_check: disagrees", "no weight explains"}));
}

TEST_F(Refit, WaitsForACallThatIsNotCaptured) {
  const auto engine = make();
  control_->loses = "bound0";
  control_->captures = true;
  bind_and_run(*engine, {10, 20, 30, 40});
  control_->captures = false;
  EXPECT_TRUE(mentions(failure_of(GN_STATUS_RUNTIME_FAILED, [&] { run(*engine, input_, output_); }),
                       {"bound0"}));
}

TEST_F(Refit, GoesOnWithoutAnEngineToCompareWith) {
  const auto engine = make();
  control_->fails_to_build = true;
  bind_and_run(*engine, {10, 20, 30, 40});
  EXPECT_TRUE(
      mentions(engine->describe(), {"refit_check: not done", "no implementation for node x"}));
}

}  // namespace refit_check_test
}  // namespace graphnet::tensorrt
