// SPDX-License-Identifier: MIT
#include "config/elf_header.h"

#include <elf.h>

#include <algorithm>
#include <string>

#include "base/elf_file.h"

namespace graphnet::config {

using base::Code;
using base::Status;

namespace {

#if defined(__x86_64__)
constexpr Elf64_Half kHostMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr Elf64_Half kHostMachine = EM_AARCH64;
#else
#error "unknown machine: add its ELF number here"
#endif

constexpr std::pair<Elf64_Half, const char*> kMachines[] = {
    {EM_X86_64, "x86_64"}, {EM_AARCH64, "aarch64"}, {EM_386, "i386"},
    {EM_ARM, "arm"},       {EM_RISCV, "riscv"},     {EM_PPC64, "ppc64"}};

std::string machine_name(Elf64_Half machine) {
  for (const auto& [number, name] : kMachines) {
    if (number == machine) return name;
  }
  return "ELF machine " + std::to_string(machine);
}

Status refused(const std::string& message) {
  return Status(Code::kPlugin, message);
}

// Enough to recognise an error page or an archive.
constexpr std::size_t kShownBytes = 12;

std::string printable(std::string bytes) {
  for (char& byte : bytes) {
    if (byte < 0x20 || byte > 0x7E) byte = '.';
  }
  return bytes;
}

}  // namespace

Status check_shared_library(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::status(path, ignored).type() == std::filesystem::file_type::not_found) {
    return refused("library file not found: " + path.string());
  }
  const base::Result<base::CheckedBytes> bytes = base::CheckedBytes::open(path);
  if (!bytes.is_ok()) return refused(bytes.status().message());
  std::string start(std::min<std::uint64_t>(bytes->size(), kShownBytes), '\0');
  Elf64_Ehdr header = {};
  const bool is_whole = bytes->read_bytes(0, start.data(), start.size()) && bytes->read(0, header);
  if (start.substr(0, SELFMAG) != std::string(ELFMAG, SELFMAG)) {
    Status error = refused("'" + path.string() + "' is not an ELF shared library (starts with '" +
                           printable(start) + "')");
    return start.substr(0, 1) == "<" ? std::move(error).add_hint("was the download an error page?")
                                     : std::move(error);
  }
  if (!is_whole) {
    return refused("'" + path.string() + "' is cut off after " + std::to_string(bytes->size()) +
                   " bytes");
  }
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB) {
    return refused("'" + path.string() +
                   "' is built for a 32-bit or big-endian machine, this host is " +
                   machine_name(kHostMachine));
  }
  if (header.e_machine != kHostMachine) {
    return refused("'" + path.string() + "' is built for " + machine_name(header.e_machine) +
                   ", this host is " + machine_name(kHostMachine));
  }
  if (header.e_type != ET_DYN) {
    return refused("'" + path.string() + "' is an ELF file but not a shared library")
        .add_hint(header.e_type == ET_REL ? "it is an object file; link it with -shared"
                                          : "link it with -shared");
  }
  return Status::ok();
}

}  // namespace graphnet::config
