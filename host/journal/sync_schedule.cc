// SPDX-License-Identifier: MIT
#include "journal/sync_schedule.h"

#include <chrono>
#include <cmath>
#include <utility>

namespace graphnet::journal {

namespace {

std::int64_t steady_now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

SyncSchedule::SyncSchedule(SyncRule rule) : rule_(std::move(rule)) {
  if (!rule_.now_ns) rule_.now_ns = steady_now_ns;
  last_append_ns_ = rule_.now_ns();
}

bool SyncSchedule::is_due_after_append() {
  constexpr double kSecondNs = 1e9;
  const std::int64_t now = rule_.now_ns();
  // At a steady rate r this settles at r + 1/2 records a second.
  const double elapsed_s = static_cast<double>(now - last_append_ns_) / kSecondNs;
  recent_records_ = recent_records_ * std::exp(-elapsed_s) + 1;
  last_append_ns_ = now;
  is_pending_ = true;
  return recent_records_ <= rule_.fast_per_second + 1 || now - last_sync_ns_ >= rule_.group_ns;
}

void SyncSchedule::on_synced() {
  last_sync_ns_ = rule_.now_ns();
  is_pending_ = false;
  ++num_syncs_;
}

}  // namespace graphnet::journal
