// SPDX-License-Identifier: MIT
#include "proof/memory_map.h"

#include <sys/mman.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <iterator>

namespace graphnet::proof {

namespace {

bool parse_line(const std::string& line, Mapping& mapping) {
  char rights[5] = {};
  int path_at = 0;
  const int fields =
      std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " %4s %" SCNx64 " %*s %*s %n",
                  &mapping.start, &mapping.end, rights, &mapping.file_offset, &path_at);
  if (fields != 4 || mapping.start >= mapping.end) return false;
  mapping.protection = (rights[0] == 'r' ? PROT_READ : 0) | (rights[1] == 'w' ? PROT_WRITE : 0) |
                       (rights[2] == 'x' ? PROT_EXEC : 0);
  if (path_at > 0) mapping.path = line.substr(static_cast<std::size_t>(path_at));
  return true;
}

}  // namespace

std::vector<Mapping> parse_memory_map(std::string_view text) {
  std::vector<Mapping> mappings;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    Mapping mapping;
    if (parse_line(std::string(text.substr(0, end)), mapping)) {
      mappings.push_back(std::move(mapping));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return mappings;
}

base::Result<std::vector<Mapping>> read_memory_map() {
  std::ifstream file("/proc/self/maps", std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  std::vector<Mapping> mappings = parse_memory_map(text);
  if (!mappings.empty()) return mappings;
  return base::Status(base::Code::kEnvironment, "/proc/self/maps cannot be read");
}

std::vector<Mapping> executable_mappings(const std::vector<Mapping>& mappings) {
  std::vector<Mapping> executable;
  for (const Mapping& mapping : mappings) {
    const bool is_kernels = mapping.path == "[vdso]" || mapping.path == "[vsyscall]";
    if ((mapping.protection & PROT_EXEC) != 0 && !is_kernels) executable.push_back(mapping);
  }
  return executable;
}

const Mapping* find_mapping(const std::vector<Mapping>& mappings, std::uintptr_t address) {
  const auto after = std::upper_bound(
      mappings.begin(), mappings.end(), address,
      [](std::uintptr_t wanted, const Mapping& mapping) { return wanted < mapping.start; });
  if (after == mappings.begin()) return nullptr;
  const Mapping& before = *std::prev(after);
  return before.contains(address) ? &before : nullptr;
}

std::string module_name(const std::string& path) {
  if (path.empty() || path.front() == '[') return "anonymous";
  std::string name = path.substr(path.rfind('/') + 1);
  const std::size_t deleted = name.rfind(" (deleted)");
  return deleted == std::string::npos ? name : name.substr(0, deleted);
}

}  // namespace graphnet::proof
