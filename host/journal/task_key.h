// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "journal/worker_message.h"

namespace graphnet::journal {

/// What makes two results exchangeable: everything that decides what is run, and on what.
struct TaskIdentity {
  std::string sample;         ///< "<family>/<model>"
  std::string sample_sha256;  ///< as Record::sample_sha256; empty if it cannot be read
  std::string plugin_sha256;  ///< of the shared object
  /// Read: plugin name, version and options, device, threads, weights, math policy, protocol with
  /// its settings.
  Task task;
  std::string hardware;     ///< see measure::collect_environment(), "hardware_class"
  std::string graphnet;     ///< version of the host
  int compile_threads = 0;  ///< 0: all cores, which leaves the keys of older records
  /// Number of the same task before this one in a plan: a sample named twice runs twice.
  int repeat = 0;
};

/// 32 hexadecimal digits, of the SHA-256 over all parts as JSON with sorted keys.
std::string task_key(const TaskIdentity& identity);

}  // namespace graphnet::journal
