// SPDX-License-Identifier: MIT
// Memory for tensors on the host, on a device that only copies reach, and on a made-up device.
#include "device/tensor_device.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <vector>

#include "support/fake_cuda.h"
#include "support/mentions.h"
#include "support/mirror_device.h"

namespace graphnet::device {
namespace tensor_device_test {

using base::Status;
using Damage = DeviceBuffer::Damage;
using tests::mentions;

const std::string kDriver = std::string(GRAPHNET_FAKE_CUDA) + "/ready.so";

tests::FakeCuda& control() {
  void* const handle = ::dlopen(kDriver.c_str(), RTLD_NOW);
  return *reinterpret_cast<tests::FakeCudaControl>(::dlsym(handle, "fake_cuda_control"))();
}

void expect_guarded(TensorDevice& device) {
  constexpr std::size_t kBytes = 100;
  auto buffer = DeviceBuffer::allocate(device, kBytes);
  ASSERT_TRUE(buffer.is_ok());
  auto* const data = static_cast<std::byte*>(buffer->data());
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % 16, 0U);
  ASSERT_TRUE(buffer->fill(std::byte{0xA5}).is_ok());
  EXPECT_TRUE(buffer->holds_only(std::byte{0xA5}).value());
  EXPECT_EQ(buffer->damage().value(), Damage::kNone) << "filled up to the guards and no further";
  const std::byte other{1};
  ASSERT_TRUE(device.copy_in(data + kBytes - 1, &other, 1).is_ok());
  EXPECT_FALSE(buffer->holds_only(std::byte{0xA5}).value());
  ASSERT_TRUE(device.copy_in(data + kBytes, &other, 1).is_ok());
  EXPECT_EQ(buffer->damage().value(), Damage::kBehind);
  ASSERT_TRUE(device.copy_in(data - 1, &other, 1).is_ok());
  EXPECT_EQ(buffer->damage().value(), Damage::kBefore);
  const auto empty = DeviceBuffer::allocate(device, 0);
  ASSERT_TRUE(empty.is_ok());
  EXPECT_NE(empty->data(), nullptr);
  EXPECT_FALSE(empty->holds_only(std::byte{0xA5}).value());
}

TEST(DeviceBuffer, IsGuardedOnTheHost) {
  expect_guarded(host_device());
}

TEST(DeviceBuffer, IsGuardedElsewhereAndGivenBack) {
  tests::MirrorDevice mirror;
  expect_guarded(mirror);
  EXPECT_EQ(mirror.num_buffers(), 0U);
}

TEST(DeviceBuffer, LooksAtLargeOnesToTheirEnd) {
  tests::MirrorDevice mirror;
  constexpr std::size_t kBytes = (std::size_t{1} << 20U) + 3;
  auto buffer = DeviceBuffer::allocate(mirror, kBytes);
  ASSERT_TRUE(buffer.is_ok());
  ASSERT_TRUE(buffer->fill(std::byte{7}).is_ok());
  EXPECT_TRUE(buffer->holds_only(std::byte{7}).value());
  const std::byte other{8};
  ASSERT_TRUE(
      mirror.copy_in(static_cast<std::byte*>(buffer->data()) + kBytes - 1, &other, 1).is_ok());
  EXPECT_FALSE(buffer->holds_only(std::byte{7}).value());
}

TEST(DeviceBuffer, SaysThatThereIsNotEnoughMemory) {
  EXPECT_FALSE(DeviceBuffer::allocate(host_device(), static_cast<std::size_t>(-1)).is_ok());
}

class GpuDeviceTest : public testing::Test {
 protected:
  GpuDeviceTest() {
    control() = tests::FakeCuda();
    gpu_ = Gpu::open(1, kDriver).value();
    device_ = GpuDevice::create(*gpu_, 1).value();
  }

  std::unique_ptr<Gpu> gpu_;
  std::unique_ptr<GpuDevice> device_;
};

TEST_F(GpuDeviceTest, IsADeviceWithGuardedMemory) {
  EXPECT_FALSE(device_->is_host());
  EXPECT_EQ(device_->name().text(), "cuda:1");
  expect_guarded(*device_);
  EXPECT_EQ(control().buffers, 0);
}

TEST_F(GpuDeviceTest, RunsUntilTheDeviceIsDoneAndSaysHowLongItTook) {
  unsigned long long address = 0;
  std::uint32_t count = 0;
  const std::string self_test = "graphnet_self_test";
  const auto kernel = gpu_->load_kernel("", self_test.c_str());
  ASSERT_TRUE(kernel.is_ok());
  ASSERT_TRUE(device_->run([&] {
                       return gpu_->launch(*kernel, 1, 1, {&address, &count, &count});
                     })
                  .is_ok());
  EXPECT_EQ(device_->last_span_ns().value(), 1e6) << "of the made-up device's clock";
}

TEST_F(GpuDeviceTest, HandsOnWhatWentWrong) {
  const Status refused(base::Code::kPlugin, "refused");
  EXPECT_EQ(device_->run([&] { return refused; }).message(), "refused");
  control().failing_code = 700;
  EXPECT_TRUE(mentions(device_->run([] { return Status::ok(); }).message(),
                       {"cuCtxSynchronize", "CUDA_ERROR_ILLEGAL_ADDRESS", "(700)",
                        "primary context", "512 MiB", "1.00 GiB"}));
}

// A plugin's own stream may be one that does not wait for the default one.
TEST_F(GpuDeviceTest, CopiesAndPoisonAreCompleteBeforeTheNextCall) {
  const auto buffer = DeviceBuffer::allocate(*device_, 16);
  ASSERT_TRUE(buffer.is_ok());
  const std::vector<std::byte> bytes(16);
  control().calls.clear();
  ASSERT_TRUE(buffer->fill(std::byte{0xA5}).is_ok());
  EXPECT_EQ(control().calls, (std::vector<std::string>{"cuMemsetD8Async", "cuCtxSynchronize"}));
  control().calls.clear();
  ASSERT_TRUE(device_->copy_in(buffer->data(), bytes.data(), bytes.size()).is_ok());
  EXPECT_EQ(control().calls, (std::vector<std::string>{"cuMemcpyHtoD_v2", "cuCtxSynchronize"}));
  control().failing_code = 700;
  EXPECT_FALSE(buffer->fill(std::byte{0}).is_ok()) << "what fails there is told there";
  EXPECT_FALSE(device_->copy_in(buffer->data(), bytes.data(), bytes.size()).is_ok());
}

}  // namespace tensor_device_test
}  // namespace graphnet::device
