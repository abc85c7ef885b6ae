// SPDX-License-Identifier: MIT
#include "proof/kernel_files.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "base/elf_file.h"
#include "base/memory_map.h"

namespace graphnet::proof {

namespace {

using base::Result;
using base::Status;

constexpr std::string_view kTextSection = ".rodata";
// Where nvcc's linker puts the code: libtorch's libraries without kernels need not be searched.
constexpr std::string_view kCodeSection = ".nv_fatbin";
constexpr std::uint64_t kBlockBytes = std::uint64_t{4} << 20U;
constexpr std::string_view kMangled = "_Z";
constexpr std::string_view kTemplates[] = {"_ZN6thrust", "_ZN3cub", "_ZN7cutlass"};
// Namespaces of libtorch's, in a mangled name.
constexpr std::string_view kLibtorchs[] = {"N2at", "2at6native", "N3c10", "N5torch"};

using Names = std::unordered_set<std::string_view>;

/// Calls `found` with each wanted name among the texts in the bytes: a text begins behind a zero,
/// or, where other data lie before it, as mangled names do.
template <typename Found>
void search(std::string_view bytes, const Names& wanted, Found found) {
  while (!bytes.empty()) {
    const std::string_view text = bytes.substr(0, bytes.find('\0'));
    bytes.remove_prefix(std::min(bytes.size(), text.size() + 1));
    if (wanted.count(text) != 0) found(text);
    const std::size_t mangled = text.find(kMangled);
    if (mangled == 0 || mangled == std::string_view::npos) continue;
    if (wanted.count(text.substr(mangled)) != 0) found(text.substr(mangled));
  }
}

/// The wanted names in a section, which is read in blocks; a text across two is read again whole.
Status search_section(const base::CheckedBytes& file, const Elf64_Shdr& section,
                      const Names& wanted, std::unordered_set<std::string>& found) {
  std::vector<char> block;
  std::uint64_t offset = section.sh_offset;
  std::uint64_t left = section.sh_size;
  while (left > 0) {
    if (!file.read_array(offset, std::min(left, kBlockBytes), block)) {
      return Status(base::Code::kInput, "it was cut short meanwhile");
    }
    std::size_t used = block.size();
    if (used < left) {
      const auto last = std::find(block.rbegin(), block.rend(), '\0');
      if (last != block.rend()) used -= static_cast<std::size_t>(last - block.rbegin());
    }
    search({block.data(), used}, wanted, [&](std::string_view name) { found.emplace(name); });
    offset += used;
    left -= used;
  }
  return Status::ok();
}

Result<std::unordered_set<std::string>> names_in(const std::string& path, RegionKind kind,
                                                 const Names& wanted) {
  GN_ASSIGN_OR_RETURN(base::CheckedBytes bytes, base::CheckedBytes::open(path));
  GN_ASSIGN_OR_RETURN(base::ElfFile file, base::ElfFile::read(std::move(bytes)));
  std::unordered_set<std::string> found;
  const Elf64_Shdr* texts = nullptr;
  bool has_code = kind == RegionKind::kExpect;
  for (const Elf64_Shdr& section : file.sections()) {
    const std::string name = file.section_name(section);
    if (name == kTextSection) texts = &section;
    has_code = has_code || name == kCodeSection;
  }
  if (texts == nullptr || texts->sh_type == SHT_NOBITS || !has_code) return found;
  GN_RETURN_IF_ERROR(search_section(file.bytes(), *texts, wanted, found));
  return found;
}

/// Of a library that consists of headers, and for no type of libtorch's: anyone's.
bool is_anyones_template(std::string_view name) {
  const bool is_template =
      std::any_of(std::begin(kTemplates), std::end(kTemplates),
                  [&](std::string_view begin) { return name.substr(0, begin.size()) == begin; });
  return is_template &&
         std::none_of(std::begin(kLibtorchs), std::end(kLibtorchs), [&](std::string_view part) {
           return name.find(part) != std::string_view::npos;
         });
}

void add(KernelFiles& files, const std::string& name, const KernelFile& file) {
  const auto [known, is_new] = files.by_name.emplace(name, file);
  if (is_new || known->second.holder == file.holder) return;
  if (is_anyones_template(name)) {
    known->second = KernelFile();
  } else if (file.holder == KernelHolder::kLibtorch) {
    known->second = file;
  }
}

}  // namespace

KernelFiles find_kernel_files(const std::vector<std::string>& names,
                              const std::vector<Region>& regions) {
  KernelFiles files;
  const Names wanted(names.begin(), names.end());
  // Texts like "softmax" are in libtorch's files for other reasons; its kernels' names are mangled.
  Names mangled;
  for (const std::string_view name : wanted) {
    if (name.substr(0, kMangled.size()) == kMangled) mangled.insert(name);
  }
  std::unordered_set<std::string> searched;
  for (const Region& region : regions) {
    const bool is_libtorchs = region.kind == RegionKind::kDeny;
    if (wanted.empty() || (!is_libtorchs && region.kind != RegionKind::kExpect)) continue;
    const std::string& path = region.mapping.path;
    if (path.empty() || path.front() != '/' || !searched.insert(path).second) continue;
    const std::string module = base::module_name(path);
    const auto found = names_in(path, region.kind, is_libtorchs ? mangled : wanted);
    if (!found.is_ok() && is_libtorchs && files.problem.empty()) {
      files.problem = "the kernels of " + module + " are not known: " + found.status().message();
    }
    if (!found.is_ok()) continue;
    const KernelHolder holder = is_libtorchs ? KernelHolder::kLibtorch : KernelHolder::kPlugin;
    for (const std::string& name : *found) add(files, name, {module, holder});
  }
  return files;
}

}  // namespace graphnet::proof
