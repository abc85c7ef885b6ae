// SPDX-License-Identifier: MIT
#include "config/given_torch.h"

#include <stdlib.h>

#include <string>

#include "base/file.h"
#include "config/installation.h"

namespace graphnet::config {

namespace fs = std::filesystem;
using base::Code;
using base::Result;
using base::Status;

namespace {

std::optional<fs::path> unpacked_torch_libraries() {
  std::error_code failure;
  const fs::path prefix = base::executable_folder().parent_path();
  // A program of a build folder has the libtorch that it was built with.
  if (!fs::is_directory(prefix / "share/graphnet/setup", failure)) return std::nullopt;
  const fs::path cache = xdg_folder("XDG_CACHE_HOME", ".cache");
  if (cache.empty()) return std::nullopt;
  const fs::path folder = cache / "graphnet" / GRAPHNET_TORCH_TREE / "torch" / "lib";
  if (!fs::exists(folder / "libtorch_cpu.so", failure)) return std::nullopt;
  return folder;
}

}  // namespace

Result<std::optional<fs::path>> given_torch_libraries() {
  const char* const given = ::secure_getenv("GRAPHNET_TORCH");
  if (given == nullptr || *given == '\0') return unpacked_torch_libraries();
  std::error_code failure;
  const fs::path folder = fs::absolute(given, failure) / "torch" / "lib";
  const fs::path library = folder / "libtorch_cpu.so";
  if (!fs::exists(library, failure)) {
    return Status(Code::kEnvironment, "GRAPHNET_TORCH names no libtorch")
        .add_context("there is no '" + library.string() + "'")
        .add_hint("set it to a folder that holds torch/ and nvidia/, or unset it");
  }
  return std::optional<fs::path>(folder);
}

}  // namespace graphnet::config
