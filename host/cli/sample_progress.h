// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>

#include "cli/command.h"

namespace graphnet::cli {

/// Says on standard error which of several samples is at work; nothing with -q, --progress none, or
/// of a single one.
class SampleProgress {
 public:
  SampleProgress(const Context& context, std::size_t num_samples);

  void begin(const std::filesystem::path& folder);

 private:
  bool is_shown_;
  std::size_t num_samples_;
  std::size_t num_begun_ = 0;
};

}  // namespace graphnet::cli
