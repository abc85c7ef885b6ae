// SPDX-License-Identifier: MIT
#include "measure/fork_log.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

#include "base/processes.h"
#include "measure/perf_event.h"

namespace graphnet::measure {

namespace {

// A power of two of them; what one user may lock is half a megabyte, and as much as a process may.
constexpr std::size_t kPages = 4;

std::size_t page_bytes() {
  static const auto bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return bytes;
}

std::size_t mapped_bytes() {
  return (1 + kPages) * page_bytes();
}

/// source   perf_event_open(2)
struct ForkRecord {
  perf_event_header header;
  std::uint32_t pid, parent_pid;
  std::uint32_t thread, parent_thread;
  std::uint64_t time;
};

/// From a buffer that goes round.
template <typename T>
T read_at(const std::byte* records, std::uint64_t at) {
  std::array<std::byte, sizeof(T)> bytes;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = records[(at + i) % (kPages * page_bytes())];
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

}  // namespace

void ForkLog::Unmap::operator()(void* pages) const {
  ::munmap(pages, mapped_bytes());
}

std::optional<ForkLog::Buffer> ForkLog::open_buffer(pid_t thread, int core) {
  perf_event_attr attributes = {};
  attributes.task = 1;
  Buffer buffer;
  buffer.event = open_inherited_event(attributes, PERF_COUNT_SW_DUMMY, thread, core);
  if (!buffer.event.is_open()) return std::nullopt;
  // Writable: what has not been read is not written over.
  void* const pages =
      ::mmap(nullptr, mapped_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, buffer.event.get(), 0);
  if (pages == MAP_FAILED) return std::nullopt;
  buffer.pages.reset(pages);
  return buffer;
}

std::optional<ForkLog> ForkLog::open() {
  ForkLog log;
  const auto num_cores = static_cast<int>(::sysconf(_SC_NPROCESSORS_CONF));
  const bool is_alone = open_events([&](pid_t thread) {
    for (int core = 0; core < num_cores; ++core) {
      // A core may be off, and how much memory may be locked is limited.
      if (auto buffer = open_buffer(thread, core)) log.buffers_.push_back(std::move(*buffer));
    }
  });
  if (!is_alone || log.buffers_.empty()) return std::nullopt;
  return log;
}

void ForkLog::forget() {
  read();
  started_.erase(std::remove_if(started_.begin(), started_.end(), base::has_ended), started_.end());
  has_lost_ = false;
}

const std::vector<pid_t>& ForkLog::read() {
  for (const Buffer& buffer : buffers_) {
    auto* const page = static_cast<perf_event_mmap_page*>(buffer.pages.get());
    const auto* const records = static_cast<const std::byte*>(buffer.pages.get()) + page_bytes();
    const std::uint64_t end = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
    for (std::uint64_t at = page->data_tail; at < end;) {
      const auto header = read_at<perf_event_header>(records, at);
      if (header.type == PERF_RECORD_FORK) {
        const auto fork = read_at<ForkRecord>(records, at);
        if (fork.pid != fork.parent_pid) started_.push_back(static_cast<pid_t>(fork.pid));
      }
      has_lost_ = has_lost_ || header.type == PERF_RECORD_LOST;
      at += std::max<std::uint64_t>(header.size, sizeof header);
    }
    __atomic_store_n(&page->data_tail, end, __ATOMIC_RELEASE);
  }
  return started_;
}

}  // namespace graphnet::measure
