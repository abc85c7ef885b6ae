// SPDX-License-Identifier: MIT
// The first bytes of a plugin's library.
#include "config/elf_header.h"

#include "fuzz/promise.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace graphnet;
  static const fuzz::Scratch scratch;
  const auto file = scratch.write("libgn_x.so", fuzz::as_text(data, size));
  const base::Status status = config::check_shared_library(file);
  if (status.is_ok()) {
    fuzz::expect(size >= 64 && data[0] == 0x7F, "a library has a whole header");
    return 0;
  }
  fuzz::expect(status.code() == base::Code::kPlugin, "a bad library is a plugin error");
  fuzz::expect_clear_failure(status, file.string(), "", /*needs_location=*/false);
  for (const char byte : status.message()) {
    fuzz::expect(byte >= 0x20 && byte < 0x7F, "the message is printable");
  }
  return 0;
}
