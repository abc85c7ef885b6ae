// SPDX-License-Identifier: MIT
#include "config/elf_header.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "base/file.h"

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

std::string machine_name(Elf64_Half machine) {
  switch (machine) {
    case EM_X86_64:
      return "x86_64";
    case EM_AARCH64:
      return "aarch64";
    case EM_386:
      return "i386";
    case EM_ARM:
      return "arm";
    case EM_RISCV:
      return "riscv";
    case EM_PPC64:
      return "ppc64";
    default:
      return "ELF machine " + std::to_string(machine);
  }
}

Status refused(const std::string& message) {
  return Status(Code::kPlugin, message);
}

/// The first bytes, readable: enough to recognise an error page or an archive.
std::string printable_start(const std::string& bytes) {
  std::string shown = bytes.substr(0, 12);
  for (char& byte : shown) {
    if (byte < 0x20 || byte > 0x7E) byte = '.';
  }
  return shown;
}

base::Result<std::string> read_start(const std::filesystem::path& path) {
  const base::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd.is_open()) {
    return refused((errno == ENOENT ? "library file not found: " : "cannot open library file: ") +
                   path.string())
        .add_context(std::strerror(errno));
  }
  struct stat status = {};
  if (::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return refused("'" + path.string() + "' is not a regular file");
  }
  std::string bytes(sizeof(Elf64_Ehdr), '\0');
  const ssize_t num_read = ::pread(fd.get(), bytes.data(), bytes.size(), 0);
  bytes.resize(num_read > 0 ? static_cast<std::size_t>(num_read) : 0);
  return bytes;
}

}  // namespace

Status check_shared_library(const std::filesystem::path& path) {
  GN_ASSIGN_OR_RETURN(const std::string bytes, read_start(path));
  if (bytes.substr(0, SELFMAG) != std::string(ELFMAG, SELFMAG)) {
    Status error = refused("'" + path.string() + "' is not an ELF shared library (starts with '" +
                           printable_start(bytes) + "')");
    return bytes.substr(0, 1) == "<" ? std::move(error).add_hint("was the download an error page?")
                                     : std::move(error);
  }
  if (bytes.size() < sizeof(Elf64_Ehdr)) {
    return refused("'" + path.string() + "' is cut off after " + std::to_string(bytes.size()) +
                   " bytes");
  }
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof(header));
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
