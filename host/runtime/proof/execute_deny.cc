// SPDX-License-Identifier: MIT
#include "proof/execute_deny.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "proof/signal_stacks.h"
#include "proof/thread_signals.h"

namespace graphnet::proof {

using base::Code;
using base::Status;

namespace {

// Windows of a gigabyte of code, each hit by four threads at once.
constexpr std::size_t kMaxHits = std::size_t{1} << 16U;

// Bit of the page-fault error word: the access was an instruction fetch.
constexpr greg_t kInstructionFetch = 0x10;

// The handler may use neither libc (a plugin may have patched it) nor errno.
long system_call(long number, long one, long two, long three) {
  long result = number;
  __asm__ volatile("syscall"
                   : "+a"(result)
                   : "D"(one), "S"(two), "d"(three)
                   : "rcx", "r11", "memory");
  return result;
}

std::int64_t now_ns() {
  timespec now = {};
  system_call(SYS_clock_gettime, CLOCK_MONOTONIC_RAW, reinterpret_cast<long>(&now), 0);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

/// 0 or an error number.
int protect(std::uintptr_t start, std::uintptr_t end, int protection) {
  return static_cast<int>(-system_call(SYS_mprotect, static_cast<long>(start),
                                       static_cast<long>(end - start), protection));
}

Status refused(const std::string& what, int error) {
  return Status(Code::kUnsupported, what + ": " + std::strerror(error));
}

/// Room for kMaxHits. Most of it is never touched and costs nothing.
class HitList {
 public:
  HitList()
      : hits_(static_cast<Hit*>(::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))) {}
  ~HitList() {
    if (is_there()) ::munmap(hits_, kBytes);
  }
  HitList(const HitList&) = delete;
  HitList& operator=(const HitList&) = delete;

  bool is_there() const { return hits_ != MAP_FAILED; }
  Hit& operator[](std::size_t i) { return hits_[i]; }
  std::vector<Hit> first(std::size_t count) const { return {hits_, hits_ + count}; }

 private:
  static constexpr std::size_t kBytes = kMaxHits * sizeof(Hit);
  Hit* hits_;
};

/// Of a region what is code, with the rights that it has while it is open.
struct Part {
  std::uintptr_t start;
  std::uintptr_t end;
  int protection;
  std::size_t region;

  int closed() const { return protection & ~PROT_EXEC; }
};
using Parts = std::vector<Part>;  // by address

}  // namespace

struct ExecuteDeny::State {
  std::vector<Region> regions;
  std::vector<std::string> tolerated;
  // A thread may fault in the moment in which everything is opened, and look for its part when
  // others are closed already: none is freed.
  std::vector<std::unique_ptr<const Parts>> all_parts;
  std::atomic<const Parts*> parts{nullptr};  // those that were closed last
  HitList hits;                              // made before anything is closed
  std::atomic<std::size_t> num_hits{0};
  std::size_t num_kept = 0;  // of them, without those of our own code in disarm()
  std::atomic<bool> is_armed{false};
  struct sigaction previous = {};

  // A signal handler gets no argument of ours.
  static std::atomic<State*> current;
  static void on_fault(int signal, siginfo_t* info, void* context);

