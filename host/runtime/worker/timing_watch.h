// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "eager/settings.h"
#include "measure/cycle_clock.h"
#include "measure/family_clock.h"
#include "measure/fork_log.h"
#include "measure/others_share.h"
#include "measure/paired.h"
#include "measure/process_family.h"
#include "record/flag.h"

namespace graphnet::worker {

/// Something that keeps a speedup out of all averages.
struct Finding {
  record::Flag flag = record::Flag::kNone;
  std::string message;    ///< one sentence
  bool is_fatal = false;  ///< the plugin has failed (`plugin_failed`); else the outcome stays
};

/// What second looks at something in the timed pairs found.
struct SecondLook {
  std::vector<Finding> findings;
  /// The pairs show it and no look does. The machine was slow for just as long, or a plugin knows a
  /// look from a pair: nobody is accused, and nothing is claimed.
  bool is_in_pairs_only = false;
};

/// "NAME=value" of the environment that identifies processes of this worker where several share the
/// machine; "" if none do.
std::string own_mark();

/// Compares libtorch's settings now with those from before the plugin was loaded.
class SettingsWatch {
 public:
  /// order    right before the plugin's file is opened
  void note() { before_ = eager::current_settings(); }
  /// Nothing if nothing was changed, or before note().
  std::vector<Finding> findings() const;

 private:
  std::vector<eager::Setting> before_;
};

/// Watches what happens around the timed calls and beside them: the machine's cores, clocks and
/// processes are the same for both sides, whatever a plugin does. What its flags mean:
/// record/flag.h and measure/protocol.h; where the clock was tampered with, the plugin has failed.
class TimingWatch {
 public:
  /// All are borrowed; `clock` and `forks` may be null, where the kernel has none.
  TimingWatch(measure::ProcessFamily& family, const measure::FamilyClock* clock,
              measure::ForkLog* forks, int threads)
      : family_(family), clock_(clock), forks_(forks), threads_(threads) {}

  /// Counts the family in the instruments, and, where the kernel has a clock for it, what others
  /// have of the cores that it is bound to.
  void attach(measure::Instruments& instruments, const std::vector<int>& cores) {
    measure::count_family(instruments, family_);
    if (clock_ == nullptr) return;
    measure::count_inherited(instruments, *clock_);
    measure::watch_others(instruments, *clock_, cores);
  }
  measure::PairedHooks around(measure::PairedHooks inner);

  std::vector<Finding> findings(const measure::PairedResult& result) const;

 private:
  std::vector<Finding> check_elsewhere(const measure::PairedResult& result) const;
  std::vector<Finding> check_processes() const;

  /// All clocks at one moment.
  struct Moment {
    std::int64_t system_ns = 0;
    std::int64_t kernel_ns = 0;
    std::int64_t counter_ns = 0;
  };
  static Moment now();
  void scan();
  void note_processes();
  void note_side_sample(measure::Side side);

  measure::ProcessFamily& family_;
  const measure::FamilyClock* clock_;
  measure::ForkLog* forks_;
  int threads_;
  bool has_leading_call_ = false;
  bool has_begun_ = false;  ///< the first pair
  bool is_counter_trapped_ = false;
  std::size_t num_started_ = 0;  ///< processes, since then
  Moment begin_;
  std::optional<std::int64_t> elsewhere_before_ns_;  ///< when the first pair began
  measure::PerSide<measure::ClockAgreement> agreements_;
  std::vector<std::string> helpers_;  ///< by name, of the scan that found most
};

/// The flag for a result in which more processor time was used than `threads` cores offer: above
/// 5 % more, which is what reading clocks and counters explains. In the calls, or in the host's
/// steps right before them.
std::vector<Finding> check_budget(const measure::PairedResult& result, int threads);

/// The flag `unvaried` for a result in which more than about a twentieth of the plugin's timed
/// calls had inputs that an earlier call had seen, because there are fewer than ten times as many
/// contents as calls. A plugin that stores results gains there.
///
/// units    content_bits: as InputShuffle::content_bits()
std::vector<Finding> check_contents(const measure::PairedResult& result, double content_bits);

}  // namespace graphnet::worker
