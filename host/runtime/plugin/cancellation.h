// SPDX-License-Identifier: MIT
#pragma once

#include <signal.h>

namespace graphnet::plugin {

/// Makes SIGTERM the request that gn_host_api.cancelled tells a plugin of, while it lives.
///
/// A plugin that has asked during this object's life gets the time until SIGKILL to return; the
/// caller then ends the process. One that has never asked would not notice, so the signal ends the
/// process at once.
///
/// threads  one object at a time; the slot may be called from any thread
class Cancellation {
 public:
  Cancellation();
  ~Cancellation();
  Cancellation(const Cancellation&) = delete;
  Cancellation& operator=(const Cancellation&) = delete;

  /// Whether SIGTERM has arrived; the slot's answer. False where there is no object.
  static bool ask();
  /// The same without counting as a question of the plugin's.
  bool is_requested() const;
  /// Ends the process as the signal would have.
  [[noreturn]] static void end_process();

 private:
  struct sigaction previous_ = {};
};

}  // namespace graphnet::plugin
