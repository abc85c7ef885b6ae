// SPDX-License-Identifier: MIT
// What is asked of a driver, with a made-up one: memory, kernels of the host's own, times, errors.
// On a device the same is tried by tests/gpu.
#include "device/gpu.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <numeric>

#include "device/gpu_timer.h"
#include "device/own_kernels.h"
#include "support/fake_cuda.h"
#include "support/mentions.h"

namespace graphnet::device {
namespace gpu_test {

using base::Code;
using base::Status;
using tests::mentions;

const std::string kDriver = std::string(GRAPHNET_FAKE_CUDA) + "/ready.so";
// What errors say of the made-up driver.
const std::string kState = " [the primary context is current; 512 MiB of 1.00 GiB free]";

class GpuTest : public testing::Test {
 protected:
  GpuTest() {
    void* const handle = ::dlopen(kDriver.c_str(), RTLD_NOW);
    control_ = reinterpret_cast<tests::FakeCudaControl>(::dlsym(handle, "fake_cuda_control"))();
    *control_ = tests::FakeCuda();
    auto opened = Gpu::open(0, kDriver);
    EXPECT_TRUE(opened.is_ok());
    gpu_ = std::move(opened).value();
  }

  tests::FakeCuda* control_;
  std::unique_ptr<Gpu> gpu_;
};

TEST_F(GpuTest, SaysWhatItIsAndGivesBackItsContext) {
  EXPECT_EQ(gpu_->facts().name, "Made-up GPU");
  EXPECT_EQ(gpu_->facts().compute_capability, 90);
  EXPECT_EQ(gpu_->facts().num_processors, 4);
  EXPECT_EQ(gpu_->facts().l2_bytes, std::size_t{1} << 20U);
  EXPECT_EQ(gpu_->facts().memory_bytes, std::size_t{1} << 30U);
  EXPECT_EQ(control_->contexts, 1);
  gpu_.reset();
  EXPECT_EQ(control_->contexts, 0);
}

TEST_F(GpuTest, MemoryGoesInAndOut) {
  std::vector<int> words(100);
  std::iota(words.begin(), words.end(), 7);
  std::vector<int> back(100);
  {
    const auto buffer = gpu_->allocate(400);
    ASSERT_TRUE(buffer.is_ok());
    ASSERT_TRUE(gpu_->copy_in(*buffer, words.data(), 400).is_ok());
    ASSERT_TRUE(gpu_->copy_out(back.data(), *buffer, 400).is_ok());
    EXPECT_EQ(back, words);
    ASSERT_TRUE(gpu_->fill(*buffer, 5).is_ok());
    ASSERT_TRUE(gpu_->copy_out(back.data(), *buffer, 400).is_ok());
    EXPECT_EQ(back, std::vector<int>(100, 5));
    EXPECT_EQ(control_->buffers, 1);
  }
  EXPECT_EQ(control_->buffers, 0) << "freed once, though it was moved";
}

TEST_F(GpuTest, ErrorsHaveTheDriversName) {
  const auto large = gpu_->allocate(std::size_t{1} << 40U);
  ASSERT_FALSE(large.is_ok());
  EXPECT_EQ(large.status().code(), Code::kEnvironment);
  EXPECT_TRUE(
      mentions(large.status().message(), {"cuMemAlloc_v2", "CUDA_ERROR_OUT_OF_MEMORY (2)",
                                          "1.00 TiB", "primary context", "512 MiB", "1.00 GiB"}));
  control_->failing_code = 700;
  EXPECT_EQ(gpu_->synchronize().message(),
            "cannot wait for the CUDA device: cuCtxSynchronize gave CUDA_ERROR_ILLEGAL_ADDRESS "
            "(700)" +
                kState);
  control_->failing_code = 12345;
  EXPECT_EQ(
      gpu_->synchronize().message(),
      "cannot wait for the CUDA device: cuCtxSynchronize gave an unknown error (12345)" + kState);
  EXPECT_EQ(Gpu::open(2, kDriver).status().message(),
            "cannot find the CUDA device: cuDeviceGet gave CUDA_ERROR_INVALID_DEVICE (101) [no "
            "context was made]");
}

TEST_F(GpuTest, DriversThatCannotBeOpened) {
  const auto none = Gpu::open(0, "libnothing.so.1");
  ASSERT_FALSE(none.is_ok());
  EXPECT_EQ(none.status().message(), "no NVIDIA driver is installed");
  const auto other = Gpu::open(0, "libm.so.6");
  ASSERT_FALSE(other.is_ok());
  EXPECT_EQ(other.status().message().rfind("libm.so.6 lacks cuInit, ", 0), 0U);
  const auto stub = Gpu::open(0, std::string(GRAPHNET_FAKE_CUDA) + "/stub.so");
  ASSERT_FALSE(stub.is_ok());
  EXPECT_NE(stub.status().message().find("cannot start the CUDA driver"), std::string::npos);
}

TEST_F(GpuTest, SelfTestComparesItsResult) {
  const Status tested = run_self_test(*gpu_);
  if (own_kernels() == nullptr) {
    EXPECT_TRUE(mentions(tested.message(), {"nvcc"}));
    return;
  }
  EXPECT_TRUE(tested.is_ok()) << tested.to_string();
  EXPECT_EQ(control_->launches, 1);
  EXPECT_EQ(control_->buffers, 0);
  control_->computes_wrongly = true;
  const Status wrong = run_self_test(*gpu_);
  EXPECT_EQ(wrong.code(), Code::kInternal);
  EXPECT_EQ(wrong.message().rfind("the self-test's kernel gave 0 in place of ", 0), 0U);
}

TEST_F(GpuTest, FlushWritesTwiceTheCacheAnotherWayEachTime) {
  auto flush = CacheFlush::create(*gpu_);
  if (own_kernels() == nullptr) {
    EXPECT_EQ(flush.status().code(), Code::kUnsupported);
    return;
  }
  ASSERT_TRUE(flush.is_ok());
  EXPECT_EQ(flush->num_bytes(), std::size_t{2} << 20U);
  EXPECT_EQ(control_->largest_buffer, flush->num_bytes());
  ASSERT_TRUE(flush->run(*gpu_).is_ok());
  EXPECT_EQ(control_->last_flush_value, 1U);
  ASSERT_TRUE(flush->run(*gpu_).is_ok());
  EXPECT_EQ(control_->last_flush_value, 2U);
  EXPECT_EQ(control_->l2_resets, 2);
}

TEST_F(GpuTest, TimesAreThoseOfTheEventsAndOfTheHost) {
  {
    auto timer = GpuTimer::create(*gpu_);
    ASSERT_TRUE(timer.is_ok());
    const auto nothing = timer->time(*gpu_, [] { return Status::ok(); });
    ASSERT_TRUE(nothing.is_ok());
    EXPECT_EQ(nothing->event_ns, 0);
    EXPECT_GT(nothing->host_ns, 0);
    EXPECT_LT(nothing->host_ns, 1e9);
    if (own_kernels() != nullptr) {
      const auto one = timer->time(*gpu_, [&] { return run_self_test(*gpu_); });
      ASSERT_TRUE(one.is_ok());
      EXPECT_EQ(one->event_ns, 1e6);
    }
    const auto failed =
        timer->time(*gpu_, [] { return Status(Code::kPlugin, "the call's own error"); });
    EXPECT_EQ(failed.status().message(), "the call's own error");
    control_->failing_code = 700;
    EXPECT_NE(timer->time(*gpu_, [] { return Status::ok(); }).status().message().find("700"),
              std::string::npos);
    EXPECT_EQ(control_->events, 2);
  }
  EXPECT_EQ(control_->events, 0);
}

}  // namespace gpu_test
}  // namespace graphnet::device
