// SPDX-License-Identifier: MIT
#include "proof/moments.h"

#include <gtest/gtest.h>

#include "unit/proof/generated_code.h"

namespace graphnet::proof {
namespace moments_test {

TEST(Moments, AreColumnsInTheOrderOfTime) {
  const base::Json json =
      moments_json({{1030, 7, "relu"}, {1010, 9, "mm"}, {1030, 9, "relu"}}, 1000);
  EXPECT_EQ(base::dump_json(json), R"({"names":["mm","relu"],"threads":[9,7],)"
                                   R"("time_ns":[10,30,30],"name":[0,1,1],"thread":[0,1,0]})");
}

TEST(Moments, AreTheFirstOfMany) {
  std::vector<Moment> many;
  for (int i = 1000; i > 0; --i) many.push_back({i, 1, "x"});
  const base::Json json = moments_json(many, 0);
  EXPECT_EQ(json["time_ns"].size(), 256U);
  EXPECT_EQ(json["time_ns"].back(), 256);
}

TEST(Moments, HaveShortNames) {
  const base::Json json =
      moments_json({{1, 1, std::string(80, 'a')}, {2, 1, std::string(81, 'a')}}, 0);
  EXPECT_EQ(json["names"][0], std::string(80, 'a'));
  EXPECT_EQ(json["names"][1], std::string(77, 'a') + "...");
}

TEST(Moments, OfSamplesAreModules) {
  const tests::GeneratedCode code(1);
  const std::vector<Sample> samples = {
      {code.window(0), 3, false, 50}, {code.window(0), 3, true, 60}, {1, 4, false, 70}};
  const std::vector<Moment> moments = moments_of(samples, {code.region(RegionKind::kExpect)});
  ASSERT_EQ(moments.size(), 3U);
  EXPECT_EQ(moments[0].what, "anonymous");
  EXPECT_EQ(moments[0].time_ns, 50);
  EXPECT_EQ(moments[0].thread, 3);
  EXPECT_EQ(moments[1].what, "waiting");
  EXPECT_EQ(moments[2].what, "unknown");
}

}  // namespace moments_test
}  // namespace graphnet::proof
