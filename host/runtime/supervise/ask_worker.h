// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/file.h"
#include "base/json.h"
#include "base/result.h"
#include "base/subprocess.h"

namespace graphnet::supervise {

/// How long an answer may take: on a cold disk the CUDA libraries alone are 4 GB to read, and a
/// device's first context is made.
inline constexpr std::chrono::seconds kColdStartLimit{120};

/// How the worker program is asked.
struct AskSettings {
  std::filesystem::path executable;
  /// For one answer; of the first, the start of the worker is a part. Nothing: no limit.
  std::optional<std::chrono::milliseconds> limit = kColdStartLimit;
  /// Of the worker's private memory. Nothing: no limit. Not for devices: a CUDA driver reserves far
  /// more than it uses.
  std::optional<std::int64_t> memory_limit_bytes = std::nullopt;
  int threads = 0;  ///< as WorkerProgram::threads
};

/// A worker that answers requests, one after the other. It ends with this object and with this
/// process.
class AnsweringWorker {
 public:
  /// errors   kEnvironment: it cannot be started
  static base::Result<AnsweringWorker> start(AskSettings settings);

  /// Sends a request and waits for its answer; what requests there are: worker/requests.h. After
  /// the death of the worker another one is started.
  ///
  /// errors   as the worker answered; kEnvironment if it died or exceeded the limit, with the first
  ///          of its output as context: then is_alive() is false
  base::Result<base::Json> ask(const std::string& request, const base::Json& arguments);

  bool is_alive() const { return running_.has_value(); }

 private:
  struct Running {
    base::Subprocess process;
    base::UniqueFd control;
    base::UniqueFd output;  ///< a file in memory
  };
  using Deadline = std::optional<std::chrono::steady_clock::time_point>;

  explicit AnsweringWorker(AskSettings settings) : settings_(std::move(settings)) {}
  base::Status start();
  std::optional<std::string> exchange(std::string unsent, Deadline deadline);
  base::Status bury(Deadline deadline);

  AskSettings settings_;
  std::optional<Running> running_;
};

/// Asks a worker of its own one thing.
///
/// errors   as AnsweringWorker::ask()
base::Result<base::Json> ask_worker(const AskSettings& settings, const std::string& request,
                                    const base::Json& arguments = base::Json::object());

}  // namespace graphnet::supervise
