// SPDX-License-Identifier: MIT
#include "base/elf_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/text.h"

namespace graphnet::base {

namespace {

// Far above any real file; they keep a hostile count from costing time.
constexpr std::size_t kMaxSegments = 1024;
constexpr std::size_t kMaxDynamicEntries = 16384;
constexpr std::size_t kMaxTextBytes = 65536;
// All texts together, in sizes of the file.
constexpr std::uint64_t kMaxTextFiles = 4;

Status damaged(const std::string& what) {
  return Status(Code::kInput, what);
}

bool is_known_form(const Elf64_Ehdr& header) {
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
         header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_ident[EI_DATA] == ELFDATA2LSB;
}

/// Translates an offset of the file to an address or back, by the segment that holds it.
std::optional<std::uint64_t> translated(const std::vector<Elf64_Phdr>& segments,
                                        std::uint64_t value, std::uint64_t Elf64_Phdr::*from,
                                        std::uint64_t Elf64_Phdr::*to) {
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_type != PT_LOAD || value < segment.*from) continue;
    const std::uint64_t within = value - segment.*from;
    if (within < segment.p_filesz) return segment.*to + within;
  }
  return std::nullopt;
}

// Name and content of a note are padded to four bytes.
std::size_t padded(std::size_t size) {
  return (size + 3) & ~std::size_t{3};
}

}  // namespace

Result<CheckedBytes> CheckedBytes::open(const std::filesystem::path& path) {
  GN_ASSIGN_OR_RETURN(RegularFile file, open_regular_file(path));
  return CheckedBytes(std::move(file.fd), file.num_bytes);
}

