// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace graphnet::journal {

/// When a journal is brought to disk: after every record while they come slowly, and in groups when
/// they come fast. A sync takes 0.1 ms in the middle and 30 ms at worst; most runs have less than
/// one record a second.
struct SyncRule {
  double fast_per_second = 50;             ///< more records than this in a second are fast
  std::int64_t group_ns = 100'000'000;     ///< then one sync in this time
  std::function<std::int64_t()> now_ns{};  ///< of a steady clock; tests put their own here
};

/// Decides for one file; does no work itself.
///
/// What a group still holds when records stop coming is left to JournalFile::sync() and, at the
/// latest, to the system, which writes everything back within seconds.
class SyncSchedule {
 public:
  explicit SyncSchedule(SyncRule rule);

  /// To be asked once for each record that was written.
  bool is_due_after_append();
  void on_synced();

  /// True if something was written since the last sync.
  bool is_pending() const { return is_pending_; }
  std::size_t num_syncs() const { return num_syncs_; }

 private:
  SyncRule rule_;
  double recent_records_ = 0;  // of about the last second, older ones fading away
  std::int64_t last_append_ns_ = 0;
  std::int64_t last_sync_ns_ = 0;
  bool is_pending_ = false;
  std::size_t num_syncs_ = 0;
};

}  // namespace graphnet::journal
