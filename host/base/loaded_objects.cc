// SPDX-License-Identifier: MIT
#include "base/loaded_objects.h"

#include <link.h>

#include <algorithm>
#include <limits>

#include "base/elf_file.h"

namespace graphnet::base {

namespace {

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
