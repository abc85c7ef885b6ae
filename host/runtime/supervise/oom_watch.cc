// SPDX-License-Identifier: MIT
#include "supervise/oom_watch.h"

#include <utility>

#include "base/key_file.h"

namespace graphnet::supervise {

OomWatch::OomWatch(const MemoryGroup* group, std::filesystem::path root)
    : group_(group), root_(std::move(root)), machine_before_(kills_on_machine()) {
  if (group_ != nullptr) before_ = group_->events();
}

std::optional<std::int64_t> OomWatch::kills_on_machine() const {
  return base::read_key(root_ / "proc/vmstat", "oom_kill");
}

OomKill OomWatch::kill() const {
  const MemoryGroup::Events now = group_ != nullptr ? group_->events() : MemoryGroup::Events();
  if (now.oom_kills > before_.oom_kills) {
    return now.limit_hits > before_.limit_hits ? OomKill::kAtLimit : OomKill::kOutside;
  }
  const std::optional<std::int64_t> machine = kills_on_machine();
  if (!machine || !machine_before_) return OomKill::kUnknown;
  return *machine > *machine_before_ ? OomKill::kOutside : OomKill::kNone;
}

}  // namespace graphnet::supervise
