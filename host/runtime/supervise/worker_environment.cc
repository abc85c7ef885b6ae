// SPDX-License-Identifier: MIT
#include "supervise/worker_environment.h"

#include <stdlib.h>

#include "config/given_torch.h"

namespace graphnet::supervise {

base::Result<std::vector<std::string>> worker_environment() {
  GN_ASSIGN_OR_RETURN(const auto folder, config::given_torch_libraries());
  std::vector<std::string> variables;
  if (!folder) return variables;
  const char* const others = ::secure_getenv("LD_LIBRARY_PATH");
  const bool has_others = others != nullptr && *others != '\0';
  variables.push_back("LD_LIBRARY_PATH=" + folder->string() +
                      (has_others ? ":" + std::string(others) : ""));
  return variables;
}

void add_torch_hint(const std::string& output, base::Status& error) {
  if (output.find("error while loading shared libraries: lib") == std::string::npos) return;
  error.add_hint("set GRAPHNET_TORCH to a folder that holds torch/ and nvidia/");
}

}  // namespace graphnet::supervise
