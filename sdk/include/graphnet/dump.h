// SPDX-License-Identifier: MIT
//
// Header-only C++17 over abi.h for plugin authors: files for people who look at what a plugin
// compiles. Not part of the ABI.
#pragma once

#include <fstream>
#include <string>
#include <string_view>

#include "graphnet/plugin.h"

namespace graphnet {

/// Whether the host wants to see what is compiled; text that is only for that is not to be made
/// otherwise.
inline bool dumps(const gn_host_api* host) {
  return host->dump_folder.size > 0;
}

/// Writes a file to the host's dump folder. A failure is a warning: nothing else depends on it.
inline void dump(const gn_host_api* host, std::string_view name, std::string_view text) {
  const std::string path = std::string(from_gn(host->dump_folder)) + "/" + std::string(name);
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (file) return;
  host->log(host->host, GN_LOG_WARNING, to_gn("cannot write " + path));
}

}  // namespace graphnet
