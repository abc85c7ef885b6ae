// SPDX-License-Identifier: MIT
// Every function of the driver that is used fails once: what a person is told then. With
// GRAPHNET_PRINT_FAILURES set the messages are printed as a table.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "device/captured_graph.h"
#include "device/driver_state.h"
#include "device/gpu_timer.h"
#include "support/failure_table.h"
#include "support/fake_cuda.h"
#include "support/mentions.h"

namespace graphnet::device {
namespace driver_failures_test {

using base::Status;
using tests::contains;
using tests::mentions;

const std::string kDriver = std::string(GRAPHNET_FAKE_CUDA) + "/ready.so";
constexpr int kCode = 719;  // CUDA_ERROR_LAUNCH_FAILED, which the made-up driver does not know
constexpr std::uint32_t kWords = 64;

tests::FakeCuda& control() {
  void* const handle = ::dlopen(kDriver.c_str(), RTLD_NOW);
  return *reinterpret_cast<tests::FakeCudaControl>(::dlsym(handle, "fake_cuda_control"))();
}

/// One call of a device, as the worker makes it.
Status call_device(Gpu& gpu, GpuTimer& timer) {
  std::vector<std::uint32_t> words(kWords, 7);
  GN_ASSIGN_OR_RETURN(const GpuBuffer buffer, gpu.allocate(kWords * sizeof(std::uint32_t)));
  GN_RETURN_IF_ERROR(gpu.fill(buffer, 0));
  GN_RETURN_IF_ERROR(gpu.fill_bytes(buffer.address(), 0xA5, 16));
  GN_RETURN_IF_ERROR(gpu.copy_in(buffer, words.data(), 16));
  GN_RETURN_IF_ERROR(gpu.reset_persisting_l2());
  GN_ASSIGN_OR_RETURN(const auto kernel, gpu.load_kernel("image", "graphnet_self_test"));
  DriverLibrary::Address address = buffer.address();
  std::uint32_t count = kWords;
  std::uint32_t seed = 1;
  const auto launch = [&](DriverLibrary::Handle stream) {
    return gpu.launch(kernel, 1, kWords, {&address, &count, &seed}, stream);
  };
  GN_RETURN_IF_ERROR(timer.time(gpu, [&] { return launch(nullptr); }).status());
  GN_ASSIGN_OR_RETURN(CapturedGraph graph, CapturedGraph::capture(gpu, launch));
  GN_RETURN_IF_ERROR(graph.launch());
  return gpu.copy_out(words.data(), buffer, 16);
}

/// Everything that is asked of a driver, from finding it to the end.
Status use_driver() {
  GN_RETURN_IF_ERROR(check_device({true, 0}, probe_driver(kDriver)));
  GN_ASSIGN_OR_RETURN(const auto gpu, Gpu::open(0, kDriver));
  GN_ASSIGN_OR_RETURN(GpuTimer timer, GpuTimer::create(*gpu));
  return call_device(*gpu, timer);
}

/// Functions whose failure stops nothing, and why it need not be told.
const std::map<std::string, const char*> kUntold = {
    {"cuDriverGetVersion", "the release is not known then, which is shown as such"},
    {"cuDeviceGetPCIBusId", "clocks and the like are not noted then"},
    {"cuDevicePrimaryCtxRelease_v2", "given back at the end"},
    {"cuMemFree_v2", "given back at the end"},
    {"cuEventDestroy_v2", "given back at the end"},
    {"cuStreamDestroy_v2", "given back at the end"},
    {"cuGraphDestroy", "given back at the end"},
    {"cuGraphExecDestroy", "given back at the end"},
    {"cuGetErrorName", "errors have a number only then"},
    {"cuCtxGetCurrent", "errors say that it failed"},
    {"cuMemGetInfo_v2", "errors say that it failed"},
};

class DriverFailures : public testing::Test {
 protected:
  DriverFailures() { control() = tests::FakeCuda(); }
  ~DriverFailures() override { control() = tests::FakeCuda(); }

