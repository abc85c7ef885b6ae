// SPDX-License-Identifier: MIT
#include "base/tolerance.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

namespace graphnet::base {
namespace tolerance_test {

// The table of upstream's labels: t, then atol and rtol of float16, bfloat16, float32, float64.
constexpr const char* kUpstreamTable = R"(
-10 1.00E-10 1.00E-06 1.00E-10 2.56E-04 1.00E-10 1.69E-12 1.00E-14 1.00E-14
-9  1.00E-09 3.98E-06 1.00E-09 5.85E-04 1.00E-09 2.54E-11 2.51E-13 2.51E-13
-8  1.00E-08 1.58E-05 1.00E-08 1.34E-03 1.00E-08 3.82E-10 6.31E-12 6.31E-12
-7  1.00E-07 6.31E-05 1.00E-07 3.06E-03 1.00E-07 5.75E-09 1.58E-10 1.58E-10
-6  1.00E-06 2.51E-04 1.00E-06 7.00E-03 1.00E-06 8.65E-08 3.98E-09 3.98E-09
-5  1.00E-05 1.00E-03 1.00E-05 1.60E-02 1.00E-05 1.30E-06 1.00E-07 1.00E-07
-4  1.00E-04 3.98E-03 1.00E-04 3.66E-02 1.00E-04 1.96E-05 2.51E-06 2.51E-06
-3  1.00E-03 1.58E-02 1.00E-03 8.36E-02 1.00E-03 2.94E-04 6.31E-05 6.31E-05
-2  1.00E-02 6.31E-02 1.00E-02 1.91E-01 1.00E-02 4.42E-03 1.58E-03 1.58E-03
-1  1.00E-01 2.51E-01 1.00E-01 4.37E-01 1.00E-01 6.65E-02 3.98E-02 3.98E-02
0   1.00E+00 1.00E+00 1.00E+00 1.00E+00 1.00E+00 1.00E+00 1.00E+00 1.00E+00
1   1.00E+01 3.98E+00 1.00E+01 2.29E+00 1.00E+01 1.50E+01 2.51E+01 2.51E+01
2   1.00E+02 1.58E+01 1.00E+02 5.23E+00 1.00E+02 2.26E+02 6.31E+02 6.31E+02
3   1.00E+03 6.31E+01 1.00E+03 1.20E+01 1.00E+03 3.40E+03 1.58E+04 1.58E+04
4   1.00E+04 2.51E+02 1.00E+04 2.73E+01 1.00E+04 5.11E+04 3.98E+05 3.98E+05
5   1.00E+05 1.00E+03 1.00E+05 6.25E+01 1.00E+05 7.69E+05 1.00E+07 1.00E+07
)";

TEST(ToleranceLevels, MatchUpstreamsTable) {
  const auto& levels = tolerance_levels();
  ASSERT_EQ(levels.size(), 64u);
  std::istringstream table(kUpstreamTable);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    int t = levels[i].t;
    if (i % 4 == 0) table >> t;
    std::string atol;
    std::string rtol;
    table >> atol >> rtol;
    EXPECT_EQ(levels[i].t, t);
    EXPECT_EQ(levels[i].label, "all_close_atol_" + atol + "_rtol_" + rtol);
    EXPECT_EQ(levels[i].atol, std::strtod(atol.c_str(), nullptr)) << "the rounded value is used";
    EXPECT_EQ(levels[i].rtol, std::strtod(rtol.c_str(), nullptr));
  }
}

TEST(ToleranceLevels, SchedulesAlternateInPrintOrder) {
  const auto& levels = tolerance_levels();
  for (std::size_t i = 0; i < levels.size(); i += 4) {
    EXPECT_EQ(levels[i].schedule, base::DType::kFloat16);
    EXPECT_EQ(levels[i + 1].schedule, base::DType::kBFloat16);
    EXPECT_EQ(levels[i + 2].schedule, base::DType::kFloat32);
    EXPECT_EQ(levels[i + 3].schedule, base::DType::kFloat64);
  }
}

}  // namespace tolerance_test
}  // namespace graphnet::base
