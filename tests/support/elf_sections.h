// SPDX-License-Identifier: MIT
#pragma once

#include <elf.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace graphnet::tests {

/// An ELF file of nothing but sections: names with their bytes.
inline std::string elf_with_sections(
    const std::vector<std::pair<std::string, std::string>>& contents) {
  std::string names(1, '\0');
  const auto add_name = [&](const std::string& name) {
    const auto offset = static_cast<Elf64_Word>(names.size());
    names += name + '\0';
    return offset;
  };
  std::vector<Elf64_Shdr> sections(2);
  sections[1].sh_name = add_name(".shstrtab");
  sections[1].sh_type = SHT_STRTAB;
  for (const auto& [name, bytes] : contents) {
    Elf64_Shdr section = {};
    section.sh_name = add_name(name);
    section.sh_type = SHT_PROGBITS;
    section.sh_size = bytes.size();
    sections.push_back(section);
  }
  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = static_cast<Elf64_Half>(sections.size());
  header.e_shstrndx = 1;
  sections[1].sh_offset = sizeof(header);
  sections[1].sh_size = names.size();
  std::string image(sizeof(header), '\0');
  image += names;
  for (std::size_t i = 0; i < contents.size(); ++i) {
    sections[i + 2].sh_offset = image.size();
    image += contents[i].second;
  }
  header.e_shoff = image.size();
  std::memcpy(image.data(), &header, sizeof(header));
  image.append(reinterpret_cast<const char*>(sections.data()),
               sections.size() * sizeof(Elf64_Shdr));
  return image;
}

}  // namespace graphnet::tests
