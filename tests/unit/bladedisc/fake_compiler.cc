// SPDX-License-Identifier: MIT
//
// A disc_compiler_main that compiles nothing: it has the command line of the real one, reads the
// module with tests/support's checker, and gives a library that only exports main. How it fails is
// the name of the folder that it is started from.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "support/mhlo_check.h"

namespace fs = std::filesystem;

namespace {

std::string bytes_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

void put(const fs::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

[[noreturn]] void hang(const fs::path& module) {
  // Something that it has started, whose fate the test looks at.
  const pid_t child = ::fork();
  if (child != 0) put(module.parent_path().parent_path() / "child", std::to_string(child));
  while (true) ::pause();
}

/// The library and metadata of each mode that ends well.
void compile(const std::string& mode, const fs::path& library, const std::string& facts) {
  const std::string whole = bytes_of(GN_FAKE_LIBRARY);
  if (mode == "no_library") return;
  if (mode == "empty_library") return put(library, "");
  if (mode == "text_library") return put(library, "not a library\n");
  if (mode == "cut_library") return put(library, whole.substr(0, whole.size() / 2));
  if (mode == "no_main") return put(library, bytes_of(GN_FAKE_LIBRARY_WITHOUT_MAIN));
  put(library, whole);
  if (mode != "no_metadata") put(library.string() + ".pbtxt", facts);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = fs::path(argv[0]).parent_path().filename();
  std::string facts = "fake: 1\n";
  for (int i = 3; i < argc; ++i) facts += std::string("flag: ") + argv[i] + "\n";
  for (const char* name :
       {"TAO_MLIR_ENABLE_AMP", "NVIDIA_TF32_OVERRIDE", "DISC_OF_THE_TEST", "GN_OF_THE_TEST"}) {
    const char* const value = std::getenv(name);
    facts += std::string(name) + ": " + (value == nullptr ? "unset" : value) + "\n";
  }
  if (argc < 3) return 2;
  const std::string module = bytes_of(argv[1]);
  std::fprintf(stderr, "[DISC] Load Input IR takes: 1.0e-3 s.\n");
  const std::string mistake = graphnet::test::mhlo_mistake(module);
  if (!mistake.empty() || mode == "parse_error") {
    std::fprintf(stderr, "%s:2:5: error: %s\nand so on\n", argv[1],
                 mode == "parse_error" ? "made up" : mistake.c_str());
    return 1;
  }
  if (mode == "hang") hang(argv[1]);
  if (mode == "dies") std::abort();
  if (mode == "silent") return 7;
  if (mode == "loud") {
    const std::string line(1023, 'x');
    for (int i = 0; i < 100 * 1024; ++i) std::fprintf(stderr, "%s\n", line.c_str());
    std::fprintf(stderr, "error: the last of 100 MiB\n");
    return 1;
  }
  compile(mode, argv[2], facts);
  return 0;
}
