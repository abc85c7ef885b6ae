// SPDX-License-Identifier: MIT
#include "base/memory_map.h"

#include <sys/mman.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/kernel_file.h"

namespace graphnet::base {

namespace {

/// Takes a hexadecimal number and the character after it off the front of a line.
std::uint64_t take_hex(std::string_view& line) {
  std::uint64_t value = 0;
  const auto parsed = std::from_chars(line.data(), line.data() + line.size(), value, 16);
  const auto length = static_cast<std::size_t>(parsed.ptr - line.data());
  line.remove_prefix(std::min(length + 1, line.size()));
  return value;
}

void skip_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find(' '), line.size()));
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
}

// "start-end rwxp offset device inode   path"
bool parse_line(std::string_view line, Mapping& mapping) {
  mapping.start = take_hex(line);
  mapping.end = take_hex(line);
  if (mapping.start >= mapping.end || line.size() < 4) return false;
  mapping.protection = (line[0] == 'r' ? PROT_READ : 0) | (line[1] == 'w' ? PROT_WRITE : 0) |
                       (line[2] == 'x' ? PROT_EXEC : 0);
  skip_word(line);
  mapping.file_offset = take_hex(line);
  skip_word(line);
  skip_word(line);
  mapping.path = line;
  return true;
}

}  // namespace

std::vector<Mapping> parse_memory_map(std::string_view text) {
  std::vector<Mapping> mappings;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    Mapping mapping;
    if (parse_line(text.substr(0, end), mapping)) mappings.push_back(std::move(mapping));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return mappings;
}

Result<std::vector<Mapping>> read_memory_map() {
  std::vector<Mapping> mappings = parse_memory_map(read_kernel_file("/proc/self/maps"));
  if (!mappings.empty()) return mappings;
  return Status(Code::kEnvironment, "/proc/self/maps cannot be read");
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

}  // namespace graphnet::base
