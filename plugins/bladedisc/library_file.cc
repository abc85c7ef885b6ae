// SPDX-License-Identifier: MIT
#include <elf.h>

#include <cstring>

#include "bladedisc/compiler.h"

namespace graphnet::bladedisc {

namespace {

/// The struct at an offset; false if the file ends before.
template <typename Struct>
bool read_at(const std::string& bytes, std::uint64_t offset, Struct& out) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(out)) return false;
  std::memcpy(&out, bytes.data() + offset, sizeof(out));
  return true;
}

/// Whether the file has `count` structs of a table at an offset.
bool holds(const std::string& bytes, std::uint64_t offset, std::uint64_t count,
           std::uint64_t struct_size) {
  return offset <= bytes.size() && count * struct_size <= bytes.size() - offset;
}

/// Whether the file ends before what its headers speak of. The loader reads segments and not
/// sections, and would end gn-disc-run with a signal where one is missing.
bool is_cut_off(const std::string& bytes, const Elf64_Ehdr& header) {
  if (!holds(bytes, header.e_shoff, header.e_shnum, sizeof(Elf64_Shdr)) ||
      !holds(bytes, header.e_phoff, header.e_phnum, sizeof(Elf64_Phdr))) {
    return true;
  }
  Elf64_Phdr segment = {};
  for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
    if (!read_at(bytes, header.e_phoff + i * sizeof(segment), segment)) return true;
    if (segment.p_type == PT_LOAD && !holds(bytes, segment.p_offset, segment.p_filesz, 1)) {
      return true;
    }
  }
  return false;
}

/// Whether the symbols of a section have a defined function of that name.
bool defines(const std::string& bytes, const Elf64_Shdr& symbols, const Elf64_Shdr& names,
             std::string_view name) {
  Elf64_Sym symbol = {};
  for (std::uint64_t at = 0; at + sizeof(symbol) <= symbols.sh_size; at += sizeof(symbol)) {
    if (!read_at(bytes, symbols.sh_offset + at, symbol)) return false;
    if (symbol.st_shndx == SHN_UNDEF || symbol.st_name >= names.sh_size) continue;
    const std::uint64_t begin = names.sh_offset + symbol.st_name;
    if (begin + name.size() + 1 > bytes.size()) continue;
    if (bytes.compare(begin, name.size(), name) == 0 && bytes[begin + name.size()] == '\0') {
      return true;
    }
  }
  return false;
}

}  // namespace

std::string library_mistake(const std::string& bytes) {
  Elf64_Ehdr header = {};
  if (!read_at(bytes, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
    return "is no ELF file";
  }
  if (header.e_type != ET_DYN || header.e_machine != EM_X86_64) {
    return "is no shared object for x86-64";
  }
  if (is_cut_off(bytes, header)) return "is cut off";
  for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr symbols = {};
    Elf64_Shdr names = {};
    if (!read_at(bytes, header.e_shoff + i * sizeof(symbols), symbols)) return "is cut off";
    if (symbols.sh_type != SHT_DYNSYM) continue;
    if (!read_at(bytes, header.e_shoff + symbols.sh_link * sizeof(names), names)) {
      return "is cut off";
    }
    return defines(bytes, symbols, names, "main") ? "" : "does not export main";
  }
  return "does not export main";
}

}  // namespace graphnet::bladedisc
