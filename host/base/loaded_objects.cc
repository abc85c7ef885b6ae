// SPDX-License-Identifier: MIT
#include "base/loaded_objects.h"

#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string_view>

namespace graphnet::base {

namespace {

std::string hexadecimal(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const char byte : bytes) {
    const auto value = static_cast<unsigned char>(byte);
    text += kDigits[value >> 4U];
    text += kDigits[value & 15U];
  }
  return text;
}

// Name and content of a note are padded to four bytes.
std::size_t padded(std::size_t size) {
  return (size + 3) & ~std::size_t{3};
}

std::string build_id_in(std::string_view notes) {
  constexpr std::string_view kOwner("GNU\0", 4);
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) head = {};
    std::memcpy(&head, notes.data(), sizeof(head));
    notes.remove_prefix(sizeof(head));
    const std::size_t name_bytes = padded(head.n_namesz);
    const std::size_t bytes = name_bytes + padded(head.n_descsz);
    if (bytes > notes.size()) break;
    if (head.n_type == NT_GNU_BUILD_ID && notes.substr(0, head.n_namesz) == kOwner) {
      return hexadecimal(notes.substr(name_bytes, head.n_descsz));
    }
    notes.remove_prefix(bytes);
  }
  return {};
}

int add_object(dl_phdr_info* info, std::size_t /*size*/, void* list) {
  LoadedObject object;
  object.start = std::numeric_limits<std::uintptr_t>::max();
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    const std::uintptr_t start = info->dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD) {
      object.start = std::min(object.start, start);
      object.end = std::max<std::uintptr_t>(object.end, start + segment.p_memsz);
    } else if (segment.p_type == PT_NOTE && object.build_id.empty()) {
      object.build_id = build_id_in({reinterpret_cast<const char*>(start), segment.p_memsz});
    }
  }
  if (object.start < object.end) {
    static_cast<std::vector<LoadedObject>*>(list)->push_back(std::move(object));
  }
  return 0;
}

}  // namespace

std::vector<LoadedObject> loaded_objects() {
  std::vector<LoadedObject> objects;
  dl_iterate_phdr(&add_object, &objects);
  return objects;
}

}  // namespace graphnet::base
