// SPDX-License-Identifier: MIT
#include "base/elf_symbols.h"

#include <cxxabi.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <bitset>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>
#include <string_view>

#include "base/file.h"

namespace graphnet::base {

namespace {

/// A file of any content, mapped; every access is checked against its size.
class ElfFile {
 public:
  static Result<ElfFile> open(const std::filesystem::path& path) {
    const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat facts = {};
    if (!fd.is_open() || ::fstat(fd.get(), &facts) != 0 || facts.st_size <= 0) {
      return Status(Code::kInput, "cannot read " + path.string());
    }
    const auto num_bytes = static_cast<std::size_t>(facts.st_size);
    void* const data = ::mmap(nullptr, num_bytes, PROT_READ, MAP_PRIVATE, fd.get(), 0);
    if (data == MAP_FAILED) return Status(Code::kInput, "cannot map " + path.string());
    ElfFile file(static_cast<const char*>(data), num_bytes);
    if (!file.read_headers()) return Status(Code::kInput, path.string() + " is no ELF file");
    return file;
  }

  const std::vector<Elf64_Shdr>& sections() const { return sections_; }

  /// Address at which a place of the file is linked; the place itself if no segment holds it.
  std::uint64_t address_of(std::uint64_t place) const {
    for (const Elf64_Phdr& segment : segments_) {
      if (segment.p_type == PT_LOAD && place >= segment.p_offset &&
          place - segment.p_offset < segment.p_filesz) {
        return place - segment.p_offset + segment.p_vaddr;
      }
    }
    return place;
  }

  std::string section_name(const Elf64_Shdr& section) const {
    return names_section_ < sections_.size() ? text(sections_[names_section_], section.sh_name)
                                             : std::string();
  }

  /// A string of a string table; "" if it lies outside.
  std::string text(const Elf64_Shdr& table, std::uint64_t at) const {
    if (at >= table.sh_size || !is_inside(table.sh_offset, table.sh_size)) return "";
    const char* const start = begin_.get() + table.sh_offset + at;
    return {start, ::strnlen(start, table.sh_size - at)};
  }

  /// Calls `visit` with each symbol of a table.
  template <typename Visit>
  void visit_symbols(const Elf64_Shdr& table, Visit visit) const {
    if (table.sh_link >= sections_.size() || !is_inside(table.sh_offset, table.sh_size)) return;
    const char* const start = begin_.get() + table.sh_offset;
    for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      std::memcpy(&symbol, start + at, sizeof(symbol));
      visit(symbol, sections_[table.sh_link]);
    }
  }

 private:
  struct Unmap {
    std::size_t num_bytes;
    void operator()(const char* data) const { ::munmap(const_cast<char*>(data), num_bytes); }
  };

  ElfFile(const char* data, std::size_t num_bytes)
      : begin_(data, Unmap{num_bytes}), num_bytes_(num_bytes) {}

  bool is_inside(std::uint64_t offset, std::uint64_t num_bytes) const {
    return num_bytes <= num_bytes_ && offset <= num_bytes_ - num_bytes;
  }

  template <typename T>
  bool read_array(std::uint64_t offset, std::size_t count, std::vector<T>& values) const {
    if (!is_inside(offset, count * sizeof(T))) return false;
    values.resize(count);
    if (count != 0) std::memcpy(values.data(), begin_.get() + offset, count * sizeof(T));
    return true;
  }

  bool read_headers() {
    std::vector<Elf64_Ehdr> header;
    if (!read_array(0, 1, header) || std::memcmp(header[0].e_ident, ELFMAG, SELFMAG) != 0 ||
        header[0].e_ident[EI_CLASS] != ELFCLASS64 || header[0].e_ident[EI_DATA] != ELFDATA2LSB) {
      return false;
    }
    names_section_ = header[0].e_shstrndx;
    return read_array(header[0].e_phoff, header[0].e_phnum, segments_) &&
           read_array(header[0].e_shoff, header[0].e_shnum, sections_);
  }

  std::unique_ptr<const char, Unmap> begin_;
  std::size_t num_bytes_;
  std::vector<Elf64_Phdr> segments_;
  std::vector<Elf64_Shdr> sections_;
  std::size_t names_section_ = 0;
};

bool is_function(const Elf64_Sym& symbol) {
  const unsigned type = ELF64_ST_TYPE(symbol.st_info);
  return (type == STT_FUNC || type == STT_GNU_IFUNC) && symbol.st_shndx != SHN_UNDEF &&
         symbol.st_size > 0;
}

bool is_symbol_table(const Elf64_Shdr& section) {
  return section.sh_type == SHT_SYMTAB || section.sh_type == SHT_DYNSYM;
}

/// The places as addresses, sorted, with the positions that their names go to.
struct Query {
  std::uint64_t address;
  std::size_t position;
};

std::vector<Query> make_queries(const ElfFile& file, const std::vector<std::uint64_t>& places) {
  std::vector<Query> queries;
  for (std::size_t i = 0; i < places.size(); ++i) {
    queries.push_back({file.address_of(places[i]), i});
  }
  std::sort(queries.begin(), queries.end(),
            [](const Query& a, const Query& b) { return a.address < b.address; });
  return queries;
}

/// Finds the queries in a range of addresses. Of half a million symbols almost none is asked for:
/// those cost a look at one or two bits.
class QueryIndex {
 public:
  explicit QueryIndex(std::vector<Query> queries) : queries_(std::move(queries)) {
    for (const Query& query : queries_) {
      asked_pages_.set(slot_of(query.address, kPageBits));
      asked_pieces_.set(slot_of(query.address, kPieceBits));
    }
  }

