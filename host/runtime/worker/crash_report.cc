// SPDX-License-Identifier: MIT
#include "worker/crash_report.h"

#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace graphnet::worker {

namespace {

constexpr std::array<int, 5> kSignals = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
constexpr int kMaxFrames = 32;
// Of the handler and of those that called it; they stand above the frame that crashed.
constexpr int kMaxOwnFrames = 8;
constexpr std::size_t kMaxPathBytes = 512;

/// A location in the code, and the mapping that holds it.
struct Location {
  std::uintptr_t address = 0;
  bool is_mapped = false;
  std::uintptr_t file_offset = 0;
  std::array<char, kMaxPathBytes> path = {};  // empty: memory without a file
};

// All that the handler needs is made before: it may run where there is no memory, no stack, or in
// the middle of malloc. A signal handler gets no argument of ours.
int report_fd = -1;
pid_t worker = 0;
const std::atomic<bool>* is_channel_busy = nullptr;
std::atomic<int> crashing_thread{0};
int first_signal = 0;
std::array<Location, kMaxFrames> locations;
alignas(16) std::array<char, std::size_t{64} << 10U> signal_stack;
std::array<char, std::size_t{64} << 10U> map_text;

/// A line of the channel.
class Line {
 public:
  Line& text(const char* text) {
    while (*text != '\0') put(*text++);
    return *this;
  }
  /// What JSON would escape, and what may be no UTF-8, becomes '?'.
  Line& quoted(const char* text) {
    put('"');
    for (; *text != '\0'; ++text) {
      const auto byte = static_cast<unsigned char>(*text);
      put(byte < 0x20 || byte >= 0x7F || byte == '"' || byte == '\\' ? '?' : *text);
    }
    put('"');
    return *this;
  }
  Line& number(std::uintptr_t value, unsigned base) {
    std::array<char, 24> digits = {};
    std::size_t count = 0;
    do {
      digits[count++] = "0123456789abcdef"[value % base];
      value /= base;
    } while (value != 0);
    while (count > 0) put(digits[--count]);
    return *this;
  }
  void send() {
    put('\n');
    // Who would be told of a failure is the one at the other end.
    const ssize_t ignored = ::write(report_fd, bytes_.data(), size_);
    static_cast<void>(ignored);
  }

