// SPDX-License-Identifier: MIT
#pragma once

#include <elf.h>

#include <cstring>
#include <string>
#include <vector>

namespace graphnet::tests {

/// A device's code with these functions, each in a section of its own as compilers write it, and
/// without instructions.
inline std::string cubin_with(const std::vector<std::string>& functions) {
  std::string names(1, '\0');
  const auto add_name = [&](const std::string& name) {
    const auto offset = static_cast<Elf64_Word>(names.size());
    names += name + '\0';
    return offset;
  };
  std::vector<Elf64_Shdr> sections(2);
  sections[1].sh_name = add_name(".shstrtab");
  sections[1].sh_type = SHT_STRTAB;
  for (const std::string& function : functions) {
    for (const char* kind : {".text.", ".nv.info."}) {
      Elf64_Shdr section = {};
      section.sh_name = add_name(kind + function);
      section.sh_type = SHT_PROGBITS;
      sections.push_back(section);
    }
  }
  sections[1].sh_offset = sizeof(Elf64_Ehdr);
  sections[1].sh_size = names.size();
  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = static_cast<Elf64_Half>(sections.size());
  header.e_shstrndx = 1;
  header.e_shoff = sizeof(header) + names.size();
  std::string image(reinterpret_cast<const char*>(&header), sizeof(header));
  image += names;
  image.append(reinterpret_cast<const char*>(sections.data()),
               sections.size() * sizeof(Elf64_Shdr));
  return image;
}

}  // namespace graphnet::tests
