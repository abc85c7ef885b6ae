// SPDX-License-Identifier: MIT
#include "base/elf_symbols.h"

#include <cxxabi.h>

#include <algorithm>
#include <bitset>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "base/elf_file.h"

namespace graphnet::base {

namespace {

Result<ElfFile> open_elf(const std::filesystem::path& path) {
  GN_ASSIGN_OR_RETURN(CheckedBytes bytes, CheckedBytes::open(path));
  Result<ElfFile> file = ElfFile::read(std::move(bytes));
  if (file.is_ok()) return file;
  return Status(Code::kInput, "cannot read '" + path.string() + "': " + file.status().message());
}

bool is_function(const Elf64_Sym& symbol) {
  const unsigned type = ELF64_ST_TYPE(symbol.st_info);
  return (type == STT_FUNC || type == STT_GNU_IFUNC) && symbol.st_shndx != SHN_UNDEF &&
         symbol.st_size > 0;
}

/// The offsets as addresses, sorted, with the positions that their names go to.
struct Query {
  std::uint64_t address;
  std::size_t position;
};

std::vector<Query> make_queries(const ElfFile& file, const std::vector<std::uint64_t>& offsets) {
  std::vector<Query> queries;
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    queries.push_back({file.address_of(offsets[i]).value_or(offsets[i]), i});
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

  /// Offsets far from each other share slots.
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

Result<std::vector<SymbolName>> name_offsets(const std::filesystem::path& file,
                                             const std::vector<std::uint64_t>& offsets) {
  GN_ASSIGN_OR_RETURN(ElfFile elf, open_elf(file));
  const QueryIndex queries(make_queries(elf, offsets));
  std::vector<SymbolName> names(offsets.size());
  for (const Elf64_Shdr& section : elf.sections()) {
    if (elf.section_name(section).rfind(".plt", 0) != 0) continue;
    queries.visit(section.sh_addr, section.sh_size,
                  [&](const Query& query) { names[query.position].name = kJumpTable; });
  }
  for (const Elf64_Word table : {SHT_DYNSYM, SHT_SYMTAB}) {
    elf.visit_symbols(table, [&](const Elf64_Sym& symbol, const ElfFile::Texts& texts) {
      if (!is_function(symbol)) return;
      queries.visit(symbol.st_value, symbol.st_size, [&](const Query& query) {
        SymbolName& found = names[query.position];
        if (!found.name.empty()) return;
        const Result<std::string> name = elf.text(texts, symbol.st_name);
        if (name.is_ok()) found = {*name, query.address - symbol.st_value};
      });
    });
  }
  for (SymbolName& found : names) found.name = without_arguments(demangled(found.name));
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
