// SPDX-License-Identifier: MIT
#include "supervise/worker_program.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>

#include "config/library_search.h"
#include "support/temp_dir.h"

namespace graphnet::supervise {
namespace worker_program_test {

namespace fs = std::filesystem;

class WorkerEnvironment : public testing::Test {
 protected:
  void SetUp() override {
    ::unsetenv("GRAPHNET_TORCH");
    ::unsetenv("LD_LIBRARY_PATH");
    lib_ = folder_.path() / "torch" / "lib";
    fs::create_directories(lib_);
  }
  void TearDown() override { SetUp(); }

  tests::TempDir folder_;
  fs::path lib_;
};

TEST_F(WorkerEnvironment, IsTheUsersWithoutATorchOfTheirs) {
  for (const char* value : {"", static_cast<const char*>(nullptr)}) {
    if (value != nullptr) ::setenv("GRAPHNET_TORCH", value, 1);
    const auto variables = worker_environment();
    ASSERT_TRUE(variables.is_ok()) << variables.status().to_string();
    EXPECT_TRUE(variables->empty());
    ::unsetenv("GRAPHNET_TORCH");
  }
}

TEST_F(WorkerEnvironment, PutsTheGivenLibtorchFirst) {
  std::ofstream(lib_ / "libtorch_cpu.so") << "x";
  ::setenv("GRAPHNET_TORCH", folder_.path().c_str(), 1);
  const std::string wanted = "LD_LIBRARY_PATH=" + lib_.string();
  auto variables = worker_environment();
  ASSERT_TRUE(variables.is_ok()) << variables.status().to_string();
  EXPECT_EQ(*variables, std::vector<std::string>{wanted});
  ::setenv("LD_LIBRARY_PATH", "/a:/b", 1);
  variables = worker_environment();
  ASSERT_TRUE(variables.is_ok()) << variables.status().to_string();
  EXPECT_EQ(*variables, std::vector<std::string>{wanted + ":/a:/b"});
  // What is checked before a plugin is loaded must be what the loader will do.
  EXPECT_EQ(config::LoaderPaths::of_this_machine().environment,
            (std::vector<std::string>{lib_.string(), "/a", "/b"}));
}

TEST_F(WorkerEnvironment, TakesNoFolderWithoutLibtorch) {
  ::setenv("GRAPHNET_TORCH", folder_.path().c_str(), 1);
  const auto variables = worker_environment();
  ASSERT_FALSE(variables.is_ok());
  EXPECT_EQ(variables.status().code(), base::Code::kEnvironment);
  EXPECT_NE(variables.status().to_string().find(lib_.string() + "/libtorch_cpu.so"),
            std::string::npos);
}

TEST_F(WorkerEnvironment, SizesBothThreadPoolsAndCarriesTheMark) {
  WorkerProgram program;
  program.threads = 3;
  program.mark = "GRAPHNET_SLOT=7";
  const auto variables = worker_environment(program);
  ASSERT_TRUE(variables.is_ok()) << variables.status().to_string();
  EXPECT_EQ(*variables, (std::vector<std::string>{"OMP_NUM_THREADS=3", "MKL_NUM_THREADS=3",
                                                  "GRAPHNET_SLOT=7"}));
}

}  // namespace worker_program_test
}  // namespace graphnet::supervise
