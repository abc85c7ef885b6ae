// SPDX-License-Identifier: MIT
#include "bladedisc/options.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "support/mentions.h"
#include "support/temp_dir.h"
#include "unit/bladedisc/fakes.h"

namespace graphnet::bladedisc {
namespace options_test {

using tests::mentions;

gn_option text_option(const char* name, const char* value) {
  gn_option option = {};
  option.name = to_gn(name);
  option.type = GN_OPTION_STRING;
  option.text = to_gn(value);
  return option;
}

/// Environment variables that say where programs are, put back at the end.
class ProgramsTest : public testing::Test {
 protected:
  void SetUp() override {
    path_ = std::getenv("PATH");
    ::setenv("PATH", "/usr/bin:/bin", 1);
    ::unsetenv("GRAPHNET_DISC_COMPILER");
    ::unsetenv("GRAPHNET_DISC_RUNNER");
  }
  void TearDown() override {
    ::setenv("PATH", path_.c_str(), 1);
    ::unsetenv("GRAPHNET_DISC_COMPILER");
    ::unsetenv("GRAPHNET_DISC_RUNNER");
  }
  std::string path_;
};

TEST_F(ProgramsTest, OptionComesBeforeVariableBeforePath) {
  const std::string works = kFakes + "/works";
  ::setenv("PATH", works.c_str(), 1);
  EXPECT_EQ(find_programs({}).compiler, works + "/disc_compiler_main");
  EXPECT_EQ(find_programs({}).runner, works + "/gn-disc-run");
  ::setenv("GRAPHNET_DISC_COMPILER", fake_compiler("dies").c_str(), 1);
  EXPECT_EQ(find_programs({}).compiler, fake_compiler("dies"));
  Options options;
  options.compiler = fake_compiler("hang");
  EXPECT_EQ(find_programs(options).compiler, fake_compiler("hang"));
}

TEST_F(ProgramsTest, SaysHowToSetItUp) {
  const Ended end = end_of([] { find_programs({}); });
  EXPECT_EQ(end.code, std::uint32_t{GN_STATUS_UNAVAILABLE});
  EXPECT_TRUE(mentions(end.message, {"bladedisc is not configured", "no disc_compiler_main",
                                     "plugins/bladedisc/README.md"}));
  Options options;
  options.compiler = fake_compiler("works");
  EXPECT_TRUE(mentions(end_of([&] { find_programs(options); }).message, {"no gn-disc-run"}));
  const tests::TempDir folder;
  options.runner = folder.write("text", "");
  EXPECT_TRUE(mentions(end_of([&] { find_programs(options); }).message,
                       {"option runner names '" + options.runner + "', which is no program"}));
  options.compiler = options.runner;
  EXPECT_TRUE(mentions(end_of([&] { find_programs(options); }).message,
                       {"option compiler names '", "', which is no program"}));
}

TEST_F(ProgramsTest, OfALauncherAreOnlyKnownByName) {
  Options options;
  options.launcher = {"docker", "exec", "-i", "disc"};
  EXPECT_TRUE(mentions(end_of([&] { find_programs(options); }).message,
                       {"with a launcher, option compiler"}));
  options.compiler = "/in/the/image/disc_compiler_main";
  options.runner = "/in/the/image/gn-disc-run";
  EXPECT_EQ(find_programs(options).compiler, options.compiler);
  EXPECT_EQ(command_of(options.launcher, {"A=1"}, options.runner),
            (std::vector<std::string>{"docker", "exec", "-i", "disc", "env", "A=1",
                                      "/in/the/image/gn-disc-run"}));
  EXPECT_EQ(command_of({}, {"A=1"}, "/here"), std::vector<std::string>{"/here"});
}

TEST(BladeDiscOptions, LauncherIsSplitAndNeedsASharedFolder) {
  const gn_option launcher = text_option("launcher", " docker exec  -i disc ");
  EXPECT_TRUE(mentions(end_of([&] { read_options(&launcher, 1); }).message, {"share_folder"}));
  const gn_option both[] = {launcher, text_option("share_folder", "/tmp/disc")};
  EXPECT_EQ(read_options(both, 2).launcher,
            (std::vector<std::string>{"docker", "exec", "-i", "disc"}));
  const gn_option unknown = text_option("kernel", "x");
  EXPECT_EQ(end_of([&] { read_options(&unknown, 1); }).code,
            std::uint32_t{GN_STATUS_INVALID_ARGUMENT});
}

TEST(BladeDiscOptions, PinnedVariablesFollowTheMathPolicyAndWinOverTheUsers) {
  ::setenv("NVIDIA_TF32_OVERRIDE", "1", 1);
  ::setenv("TAO_MLIR_ENABLE_AMP", "true", 1);
  const std::vector<std::string> variables = program_environment(pinned_variables({}));
  for (const char* wanted : {"NVIDIA_TF32_OVERRIDE=0", "TAO_MLIR_ENABLE_AMP=false"}) {
    EXPECT_EQ(std::count(variables.begin(), variables.end(), wanted), 1) << wanted;
  }
  EXPECT_EQ(std::count(variables.begin(), variables.end(), "TAO_MLIR_ENABLE_AMP=true"), 0);
  MathPolicy math;
  math.allows_tf32 = true;
  const std::vector<std::string> relaxed = pinned_variables(math);
  EXPECT_EQ(std::count(relaxed.begin(), relaxed.end(), "NVIDIA_TF32_OVERRIDE=1"), 1);
}

}  // namespace options_test
}  // namespace graphnet::bladedisc
