// SPDX-License-Identifier: MIT
#include "report/grid.h"

#include <gtest/gtest.h>

namespace graphnet::report {
namespace grid_test {

const Grid kGrid = {{"name", "x"},
                    {{"a,\"b\"", 1.5}, {nullptr, 123456789}, {"new\nline", 0.1 + 0.2}}};

TEST(Grid, TextIsPaddedAndPrintable) {
  EXPECT_EQ(grid_text(kGrid, 0),
            "name      x\n"
            "a,\"b\"           1.5\n"
            "-         123456789\n"
            "new line        0.3\n");
  EXPECT_EQ(grid_text(kGrid, 6).substr(0, 9), "name …\n");
  EXPECT_EQ(grid_text({}, 0), "\n");
}

TEST(Grid, CsvQuotesWhatItMust) {
  EXPECT_EQ(grid_csv(kGrid),
            "name,x\n"
            "\"a,\"\"b\"\"\",1.5\n"
            ",123456789\n"
            "\"new\nline\",0.30000000000000004\n");
}

TEST(Grid, JsonHasSchemaColumnsAndRows) {
  EXPECT_EQ(base::dump_json(grid_json({{"a"}, {{nullptr}, {2}}})),
            "{\"schema\":\"graphnet.report/1\",\"columns\":[\"a\"],\"rows\":[[null],[2]]}");
}

}  // namespace grid_test
}  // namespace graphnet::report
