// SPDX-License-Identifier: MIT
#include "xla/cuda_tools.h"

#include <gtest/gtest.h>

#include "support/temp_dir.h"

namespace graphnet::xla {
namespace cuda_tools_test {

constexpr const char* kLibdevice = "/nvvm/libdevice/libdevice.10.bc";
constexpr const char* kPjrt = "/site/jax_plugins/xla_cuda13/xla_cuda_plugin.so";

class CudaTools : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_.path().string() + name; }
  void make(const std::string& name) {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    folder_.write(name.substr(1), "");
  }
  std::string find() const {
    return find_cuda_root(path(kPjrt), {path("/none"), path("/toolkit"), path("/second")});
  }

 private:
  tests::TempDir folder_;
};

TEST_F(CudaTools, WheelsComeFirst) {
  make(kPjrt);
  EXPECT_EQ(find(), "");
  make(std::string("/toolkit") + kLibdevice);
  make("/toolkit/bin/ptxas");
  make("/second/bin/ptxas");
  EXPECT_EQ(find(), path("/toolkit"));
  make(std::string("/site/nvidia/cu13") + kLibdevice);
  EXPECT_EQ(find(), path("/toolkit")) << "nvidia-nvvm without nvidia-cuda-nvcc: no ptxas";
  make("/site/nvidia/cu13/bin/ptxas");
  EXPECT_EQ(find(), path("/site/nvidia/cu13"));
}

TEST_F(CudaTools, LibdeviceAloneIsBetterThanNothing) {
  make(kPjrt);
  make(std::string("/second") + kLibdevice);
  EXPECT_EQ(find(), path("/second"));
}

TEST_F(CudaTools, VariablesNameRoots) {
  ::setenv("CUDA_HOME", "/given", 1);
  ::setenv("CUDA_PATH", "", 1);
  const std::vector<std::string> roots = cuda_roots_of_machine();
  ::unsetenv("CUDA_HOME");
  ::unsetenv("CUDA_PATH");
  EXPECT_EQ(roots.front(), "/given");
  EXPECT_EQ(roots.at(1), "/usr/local/cuda");
}

}  // namespace cuda_tools_test
}  // namespace graphnet::xla