 private:
  // Room for a path of kMaxPathBytes and the rest of its line.
  void put(char byte) {
    if (size_ < bytes_.size()) bytes_[size_++] = byte;
  }
  std::array<char, kMaxPathBytes + 256> bytes_;
  std::size_t size_ = 0;
};

std::uintptr_t take_hex(const char*& at, const char* end) {
  std::uintptr_t value = 0;
  for (; at < end; ++at) {
    const char byte = *at;
    const int digit = byte >= '0' && byte <= '9'   ? byte - '0'
                      : byte >= 'a' && byte <= 'f' ? byte - 'a' + 10
                                                   : -1;
    if (digit < 0) break;
    value = value * 16 + static_cast<std::uintptr_t>(digit);
  }
  if (at < end) ++at;  // what ended it
  return value;
}

void skip_word(const char*& at, const char* end) {
  while (at < end && *at != ' ') ++at;
  while (at < end && *at == ' ') ++at;
}

/// Finds the locations that lie in a mapping: "start-end rwxp offset device inode   path".
///
/// source   proc_pid_maps(5)
void take_mapping(const char* at, const char* end, int num_locations) {
  const std::uintptr_t start = take_hex(at, end);
  const std::uintptr_t stop = take_hex(at, end);
  skip_word(at, end);
  const std::uintptr_t offset = take_hex(at, end);
  skip_word(at, end);
  skip_word(at, end);
  const auto path_bytes = std::min(static_cast<std::size_t>(end - at), kMaxPathBytes - 1);
  for (int i = 0; i < num_locations; ++i) {
    Location& location = locations[static_cast<std::size_t>(i)];
    // A return address is behind the call, which may be the last instruction of its mapping.
    const std::uintptr_t inside = i == 0 ? location.address : location.address - 1;
    if (inside < start || inside >= stop) continue;
    location.is_mapped = true;
    location.file_offset = location.address - start + offset;
    std::memcpy(location.path.data(), at, path_bytes);
    location.path[path_bytes] = '\0';
  }
}

/// Reads the memory map piece by piece: the one of a worker is larger than any buffer that would
/// otherwise be needed.
void find_mappings(int num_locations) {
  const int file = ::open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  std::size_t size = 0;
  ssize_t got = 0;
  while ((got = ::read(file, map_text.data() + size, map_text.size() - size)) > 0) {
    size += static_cast<std::size_t>(got);
    const char* begin = map_text.data();
    const char* const end = begin + size;
    while (const void* found = std::memchr(begin, '\n', static_cast<std::size_t>(end - begin))) {
      const char* const line_end = static_cast<const char*>(found);
      take_mapping(begin, line_end, num_locations);
      begin = line_end + 1;
    }
    size = static_cast<std::size_t>(end - begin);
    std::memmove(map_text.data(), begin, size);
  }
  ::close(file);
}

/// The calls from where it crashed outwards; returns how many. Where the unwinder finds no way (a
/// jump to nowhere), the top of the stack is where a call would return to.
__attribute__((no_sanitize("address"))) int find_locations(const greg_t* registers) {
  const auto crashed = static_cast<std::uintptr_t>(registers[REG_RIP]);
  locations[0].address = crashed;
  std::array<void*, kMaxFrames + kMaxOwnFrames> frames = {};
  const int count = ::backtrace(frames.data(), static_cast<int>(frames.size()));
  void** const end = frames.data() + count;
  void** frame = std::find(frames.data(), end, reinterpret_cast<void*>(crashed));
  if (frame == end) {
    locations[1].address = *reinterpret_cast<const std::uintptr_t*>(registers[REG_RSP]);
    return 2;
  }
  int num_locations = 1;
  for (++frame; frame < end && num_locations < kMaxFrames; ++frame) {
    locations[static_cast<std::size_t>(num_locations++)].address =
        reinterpret_cast<std::uintptr_t>(*frame);
  }
  return num_locations;
}

void send_locations(int num_locations) {
  for (int i = 0; i < num_locations; ++i) {
    const Location& location = locations[static_cast<std::size_t>(i)];
    Line line;
    line.text(R"({"event":"frame","address":"0x)").number(location.address, 16).text("\"");
    if (location.is_mapped) {
      line.text(R"(,"offset":)").number(location.file_offset, 10);
      line.text(R"(,"module":)").quoted(location.path.data());
    }
    line.text("}").send();
  }
}

int own_thread() {
  return static_cast<int>(::syscall(SYS_gettid));
}

void set_default(int signal) {
  struct sigaction action = {};
  action.sa_handler = SIG_DFL;
  ::sigaction(signal, &action, nullptr);
}

/// Ends the process by the signal that came first.
void end_now() {
  set_default(first_signal);
  sigset_t only;
  ::sigemptyset(&only);
  ::sigaddset(&only, first_signal);
  ::pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  ::syscall(SYS_tgkill, ::getpid(), own_thread(), first_signal);
}

void on_crash(int signal, siginfo_t* info, void* context) {
  int nobody = 0;
  if (!crashing_thread.compare_exchange_strong(nobody, own_thread())) {
    if (nobody == own_thread()) end_now();  // the report itself crashed
    while (true) ::pause();                 // the other thread is about to end the process
  }
  first_signal = signal;
  // A child that the plugin forked has the channel too.
  if (!is_channel_busy->load() && ::getpid() == worker) {
    const greg_t* registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
    Line line;
    line.text(R"({"event":"crash","signal":)").number(static_cast<unsigned>(signal), 10);
    // A signal that was sent has a sender in that field.
    if (info->si_code > 0) {
      const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
      line.text(R"(,"address":"0x)").number(address, 16).text("\"");
    }
    line.text("}").send();
    const int num_locations = find_locations(registers);
    find_mappings(num_locations);
    send_locations(num_locations);
  }
  // Arrives when this returns, with the registers as they were.
  set_default(signal);
  ::syscall(SYS_tgkill, ::getpid(), own_thread(), signal);
}

}  // namespace

void report_crashes(int fd, const std::atomic<bool>& is_sending) {
  report_fd = fd;
  worker = ::getpid();
  is_channel_busy = &is_sending;
  // Loads the unwinder, which could not be done in the handler.
  void* frame = nullptr;
  ::backtrace(&frame, 1);
  stack_t stack = {};
  stack.ss_sp = signal_stack.data();
  stack.ss_size = signal_stack.size();
  ::sigaltstack(&stack, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = on_crash;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  ::sigemptyset(&action.sa_mask);
  for (const int signal : kSignals) ::sigaction(signal, &action, nullptr);
}

}  // namespace graphnet::worker
