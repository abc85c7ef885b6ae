// SPDX-License-Identifier: MIT
#include "config/elf_image.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

#include "base/file.h"

namespace graphnet::config {

using base::Code;
using base::Result;
using base::Status;

namespace {

// Far above any real library; they keep a hostile count from costing time.
constexpr std::size_t kMaxSegments = 1024;
constexpr std::size_t kMaxDynamicEntries = 16384;
constexpr std::size_t kMaxVersions = 16384;
constexpr std::size_t kMaxTextBytes = 16384;

// All names together, in sizes of the file: linkers let names share their ends, hostile files let
// all symbols share one long name.
constexpr std::uint64_t kMaxTextFiles = 4;

Status damaged(const std::string& what) {
  return Status(Code::kPlugin, what);
}

class Parser {
 public:
  Parser(const ReadAt& read, std::uint64_t file_bytes) : read_(read), file_bytes_(file_bytes) {}

  Result<ElfImage> parse(ElfSymbols symbols) {
    GN_RETURN_IF_ERROR(read_segments());
    GN_RETURN_IF_ERROR(read_dynamic());
    GN_RETURN_IF_ERROR(read_names());
    GN_RETURN_IF_ERROR(read_version_needs());
    GN_RETURN_IF_ERROR(read_versions());
    if (symbols == ElfSymbols::kRead) GN_RETURN_IF_ERROR(read_exports());
    return std::move(image_);
  }

 private:
  template <typename T>
  bool read_value(std::uint64_t offset, T& value) const {
    return is_inside(offset, sizeof(T)) && read_(offset, &value, sizeof(T));
  }

  bool is_inside(std::uint64_t offset, std::uint64_t num_bytes) const {
    return num_bytes <= file_bytes_ && offset <= file_bytes_ - num_bytes;
  }

  template <typename T>
  bool read_array(std::uint64_t offset, std::uint64_t count, std::vector<T>& values) const {
    if (count > file_bytes_ / sizeof(T) || !is_inside(offset, count * sizeof(T))) return false;
    values.resize(count);
    return count == 0 || read_(offset, values.data(), count * sizeof(T));
  }

  Status read_segments() {
    Elf64_Ehdr header = {};
    if (!read_value(0, header)) return damaged("it is cut off in its header");
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB) {
      return damaged("it is no 64-bit little-endian ELF file");
    }
    if (header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phnum > kMaxSegments) {
      return damaged("its program headers have an unknown form");
    }
    // The loader needs no sections, but linkers put them last: their absence shows a short file.
    const std::uint64_t sections_bytes = std::uint64_t{header.e_shnum} * header.e_shentsize;
    if (header.e_shoff != 0 && !is_inside(header.e_shoff, sections_bytes)) {
      return damaged("it is cut off after " + std::to_string(file_bytes_) + " bytes");
    }
    if (!read_array(header.e_phoff, header.e_phnum, segments_)) {
      return damaged("it is cut off before its program headers");
    }
    for (const Elf64_Phdr& segment : segments_) {
      if (segment.p_type == PT_LOAD && !is_inside(segment.p_offset, segment.p_filesz)) {
        return damaged("it is cut off: a segment ends behind its " + std::to_string(file_bytes_) +
                       " bytes");
      }
    }
    return Status::ok();
  }

  Status read_dynamic() {
    const auto segment = std::find_if(segments_.begin(), segments_.end(),
                                      [](const auto& one) { return one.p_type == PT_DYNAMIC; });
    if (segment == segments_.end()) return damaged("it has no dynamic segment");
    const std::uint64_t count =
        std::min<std::uint64_t>(segment->p_filesz / sizeof(Elf64_Dyn), kMaxDynamicEntries);
    if (!read_array(segment->p_offset, count, dynamic_)) {
      return damaged("its dynamic segment lies outside the file");
    }
    const auto end = std::find_if(dynamic_.begin(), dynamic_.end(),
                                  [](const Elf64_Dyn& entry) { return entry.d_tag == DT_NULL; });
    dynamic_.erase(end, dynamic_.end());
    const auto table = offset_of(DT_STRTAB);
    names_bytes_ = value_of(DT_STRSZ).value_or(0);
    if (!table || !is_inside(*table, names_bytes_)) {
      return damaged("its string table lies outside the file");
    }
    names_offset_ = *table;
    return Status::ok();
  }

