// SPDX-License-Identifier: MIT
#include "artifact/temporary_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include "graphnet/failure.h"

namespace graphnet::artifact {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder(const std::string& name, const std::string& parent) {
  std::error_code error;
  const fs::path above = parent.empty() ? fs::temp_directory_path(error) : fs::path(parent);
  std::string pattern = (above / ("graphnet-" + name + "-XXXXXX")).string();
  if (error || ::mkdtemp(pattern.data()) == nullptr) {
    throw Failure(GN_STATUS_UNAVAILABLE,
                  "cannot make a temporary folder '" + pattern + "': " + std::strerror(errno) +
                      (parent.empty() ? "; TMPDIR names another folder" : ""));
  }
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string read_bytes(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

void write_bytes(const std::string& file, std::string_view bytes) {
  std::ofstream stream(file, std::ios::binary);
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  stream.close();
  if (!stream) throw Failure(GN_STATUS_UNAVAILABLE, "cannot write '" + file + "'");
}

}  // namespace graphnet::artifact
