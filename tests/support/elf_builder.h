// SPDX-License-Identifier: MIT
#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace graphnet::tests {

/// What a made-up shared object says of itself.
struct ElfRecipe {
  std::string soname;
  std::vector<std::string> needed;
  std::string run_path;
  std::vector<std::string> exports = {"gn_plugin_query", "gn_backend_compile", "gn_backend_run"};
  std::vector<std::pair<std::string, std::string>> version_needs;  ///< library, version
  std::vector<std::string> versions;
};

/// Bytes of a shared object for this machine with that dynamic segment and no code; complete for
/// everything that reads it without running it.
class ElfBuilder {
 public:
  explicit ElfBuilder(const ElfRecipe& recipe) : recipe_(recipe), names_(1, '\0') {}

  std::string bytes() {
    body_.assign(sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr), '\0');
    for (const std::string& name : recipe_.needed) add(DT_NEEDED, name_of(name));
    if (!recipe_.soname.empty()) add(DT_SONAME, name_of(recipe_.soname));
    if (!recipe_.run_path.empty()) add(DT_RUNPATH, name_of(recipe_.run_path));
    add_symbols();
    add_version_needs();
    add_versions();
    add(DT_STRSZ, names_.size());
    add(DT_STRTAB, append(names_.data(), names_.size()));
    add(DT_NULL, 0);
    const std::size_t dynamic = append(dynamic_.data(), dynamic_.size() * sizeof(Elf64_Dyn));
    write_headers(dynamic);
    return body_;
  }

 private:
  void add(Elf64_Sxword tag, std::uint64_t value) {
    Elf64_Dyn entry = {};
    entry.d_tag = tag;
    entry.d_un.d_val = value;
    dynamic_.push_back(entry);
  }

  std::uint32_t name_of(const std::string& name) {
    const auto index = static_cast<std::uint32_t>(names_.size());
    names_ += name + '\0';
    return index;
  }

  /// Offset in the file, which is the address too.
  std::size_t append(const void* data, std::size_t num_bytes) {
    body_.resize((body_.size() + 7) / 8 * 8);
    const std::size_t offset = body_.size();
    body_.append(static_cast<const char*>(data), num_bytes);
    return offset;
  }

  void add_symbols() {
    std::vector<Elf64_Sym> symbols(1);
    for (const std::string& name : recipe_.exports) {
      Elf64_Sym symbol = {};
      symbol.st_name = name_of(name);
      symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
      symbol.st_shndx = 1;
      symbols.push_back(symbol);
    }
    const std::uint32_t hash[] = {0, static_cast<std::uint32_t>(symbols.size())};
    add(DT_SYMTAB, append(symbols.data(), symbols.size() * sizeof(Elf64_Sym)));
    add(DT_HASH, append(hash, sizeof(hash)));
  }

  void add_version_needs() {
    struct Entry {
      Elf64_Verneed need;
      Elf64_Vernaux version;
    };
    std::vector<Entry> entries;
    for (const auto& [library, version] : recipe_.version_needs) {
      Entry entry = {};
      entry.need.vn_cnt = 1;
      entry.need.vn_file = name_of(library);
      entry.need.vn_aux = sizeof(Elf64_Verneed);
      entry.need.vn_next = sizeof(Entry);
      entry.version.vna_name = name_of(version);
      entries.push_back(entry);
    }
    if (entries.empty()) return;
    entries.back().need.vn_next = 0;
    add(DT_VERNEED, append(entries.data(), entries.size() * sizeof(Entry)));
  }

  void add_versions() {
    struct Entry {
      Elf64_Verdef version;
      Elf64_Verdaux name;
      std::uint32_t padding;
    };
    std::vector<Entry> entries;
    for (const std::string& version : recipe_.versions) {
      Entry entry = {};
      entry.version.vd_aux = sizeof(Elf64_Verdef);
      entry.version.vd_next = sizeof(Entry);
      entry.name.vda_name = name_of(version);
      entries.push_back(entry);
    }
    if (entries.empty()) return;
    entries.back().version.vd_next = 0;
    add(DT_VERDEF, append(entries.data(), entries.size() * sizeof(Entry)));
  }

  void write_headers(std::size_t dynamic) {
    Elf64_Ehdr header = {};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_type = ET_DYN;
#if defined(__x86_64__)
    header.e_machine = EM_X86_64;
#else
    header.e_machine = EM_AARCH64;
#endif
    header.e_phoff = sizeof(header);
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phnum = 2;
    Elf64_Phdr segments[2] = {};
    segments[0].p_type = PT_LOAD;
    segments[0].p_filesz = body_.size();
    segments[1].p_type = PT_DYNAMIC;
    segments[1].p_offset = segments[1].p_vaddr = dynamic;
    segments[1].p_filesz = dynamic_.size() * sizeof(Elf64_Dyn);
    std::memcpy(body_.data(), &header, sizeof(header));
    std::memcpy(body_.data() + sizeof(header), segments, sizeof(segments));
  }

  const ElfRecipe& recipe_;
  std::string names_;
  std::string body_;
  std::vector<Elf64_Dyn> dynamic_;
};

inline std::string elf_bytes(const ElfRecipe& recipe) {
  return ElfBuilder(recipe).bytes();
}

}  // namespace graphnet::tests
