// SPDX-License-Identifier: MIT
#include "xla/cuda_tools.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace graphnet::xla {

namespace fs = std::filesystem;

namespace {

bool has(const fs::path& root, const char* file) {
  std::error_code failure;
  return fs::exists(root / file, failure);
}

}  // namespace

std::vector<std::string> cuda_roots_of_machine() {
  std::vector<std::string> roots;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* const value = std::getenv(variable);
    if (value != nullptr && *value != '\0') roots.emplace_back(value);
  }
  roots.insert(roots.end(), {"/usr/local/cuda", "/usr/local/cuda-13.0", "/opt/cuda"});
  return roots;
}

std::string find_cuda_root(const std::string& pjrt_file, const std::vector<std::string>& others) {
  std::error_code failure;
  // <packages>/jax_plugins/xla_cuda13/xla_cuda_plugin.so
  const fs::path packages =
      fs::weakly_canonical(pjrt_file, failure).parent_path().parent_path().parent_path();
  std::vector<fs::path> roots = {packages / "nvidia/cu13", packages / "nvidia/cuda_nvcc"};
  roots.insert(roots.end(), others.begin(), others.end());
  std::string with_libdevice;
  for (const fs::path& root : roots) {
    if (!has(root, "nvvm/libdevice/libdevice.10.bc")) continue;
    if (has(root, "bin/ptxas")) return root.string();
    if (with_libdevice.empty()) with_libdevice = root.string();
  }
  return with_libdevice;
}

}  // namespace graphnet::xla
