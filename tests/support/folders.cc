// SPDX-License-Identifier: MIT
#include "support/folders.h"

namespace graphnet::tests {

std::string source_dir() {
  return GRAPHNET_SOURCE_DIR;
}

std::string build_dir() {
  return GRAPHNET_BINARY_DIR;
}

}  // namespace graphnet::tests