bool CheckedBytes::read_bytes(std::uint64_t offset, void* target, std::uint64_t num_bytes) const {
  if (!contains(offset, num_bytes)) return false;
  auto* next = static_cast<char*>(target);
  if (!fd_.is_open()) {
    memory_.copy(next, num_bytes, offset);
    return true;
  }
  while (num_bytes > 0) {
    const ssize_t got = ::pread(fd_.get(), next, num_bytes, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    next += got;
    offset += static_cast<std::uint64_t>(got);
    num_bytes -= static_cast<std::uint64_t>(got);
  }
  return true;
}

Result<ElfFile> ElfFile::read(CheckedBytes bytes) {
  Elf64_Ehdr header = {};
  if (!bytes.read(0, header)) return damaged("it is cut off in its header");
  if (!is_known_form(header)) return damaged("it is no 64-bit little-endian ELF file");
  const bool is_form_known = header.e_phentsize == sizeof(Elf64_Phdr) || header.e_phnum == 0;
  if (!is_form_known || header.e_phnum > kMaxSegments) {
    return damaged("its program headers have an unknown form");
  }
  // Linkers put the sections last: their absence shows a short file.
  const std::uint64_t sections_bytes = std::uint64_t{header.e_shnum} * header.e_shentsize;
  if (header.e_shoff != 0 && !bytes.contains(header.e_shoff, sections_bytes)) {
    return damaged("it is cut off after " + std::to_string(bytes.size()) + " bytes");
  }
  ElfFile file(std::move(bytes));
  if (!file.bytes_.read_array(header.e_phoff, header.e_phnum, file.segments_)) {
    return damaged("it is cut off before its program headers");
  }
  if (header.e_shoff != 0 && header.e_shentsize == sizeof(Elf64_Shdr) &&
      !file.bytes_.read_array(header.e_shoff, header.e_shnum, file.sections_)) {
    return damaged("its section headers cannot be read");
  }
  file.names_section_ = header.e_shstrndx;
  return file;
}

std::optional<std::uint64_t> ElfFile::offset_of(std::uint64_t address) const {
  return translated(segments_, address, &Elf64_Phdr::p_vaddr, &Elf64_Phdr::p_offset);
}

std::optional<std::uint64_t> ElfFile::address_of(std::uint64_t offset) const {
  return translated(segments_, offset, &Elf64_Phdr::p_offset, &Elf64_Phdr::p_vaddr);
}

Result<std::string> ElfFile::text(const Texts& texts, std::uint64_t index) {
  if (!bytes_.contains(texts.offset, texts.num_bytes)) {
    return damaged("its string table lies outside the file");
  }
  char block[128];
  std::string text;
  while (index < texts.num_bytes && text.size() < kMaxTextBytes) {
    const std::uint64_t wanted = std::min<std::uint64_t>(sizeof(block), texts.num_bytes - index);
    if (!bytes_.read_bytes(texts.offset + index, block, wanted)) break;
    const char* const end = std::find(block, block + wanted, '\0');
    text.append(static_cast<const char*>(block), end);
    text_bytes_ += static_cast<std::uint64_t>(end - block);
    if (text_bytes_ / kMaxTextFiles > bytes_.size()) return damaged("its names overlap");
    if (end != block + wanted) return text;
    index += wanted;
  }
  return damaged("a name in it has no end");
}

std::string ElfFile::section_name(const Elf64_Shdr& section) {
  if (names_section_ >= sections_.size()) return "";
  const Result<std::string> name = text(texts_of(sections_[names_section_]), section.sh_name);
  return name.is_ok() ? *name : "";
}

Result<ElfDynamic> ElfDynamic::read(ElfFile& file) {
  const auto& segments = file.segments();
  const auto segment = std::find_if(segments.begin(), segments.end(),
                                    [](const Elf64_Phdr& one) { return one.p_type == PT_DYNAMIC; });
  if (segment == segments.end()) return damaged("it has no dynamic segment");
  ElfDynamic dynamic(file);
  std::vector<Elf64_Dyn>& entries = dynamic.entries_;
  const std::uint64_t count =
      std::min<std::uint64_t>(segment->p_filesz / sizeof(Elf64_Dyn), kMaxDynamicEntries);
  if (!file.bytes().read_array(segment->p_offset, count, entries)) {
    return damaged("its dynamic segment lies outside the file");
  }
  entries.erase(std::find_if(entries.begin(), entries.end(),
                             [](const Elf64_Dyn& entry) { return entry.d_tag == DT_NULL; }),
                entries.end());
  const auto texts = dynamic.offset_of(DT_STRTAB);
  const std::uint64_t texts_bytes = dynamic.value_of(DT_STRSZ).value_or(0);
  if (!texts || !file.bytes().contains(*texts, texts_bytes)) {
    return damaged("its string table lies outside the file");
  }
  dynamic.texts_ = {*texts, texts_bytes};
  return dynamic;
}

std::optional<std::uint64_t> ElfDynamic::value_of(Elf64_Sxword tag) const {
  for (const Elf64_Dyn& entry : entries_) {
    if (entry.d_tag == tag) return entry.d_un.d_val;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> ElfDynamic::offset_of(Elf64_Sxword tag) const {
  const auto address = value_of(tag);
  return address ? file_->offset_of(*address) : std::nullopt;
}

/// The dynamic segment does not say how many symbols there are; either hash table does.
std::optional<std::uint64_t> ElfDynamic::num_symbols() const {
  const CheckedBytes& bytes = file_->bytes();
  if (const auto table = offset_of(DT_HASH)) {
    std::uint32_t counts[2] = {};
    if (!bytes.read(*table, counts)) return std::nullopt;
    return counts[1];
  }
  const auto table = offset_of(DT_GNU_HASH);
  std::uint32_t header[4] = {};  // buckets, first symbol, words of the filter, shift
  if (!table || !bytes.read(*table, header)) return std::nullopt;
  std::vector<std::uint32_t> buckets;
  const std::uint64_t buckets_offset = *table + sizeof(header) + std::uint64_t{8} * header[2];
  if (!bytes.read_array(buckets_offset, header[0], buckets)) return std::nullopt;
  std::uint64_t last = 0;
  for (const std::uint32_t bucket : buckets) last = std::max<std::uint64_t>(last, bucket);
  if (last < header[1]) return header[1];
  const std::uint64_t chains_offset = buckets_offset + std::uint64_t{4} * header[0];
  // The chain of the last bucket ends at the last symbol; its end has the lowest bit set.
  for (std::uint32_t hash = 0; (hash & 1U) == 0; ++last) {
    if (!bytes.read(chains_offset + 4 * (last - header[1]), hash)) return std::nullopt;
  }
  return last;
}

Result<std::vector<Elf64_Sym>> ElfDynamic::symbols() const {
  const auto table = offset_of(DT_SYMTAB);
  const auto count = num_symbols();
  std::vector<Elf64_Sym> symbols;
  if (!table || !count || !file_->bytes().read_array(*table, *count, symbols)) {
    return damaged("its symbol table is damaged");
  }
  return symbols;
}

std::string build_id_in(std::string_view notes) {
  constexpr std::string_view kOwner("GNU\0", 4);
  Elf64_Nhdr head = {};
  while (CheckedBytes(notes).read(0, head)) {
    notes.remove_prefix(sizeof(head));
    const std::size_t name_bytes = padded(head.n_namesz);
    const std::size_t num_bytes = name_bytes + padded(head.n_descsz);
    if (num_bytes > notes.size()) break;
    if (head.n_type == NT_GNU_BUILD_ID && notes.substr(0, head.n_namesz) == kOwner) {
      return hexadecimal(notes.substr(name_bytes, head.n_descsz));
    }
    notes.remove_prefix(num_bytes);
  }
  return "";
}

}  // namespace graphnet::base
