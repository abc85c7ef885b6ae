// SPDX-License-Identifier: MIT
#include "measure/process_family.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>

#include "base/kernel_file.h"
#include "base/processes.h"
#include "measure/clock.h"

namespace graphnet::measure {

namespace {

constexpr std::int64_t kScanEveryNs = 5'000'000;
// A busy machine takes some milliseconds to start a program.
constexpr std::chrono::milliseconds kMostStart(500);
constexpr std::chrono::milliseconds kBetweenStartLooks(1);

std::int64_t nanoseconds(const timeval& time) {
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_usec * 1000;
}

std::int64_t reaped_ns() {
  rusage usage = {};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  return nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime);
}

/// The file of a process's program; "" if it is not to be seen.
std::string program_of(pid_t pid) {
  std::error_code hidden;
  return std::filesystem::read_symlink("/proc/" + std::to_string(pid) + "/exe", hidden).string();
}

}  // namespace

ProcessFamily::ProcessFamily(std::string mark)
    : mark_(std::move(mark)), own_(::getpid()), parent_(::getppid()) {
  for (const pid_t process : {own_, parent_}) {
    for (const pid_t child : base::children_of(process)) strangers_.insert(child);
  }
  strangers_.insert(own_);
}

std::vector<ProcessFamily::Member>::iterator ProcessFamily::find_member(pid_t pid) {
  return std::find_if(members_.begin(), members_.end(),
                      [&](const Member& member) { return member.pid == pid; });
}

void ProcessFamily::add(pid_t pid, bool is_child) {
  const auto known = find_member(pid);
  if (known != members_.end()) {
    known->is_child = known->is_child || is_child;  // one that we have adopted since
    return;
  }
  // One that nobody has reaped yet: its time would count as if it had just run.
  if (base::has_ended(pid)) return;
  Member member;
  member.pid = pid;
  member.is_child = is_child;
  member.name = base::read_kernel_line("/proc/" + std::to_string(pid) + "/comm");
  if (::clock_getcpuclockid(pid, &member.clock) != 0) return;  // it has just ended
  members_.push_back(std::move(member));
}

void ProcessFamily::add_children_of(pid_t parent, std::set<pid_t>& found) {
  for (const pid_t child : base::children_of(parent)) {
    if (strangers_.count(child) != 0 || exempt_.count(child) != 0) continue;
    if (!found.insert(child).second) continue;
    add(child, parent == own_);
    add_children_of(child, found);
  }
}

// A mark is easily made; what the parent starts are its own program and this one.
bool ProcessFamily::is_other_worker(pid_t sibling) const {
  if (mark_.empty() || !base::is_marked_otherwise(sibling, mark_)) return false;
  const std::string program = program_of(sibling);
  return program.empty() || program == program_of(own_) || program == program_of(parent_);
}

/// Whether a sibling may become another worker. Until it has its program, it has the parent's and
/// the parent's variables: posix_spawn() lends a child its maker's memory. A program that has just
/// begun has no variables for a moment.
bool ProcessFamily::may_be_starting(pid_t sibling) const {
  const std::string program = program_of(sibling);
  if (mark_.empty() || program.empty()) return false;
  if (program != program_of(own_)) return program == program_of(parent_);
  return base::read_kernel_file("/proc/" + std::to_string(sibling) + "/environ").empty();
}

void ProcessFamily::await_program(pid_t sibling, TimePoint until) const {
  while (!is_other_worker(sibling) && may_be_starting(sibling)) {
    if (std::chrono::steady_clock::now() >= until) return;
    std::this_thread::sleep_for(kBetweenStartLooks);
  }
}

// Before it starts its program, another worker has the environment of the process that made it.
void ProcessFamily::forget(pid_t pid) {
  const auto member = find_member(pid);
  if (member == members_.end()) return;
  gone_ns_ += member->ran_ns;  // what has been counted stays: only differences mean something
  members_.erase(member);
}

void ProcessFamily::scan() {
  std::set<pid_t> found;
  add_children_of(own_, found);
  const TimePoint until = std::chrono::steady_clock::now() + kMostStart;
  for (const pid_t sibling : base::children_of(parent_)) {
    if (strangers_.count(sibling) != 0 || found.count(sibling) != 0) continue;
    if (find_member(sibling) == members_.end()) await_program(sibling, until);
    if (is_other_worker(sibling)) {
      strangers_.insert(sibling);
      forget(sibling);
      continue;
    }
    found.insert(sibling);
    add(sibling, /*is_child=*/false);
    add_children_of(sibling, found);
  }
  for (Member& member : members_) member.lives = member.lives && !base::has_ended(member.pid);
  last_scan_ns_ = monotonic_raw_ns();
}

void ProcessFamily::scan_now_and_then() {
  if (monotonic_raw_ns() - last_scan_ns_ >= kScanEveryNs) scan();
}

std::int64_t ProcessFamily::ran_ns() {
  std::int64_t sum_ns = reaped_ns();
  for (std::size_t i = 0; i < members_.size();) {
    Member& member = members_[i];
    const std::int64_t now_ns = clock_ns_by_syscall(member.clock);
    if (now_ns >= member.ran_ns && now_ns > 0) {
      member.ran_ns = now_ns;
      sum_ns += now_ns;
      ++i;
      continue;
    }
    if (!member.is_child) gone_ns_ += member.ran_ns;
    std::swap(member, members_.back());
    members_.pop_back();
  }
  return sum_ns + gone_ns_;
}

std::vector<std::string> ProcessFamily::living() const {
  std::vector<std::string> names;
  for (const Member& member : members_) {
    if (member.lives) names.push_back(member.name);
  }
  return names;
}

void count_family(Instruments& instruments, ProcessFamily& family) {
  instruments.counters = [inner = std::move(instruments.counters), &family] {
    DisturbanceCounters counters = inner();
    const std::int64_t family_ns = family.ran_ns();
    counters.others_ran_ns += family_ns;
    if (counters.ran_ns) *counters.ran_ns += family_ns;
    return counters;
  };
}

}  // namespace graphnet::measure