  std::optional<std::uint64_t> value_of(Elf64_Sxword tag) const {
    for (const Elf64_Dyn& entry : dynamic_) {
      if (entry.d_tag == tag) return entry.d_un.d_val;
    }
    return std::nullopt;
  }

  /// Place in the file of what an entry points to.
  std::optional<std::uint64_t> offset_of(Elf64_Sxword tag) const {
    const auto address = value_of(tag);
    if (!address) return std::nullopt;
    for (const Elf64_Phdr& segment : segments_) {
      if (segment.p_type != PT_LOAD || *address < segment.p_vaddr) continue;
      const std::uint64_t within = *address - segment.p_vaddr;
      if (within < segment.p_filesz) return segment.p_offset + within;
    }
    return std::nullopt;
  }

  Result<std::string> name_at(std::uint64_t index) {
    constexpr std::size_t kChunk = 128;
    std::string name;
    while (index < names_bytes_ && name.size() < kMaxTextBytes) {
      char chunk[kChunk];
      const auto wanted =
          static_cast<std::size_t>(std::min<std::uint64_t>(sizeof(chunk), names_bytes_ - index));
      if (!read_(names_offset_ + index, chunk, wanted)) break;
      const char* end = std::find(chunk, chunk + wanted, '\0');
      name.append(static_cast<const char*>(chunk), end);
      if (end != chunk + wanted) {
        text_bytes_ += name.size();
        if (text_bytes_ / kMaxTextFiles > file_bytes_) return damaged("its names overlap");
        return name;
      }
      index += wanted;
    }
    return damaged("a name in it has no end");
  }

  Status read_names() {
    for (const Elf64_Dyn& entry : dynamic_) {
      std::string* target = nullptr;
      if (entry.d_tag == DT_NEEDED) target = &image_.needed.emplace_back();
      if (entry.d_tag == DT_SONAME) target = &image_.soname;
      if (entry.d_tag == DT_RUNPATH) target = &image_.run_path;
      if (entry.d_tag == DT_RPATH) target = &image_.old_run_path;
      if (target == nullptr) continue;
      GN_ASSIGN_OR_RETURN(*target, name_at(entry.d_un.d_val));
    }
    image_.no_default_folders = (value_of(DT_FLAGS_1).value_or(0) & DF_1_NODEFLIB) != 0;
    return Status::ok();
  }

  Status read_version_needs() {
    auto offset = offset_of(DT_VERNEED);
    std::size_t left = kMaxVersions;
    while (offset) {
      Elf64_Verneed need = {};
      if (left-- == 0 || !read_value(*offset, need))
        return damaged("its version needs are damaged");
      std::uint64_t next = *offset + need.vn_aux;
      for (int i = 0; i < need.vn_cnt; ++i) {
        Elf64_Vernaux version = {};
        if (left-- == 0 || !read_value(next, version)) {
          return damaged("its version needs are damaged");
        }
        GN_ASSIGN_OR_RETURN(std::string library, name_at(need.vn_file));
        GN_ASSIGN_OR_RETURN(std::string name, name_at(version.vna_name));
        const bool is_weak = (version.vna_flags & VER_FLG_WEAK) != 0;
        image_.version_needs.push_back({std::move(library), std::move(name), is_weak});
        next += version.vna_next;
      }
      if (need.vn_next == 0) break;
      *offset += need.vn_next;
    }
    return Status::ok();
  }

  Status read_versions() {
    auto offset = offset_of(DT_VERDEF);
    std::size_t left = kMaxVersions;
    while (offset) {
      Elf64_Verdef version = {};
      Elf64_Verdaux name = {};
      if (left-- == 0 || !read_value(*offset, version) ||
          !read_value(*offset + version.vd_aux, name)) {
        return damaged("its versions are damaged");
      }
      GN_ASSIGN_OR_RETURN(std::string text, name_at(name.vda_name));
      image_.versions.push_back(std::move(text));
      if (version.vd_next == 0) break;
      *offset += version.vd_next;
    }
    return Status::ok();
  }

