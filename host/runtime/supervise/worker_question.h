// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace graphnet::supervise {

/// What the worker program is asked: "--inspect" or "--cut" with a request.
struct WorkerQuestion {
  std::filesystem::path executable;
  std::string flag;
  base::Json request;
  std::size_t num_answers = 1;                     ///< lines that are expected
  std::vector<std::string> environment;            ///< as base::Subprocess::Options
  std::optional<std::chrono::milliseconds> limit;  ///< for each answer
};

/// Told each answer: JSON, or the error that the worker answered with.
using OnAnswer = std::function<void(std::size_t index, base::Result<base::Json> answer)>;

/// How that ended.
struct WorkerAnswers {
  std::size_t count = 0;
  base::Status problem;  ///< why there are no more
};

/// Starts a worker, passes its answers on and waits for its end. It ends with this process.
///
/// errors   kEnvironment: it does not start
base::Result<WorkerAnswers> ask_worker(const WorkerQuestion& question, const OnAnswer& on_answer);

}  // namespace graphnet::supervise
