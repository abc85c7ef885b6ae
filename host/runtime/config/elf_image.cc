// SPDX-License-Identifier: MIT
#include "config/elf_image.h"

#include "base/elf_file.h"

namespace graphnet::config {

using base::CheckedBytes;
using base::Code;
using base::ElfDynamic;
using base::ElfFile;
using base::Result;
using base::Status;

namespace {

// Far above any real library; they keep a hostile chain from costing time.
constexpr std::size_t kMaxVersions = 16384;

Status damaged(const std::string& what) {
  return Status(Code::kPlugin, what);
}

Status check_segments(const ElfFile& file) {
  for (const Elf64_Phdr& segment : file.segments()) {
    if (segment.p_type == PT_LOAD && !file.bytes().contains(segment.p_offset, segment.p_filesz)) {
      return damaged("it is cut off: a segment ends behind its " +
                     std::to_string(file.bytes().size()) + " bytes");
    }
  }
  return Status::ok();
}

Status read_names(ElfDynamic& dynamic, ElfImage& image) {
  for (const Elf64_Dyn& entry : dynamic.entries()) {
    std::string* target = nullptr;
    if (entry.d_tag == DT_NEEDED) target = &image.needed.emplace_back();
    if (entry.d_tag == DT_SONAME) target = &image.soname;
    if (entry.d_tag == DT_RUNPATH) target = &image.run_path;
    if (entry.d_tag == DT_RPATH) target = &image.old_run_path;
    if (target == nullptr) continue;
    GN_ASSIGN_OR_RETURN(*target, dynamic.text(entry.d_un.d_val));
  }
  image.no_default_folders = (dynamic.value_of(DT_FLAGS_1).value_or(0) & DF_1_NODEFLIB) != 0;
  return Status::ok();
}

Status read_version_needs(const CheckedBytes& bytes, ElfDynamic& dynamic, ElfImage& image) {
  auto offset = dynamic.offset_of(DT_VERNEED);
  std::size_t left = kMaxVersions;
  while (offset) {
    Elf64_Verneed need = {};
    if (left-- == 0 || !bytes.read(*offset, need)) return damaged("its version needs are damaged");
    std::uint64_t next = *offset + need.vn_aux;
    for (int i = 0; i < need.vn_cnt; ++i) {
      Elf64_Vernaux version = {};
      if (left-- == 0 || !bytes.read(next, version)) {
        return damaged("its version needs are damaged");
      }
      GN_ASSIGN_OR_RETURN(std::string library, dynamic.text(need.vn_file));
      GN_ASSIGN_OR_RETURN(std::string name, dynamic.text(version.vna_name));
      const bool is_weak = (version.vna_flags & VER_FLG_WEAK) != 0;
      image.version_needs.push_back({std::move(library), std::move(name), is_weak});
      next += version.vna_next;
    }
    if (need.vn_next == 0) break;
    *offset += need.vn_next;
  }
  return Status::ok();
}

Status read_versions(const CheckedBytes& bytes, ElfDynamic& dynamic, ElfImage& image) {
  auto offset = dynamic.offset_of(DT_VERDEF);
  std::size_t left = kMaxVersions;
  while (offset) {
    Elf64_Verdef version = {};
    Elf64_Verdaux name = {};
    if (left-- == 0 || !bytes.read(*offset, version) ||
        !bytes.read(*offset + version.vd_aux, name)) {
      return damaged("its versions are damaged");
    }
    GN_ASSIGN_OR_RETURN(std::string text, dynamic.text(name.vda_name));
    image.versions.push_back(std::move(text));
    if (version.vd_next == 0) break;
    *offset += version.vd_next;
  }
  return Status::ok();
}

Status read_exports(ElfDynamic& dynamic, ElfImage& image) {
  GN_ASSIGN_OR_RETURN(const std::vector<Elf64_Sym> symbols, dynamic.symbols());
  for (const Elf64_Sym& symbol : symbols) {
    const auto binding = ELF64_ST_BIND(symbol.st_info);
    const auto visibility = ELF64_ST_VISIBILITY(symbol.st_other);
    const bool is_visible = visibility == STV_DEFAULT || visibility == STV_PROTECTED;
    if (symbol.st_shndx == SHN_UNDEF || binding == STB_LOCAL || !is_visible) continue;
    GN_ASSIGN_OR_RETURN(std::string name, dynamic.text(symbol.st_name));
    image.exports.push_back(std::move(name));
  }
  return Status::ok();
}

Result<ElfImage> read_image(CheckedBytes source, ElfSymbols symbols) {
  GN_ASSIGN_OR_RETURN(ElfFile file, ElfFile::read(std::move(source)));
  GN_RETURN_IF_ERROR(check_segments(file));
  GN_ASSIGN_OR_RETURN(ElfDynamic dynamic, ElfDynamic::read(file));
  ElfImage image;
  GN_RETURN_IF_ERROR(read_names(dynamic, image));
  GN_RETURN_IF_ERROR(read_version_needs(file.bytes(), dynamic, image));
  GN_RETURN_IF_ERROR(read_versions(file.bytes(), dynamic, image));
  if (symbols == ElfSymbols::kRead) GN_RETURN_IF_ERROR(read_exports(dynamic, image));
  return image;
}

}  // namespace

Result<ElfImage> parse_elf_image(std::string_view bytes, ElfSymbols symbols) {
  Result<ElfImage> image = read_image(CheckedBytes(bytes), symbols);
  if (image.is_ok()) return image;
  return damaged(image.status().message());
}

Result<ElfImage> read_elf_image(const std::filesystem::path& path, ElfSymbols symbols) {
  Result<CheckedBytes> bytes = CheckedBytes::open(path);
  if (!bytes.is_ok()) return damaged(bytes.status().message());
  Result<ElfImage> image = read_image(std::move(bytes).value(), symbols);
  if (image.is_ok()) return image;
  return damaged("'" + path.string() + "' is damaged: " + image.status().message());
}

}  // namespace graphnet::config
