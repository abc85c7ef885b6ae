// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <deque>
#include <mutex>
#include <string>

#include "tensorrt/nv_types.h"
#include "tensorrt/slots.h"

namespace graphnet::tensorrt {

/// What a library says: its newest lines, of warnings and worse. May be written by any thread.
class Log {
 public:
  void add(nv::Severity severity, const char* line);

  /// Lines of severity error or worse since the process began.
  std::size_t num_errors() const;
  /// The newest warning and the newest error: what a layer lacks is a warning, what became of it an
  /// error. Empty if there is none. Reading takes them away.
  std::string take_reason();
  /// Forgets lines of what is over.
  void clear();

 private:
  mutable std::mutex mutex_;
  std::deque<std::string> errors_;
  std::deque<std::string> warnings_;
  std::size_t num_errors_ = 0;
};

/// The one log of this process. Libraries may still write to it while static objects are destroyed,
/// so it never is.
Log& process_log();

/// A logger as the flavour's libraries call it, which writes to process_log(); never destroyed.
void* logger_object(Flavour flavour);

}  // namespace graphnet::tensorrt