  static Status use_with_failing(const std::string& function) {
    control() = tests::FakeCuda();
    control().fails_once = function;
    control().failing_once_code = kCode;
    Status status = use_driver();
    EXPECT_EQ(control().fails_once, "") << function << " was not called";
    return status;
  }
};

TEST_F(DriverFailures, EachIsToldWithFunctionCodeAndWhatWasBeingDone) {
  const std::set<std::string> functions =
      tests::looked_up("host/runtime/device/driver_library.cc", "cu");
  ASSERT_GE(functions.size(), 35U) << "the test's own";
  for (const std::string& function : functions) {
    if (kUntold.count(function) != 0) continue;
    const Status failed = use_with_failing(function);
    ASSERT_FALSE(failed.is_ok()) << function;
    const std::string& message = failed.message();
    tests::print_failure(function, kCode, message);
    EXPECT_TRUE(contains(message, function)) << message;
    EXPECT_TRUE(contains(message, std::to_string(kCode))) << message;
    EXPECT_TRUE(contains(message, "cannot ") || contains(message, "does not ")) << message;
    EXPECT_EQ(control().buffers, 0) << function;
    EXPECT_EQ(control().events, 0) << function;
    EXPECT_EQ(control().executable_graphs, 0) << function;
    EXPECT_EQ(control().contexts, 0) << function;
  }
}

TEST_F(DriverFailures, OthersStopNothing) {
  for (const auto& [function, reason] : kUntold) {
    const bool is_of_errors = function == "cuGetErrorName" || function == "cuCtxGetCurrent" ||
                              function == "cuMemGetInfo_v2";
    if (is_of_errors) continue;
    const Status status = use_with_failing(function);
    EXPECT_TRUE(status.is_ok()) << function << ": " << status.to_string();
    tests::print_failure(function, kCode, std::string("nothing: ") + reason);
  }
}

TEST_F(DriverFailures, WhatIsAskedForAnErrorMayFailToo) {
  const auto gpu = Gpu::open(0, kDriver).value();
  const auto message_with = [&](const std::string& function) {
    control().fails_once = function;
    control().failing_once_code = 999;
    control().failing_code = 700;
    const std::string message = gpu->synchronize().message();
    tests::print_failure(function, 999, message);
    return message;
  };
  const std::string begin = "cannot wait for the CUDA device: cuCtxSynchronize gave ";
  EXPECT_TRUE(mentions(message_with("cuGetErrorName"), {"cuCtxSynchronize", "unknown error (700)",
                                                        "primary context", "512 MiB", "1.00 GiB"}));
  EXPECT_TRUE(mentions(message_with("cuCtxGetCurrent"),
                       {"cuCtxSynchronize", "CUDA_ERROR_ILLEGAL_ADDRESS (700)", "cuCtxGetCurrent",
                        "999", "512 MiB", "1.00 GiB"}));
  EXPECT_TRUE(mentions(message_with("cuMemGetInfo_v2"),
                       {"cuCtxSynchronize", "CUDA_ERROR_ILLEGAL_ADDRESS (700)", "primary context",
                        "cuMemGetInfo_v2", "999"}));
}

TEST_F(DriverFailures, SayWhichContextIsCurrent) {
  const auto gpu = Gpu::open(0, kDriver).value();
  control().failing_code = 700;
  const auto set_context = [&](DriverLibrary::Handle context) {
    EXPECT_EQ(gpu->driver().set_context(context), 0);
    return gpu->synchronize().message();
  };
  EXPECT_TRUE(mentions(set_context(nullptr), {"[no context is current"}));
  int other = 0;
  EXPECT_TRUE(contains(set_context(&other), "[another context is current; "));
  EXPECT_TRUE(gpu->use_in_thread().is_ok());
  EXPECT_TRUE(mentions(gpu->synchronize().message(), {"[the primary context"}));
}

TEST_F(DriverFailures, SayBytesAndStream) {
  const auto gpu = Gpu::open(0, kDriver).value();
  control().fails_once = "cuMemsetD8Async";
  control().failing_once_code = 700;
  EXPECT_TRUE(contains(gpu->fill_bytes(0, 0, 3 << 20).message(), "[3.00 MiB; default stream; "));
  control().fails_once = "cuLaunchKernel";
  const std::string launched =
      gpu->launch(nullptr, 1, 1, {}, reinterpret_cast<DriverLibrary::Handle>(0x70)).message();
  EXPECT_TRUE(contains(launched, "[stream 0x70; ")) << launched;
}

}  // namespace driver_failures_test
}  // namespace graphnet::device
