// SPDX-License-Identifier: MIT
// Runs a fuzz target over kept inputs without libFuzzer: replay_corpus FILE|FOLDER...
#include <algorithm>
#include <cstdio>
#include <vector>

#include "base/file.h"
#include "fuzz/promise.h"

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxInputBytes = std::uint64_t{64} << 20U;

std::vector<fs::path> files_of(const fs::path& path) {
  if (!fs::is_directory(path)) return {path};
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(path)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

void replay(const fs::path& file) {
  // Before the call, so that a crash names its input.
  std::printf("%s\n", file.c_str());
  std::fflush(stdout);
  const auto input = graphnet::base::read_file(file, kMaxInputBytes);
  graphnet::fuzz::expect(input.is_ok(), "the corpus can be read");
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input->data()), input->size());
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t num_files = 0;
  for (int i = 1; i < argc; ++i) {
    for (const fs::path& file : files_of(argv[i])) {
      replay(file);
      ++num_files;
    }
  }
  LLVMFuzzerTestOneInput(nullptr, 0);
  graphnet::fuzz::expect(num_files > 0, "the corpus holds files");
  std::printf("%zu inputs\n", num_files);
  return 0;
}
