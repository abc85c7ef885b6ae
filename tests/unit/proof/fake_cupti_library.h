// SPDX-License-Identifier: MIT
#pragma once

#include <dlfcn.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "proof/cupti_session.h"
#include "support/fake_cupti.h"

namespace graphnet::tests {

/// The made-up CUPTI of one test, as new.
class FakeCuptiLibrary {
 public:
  explicit FakeCuptiLibrary(const std::string& name = "libcupti_fake.so")
      : name_(name),
        handle_(::dlopen((std::string(GRAPHNET_FAKE_CUPTI) + "/" + name).c_str(), RTLD_NOW)) {
    if (handle_ == nullptr) throw std::runtime_error(::dlerror());
    find<FakeReset>("fake_cupti_reset")();
  }
  ~FakeCuptiLibrary() { find<FakeReset>("fake_cupti_reset")(); }
  FakeCuptiLibrary(const FakeCuptiLibrary&) = delete;
  FakeCuptiLibrary& operator=(const FakeCuptiLibrary&) = delete;

  FakeCupti& control() const { return *find<FakeControl>("fake_cupti_control")(); }
  void launch(const FakeLaunch& launch) const { find<FakeDoes>("fake_cupti_launch")(&launch); }
  void launch(const char* kernel) const {
    FakeLaunch one;
    one.kernel = kernel;
    launch(one);
  }
  void release() const { find<FakeRelease>("fake_cupti_release")(); }

  /// Settings under which a session finds it, with a driver that works.
  proof::CuptiSession::Settings settings() const {
    proof::CuptiSession::Settings settings;
    settings.search.names = {name_};
    settings.driver = driver("ready");
    settings.flush_limit = std::chrono::milliseconds(2000);
    return settings;
  }
  static std::string driver(const std::string& name) {
    return std::string(GRAPHNET_FAKE_CUDA) + "/" + name + ".so";
  }

 private:
  template <typename Function>
  Function find(const char* name) const {
    return reinterpret_cast<Function>(::dlsym(handle_, name));
  }

  std::string name_;
  void* handle_;
};

}  // namespace graphnet::tests
