// SPDX-License-Identifier: MIT
// `graphnet inspect --bisect` finds where a plugin goes wrong, whatever it does there.
#include <gtest/gtest.h>

#include "base/json.h"
#include "plugin_host/zoo.h"
#include "support/folders.h"

namespace graphnet::tests {
namespace bisect_test {

/// What a bisection of the smallest sample (linear, relu, linear) says of a plugin.
struct Bisected {
  explicit Bisected(const std::string& fault) {
    const TempDir folder;
    const auto config = folder.write(
        "zoo.yaml", "schema: graphnet/run/v1\nbackend: {library: " + zoo_library(fault).string() +
                        "}\nthreads: 1\n");
    const std::string root = source_dir();
    const ProgramEnd end =
        run_program({build_dir() + "/bin/graphnet", "inspect",
                     root + "/samples/transformers-auto-model/sadhaklal_mlp-iris", "--bisect",
                     "--config", config.string(), "--json", "--quiet"},
                    {}, folder.path() / "log");
    exit_code = end.state.exit_code.value_or(-1);
    auto parsed = base::parse_json(end.output, "bisect");
    EXPECT_TRUE(parsed.is_ok()) << end.output;
    if (parsed.is_ok()) json = std::move(parsed).value();
  }

  int exit_code = -1;
  base::Json json = base::Json::object();
};

TEST(Bisect, FindsTheFirstWrongNode) {
  const Bisected bisected("wrong_relu");
  EXPECT_EQ(bisected.exit_code, 1);
  const base::Json& bad = bisected.json["first_bad"];
  EXPECT_EQ(bad["nodes"], 2);
  EXPECT_EQ(bad["all_nodes"], 3);
  EXPECT_EQ(bad["outcome"], "accuracy_mismatch");
  EXPECT_EQ(bad["node"], "%7: f32[2,5] = aten::relu(self=%6)  # model.py:27:9");
  EXPECT_EQ(bisected.json["trials"].size(), 3U);
}

TEST(Bisect, CountsACrashAsWrong) {
  const Bisected bisected("crash_in_run");
  EXPECT_EQ(bisected.exit_code, 1);
  EXPECT_EQ(bisected.json["first_bad"]["nodes"], 1);
  EXPECT_EQ(bisected.json["first_bad"]["outcome"], "crashed");
  const std::string message = bisected.json["first_bad"]["message"];
  EXPECT_NE(message.find("SIGSEGV"), std::string::npos) << message;
}

TEST(Bisect, FindsNothingInAPluginThatIsRight) {
  const Bisected bisected("healthy");
  EXPECT_EQ(bisected.exit_code, 0);
  EXPECT_TRUE(bisected.json["first_bad"].is_null());
  EXPECT_EQ(bisected.json["trials"].size(), 1U);
}

}  // namespace bisect_test
}  // namespace graphnet::tests
