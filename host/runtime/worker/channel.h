// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/file.h"
#include "base/result.h"
#include "journal/worker_message.h"
#include "record/record.h"

namespace graphnet::worker {

/// The worker's end of the control channel (journal/worker_message.h).
class Channel {
 public:
  /// Moves descriptor 3 to a high number, the highest below 1024 and below the process's limit.
  /// Code that closes or writes to low descriptors then does not reach it.
  ///
  /// errors   kUsage if descriptor 3 is not open: the worker was started by hand
  static base::Result<Channel> take();

  /// Through another descriptor, for tests.
  static Channel over(base::UniqueFd fd) { return Channel(std::move(fd)); }

  /// A line from the supervisor, without its line feed.
  ///
  /// errors   kInternal: the supervisor has closed its end
  base::Result<std::string> receive_line();
  /// Sends a line. Ends the process (kExitChannelLost) if nobody takes it.
  void send(const base::Json& message);

  /// Reads the one task line.
  base::Result<journal::Task> receive_task();

  /// Asks for leave to begin a phase and waits for it. `num_bytes`: of memory that is wanted.
  void ask(record::Phase phase, std::optional<std::int64_t> num_bytes = std::nullopt);
  /// Says that a phase begins.
  void begin_phase(record::Phase phase);
  /// Says which function of the plugin is called next, so that a crash report can name it.
  void begin_step(const char* step);
  /// From now on tells the supervisor, once, that `new` found no memory; the allocation then fails
  /// with std::bad_alloc as ever.
  void watch_memory() const;
  /// From now on tells the supervisor of a crash before the process ends by it (crash_report.h).
  void watch_crashes() const;
  /// Sends the record as far as it is known.
  void send_record(const record::Record& record, bool is_final);

 private:
  explicit Channel(base::UniqueFd fd) : fd_(std::move(fd)) {}
  base::UniqueFd fd_;
};

}  // namespace graphnet::worker