  /// True if the address lies in a part that was closed; its window is open then, as far as the
  /// part goes.
  bool open(std::uintptr_t address, const greg_t* registers);
  void note(std::size_t region, std::uintptr_t window, const greg_t* registers);
  const Parts& use(Parts closed);
  void add_parts(std::size_t region, const std::vector<base::Mapping>& mappings,
                 Parts& added) const;
  void reopen(const Part& part, const std::vector<base::Mapping>& mappings) const;
  /// kPlugin if denied code is executable in a window that no hit has opened.
  Status check_closed(const Region& region, const std::vector<base::Mapping>& mappings,
                      const std::vector<std::uintptr_t>& opened) const;
};

std::atomic<ExecuteDeny::State*> ExecuteDeny::State::current{nullptr};

namespace {

int own_thread() {
  return static_cast<int>(system_call(SYS_gettid, 0, 0, 0));
}

void die_of(int signal) {
  struct sigaction action = {};
  action.sa_handler = SIG_DFL;
  ::sigaction(signal, &action, nullptr);  // the instruction faults again
}

// A handler that calls us back for a fault that neither of us knows would go on for ever.
std::atomic<int> chaining_thread{0};

void chain(const struct sigaction& previous, int signal, siginfo_t* info, void* context) {
  const bool has_handler = (previous.sa_flags & SA_SIGINFO) != 0 ||
                           (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN);
  if (!has_handler || chaining_thread.exchange(own_thread()) == own_thread()) {
    return die_of(signal);
  }
  if ((previous.sa_flags & SA_SIGINFO) != 0) {
    previous.sa_sigaction(signal, info, context);
  } else {
    previous.sa_handler(signal);
  }
  chaining_thread = 0;
}

std::uintptr_t window_of(std::uintptr_t address) {
  return address & ~(kWindowBytes - 1);
}

/// What lies in both of two.
struct Overlap {
  std::uintptr_t start;
  std::uintptr_t end;
};

/// Calls `visit` with each of `mappings`, which are by address, that has a part in `region`.
template <typename Extent, typename Visit>
void visit_overlaps(const Extent& region, const std::vector<base::Mapping>& mappings, Visit visit) {
  auto now = std::upper_bound(
      mappings.begin(), mappings.end(), region.start,
      [](std::uintptr_t start, const base::Mapping& one) { return start < one.end; });
  for (; now != mappings.end() && now->start < region.end; ++now) {
    visit(*now, Overlap{std::max(now->start, region.start), std::min(now->end, region.end)});
  }
}

}  // namespace

bool ExecuteDeny::State::open(std::uintptr_t address, const greg_t* registers) {
  const Parts* const closed = parts.load();
  if (closed == nullptr) return false;
  const auto part =
      std::upper_bound(closed->begin(), closed->end(), address,
                       [](std::uintptr_t at, const Part& one) { return at < one.end; });
  if (part == closed->end() || address < part->start) return false;
  const std::uintptr_t window = window_of(address);
  const std::uintptr_t start = std::max(window, part->start);
  const std::uintptr_t end = std::min(window + kWindowBytes, part->end);
  if (protect(start, end, part->protection) != 0) return false;
  // A thread may fault in the moment in which everything is opened.
  if (is_armed.load()) note(part->region, window, registers);
  return true;
}

// The stack that it reads is another function's.
__attribute__((no_sanitize("address"))) void ExecuteDeny::State::note(std::size_t region,
                                                                      std::uintptr_t window,
                                                                      const greg_t* registers) {
  const std::size_t slot = num_hits.fetch_add(1);
  if (slot >= kMaxHits) return;
  Hit& hit = hits[slot];
  hit.instruction = static_cast<std::uintptr_t>(registers[REG_RIP]);
  hit.return_word = *reinterpret_cast<const std::uintptr_t*>(registers[REG_RSP]);
  hit.region = region;
  hit.window = window;
  hit.thread = own_thread();
  hit.time_ns = now_ns();
}

void ExecuteDeny::State::on_fault(int signal, siginfo_t* info, void* context) {
  State* state = current.load();
  if (state == nullptr) return die_of(signal);
  const greg_t* registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  const bool is_fetch =
      info->si_code == SEGV_ACCERR && (registers[REG_ERR] & kInstructionFetch) != 0;
  // What could not be fetched: the instruction itself may begin in the window before.
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  if (is_fetch && state->open(address, registers)) return;
  chain(state->previous, signal, info, context);
}

const Parts& ExecuteDeny::State::use(Parts closed) {
  all_parts.push_back(std::make_unique<const Parts>(std::move(closed)));
  parts = all_parts.back().get();
  return *all_parts.back();
}

void ExecuteDeny::State::add_parts(std::size_t region, const std::vector<base::Mapping>& mappings,
                                   Parts& added) const {
  const base::Mapping& whole = regions[region].mapping;
  if (regions[region].kind != RegionKind::kExpect) {
    added.push_back({whole.start, whole.end, whole.protection, region});
    return;
  }
  // A plugin may have given its code back, and others may write to memory at that address now.
  visit_overlaps(whole, mappings, [&](const base::Mapping& now, const Overlap& both) {
    if ((now.protection & PROT_EXEC) == 0) return;
    added.push_back({both.start, both.end, now.protection, region});
  });
}

void ExecuteDeny::State::reopen(const Part& part,
                                const std::vector<base::Mapping>& mappings) const {
  visit_overlaps(part, mappings, [&](const base::Mapping& now, const Overlap& both) {
    // A plugin may have given its memory another use meanwhile.
    if (now.protection == part.closed()) protect(both.start, both.end, part.protection);
  });
}

Status ExecuteDeny::State::check_closed(const Region& region,
                                        const std::vector<base::Mapping>& mappings,
                                        const std::vector<std::uintptr_t>& opened) const {
  bool is_closed_still = true;
  visit_overlaps(region.mapping, mappings, [&](const base::Mapping& now, const Overlap& part) {
    if ((now.protection & PROT_EXEC) == 0) return;
    for (std::uintptr_t at = window_of(part.start); at < part.end; at += kWindowBytes) {
      is_closed_still = is_closed_still && std::binary_search(opened.begin(), opened.end(), at);
    }
  });
  if (is_closed_still) return Status::ok();
  return Status(Code::kPlugin, "other code made pages of " +
                                   base::module_name(region.mapping.path) + " executable");
}

ExecuteDeny::ExecuteDeny(std::unique_ptr<State> state) : state_(std::move(state)) {}

base::Result<std::unique_ptr<ExecuteDeny>> ExecuteDeny::create(std::vector<Region> regions) {
  auto state = std::make_unique<State>();
  for (const ThreadState& thread : threads_that_block(SIGSEGV)) {
    if (!is_drivers(thread)) {
      return Status(
          Code::kUnsupported,
          describe_thread(thread) + " blocks SIGSEGV; the kernel would kill the process at a trap");
    }
    state->tolerated.push_back(describe_thread(thread));
  }
  if (!state->hits.is_there()) return refused("no memory to note hits in", errno);
  if (const int signal = free_signal(); signal != 0) give_signal_stacks(signal);
  state->regions = std::move(regions);
  std::unique_ptr<ExecuteDeny> tracer(new ExecuteDeny(std::move(state)));
  tracer->reclaim_handler();
  GN_RETURN_IF_ERROR(tracer->try_on_own_page());
  return tracer;
}

ExecuteDeny::~ExecuteDeny() {
  static_cast<void>(disarm());
  struct sigaction now = {};
  ::sigaction(SIGSEGV, nullptr, &now);
  if (now.sa_sigaction == &State::on_fault) ::sigaction(SIGSEGV, &state_->previous, nullptr);
  State::current = nullptr;
}

const std::vector<Region>& ExecuteDeny::regions() const {
  return state_->regions;
}

const std::vector<std::string>& ExecuteDeny::tolerated_threads() const {
  return state_->tolerated;
}

// Everything that happens later in earnest, on a page where a refusal costs nothing.
Status ExecuteDeny::try_on_own_page() {
  constexpr std::size_t kPage = 4096;
  constexpr unsigned char kReturn = 0xC3;
  void* const page =
      ::mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return refused("no memory for the self-test of execute-deny", errno);
  *static_cast<unsigned char*>(page) = kReturn;
  const auto start = reinterpret_cast<std::uintptr_t>(page);
  const auto end = start + kPage;
  Status status;
  for (const int protection :
       {PROT_READ | PROT_EXEC, PROT_READ, PROT_READ | PROT_EXEC, PROT_READ}) {
    const int error = protect(start, end, protection);
    if (error != 0 && status.is_ok()) {
      status = refused("the kernel refuses to change the right to execute", error);
    }
  }
  if (status.is_ok()) {
    state_->use({{start, end, PROT_READ | PROT_EXEC, 0}});
    state_->num_hits = 0;
    state_->is_armed = true;
    reinterpret_cast<void (*)()>(page)();
    state_->is_armed = false;
    state_->use({});
    if (state_->num_hits != 1) {
      status = Status(Code::kUnsupported, "the self-test of execute-deny saw no trap");
    }
  }
  ::munmap(page, kPage);
  return status;
}

Status ExecuteDeny::arm(const std::vector<RegionKind>& kinds) {
  GN_RETURN_IF_ERROR(disarm());
  State& state = *state_;
  state.num_hits = 0;
  state.num_kept = 0;
  // Uses strings, as disarm() does: before anything is closed.
  GN_ASSIGN_OR_RETURN(const std::vector<base::Mapping> mappings, base::read_memory_map());
  Parts wanted;
  for (std::size_t i = 0; i < state.regions.size(); ++i) {
    const RegionKind kind = state.regions[i].kind;
    const bool is_wanted = std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
    if (is_wanted && kind != RegionKind::kHost) state.add_parts(i, mappings, wanted);
  }
  const Parts& parts = state.use(std::move(wanted));
  state.is_armed = true;
  for (const Part& part : parts) {
    const int error = protect(part.start, part.end, part.closed());
    const Region& region = state.regions[part.region];
    const bool is_gone = error == ENOMEM && region.kind == RegionKind::kExpect;
    if (error == 0 || is_gone) continue;
    static_cast<void>(disarm());
    return refused("the kernel refuses to take the right to execute from " +
                       base::module_name(region.mapping.path),
                   error);
  }
  return Status::ok();
}

Status ExecuteDeny::disarm() {
  State& state = *state_;
  if (!state.is_armed) return Status::ok();
  state.num_kept = std::min(state.num_hits.load(), kMaxHits);
  // Uses strings, of which libtorch may hold the code.
  const auto mappings = base::read_memory_map();
  std::vector<std::uintptr_t> opened;
  const std::size_t num_opened = std::min(state.num_hits.load(), kMaxHits);
  for (std::size_t i = 0; i < num_opened; ++i) opened.push_back(state.hits[i].window);
  std::sort(opened.begin(), opened.end());
  Status status = mappings.is_ok() ? Status::ok() : mappings.status();
  for (const Part& part : *state.parts.load()) {
    const Region& region = state.regions[part.region];
    if (region.kind == RegionKind::kExpect && mappings.is_ok()) {
      state.reopen(part, *mappings);
    } else {
      protect(part.start, part.end, part.protection);
    }
    if (region.kind != RegionKind::kDeny || !status.is_ok()) continue;
    status = state.check_closed(region, *mappings, opened);
  }
  state.is_armed = false;
  if (state.num_hits > kMaxHits) status = Status(Code::kPlugin, "too many hits to keep");
  return status;
}

std::vector<Hit> ExecuteDeny::hits() const {
  return state_->hits.first(state_->num_kept);
}

bool ExecuteDeny::reclaim_handler() {
  struct sigaction now = {};
  ::sigaction(SIGSEGV, nullptr, &now);
  if (now.sa_sigaction == &State::on_fault) return true;
  state_->previous = now;
  State::current = state_.get();
  struct sigaction action = {};
  action.sa_sigaction = &State::on_fault;
  action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGSEGV, &action, nullptr);
  return false;
}

}  // namespace graphnet::proof
