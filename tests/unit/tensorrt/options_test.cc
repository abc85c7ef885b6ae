// SPDX-License-Identifier: MIT
#include "tensorrt/options.h"

#include <gtest/gtest.h>

#include "graphnet/failure.h"

namespace graphnet::tensorrt {
namespace options_test {

gn_option option(std::string_view name, std::uint32_t type, std::int64_t integer,
                 std::string_view text) {
  return {to_gn(name), type, 0, integer, 0, to_gn(text)};
}

TEST(Options, AreReadByName) {
  const gn_option given[] = {option("library", GN_OPTION_STRING, 0, "/opt/libnvinfer.so.11"),
                             option("level", GN_OPTION_INT, 5, ""),
                             option("workspace_mb", GN_OPTION_INT, 2, ""),
                             option("strict_nans", GN_OPTION_BOOL, 0, "")};
  const Options options = read_options(given, 4);
  EXPECT_EQ(options.library, "/opt/libnvinfer.so.11");
  EXPECT_EQ(options.level, 5);
  EXPECT_EQ(options.workspace_bytes, 2U << 20U);
  EXPECT_FALSE(options.strict_nans);
  EXPECT_EQ(options.max_aux_streams, 0);
}

TEST(Options, RefuseOthers) {
  const gn_option unknown = option("levels", GN_OPTION_INT, 5, "");
  const gn_option mistyped = option("level", GN_OPTION_STRING, 0, "5");
  EXPECT_THROW(read_options(&unknown, 1), Failure);
  EXPECT_THROW(read_options(&mistyped, 1), Failure);
}

}  // namespace options_test
}  // namespace graphnet::tensorrt
