// SPDX-License-Identifier: MIT
#pragma once

#include <dlfcn.h>

#include <string>
#include <thread>

#include "support/fake_cuda.h"
#include "unit/proof/fake_cupti_library.h"

namespace graphnet::tests {

/// Bits of FakeCupti::misses.
enum SeenWay : unsigned int {
  kDefaultStream = 1,
  kSecondThread = 2,
  kNonBlockingStream = 4,
  kEarlierGraph = 8
};

/// The made-up driver, as new, whose kernels a made-up CUPTI sees, each in the way in which it was
/// launched. One at a time.
class SeenDriver {
 public:
  explicit SeenDriver(const FakeCuptiLibrary& cupti) {
    cupti_ = &cupti;
    own_thread_ = std::this_thread::get_id();
    control() = FakeCuda();
    control().on_launch = &see;
  }
  ~SeenDriver() {
    control() = FakeCuda();
    cupti_ = nullptr;
  }
  SeenDriver(const SeenDriver&) = delete;
  SeenDriver& operator=(const SeenDriver&) = delete;

  static std::string library() { return FakeCuptiLibrary::driver("ready"); }
  static FakeCuda& control() {
    void* const handle = ::dlopen(library().c_str(), RTLD_NOW);
    return *reinterpret_cast<FakeCudaControl>(::dlsym(handle, "fake_cuda_control"))();
  }
  static const FakeCuptiLibrary& cupti() { return *cupti_; }

 private:
  static void see() {
    FakeLaunch launch;
    launch.kernel = "graphnet_self_test";
    launch.is_runtime_call = false;
    launch.call_id = control().is_in_graph ? 5 : 3;  // cuGraphLaunch, cuLaunchKernel
    const bool is_second = std::this_thread::get_id() != own_thread_;
    launch.way = control().is_in_graph                 ? kEarlierGraph
                 : control().is_on_non_blocking_stream ? kNonBlockingStream
                 : is_second                           ? kSecondThread
                                                       : kDefaultStream;
    cupti_->launch(launch);
  }

  static inline const FakeCuptiLibrary* cupti_ = nullptr;
  static inline std::thread::id own_thread_;
};

}  // namespace graphnet::tests
