// SPDX-License-Identifier: MIT
#include "proof/cubin.h"

#include "base/elf_file.h"

namespace graphnet::proof {

std::vector<std::string> functions_of_cubin(std::string_view image) {
  constexpr std::string_view kCodeSection = ".text.";
  base::Result<base::ElfFile> file = base::ElfFile::read(base::CheckedBytes(image));
  std::vector<std::string> functions;
  if (!file.is_ok()) return functions;
  for (const Elf64_Shdr& section : file->sections()) {
    const std::string name = file->section_name(section);
    if (name.rfind(kCodeSection, 0) == 0) functions.push_back(name.substr(kCodeSection.size()));
  }
  return functions;
}

}  // namespace graphnet::proof
