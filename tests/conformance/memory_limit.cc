// SPDX-License-Identifier: MIT
#include "conformance/memory_limit.h"

#include <unistd.h>

#include <cstdio>

namespace graphnet::conformance {

namespace {

/// Address space of this process in bytes; 0 if the kernel does not tell.
std::uint64_t used_bytes() {
  std::FILE* const file = std::fopen("/proc/self/statm", "re");
  if (file == nullptr) return 0;
  unsigned long pages = 0;
  const int count = std::fscanf(file, "%lu", &pages);
  std::fclose(file);
  return count == 1 ? std::uint64_t{pages} * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) : 0;
}

}  // namespace

MemoryLimit::MemoryLimit(const std::optional<std::uint64_t>& bytes) {
  const std::uint64_t used = bytes ? used_bytes() : 0;
  rlimit limit = {};
  if (used == 0 || getrlimit(RLIMIT_AS, &limit) != 0) return;
  earlier_ = limit;
  limit.rlim_cur = used + *bytes;
  setrlimit(RLIMIT_AS, &limit);
}

MemoryLimit::~MemoryLimit() {
  if (earlier_) setrlimit(RLIMIT_AS, &*earlier_);
}

}  // namespace graphnet::conformance
