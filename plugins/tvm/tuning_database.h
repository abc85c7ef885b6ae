// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "tvm_plugin/pipeline.h"

namespace graphnet::tvm {

/// What was measured of kernels, as MetaSchedule keeps it: files of JSON in a folder of their own
/// for each TVM, processor, target and number of threads, whose times mean nothing to others. One
/// process at a time has it open; others wait.
class TuningDatabase {
 public:
  /// folder   empty: in memory
  /// warn     told of files that could not be read; they are put aside
  ///
  /// errors   Failure UNAVAILABLE: the folder cannot be used
  TuningDatabase(const std::string& folder, const Target& target,
                 const std::function<void(const std::string&)>& warn);
  TuningDatabase(const TuningDatabase&) = delete;
  TuningDatabase& operator=(const TuningDatabase&) = delete;
  ~TuningDatabase();

  const Ref& handle() const { return handle_; }
  /// The entry of a kernel, made if need be.
  Ref workload(const Ref& module) const;
  std::int64_t num_records(const Ref& workload) const;
  /// Seconds of the fastest; none without record.
  std::optional<double> best(const Ref& workload) const;
  void add(const Ref& schedule, const Ref& workload, double seconds, const Ref& args_info) const;
  /// The module with the fastest loops that are known; null without record.
  Ref apply_best(const Ref& module) const;

 private:
  Ref open(const std::string& folder, const std::function<void(const std::string&)>& warn) const;

  Ref target_;
  Ref handle_;
  int lock_ = -1;
};

}  // namespace graphnet::tvm
