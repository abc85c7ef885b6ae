// SPDX-License-Identifier: MIT
#include "proof/cubin.h"

#include <elf.h>

#include <cstring>

namespace graphnet::proof {

namespace {

constexpr std::string_view kCodeSection = ".text.";

/// Copies a structure out of the image; false if it does not lie in it.
template <typename T>
bool read_at(std::string_view image, std::uint64_t offset, T& value) {
  if (offset > image.size() || image.size() - offset < sizeof(T)) return false;
  std::memcpy(&value, image.data() + offset, sizeof(T));
  return true;
}

/// The text that ends with a zero byte; empty if it does not end in the image.
std::string_view text_at(std::string_view image, std::uint64_t offset) {
  if (offset >= image.size()) return {};
  const std::size_t end = image.find('\0', offset);
  return end == std::string_view::npos ? std::string_view() : image.substr(offset, end - offset);
}

bool read_section(std::string_view image, const Elf64_Ehdr& header, std::uint64_t index,
                  Elf64_Shdr& section) {
  return read_at(image, header.e_shoff + index * sizeof(Elf64_Shdr), section);
}

}  // namespace

std::vector<std::string> functions_of_cubin(std::string_view image) {
  Elf64_Ehdr header;
  if (!read_at(image, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_shentsize != sizeof(Elf64_Shdr) ||
      header.e_shoff > image.size()) {
    return {};
  }
  Elf64_Shdr names;
  if (!read_section(image, header, header.e_shstrndx, names) || names.sh_offset > image.size()) {
    return {};
  }
  std::vector<std::string> functions;
  for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    if (!read_section(image, header, i, section)) break;
    const std::string_view name = text_at(image, names.sh_offset + section.sh_name);
    if (name.substr(0, kCodeSection.size()) == kCodeSection) {
      functions.emplace_back(name.substr(kCodeSection.size()));
    }
  }
  return functions;
}

}  // namespace graphnet::proof