  /// The dynamic segment does not say how many symbols there are; either hash table does.
  std::optional<std::uint64_t> num_symbols() const {
    if (const auto table = offset_of(DT_HASH)) {
      std::uint32_t counts[2] = {};
      if (!read_value(*table, counts)) return std::nullopt;
      return counts[1];
    }
    const auto table = offset_of(DT_GNU_HASH);
    std::uint32_t header[4] = {};  // buckets, first symbol, words of the filter, shift
    if (!table || !read_value(*table, header)) return std::nullopt;
    std::vector<std::uint32_t> buckets;
    const std::uint64_t buckets_offset = *table + sizeof(header) + std::uint64_t{8} * header[2];
    if (!read_array(buckets_offset, header[0], buckets)) return std::nullopt;
    std::uint64_t last = 0;
    for (const std::uint32_t bucket : buckets) last = std::max<std::uint64_t>(last, bucket);
    if (last < header[1]) return header[1];
    const std::uint64_t chains_offset = buckets_offset + std::uint64_t{4} * header[0];
    // The chain of the last bucket ends at the last symbol; its end has the lowest bit set.
    for (std::uint32_t hash = 0; (hash & 1U) == 0; ++last) {
      if (!read_value(chains_offset + 4 * (last - header[1]), hash)) return std::nullopt;
    }
    return last;
  }

  Status read_exports() {
    const auto table = offset_of(DT_SYMTAB);
    const auto count = num_symbols();
    std::vector<Elf64_Sym> symbols;
    if (!table || !count || !read_array(*table, *count, symbols)) {
      return damaged("its symbol table is damaged");
    }
    for (const Elf64_Sym& symbol : symbols) {
      const auto binding = ELF64_ST_BIND(symbol.st_info);
      const auto visibility = ELF64_ST_VISIBILITY(symbol.st_other);
      const bool is_visible = visibility == STV_DEFAULT || visibility == STV_PROTECTED;
      if (symbol.st_shndx == SHN_UNDEF || binding == STB_LOCAL || !is_visible) continue;
      GN_ASSIGN_OR_RETURN(std::string name, name_at(symbol.st_name));
      image_.exports.push_back(std::move(name));
    }
    return Status::ok();
  }

  const ReadAt& read_;
  std::uint64_t file_bytes_;
  std::vector<Elf64_Phdr> segments_;
  std::vector<Elf64_Dyn> dynamic_;
  std::uint64_t names_offset_ = 0;
  std::uint64_t names_bytes_ = 0;
  std::uint64_t text_bytes_ = 0;  // of all names read
  ElfImage image_;
};

}  // namespace

Result<ElfImage> parse_elf_image(const ReadAt& read, std::uint64_t file_bytes, ElfSymbols symbols) {
  return Parser(read, file_bytes).parse(symbols);
}

Result<ElfImage> read_elf_image(const std::filesystem::path& path, ElfSymbols symbols) {
  const base::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status = {};
  if (!fd.is_open() || ::fstat(fd.get(), &status) != 0) {
    return Status(Code::kPlugin, "cannot read '" + path.string() + "': " + std::strerror(errno));
  }
  const ReadAt read = [&fd](std::uint64_t offset, void* target, std::size_t num_bytes) {
    auto* next = static_cast<char*>(target);
    while (num_bytes > 0) {
      const ssize_t got = ::pread(fd.get(), next, num_bytes, static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;
      next += got;
      offset += static_cast<std::uint64_t>(got);
      num_bytes -= static_cast<std::size_t>(got);
    }
    return true;
  };
  Result<ElfImage> image =
      parse_elf_image(read, static_cast<std::uint64_t>(status.st_size), symbols);
  if (image.is_ok()) return image;
  return Status(Code::kPlugin, "'" + path.string() + "' is damaged: " + image.status().message());
}

}  // namespace graphnet::config
