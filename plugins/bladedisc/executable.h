// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "artifact/temporary_folder.h"
#include "bladedisc/package.h"
#include "bladedisc/runner.h"
#include "graphnet/abi.h"

namespace graphnet::bladedisc {

/// A package loaded by a gn-disc-run of its own. Each call copies inputs into the shared file,
/// asks, and copies results out of it; the host's clock sees all of that.
class DiscExecutable {
 public:
  /// `cancelled`: asked until the package is loaded; may be empty.
  ///
  /// errors   Failure as Runner's; UNAVAILABLE: no folder, no shared file
  DiscExecutable(Package package, const Options& options, const std::string& program,
                 const std::vector<std::string>& pinned, std::function<bool()> cancelled = nullptr);

  /// Copies the weights into the shared file.
  ///
  /// errors   Failure INVALID_ARGUMENT: a weight of another type or shape
  void bind(gn_bind_args& args);
  /// errors   Failure INVALID_ARGUMENT: a tensor of another type or shape, bind missing; else
  ///          Runner's
  void run(const gn_run_args& args);

  const Package& package() const { return package_; }
  /// What the runner said, and its own times: "key: value" lines.
  std::string describe() const;

 private:
  Package package_;
  artifact::TemporaryFolder folder_;
  std::unique_ptr<SharedMemory> memory_;
  std::unique_ptr<Runner> runner_;
  std::string loaded_;
  std::uint64_t weights_version_ = 0;
  std::uint64_t num_calls_ = 0;
  gn_disc_times times_ = {};  ///< of all calls
};

}  // namespace graphnet::bladedisc
