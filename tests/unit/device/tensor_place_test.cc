// SPDX-License-Identifier: MIT
// Memory for tensors on the host, at a place that only copies reach, and on a made-up device.
#include "device/tensor_place.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <vector>

#include "support/fake_cuda.h"
#include "support/mentions.h"
#include "support/mirror_place.h"

namespace graphnet::device {
namespace {

using base::Status;
using Damage = PlacedBuffer::Damage;
using tests::mentions;

const std::string kDriver = std::string(GRAPHNET_FAKE_CUDA) + "/ready.so";

tests::FakeCuda& control() {
  void* const handle = ::dlopen(kDriver.c_str(), RTLD_NOW);
  return *reinterpret_cast<tests::FakeCudaControl>(::dlsym(handle, "fake_cuda_control"))();
}

void expect_guarded(TensorPlace& place) {
  constexpr std::size_t kBytes = 100;
  auto buffer = PlacedBuffer::allocate(place, kBytes);
  ASSERT_TRUE(buffer.is_ok());
  auto* const data = static_cast<std::byte*>(buffer->data());
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % 16, 0U);
  ASSERT_TRUE(buffer->fill(std::byte{0xA5}).is_ok());
  EXPECT_TRUE(buffer->holds_only(std::byte{0xA5}).value());
  EXPECT_EQ(buffer->damage().value(), Damage::kNone) << "filled up to the guards and no further";
  const std::byte other{1};
  ASSERT_TRUE(place.copy_in(data + kBytes - 1, &other, 1).is_ok());
  EXPECT_FALSE(buffer->holds_only(std::byte{0xA5}).value());
  ASSERT_TRUE(place.copy_in(data + kBytes, &other, 1).is_ok());
  EXPECT_EQ(buffer->damage().value(), Damage::kBehind);
  ASSERT_TRUE(place.copy_in(data - 1, &other, 1).is_ok());
  EXPECT_EQ(buffer->damage().value(), Damage::kBefore);
  const auto empty = PlacedBuffer::allocate(place, 0);
  ASSERT_TRUE(empty.is_ok());
  EXPECT_NE(empty->data(), nullptr);
  EXPECT_FALSE(empty->holds_only(std::byte{0xA5}).value());
}

TEST(PlacedBuffer, IsGuardedOnTheHost) {
  expect_guarded(host_place());
}

TEST(PlacedBuffer, IsGuardedElsewhereAndGivenBack) {
  tests::MirrorPlace mirror;
  expect_guarded(mirror);
  EXPECT_EQ(mirror.num_buffers(), 0U);
}

TEST(PlacedBuffer, LooksAtLargeOnesToTheirEnd) {
  tests::MirrorPlace mirror;
  constexpr std::size_t kBytes = (std::size_t{1} << 20U) + 3;
  auto buffer = PlacedBuffer::allocate(mirror, kBytes);
  ASSERT_TRUE(buffer.is_ok());
  ASSERT_TRUE(buffer->fill(std::byte{7}).is_ok());
  EXPECT_TRUE(buffer->holds_only(std::byte{7}).value());
  const std::byte other{8};
  ASSERT_TRUE(
      mirror.copy_in(static_cast<std::byte*>(buffer->data()) + kBytes - 1, &other, 1).is_ok());
  EXPECT_FALSE(buffer->holds_only(std::byte{7}).value());
}

TEST(PlacedBuffer, SaysThatThereIsNotEnoughMemory) {
  EXPECT_FALSE(PlacedBuffer::allocate(host_place(), static_cast<std::size_t>(-1)).is_ok());
}

class GpuPlaceTest : public testing::Test {
 protected:
  GpuPlaceTest() {
    control() = tests::FakeCuda();
    gpu_ = Gpu::open(1, kDriver).value();
    place_ = GpuPlace::create(*gpu_, 1).value();
  }

  std::unique_ptr<Gpu> gpu_;
  std::unique_ptr<GpuPlace> place_;
};

TEST_F(GpuPlaceTest, IsADeviceWithGuardedMemory) {
  EXPECT_FALSE(place_->is_host());
  EXPECT_EQ(place_->device().text(), "cuda:1");
  expect_guarded(*place_);
  EXPECT_EQ(control().buffers, 0);
}

TEST_F(GpuPlaceTest, RunsUntilTheDeviceIsDoneAndSaysHowLongItTook) {
  unsigned long long address = 0;
  std::uint32_t count = 0;
  const std::string self_test = "graphnet_self_test";
  const auto kernel = gpu_->load_kernel("", self_test.c_str());
  ASSERT_TRUE(kernel.is_ok());
  ASSERT_TRUE(place_->run([&] {
                      return gpu_->launch(*kernel, 1, 1, {&address, &count, &count});
                    })
                  .is_ok());
  EXPECT_EQ(place_->last_span_ns(), 1e6) << "of the made-up device's clock";
}

TEST_F(GpuPlaceTest, HandsOnWhatWentWrong) {
  const Status refused(base::Code::kPlugin, "refused");
  EXPECT_EQ(place_->run([&] { return refused; }).message(), "refused");
  control().failing_code = 700;
  EXPECT_TRUE(mentions(place_->run([] { return Status::ok(); }).message(),
                       {"cuCtxSynchronize", "CUDA_ERROR_ILLEGAL_ADDRESS", "(700)",
                        "primary context", "512 MiB", "1.00 GiB"}));
}

// A plugin's own stream may be one that does not wait for the default one.
TEST_F(GpuPlaceTest, CopiesAndPoisonAreCompleteBeforeTheNextCall) {
  const auto buffer = PlacedBuffer::allocate(*place_, 16);
  ASSERT_TRUE(buffer.is_ok());
  const std::vector<std::byte> bytes(16);
  control().calls.clear();
  ASSERT_TRUE(buffer->fill(std::byte{0xA5}).is_ok());
  EXPECT_EQ(control().calls, (std::vector<std::string>{"cuMemsetD8Async", "cuCtxSynchronize"}));
  control().calls.clear();
  ASSERT_TRUE(place_->copy_in(buffer->data(), bytes.data(), bytes.size()).is_ok());
  EXPECT_EQ(control().calls, (std::vector<std::string>{"cuMemcpyHtoD_v2", "cuCtxSynchronize"}));
  control().failing_code = 700;
  EXPECT_FALSE(buffer->fill(std::byte{0}).is_ok()) << "what fails there is told there";
  EXPECT_FALSE(place_->copy_in(buffer->data(), bytes.data(), bytes.size()).is_ok());
}

}  // namespace
}  // namespace graphnet::device
