// SPDX-License-Identifier: MIT
#include "xla/module_call.h"

#include <utility>

namespace graphnet::xla {

ModuleCall::ModuleCall(const PjrtClient& client, pjrt::LoadedExecutable* executable,
                       std::size_t num_arguments, std::size_t num_results)
    : client_(client),
      arguments_(num_arguments, nullptr),
      results_(num_results, nullptr),
      argument_list_(arguments_.data()),
      result_list_(results_.data()) {
  args_.executable = executable;
  args_.options = &options_;
  args_.argument_lists = &argument_list_;
  args_.num_devices = 1;
  args_.num_args = num_arguments;
  args_.output_lists = &result_list_;
  args_.device_complete_events = &event_;
}

ModuleCall::~ModuleCall() {
  destroy_results();
}

void ModuleCall::execute(CallClock& clock) {
  destroy_results();
  event_ = nullptr;
  constexpr const char* kDoing = "XLA's program failed";
  client_.library().check(args_, GN_STATUS_RUNTIME_FAILED, kDoing);
  clock.lap(&CallTimes::launch_ns);
  try {
    client_.await(event_, GN_STATUS_RUNTIME_FAILED, kDoing);
    clock.lap(&CallTimes::await_ns);
  } catch (...) {
    destroy_results();
    throw;
  }
}

OwnedBuffer ModuleCall::take_result(std::size_t index) {
  return OwnedBuffer(client_.library(), std::exchange(results_[index], nullptr));
}

void ModuleCall::destroy_results() {
  for (pjrt::Buffer*& result : results_) {
    client_.library().destroy<pjrt::BufferDestroyArgs>(std::exchange(result, nullptr));
  }
}

}  // namespace graphnet::xla
