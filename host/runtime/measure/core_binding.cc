// SPDX-License-Identifier: MIT
#include "measure/core_binding.h"

#include <dirent.h>
#include <sched.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <memory>
#include <set>
#include <string_view>

#include "base/kernel_file.h"

namespace graphnet::measure {

namespace {

std::vector<int> usable_cores() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  std::vector<int> cores;
  if (::sched_getaffinity(0, sizeof mask, &mask) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &mask)) cores.push_back(core);
  }
  return cores;
}

std::vector<int> siblings_of(int core) {
  return core_list_in(base::read_kernel_line("/sys/devices/system/cpu/cpu" + std::to_string(core) +
                                             "/topology/thread_siblings_list"));
}

std::set<pid_t> threads_of_this_process() {
  struct Close {
    void operator()(DIR* folder) const { ::closedir(folder); }
  };
  std::set<pid_t> threads;
  const std::unique_ptr<DIR, Close> folder(::opendir("/proc/self/task"));
  if (!folder) return threads;
  while (const dirent* entry = ::readdir(folder.get())) {
    const std::string_view name = entry->d_name;
    pid_t thread = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), thread).ec == std::errc()) {
      threads.insert(thread);
    }
  }
  return threads;
}

/// Takes "7" or "3-5" off the front, with the comma behind it.
bool take_range(std::string_view& text, std::vector<int>& cores) {
  const auto take = [&](int& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return error == std::errc() && number >= 0 && number < CPU_SETSIZE;
  };
  int first = 0;
  if (!take(first)) return false;
  int last = first;
  if (!text.empty() && text.front() == '-') {
    text.remove_prefix(1);
    if (!take(last)) return false;
  }
  for (int core = first; core <= last; ++core) cores.push_back(core);
  if (text.empty()) return true;
  const bool has_more = text.front() == ',';
  text.remove_prefix(1);
  return has_more && !text.empty();
}

}  // namespace

std::vector<int> core_list_in(const std::string& text) {
  std::vector<int> cores;
  std::string_view rest = text;
  while (!rest.empty()) {
    if (!take_range(rest, cores)) return {};
  }
  return cores;
}

std::vector<int> spread_cores(std::vector<int> cores, int first,
                              const std::function<std::vector<int>(int)>& siblings) {
  const auto found = std::find(cores.begin(), cores.end(), first);
  if (found != cores.end()) std::rotate(cores.begin(), found, cores.end());
  std::vector<int> order;
  std::vector<int> second;
  std::set<int> used;
  for (const int core : cores) {
    (used.count(core) == 0 ? order : second).push_back(core);
    for (const int sibling : siblings(core)) used.insert(sibling);
  }
  order.insert(order.end(), second.begin(), second.end());
  return order;
}

CoreBinding::CoreBinding() : mask_(usable_cores()) {}

// A thread may start another while this goes on; what it starts after its turn inherits.
void CoreBinding::set(const std::vector<int>& cores) {
  constexpr int kRounds = 8;
  cpu_set_t mask;
  CPU_ZERO(&mask);
  for (const int core : cores) CPU_SET(core, &mask);
  std::set<pid_t> done;
  for (int round = 0; round < kRounds; ++round) {
    bool is_complete = true;
    for (const pid_t thread : threads_of_this_process()) {
      if (!done.insert(thread).second) continue;
      is_complete = false;
      ::sched_setaffinity(thread, sizeof mask, &mask);
    }
    if (is_complete) break;
  }
}

void CoreBinding::bind(int count) {
  if (mask_.empty()) return;
  if (order_.empty()) order_ = spread_cores(mask_, ::sched_getcpu(), siblings_of);
  const auto most = static_cast<std::ptrdiff_t>(order_.size());
  bound_.assign(order_.begin(), order_.begin() + std::clamp<std::ptrdiff_t>(count, 1, most));
  std::sort(bound_.begin(), bound_.end());
  set(bound_);
}

std::vector<int> CoreBinding::other_cores() const {
  std::vector<int> others;
  std::set_difference(mask_.begin(), mask_.end(), bound_.begin(), bound_.end(),
                      std::back_inserter(others));
  return others;
}

void CoreBinding::release() {
  if (bound_.empty()) return;
  set(mask_);
  bound_.clear();
}

}  // namespace graphnet::measure
