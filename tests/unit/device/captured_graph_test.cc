// SPDX-License-Identifier: MIT
// Capturing a stream of a made-up driver, which keeps CUDA's rules: what is captured, each way in
// which it fails, and that nothing is left behind. On a device: tests/gpu.
#include "device/captured_graph.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "device/tensor_device.h"
#include "support/fake_cuda.h"
#include "support/mentions.h"

namespace graphnet::device {
namespace captured_graph_test {

using base::Code;
using base::Result;
using base::Status;
using tests::mentions;

const std::string kDriver = std::string(GRAPHNET_FAKE_CUDA) + "/ready.so";
// What errors say of the made-up driver.
const std::string kState = " [the primary context is current; 512 MiB of 1.00 GiB free]";

void add_one(void* word) {
  ++*static_cast<int*>(word);
}

class CapturedGraphTest : public testing::Test {
 protected:
  CapturedGraphTest() {
    void* const handle = ::dlopen(kDriver.c_str(), RTLD_NOW);
    control_ = reinterpret_cast<tests::FakeCudaControl>(::dlsym(handle, "fake_cuda_control"))();
    *control_ = tests::FakeCuda();
    gpu_ = std::move(Gpu::open(0, kDriver)).value();
    kernel_ = gpu_->load_kernel("image", "graphnet_call").value();
  }
  ~CapturedGraphTest() override {
    EXPECT_EQ(control_->streams, 0);
    EXPECT_EQ(control_->graphs, 0);
    EXPECT_EQ(control_->executable_graphs, 0);
  }

  /// Adds one to the word that is on the device, when the stream gets there.
  Status launch(DriverLibrary::Handle stream) {
    tests::FakeKernel function = add_one;
    void* word = &word_;
    return gpu_->launch(kernel_, 1, 1, {&function, &word}, stream);
  }
  Status failure_of(const CapturedGraph::Call& call) {
    return CapturedGraph::capture(*gpu_, call).status();
  }

  tests::FakeCuda* control_;
  std::unique_ptr<Gpu> gpu_;
  DriverLibrary::Handle kernel_ = nullptr;
  int word_ = 0;
};

TEST_F(CapturedGraphTest, IsRecordedOnceAndDoneAtEachLaunch) {
  int calls = 0;
  Result<CapturedGraph> graph = CapturedGraph::capture(*gpu_, [&](DriverLibrary::Handle stream) {
    ++calls;
    GN_RETURN_IF_ERROR(launch(stream));
    return launch(stream);
  });
  ASSERT_TRUE(graph.is_ok()) << graph.status().to_string();
  EXPECT_EQ(graph->num_nodes(), 2U);
  EXPECT_EQ(word_, 0) << "nothing is done while it is recorded";
  for (int i = 1; i <= 3; ++i) {
    ASSERT_TRUE(graph->launch().is_ok());
    EXPECT_EQ(word_, 2 * i);
  }
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(control_->graph_launches, 3);
  const CapturedGraph moved = std::move(graph).value();
  EXPECT_EQ(control_->executable_graphs, 1);
}

TEST_F(CapturedGraphTest, WithoutWorkIsAnErrorAndNoSpeedup) {
  const Status nothing = failure_of([](DriverLibrary::Handle) { return Status::ok(); });
  EXPECT_EQ(nothing.code(), Code::kPlugin);
  EXPECT_TRUE(mentions(nothing.message(), {"captured call", "stream"}));
}

TEST_F(CapturedGraphTest, WhatTheCallDoesMayNotBeCaptured) {
  const std::string invalidated =
      "cannot capture the call in a CUDA graph: cuStreamEndCapture gave "
      "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED (901) [stream ";
  // Their errors ignored, as a careless plugin does.
  const std::pair<const char*, CapturedGraph::Call> cases[] = {
      {"waits", [&](auto) { return gpu_->synchronize().is_ok() ? Status::ok() : Status::ok(); }},
      {"allocates", [&](auto) { return gpu_->allocate(16).is_ok() ? Status::ok() : Status::ok(); }},
      {"other stream",
       [&](auto) { return launch(nullptr).is_ok() ? Status::ok() : Status::ok(); }}};
  for (const auto& [name, call] : cases) {
    const Status failed = failure_of(call);
    EXPECT_EQ(failed.code(), Code::kPlugin) << name;
    EXPECT_EQ(failed.message().rfind(invalidated, 0), 0U) << name << failed.message();
  }
  EXPECT_EQ(word_, 0);
  EXPECT_TRUE(launch(nullptr).is_ok()) << "the device can be used afterwards";
  EXPECT_TRUE(gpu_->synchronize().is_ok());
}

TEST_F(CapturedGraphTest, TheCallsOwnErrorComesFirst) {
  const Status failed = failure_of([&](DriverLibrary::Handle) {
    GN_RETURN_IF_ERROR(gpu_->synchronize());
    return Status::ok();
  });
  EXPECT_EQ(failed.message(),
            "cannot wait for the CUDA device: cuCtxSynchronize gave "
            "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED (900)" +
                kState);
  ASSERT_EQ(failed.context().size(), 1U);
  EXPECT_NE(failed.context()[0].find("CAPTURE_INVALIDATED (901)"), std::string::npos);
  const Status refused =
      failure_of([](DriverLibrary::Handle) { return Status(Code::kInternal, "refused"); });
  EXPECT_EQ(refused.message(), "refused");
  EXPECT_TRUE(refused.context().empty());
}

TEST_F(CapturedGraphTest, SomebodyElseEndedTheCapture) {
  const Status failed = failure_of([&](DriverLibrary::Handle stream) {
    DriverLibrary::Handle graph = nullptr;
    EXPECT_EQ(gpu_->driver().end_capture(stream, &graph), 0);
    gpu_->driver().destroy_graph(graph);
    return Status::ok();
  });
  EXPECT_EQ(failed.code(), Code::kPlugin);
  EXPECT_NE(failed.message().find("CUDA_ERROR_ILLEGAL_STATE (401)"), std::string::npos);
}

TEST_F(CapturedGraphTest, TheDriversErrorsAreTheEnvironments) {
  const auto launches = [&](DriverLibrary::Handle stream) { return launch(stream); };
  control_->instantiate_code = 2;
  const Status failed = failure_of(launches);
  EXPECT_EQ(failed.code(), Code::kEnvironment);
  EXPECT_EQ(failed.message(),
            "cannot instantiate a CUDA graph: cuGraphInstantiateWithFlags gave "
            "CUDA_ERROR_OUT_OF_MEMORY (2)" +
                kState);
  control_->instantiate_code = 0;
  Result<CapturedGraph> graph = CapturedGraph::capture(*gpu_, launches);
  ASSERT_TRUE(graph.is_ok());
  control_->graph_launch_code = 700;
  EXPECT_TRUE(
      mentions(graph->launch().message(), {"cuGraphLaunch", "CUDA_ERROR_ILLEGAL_ADDRESS", "(700)",
                                           "default stream", "512 MiB", "1.00 GiB"}));
}

TEST_F(CapturedGraphTest, IsOfCudaDevicesOnly) {
  const auto launches = [&](DriverLibrary::Handle stream) { return launch(stream); };
  EXPECT_TRUE(GpuDevice::create(*gpu_, 0).value()->capture(launches).is_ok());
  const auto none = host_device().capture(launches);
  EXPECT_EQ(none.status().code(), Code::kUnsupported);
  EXPECT_EQ(none.status().message(), "calls on 'cpu' cannot be captured");
  EXPECT_EQ(word_, 0);
}

}  // namespace captured_graph_test
}  // namespace graphnet::device
