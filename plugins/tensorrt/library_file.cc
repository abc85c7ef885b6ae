// SPDX-License-Identifier: MIT
#include "tensorrt/library_file.h"

#include <elf.h>

#include <cerrno>
#include <cstring>
#include <fstream>

namespace graphnet::tensorrt {

namespace {

template <typename Record>
bool read(std::ifstream& stream, std::uint64_t offset, Record& record) {
  stream.clear();
  stream.seekg(static_cast<std::streamoff>(offset));
  stream.read(reinterpret_cast<char*>(&record), sizeof(record));
  return static_cast<bool>(stream);
}

std::string too_short(std::uint64_t has, std::uint64_t needed) {
  return "is cut off: it has " + std::to_string(has) + " bytes, of at least " +
         std::to_string(needed);
}

}  // namespace

std::string fault_of_library_file(const std::string& file) {
  std::ifstream stream(file, std::ios::binary | std::ios::ate);
  if (!stream) return std::string("cannot be opened: ") + std::strerror(errno);
  const auto size = static_cast<std::uint64_t>(stream.tellg());
  Elf64_Ehdr header = {};
  const bool is_elf = read(stream, 0, header) &&
                      std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
                      header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_type == ET_DYN;
  if (!is_elf) return "cannot be loaded: it is no shared library";
  for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
    const std::uint64_t offset = header.e_phoff + i * header.e_phentsize;
    Elf64_Phdr segment = {};
    if (!read(stream, offset, segment)) return too_short(size, offset + sizeof(segment));
    const std::uint64_t end = segment.p_offset + segment.p_filesz;
    if (segment.p_type == PT_LOAD && end > size) return too_short(size, end);
  }
  return "";
}

}  // namespace graphnet::tensorrt
