// SPDX-License-Identifier: MIT
#include "config/config_text.h"

#include <gtest/gtest.h>

#include "config/option_schema.h"
#include "support/temp_dir.h"

namespace graphnet::config {
namespace config_text_test {

using std::chrono::milliseconds;

class ConfigTextTest : public ::testing::Test {
 protected:
  RunConfig read(const std::string& text) {
    const auto config = read_run_config(folder_.write("config.yaml", text), {}, {});
    EXPECT_TRUE(config.is_ok()) << config.status().to_string() << "\n" << text;
    return config.is_ok() ? *config : RunConfig();
  }
  tests::TempDir folder_;
};

TEST_F(ConfigTextTest, AConfigIsReadBackAsItWas) {
  RunConfig config;
  config.backend.name = "acme";
  config.threads = 3;
  config.compile_threads = 5;
  config.weights = "frozen";
  config.second_weights = "always";
  config.proof = "counts";
  config.math.fast_math = true;
  config.limits.memory = {MemoryLimit::Kind::kBytes, std::uint64_t{1536} << 20U};
  config.limits.flop = 5e11;
  config.timeouts["compile"] = milliseconds(1500);
  config.timeouts["run"] = std::nullopt;
  config.samples = {"/data/a: b # c"};
  config.plugin_search_paths = {"/opt/\"plugins\"", "/opt/two"};
  config.protocol.name = "./protocol.yaml";
  config.protocol.paired["half_width"] = 0.0125;
  config.protocol.paired["time_ns"] = std::int64_t{1'500'000'000};
  config.protocol.paired["cache"] = "both";
  config.protocol.paired["flush_bytes"] = std::int64_t{64} << 20U;
  config.protocol.paired["remeasure"] = false;
  folder_.write("protocol.yaml", protocol_text(config.protocol));
  const base::Json options = {{"level", 3}, {"mode", "a: b"}, {"fast", true}, {"scale", 0.5}};
  const RunConfig again = read(run_config_text(config, options, "./protocol.yaml"));
  EXPECT_EQ(again.backend.name, "acme");
  EXPECT_EQ(again.backend.version.text, "any");
  EXPECT_EQ(again.backend.sha256, "");
  EXPECT_EQ(again.threads, 3);
  EXPECT_EQ(again.compile_threads, 5);
  EXPECT_EQ(again.weights, "frozen");
  EXPECT_EQ(again.second_weights, "always");
  EXPECT_EQ(again.proof, "counts");
  EXPECT_EQ(again.math, config.math);
  EXPECT_EQ(again.limits.memory, config.limits.memory);
  EXPECT_EQ(again.limits.flop, 5e11);
  EXPECT_EQ(again.timeouts, config.timeouts);
  EXPECT_EQ(again.samples, config.samples);
  EXPECT_EQ(again.plugin_search_paths, config.plugin_search_paths);
  EXPECT_EQ(again.protocol.method, "paired");
  EXPECT_EQ(again.protocol.paired, config.protocol.paired);
  ASSERT_TRUE(again.backend.options);
  OptionSpec level{"level", OptionSpec::Type::kInteger, {}, 1, {}, {}, "", {}};
  OptionSpec mode{"mode", OptionSpec::Type::kText, {}, "", {}, {}, "", {}};
  OptionSpec fast{"fast", OptionSpec::Type::kBoolean, {}, false, {}, {}, "", {}};
  OptionSpec scale{"scale", OptionSpec::Type::kNumber, {}, 1.0, {}, {}, "", {}};
  const auto resolved = resolve_options({level, mode, fast, scale}, &*again.backend.options);
  ASSERT_TRUE(resolved.is_ok()) << resolved.status().to_string();
  EXPECT_EQ(*resolved, options);
}

TEST_F(ConfigTextTest, ALibraryAndMethodUpstreamToo) {
  RunConfig config;
  config.backend.library = "/x/libgn_x.so";
  config.backend.sha256 = std::string(64, 'a');
  config.protocol.method = "upstream";
  config.protocol.warmup = 0;
  config.protocol.trials = 7;
  folder_.write("protocol.yaml", protocol_text(config.protocol));
  const RunConfig again = read(run_config_text(config, base::Json::object(), "./protocol.yaml"));
  EXPECT_EQ(again.backend.library, config.backend.library);
  EXPECT_EQ(again.backend.sha256, config.backend.sha256);
  EXPECT_EQ(again.protocol.method, "upstream");
  EXPECT_EQ(again.protocol.warmup, 0);
  EXPECT_EQ(again.protocol.trials, 7);
  EXPECT_EQ(again.timeouts, RunConfig::default_timeouts());
  EXPECT_EQ(again.limits.memory, MemoryLimit());
}

}  // namespace config_text_test
}  // namespace graphnet::config
