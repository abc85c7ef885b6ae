// SPDX-License-Identifier: MIT
//
// build-runner in a folder that looks to it as a BladeDISC image does: modules torch and
// torch_blade with nothing in them but what it asks for, RAL's headers (ral/) as sources of
// BladeDISC, and a fake of RAL as its library.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "artifact/child_process.h"
#include "artifact/temporary_folder.h"
#include "bladedisc/runner.h"
#include "support/folders.h"
#include "support/mentions.h"
#include "support/temp_dir.h"

namespace graphnet::bladedisc {
namespace build_runner_test {

namespace fs = std::filesystem;
using tests::mentions;

const std::string kSource = tests::source_dir();
const std::string kHeaders = kSource + "/tests/unit/bladedisc/ral";

/// By the folder of RAL's headers below tao_compiler.
class BuildRunnerTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    image_.write("modules/torch/__init__.py", "class _C:\n    _GLIBCXX_USE_CXX11_ABI = True\n");
    image_.write("modules/torch_blade/__init__.py", "");
    image_.write("modules/torch_blade/version.py", "commit = '" + std::string(40, 'a') + "'\n");
    const fs::path headers = image_.path() / "sources/tao_compiler" / GetParam();
    fs::create_directories(headers.parent_path());
    fs::create_directory_symlink(kHeaders + "/mlir/ral", headers);
    fs::create_directory(image_.path() / "out");
  }

  bool succeeds(const std::vector<std::string>& argv) const {
    artifact::ChildProgram program;
    program.argv = argv;
    program.environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "CUDA_HOME=/no/cuda",
                           "PYTHONPATH=" + (image_.path() / "modules").string()};
    program.messages = image_.path() / "messages";
    return artifact::run_child(program).is_success();
  }
  std::string messages() const { return artifact::read_bytes(image_.path() / "messages"); }
  std::string path(const char* name) const { return (image_.path() / name).string(); }

  tests::TempDir image_;
};

TEST_P(BuildRunnerTest, BuildsARunnerThatAnswers) {
  if (!succeeds({"sh", "-c", "g++ --version && python3 --version"})) {
    GTEST_SKIP() << "no g++ or no python3";
  }
  ASSERT_TRUE(succeeds({"g++", "-std=c++14", "-shared", "-fPIC", "-I", kHeaders, "-o",
                        path("modules/torch_blade/libral_base_context.so"),
                        kSource + "/tests/unit/bladedisc/fake_ral.cc"}))
      << messages();
  ASSERT_TRUE(
      succeeds({"sh", kSource + "/plugins/bladedisc/build-runner", path("out"), path("sources")}))
      << messages();
  EXPECT_TRUE(mentions(messages(), {"gn-disc-run", "commit aaaa", "string ABI 1"}));
  EXPECT_EQ(fs::read_symlink(path("out/disc_compiler_main")),
            path("modules/torch_blade/disc_compiler_main"));
  const Runner runner({path("out/gn-disc-run")}, {"PATH=/usr/bin:/bin"}, path("messages"),
                      std::chrono::seconds(20));
  EXPECT_TRUE(mentions(runner.greeting(), {"engine: BladeDISC RAL", "string_abi: 1"}));
}

INSTANTIATE_TEST_SUITE_P(Folders, BuildRunnerTest, testing::Values("mlir/ral", "mlir/xla/ral"),
                         [](const auto& folder) {
                           return std::string(folder.index == 0 ? "newer" : "older");
                         });

}  // namespace build_runner_test
}  // namespace graphnet::bladedisc
