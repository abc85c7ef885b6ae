// SPDX-License-Identifier: MIT
#pragma once

#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/file.h"
#include "base/result.h"

namespace graphnet::base {

/// Bytes of a file or of memory; a read that goes beyond them fails. A file is read and not
/// mapped: one that is cut short meanwhile gives a failed read and no SIGBUS.
class CheckedBytes {
 public:
  /// The memory must outlive the object.
  explicit CheckedBytes(std::string_view memory) : memory_(memory), size_(memory.size()) {}

  /// errors   as open_regular_file()
  static Result<CheckedBytes> open(const std::filesystem::path& path);

  std::uint64_t size() const { return size_; }

  bool contains(std::uint64_t offset, std::uint64_t num_bytes) const {
    return num_bytes <= size_ && offset <= size_ - num_bytes;
  }

  /// Copies bytes to `target`; false if they are not all there.
  bool read_bytes(std::uint64_t offset, void* target, std::uint64_t num_bytes) const;

  template <typename T>
  bool read(std::uint64_t offset, T& value) const {
    static_assert(std::is_trivially_copyable_v<T>);
    return read_bytes(offset, &value, sizeof(T));
  }

  template <typename T>
  bool read_array(std::uint64_t offset, std::uint64_t count, std::vector<T>& values) const {
    static_assert(std::is_trivially_copyable_v<T>);
    if (count > size_ / sizeof(T) || !contains(offset, count * sizeof(T))) return false;
    values.resize(count);
    return read_bytes(offset, values.data(), count * sizeof(T));
  }

 private:
  CheckedBytes(UniqueFd fd, std::uint64_t size) : fd_(std::move(fd)), size_(size) {}

  UniqueFd fd_;  // closed: the bytes are memory_
  std::string_view memory_;
  std::uint64_t size_;
};

/// A 64-bit little-endian ELF file that nobody trusts: whatever it holds, reading it gives an error
/// or harmless text, in time and memory linear in its size.
///
/// errors   kInput with one sentence about what is cut off, out of bounds or missing
/// source   System V gABI, chapters 4 and 5
class ElfFile {
 public:
  /// Where a string table lies in the file.
  struct Texts {
    std::uint64_t offset = 0;
    std::uint64_t num_bytes = 0;
  };

  /// Reads the header and the tables of segments and sections.
  static Result<ElfFile> read(CheckedBytes bytes);

  const CheckedBytes& bytes() const { return bytes_; }
  const std::vector<Elf64_Phdr>& segments() const { return segments_; }
  /// Empty if their form is unknown: programs run without.
  const std::vector<Elf64_Shdr>& sections() const { return sections_; }

  /// Offset in the file of what is linked at an address; nothing if no segment loads it.
  std::optional<std::uint64_t> offset_of(std::uint64_t address) const;
  /// Address at which an offset of the file is linked; nothing if no segment loads it.
  std::optional<std::uint64_t> address_of(std::uint64_t offset) const;

  /// The text that starts at `index` of a string table.
  ///
  /// errors   also if all texts read so far have several times the size of the file: linkers let
  ///          names share their ends, hostile files let all names share one long text
  Result<std::string> text(const Texts& texts, std::uint64_t index);

  /// "" if it has none.
  std::string section_name(const Elf64_Shdr& section);

  /// Calls `visit(symbol, texts)` with each symbol of the first section of a type, SHT_SYMTAB or
  /// SHT_DYNSYM: a file has one of each. `texts` holds the symbols' names.
  template <typename Visit>
  void visit_symbols(Elf64_Word section_type, Visit visit) const {
    const auto table = std::find_if(sections_.begin(), sections_.end(), [&](const Elf64_Shdr& one) {
      return one.sh_type == section_type;
    });
    if (table == sections_.end() || table->sh_link >= sections_.size()) return;
    const Texts texts = texts_of(sections_[table->sh_link]);
    constexpr std::uint64_t kBlock = 4096;
    std::vector<Elf64_Sym> symbols;
    for (std::uint64_t left = table->sh_size / sizeof(Elf64_Sym), offset = table->sh_offset;
         left > 0 && bytes_.read_array(offset, std::min(left, kBlock), symbols);
         left -= symbols.size(), offset += symbols.size() * sizeof(Elf64_Sym)) {
      for (const Elf64_Sym& symbol : symbols) visit(symbol, texts);
    }
  }

 private:
  explicit ElfFile(CheckedBytes bytes) : bytes_(std::move(bytes)) {}
  static Texts texts_of(const Elf64_Shdr& table) { return {table.sh_offset, table.sh_size}; }

  CheckedBytes bytes_;
  std::vector<Elf64_Phdr> segments_;
  std::vector<Elf64_Shdr> sections_;
  std::size_t names_section_ = 0;
  std::uint64_t text_bytes_ = 0;  // of all texts read
};

/// The dynamic segment of a file: what the loader reads, which needs no sections.
///
/// errors   as ElfFile
/// source   System V gABI, chapter 5; GNU hash table: LSB core, 10.7
class ElfDynamic {
 public:
  /// The file must outlive the object.
  static Result<ElfDynamic> read(ElfFile& file);

  /// In the file's order, without DT_NULL.
  const std::vector<Elf64_Dyn>& entries() const { return entries_; }
  /// Of the first entry with a tag.
  std::optional<std::uint64_t> value_of(Elf64_Sxword tag) const;
  /// Offset in the file of what that entry points to.
  std::optional<std::uint64_t> offset_of(Elf64_Sxword tag) const;

  Result<std::string> text(std::uint64_t index) { return file_->text(texts_, index); }
  Result<std::vector<Elf64_Sym>> symbols() const;

 private:
  explicit ElfDynamic(ElfFile& file) : file_(&file) {}
  std::optional<std::uint64_t> num_symbols() const;

  ElfFile* file_;
  std::vector<Elf64_Dyn> entries_;
  ElfFile::Texts texts_;
};

/// The build id in the content of a note section or segment, in lower-case hexadecimal; "" if it
/// has none.
///
/// source   note NT_GNU_BUILD_ID of elf(5)
std::string build_id_in(std::string_view notes);

}  // namespace graphnet::base
