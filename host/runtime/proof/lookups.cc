// SPDX-License-Identifier: MIT
#include "proof/lookups.h"

#include <dlfcn.h>

#include <array>
#include <atomic>
#include <cstring>
#include <mutex>

// What the code below reads; before main() and in programs that never note anything too.
extern "C" {
bool graphnet_notes_lookups = false;
void* graphnet_libc_dlsym = nullptr;
void graphnet_note_lookup(void* handle, const char* name, const void* caller);
void* graphnet_find_dlsym();
}

// libc's dlsym looks at its return address to know whose libraries to search, so it must be entered
// by a jump, with the arguments and the stack of the call.
__asm__(R"(
  .pushsection .text
  .globl dlsym
  .type dlsym, @function
dlsym:
  .cfi_startproc
  endbr64
  cmpb $0, graphnet_notes_lookups(%rip)
  je 1f
  push %rdi
  .cfi_adjust_cfa_offset 8
  push %rsi
  .cfi_adjust_cfa_offset 8
  sub $8, %rsp
  .cfi_adjust_cfa_offset 8
  mov 24(%rsp), %rdx
  call graphnet_note_lookup
  add $8, %rsp
  .cfi_adjust_cfa_offset -8
  pop %rsi
  .cfi_adjust_cfa_offset -8
  pop %rdi
  .cfi_adjust_cfa_offset -8
1:
  mov graphnet_libc_dlsym(%rip), %rax
  test %rax, %rax
  jnz 2f
  push %rdi
  .cfi_adjust_cfa_offset 8
  push %rsi
  .cfi_adjust_cfa_offset 8
  sub $8, %rsp
  .cfi_adjust_cfa_offset 8
  call graphnet_find_dlsym
  add $8, %rsp
  .cfi_adjust_cfa_offset -8
  pop %rsi
  .cfi_adjust_cfa_offset -8
  pop %rdi
  .cfi_adjust_cfa_offset -8
2:
  jmp *%rax
  .cfi_endproc
  .size dlsym, . - dlsym
  .popsection
)");

namespace graphnet::proof {

namespace {

/// Fixed memory: who asks may be in the middle of an allocation.
class LookupList {
 public:
  void add(const char* name, std::uintptr_t caller) {
    const std::size_t size = std::strlen(name) + 1;
    const std::uint64_t hash = hash_of(name, caller);
    const std::lock_guard<std::mutex> lock(mutex_);
    for (std::size_t slot = hash % kSlots; count_ < kMost; slot = (slot + 1) % kSlots) {
      Entry& entry = entries_[slot];
      if (entry.name != nullptr) {
        if (entry.hash == hash) return;
        continue;
      }
      if (size > text_.size() - text_bytes_) return;
      std::memcpy(text_.data() + text_bytes_, name, size);
      entry = {hash, caller, text_.data() + text_bytes_};
      text_bytes_ += size;
      ++count_;
      return;
    }
  }

  std::vector<Lookup> all() {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<Lookup> lookups;
    for (const Entry& entry : entries_) {
      if (entry.name != nullptr) lookups.push_back({entry.name, entry.caller});
    }
    return lookups;
  }

 private:
  static constexpr std::size_t kMost = 4096;
  static constexpr std::size_t kSlots = 2 * kMost;
  struct Entry {
    std::uint64_t hash = 0;
    std::uintptr_t caller = 0;
    const char* name = nullptr;
  };

  /// source   FNV-1a
  static std::uint64_t hash_of(const char* name, std::uintptr_t caller) {
    std::uint64_t hash = 0xCBF29CE484222325U ^ caller;
    for (; *name != '\0'; ++name) {
      hash = (hash ^ static_cast<unsigned char>(*name)) * 0x100000001B3U;
    }
    return hash;
  }

  std::mutex mutex_;
  std::array<Entry, kSlots> entries_ = {};
  std::array<char, kMost* 128> text_ = {};
  std::size_t text_bytes_ = 0;
  std::size_t count_ = 0;
};

// Whoever calls dlsym has no object of ours to give.
LookupList list;

}  // namespace

void note_lookups() {
  graphnet_notes_lookups = true;
}

std::vector<Lookup> noted_lookups() {
  return list.all();
}

}  // namespace graphnet::proof

void graphnet_note_lookup(void*, const char* name, const void* caller) {
  if (name == nullptr) return;
  graphnet::proof::list.add(name, reinterpret_cast<std::uintptr_t>(caller));
}

// May be called by a sanitizer that has not begun.
__attribute__((no_sanitize("address", "undefined"))) void* graphnet_find_dlsym() {
  graphnet_libc_dlsym = ::dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
  return graphnet_libc_dlsym;
}
