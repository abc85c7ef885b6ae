// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "record/record.h"
#include "supervise/line_reader.h"

namespace graphnet::supervise {

/// Longest name of a step that is kept: the name comes from a process that runs the plugin's code.
inline constexpr std::size_t kMaxStepBytes = 64;

/// Bounds on the report of a crash.
inline constexpr std::size_t kMaxCrashFrames = 64;
inline constexpr std::size_t kMaxModuleBytes = 4096;

/// A crash as the worker told it.
struct Crash {
  /// A location in its code.
  struct Frame {
    std::string address;  ///< "0x7f12..."
    bool is_mapped = false;
    std::string module;        ///< path of the file; empty: memory without one
    std::uint64_t offset = 0;  ///< of the location in that file
  };

  int signal = 0;
  std::string address;        ///< of the fault; empty: it was no fault
  std::vector<Frame> frames;  ///< from where it crashed outwards
};

/// What a worker has said of itself, message by message (journal/worker_message.h).
struct WorkerState {
  std::optional<record::Record> record;  ///< the last one received
  bool is_final = false;                 ///< that record is complete
  record::Word<record::Phase> phase;     ///< last phase entered
  /// A phase that it asked for and has not entered.
  struct Ask {
    record::Word<record::Phase> phase;
    std::optional<std::int64_t> num_bytes;  ///< of memory that it expects to need
  };
  std::optional<Ask> ask;
  std::string step;            ///< code of the plugin entered last in that phase; empty: none
  bool no_memory = false;      ///< an allocation was refused
  std::optional<Crash> crash;  ///< it was about to end by a signal
  std::string protocol_error;  ///< what was wrong with a message; empty: nothing
};

/// Turns the bytes of the control channel into a WorkerState. The plugin can write to that process,
/// so the bytes are not trusted: any bytes are accepted, memory is bounded, and the sizes of the
/// reads do not matter.
///
/// Nothing is read after the final record or after the first broken message. After the record
/// nothing is missing; after a broken message nothing can be trusted.
///
/// order    append(), then next() until it gives nothing
class WorkerReport {
 public:
  /// One message, after state() has changed.
  enum class Event { kPhase, kAsk, kStep, kMemory, kCrash, kFrame, kRecord, kFinal, kBroken };

  /// `phases`: the names that a worker may enter.
  explicit WorkerReport(std::set<std::string> phases, std::size_t max_line_bytes = kMaxLineBytes)
      : phases_(std::move(phases)), max_line_bytes_(max_line_bytes), lines_(max_line_bytes) {}

  void append(std::string_view bytes) {
    if (!is_over()) lines_.append(bytes);
  }
  /// Takes the next message, if one is complete.
  std::optional<Event> next();
  const WorkerState& state() const { return state_; }

 private:
  bool is_over() const { return state_.is_final || !state_.protocol_error.empty(); }
  base::Result<Event> take(const std::string& line);
  base::Result<record::Word<record::Phase>> phase_in(const base::Json& message) const;
  base::Result<Event> enter_phase(const base::Json& message);
  base::Result<Event> ask_for_phase(const base::Json& message);
  base::Result<Event> enter_step(const base::Json& message);
  base::Result<Event> begin_crash(const base::Json& message);
  base::Result<Event> add_frame(const base::Json& message);
  base::Result<Event> keep_record(const base::Json& message);
  Event broken(const std::string& what);

  std::set<std::string> phases_;
  std::size_t max_line_bytes_;
  LineReader lines_;
  WorkerState state_;
};

}  // namespace graphnet::supervise
