// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/file.h"
#include "base/result.h"
#include "base/subprocess.h"

namespace graphnet::supervise {

/// A worker program that has loaded libtorch once and makes workers by forking, in milliseconds
/// where a fresh process takes 150. Started when first needed, started again if it died.
class Zygote {
 public:
  explicit Zygote(std::filesystem::path executable) : executable_(std::move(executable)) {}

  /// A new worker: a child of this process, in a group of its own, with these two descriptors as
  /// its control channel and as its standard output and error.
  ///
  /// errors   kEnvironment: it does not start, does not answer, or cannot fork safely (it has more
  ///          than one thread); a fresh process may still do
  base::Result<base::Subprocess> fork(int control_fd, int output_fd);

 private:
  struct Running {
    base::Subprocess process;
    base::UniqueFd channel;
  };

  base::Status start();
  base::Result<base::Subprocess> ask(int control_fd, int output_fd);

  std::filesystem::path executable_;
  std::optional<Running> running_;
};

}  // namespace graphnet::supervise