  /// Calls `visit` with each query in [start, start + size).
  template <typename Visit>
  void visit(std::uint64_t start, std::uint64_t size, Visit visit) const {
    if (!may_be_asked(start, size)) return;
    auto query = std::lower_bound(
        queries_.begin(), queries_.end(), start,
        [](const Query& one, std::uint64_t wanted) { return one.address < wanted; });
    for (; query != queries_.end() && query->address - start < size; ++query) visit(*query);
  }

 private:
  static constexpr unsigned kPageBits = 12;
  static constexpr unsigned kPieceBits = 16;  // for the few functions larger than a page
  static constexpr std::size_t kSlots = std::size_t{1} << 16U;  // 8 KiB

  /// Places far from each other share slots.
  static std::size_t slot_of(std::uint64_t address, unsigned bits) {
    return (address >> bits) % kSlots;
  }

  bool may_be_asked(std::uint64_t start, std::uint64_t size) const {
    const unsigned bits = size <= std::uint64_t{1} << kPageBits ? kPageBits : kPieceBits;
    if (size > std::uint64_t{1} << bits) return true;
    const auto& asked = bits == kPageBits ? asked_pages_ : asked_pieces_;
    return asked.test(slot_of(start, bits)) || asked.test(slot_of(start + size - 1, bits));
  }

  std::vector<Query> queries_;  // by address
  std::bitset<kSlots> asked_pages_;
  std::bitset<kSlots> asked_pieces_;
};

}  // namespace

Result<std::vector<SymbolName>> name_places(const std::filesystem::path& file,
                                            const std::vector<std::uint64_t>& places) {
  GN_ASSIGN_OR_RETURN(const ElfFile elf, ElfFile::open(file));
  const QueryIndex queries(make_queries(elf, places));
  std::vector<SymbolName> names(places.size());
  for (const Elf64_Shdr& section : elf.sections()) {
    if (elf.section_name(section).rfind(".plt", 0) == 0) {
      queries.visit(section.sh_addr, section.sh_size,
                    [&](const Query& query) { names[query.position].name = kJumpTable; });
    }
    if (!is_symbol_table(section)) continue;
    elf.visit_symbols(section, [&](const Elf64_Sym& symbol, const Elf64_Shdr& texts) {
      if (!is_function(symbol)) return;
      queries.visit(symbol.st_value, symbol.st_size, [&](const Query& query) {
        SymbolName& found = names[query.position];
        if (!found.name.empty()) return;
        found = {elf.text(texts, symbol.st_name), query.address - symbol.st_value};
      });
    });
  }
  for (SymbolName& found : names) found.name = without_arguments(demangled(found.name));
  return names;
}

Result<std::vector<std::string>> undefined_symbols(const std::filesystem::path& file) {
  GN_ASSIGN_OR_RETURN(const ElfFile elf, ElfFile::open(file));
  std::vector<std::string> names;
  for (const Elf64_Shdr& section : elf.sections()) {
    if (section.sh_type != SHT_DYNSYM) continue;
    elf.visit_symbols(section, [&](const Elf64_Sym& symbol, const Elf64_Shdr& texts) {
      if (symbol.st_shndx == SHN_UNDEF && symbol.st_name != 0) {
        names.push_back(elf.text(texts, symbol.st_name));
      }
    });
  }
  return names;
}

std::string demangled(const std::string& name) {
  // What has no such beginning is taken for a type: "b" would become "bool".
  if (name.compare(0, 2, "_Z") != 0) return name;
  int failed = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &failed), std::free);
  return failed == 0 ? text.get() : name;
}

std::string without_arguments(const std::string& demangled_name) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)";
  constexpr std::string_view kCallOperator = "operator()";
  const std::string_view name = demangled_name;
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name.compare(i, kCallOperator.size(), kCallOperator) == 0) i += kCallOperator.size();
    if (name.compare(i, kAnonymous.size(), kAnonymous) == 0) i += kAnonymous.size();
    if (i >= name.size()) break;
    depth += name[i] == '<' ? 1 : name[i] == '>' ? -1 : 0;
    if (name[i] == '(' && depth == 0 && i > 0) return demangled_name.substr(0, i);
  }
  return demangled_name;
}

}  // namespace graphnet::base
