// SPDX-License-Identifier: MIT
// The dynamic segment of a plugin's library and of the libraries that it needs.
#include "config/elf_image.h"

#include "fuzz/promise.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace graphnet;
  const auto image = config::parse_elf_image(fuzz::as_text(data, size), config::ElfSymbols::kRead);
  if (!image.is_ok()) {
    fuzz::expect(image.status().code() == base::Code::kPlugin, "a bad library is a plugin error");
    fuzz::expect_clear_failure(image.status(), "", "", /*needs_location=*/false);
    return 0;
  }
  constexpr std::size_t kSymbolBytes = 24;
  fuzz::expect(image->exports.size() <= size / kSymbolBytes, "each export has its own entry");
  std::size_t text_bytes = 0;
  for (const auto& need : image->version_needs) {
    text_bytes += need.library.size() + need.version.size();
  }
  for (const auto* names : {&image->needed, &image->versions, &image->exports}) {
    for (const std::string& name : *names) {
      fuzz::expect(name.size() < size && name.find('\0') == std::string::npos,
                   "a name is a piece of the file without an end inside");
      text_bytes += name.size();
    }
  }
  fuzz::expect(text_bytes < 5 * (size + 1), "memory is linear in the size of the file");
  return 0;
}
