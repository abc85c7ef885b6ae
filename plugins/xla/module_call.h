// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "xla/call_clock.h"
#include "xla/pjrt_client.h"

namespace graphnet::xla {

/// Executes one loaded executable again and again; whatever stays the same from call to call is set
/// up once. One call at a time.
class ModuleCall {
 public:
  ModuleCall(const PjrtClient& client, pjrt::LoadedExecutable* executable,
             std::size_t num_arguments, std::size_t num_results);
  ModuleCall(const ModuleCall&) = delete;
  ModuleCall& operator=(const ModuleCall&) = delete;
  ~ModuleCall();

  /// The buffer stays the caller's and must be there whenever execute is called.
  void set_argument(std::size_t index, pjrt::Buffer* buffer) { arguments_[index] = buffer; }

  /// Runs it and waits until all results are complete; `clock` takes the times of both.
  ///
  /// errors   RUNTIME_FAILED, OUT_OF_MEMORY; there are no results then
  void execute(CallClock& clock);
  void execute() {
    CallClock off(/*is_on=*/false);
    execute(off);
  }

  /// Of the last call.
  pjrt::Buffer* result(std::size_t index) const { return results_[index]; }
  OwnedBuffer take_result(std::size_t index);
  /// Destroys the results that were not taken.
  void destroy_results();

 private:
  const PjrtClient& client_;
  std::vector<pjrt::Buffer*> arguments_;
  std::vector<pjrt::Buffer*> results_;
  pjrt::Event* event_ = nullptr;
  // What args_ points to: one device has one list of arguments and one of results.
  pjrt::Buffer* const* argument_list_ = nullptr;
  pjrt::Buffer** result_list_ = nullptr;
  pjrt::ExecuteOptions options_;
  pjrt::ExecuteArgs args_;
};

}  // namespace graphnet::xla
