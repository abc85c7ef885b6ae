// SPDX-License-Identifier: MIT
#include "supervise/crash_text.h"

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <system_error>
#include <vector>

#include "base/elf_symbols.h"
#include "base/memory_map.h"
#include "base/subprocess.h"

namespace graphnet::supervise {

namespace {

namespace fs = std::filesystem;
using base::Json;

// The symbols of a larger file (libtorch) would cost more memory than this program otherwise needs.
constexpr std::uintmax_t kMaxSymbolFileBytes = std::uintmax_t{256} << 20U;

bool has_readable_symbols(const std::string& module) {
  std::error_code error;
  if (!fs::is_regular_file(module, error)) return false;
  return fs::file_size(module, error) <= kMaxSymbolFileBytes && !error;
}

/// Names of the frames' functions; "" for those that are not known.
std::vector<std::string> function_names(const std::vector<Crash::Frame>& frames) {
  std::map<std::string, std::vector<std::size_t>> by_module;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (has_readable_symbols(frames[i].module)) by_module[frames[i].module].push_back(i);
  }
  std::vector<std::string> names(frames.size());
  for (const auto& [module, members] : by_module) {
    std::vector<std::uint64_t> offsets;
    for (const std::size_t i : members) {
      // A return address is behind its call, which may be the function's last instruction.
      offsets.push_back(frames[i].offset - (i > 0 && frames[i].offset > 0 ? 1 : 0));
    }
    const auto found = base::name_offsets(module, offsets);
    if (!found.is_ok()) continue;
    for (std::size_t k = 0; k < members.size(); ++k) names[members[k]] = (*found)[k].name;
  }
  return names;
}

std::string location_text(const Crash::Frame& frame) {
  if (!frame.is_mapped) return frame.address + " (nothing is mapped there)";
  if (frame.module.empty()) return frame.address + " (generated code)";
  char offset[32];
  std::snprintf(offset, sizeof offset, "+0x%llx", static_cast<unsigned long long>(frame.offset));
  return base::module_name(frame.module) + offset;
}

}  // namespace

record::Crash describe_crash(const Crash& crash) {
  base::ExitState end;
  end.signal = crash.signal;
  const std::string signal = end.to_string();
  record::Crash described;
  described.signal = signal.substr(0, signal.find(' '));
  described.address = crash.address;
  const std::vector<std::string> names = function_names(crash.frames);
  for (std::size_t i = 0; i < crash.frames.size(); ++i) {
    const std::string location = location_text(crash.frames[i]);
    described.frames.push_back(names[i].empty() ? location : location + " " + names[i]);
  }
  return described;
}

}  // namespace graphnet::supervise
