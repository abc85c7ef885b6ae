// SPDX-License-Identifier: MIT
#include "config/given_torch.h"

#include <stdlib.h>

#include <string>

namespace graphnet::config {

namespace fs = std::filesystem;
using base::Code;
using base::Result;
using base::Status;

Result<std::optional<fs::path>> given_torch_libraries() {
  const char* const given = ::secure_getenv("GRAPHNET_TORCH");
  if (given == nullptr || *given == '\0') return std::optional<fs::path>();
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
