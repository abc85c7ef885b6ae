// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "record/record.h"
#include "report/time_estimate.h"

namespace graphnet::report {

/// --progress: auto is bar on a terminal and lines elsewhere.
enum class ProgressMode { kAuto, kBar, kLines, kNone };

/// A sample with a plugin, and its share of the run's time by what is known beforehand.
struct PlannedPair {
  std::string sample;
  std::string plugin;
  double cost = 1;  ///< any unit
};

/// Progress of a sweep on standard error.
///
/// As bar: one line that is drawn over itself, at most ten times a second, and not at all while the
/// worker takes times (phases "eager", "run" and "time"): only their begin is drawn. As lines: one
/// plain line per finished pair. Names are made printable.
///
/// order    begin(), phase()..., finish() for each pair; where several run at a time, turn_to()
/// before
///          what is about another; hide() before anything else is written to the same terminal
class Progress {
 public:
  struct Options {
    ProgressMode mode = ProgressMode::kAuto;
    bool is_terminal = false;  ///< of the stream
    int width = 80;            ///< terminal cells
    int total = 0;             ///< pairs of sample and plugin
    /// Nanoseconds of a steady clock; tests put their own here.
    std::function<std::int64_t()> now_ns;
    std::vector<PlannedPair> pairs = {};  ///< all of them, for the estimate; none: equal ones
  };

  Progress(std::ostream& out, Options options);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void begin(const std::string& sample, const std::string& plugin);
  /// What follows is about this pair, which has begun.
  void turn_to(const std::string& sample, const std::string& plugin);
  void phase(record::Phase phase);
  /// Redraws the elapsed time if it is due and allowed.
  void tick();
  /// The pair is done; as lines: "[3/12] timm/resnet10t nope ok 1.02x (4.1 s)".
  void finish(const record::Record& record);
  /// A pair of an earlier run took so long; times are estimated from it too.
  void learn(const PlannedPair& pair, double seconds);
  /// The pair ended and is none that counts.
  void drop();
  /// Clears the bar until the next begin(), phase() or tick().
  void hide();

  /// How long the supervisor may sleep before tick() has something to do.
  ///
  /// units    milliseconds, as poll(2) takes them; -1: for ever (no bar, or times are being taken)
  int poll_timeout_ms() const;

 private:
  struct Pair {
    std::string sample;
    std::string plugin;
    record::Phase phase = record::Phase::kNone;
    std::int64_t started_ns = 0;
  };

  bool is_timing() const;
  double left_s(double elapsed_s) const;
  void draw();
  std::string bar_text() const;

  std::ostream& out_;
  Options options_;
  std::int64_t started_ns_ = 0;
  std::int64_t finished_ns_ = 0;  // the last pair
  std::int64_t drawn_ns_ = 0;
  bool has_drawn_ = false;
  bool is_shown_ = false;
  bool is_active_ = false;
  int done_ = 0;
  TimeEstimate estimate_;
  std::map<std::pair<std::string, std::string>, double> costs_;  // of the planned pairs
  double taken_s_ = 0;  // by all pairs that are done, added up
  Pair pair_;
  std::vector<Pair> others_;  // that have begun
};

}  // namespace graphnet::report
