// SPDX-License-Identifier: MIT
// Arguments, their shuffling, the watch over them and outputs on a device that only copies reach.
#include "worker/device_arguments.h"

#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <vector>

#include "support/mentions.h"
#include "support/mirror_device.h"
#include "worker/argument_watch.h"
#include "worker/dense_copy.h"
#include "worker/input_shuffle.h"
#include "worker/task_device.h"

namespace graphnet::worker {
namespace device_arguments_test {

using tests::mentions;
using tests::MirrorDevice;

sample::Argument counting(std::size_t count) {
  sample::Argument made;
  made.name = "x";
  made.dtype = base::DType::kFloat32;
  made.shape = {static_cast<std::int64_t>(count)};
  made.bytes = base::AlignedBuffer::allocate(count * sizeof(float));
  auto* const values = reinterpret_cast<float*>(made.bytes.data());
  std::iota(values, values + count, 0.0F);
  return made;
}

std::vector<sample::Argument> small_and_large() {
  std::vector<sample::Argument> arguments;
  arguments.push_back(counting(100));
  arguments.push_back(counting(100000));
  return arguments;
}

bool is_same(const DeviceArguments& on_device) {
  return on_device.is_same(0).value() && on_device.is_same(1).value();
}

TEST(DeviceArguments, AreTheGeneratedOnesOnTheHost) {
  auto arguments = small_and_large();
  const auto on_device = DeviceArguments::create(device::host_device(), arguments).value();
  EXPECT_EQ(on_device.data(1), arguments[1].bytes.data());
}

TEST(DeviceArguments, AreCopiesElsewhereUntilTheyAreUpdated) {
  MirrorDevice mirror;
  auto arguments = small_and_large();
  const auto on_device = DeviceArguments::create(mirror, arguments).value();
  EXPECT_NE(on_device.data(0), arguments[0].bytes.data());
  EXPECT_TRUE(is_same(on_device));
  arguments[1].bytes.data()[399999] = std::byte{1};
  EXPECT_FALSE(is_same(on_device));
  ASSERT_TRUE(on_device.update_all().is_ok());
  EXPECT_TRUE(is_same(on_device));
}

TEST(InputShuffle, CopiesWhatItChangesToTheDevice) {
  MirrorDevice mirror;
  auto arguments = small_and_large();
  const auto on_device = DeviceArguments::create(mirror, arguments).value();
  InputShuffle shuffle(on_device, {{0}, {1}}, 7);
  const std::string before = sample::arguments_digest(arguments);
  for (int round = 0; round < 5; ++round) {
    ASSERT_TRUE(shuffle.next().is_ok());
    EXPECT_NE(sample::arguments_digest(arguments), before);
    EXPECT_TRUE(is_same(on_device));
  }
  ASSERT_TRUE(shuffle.restore().is_ok());
  EXPECT_EQ(sample::arguments_digest(arguments), before);
  EXPECT_TRUE(is_same(on_device));
}

TEST(InputShuffle, CopiesAllOfWhatIsLarge) {
  MirrorDevice mirror;
  auto arguments = small_and_large();
  const auto on_device = DeviceArguments::create(mirror, arguments).value();
  InputShuffle shuffle(on_device, {{1}}, 7);
  mirror.bytes_in = 0;
  ASSERT_TRUE(shuffle.next().is_ok());
  EXPECT_EQ(mirror.bytes_in, arguments[1].bytes.num_bytes());
}

TEST(ArgumentWatch, SeesWritesOnTheDevice) {
  MirrorDevice mirror;
  auto arguments = small_and_large();
  const auto on_device = DeviceArguments::create(mirror, arguments).value();
  const ArgumentWatch watch(on_device);
  EXPECT_TRUE(watch.check().is_ok());
  auto* const data = static_cast<std::byte*>(on_device.data(1));
  data[8] = std::byte{1};
  EXPECT_TRUE(mentions(watch.check().message(), {"changed", "'x'"}));
  ASSERT_TRUE(on_device.update(1).is_ok());
  data[400000] = std::byte{1};
  EXPECT_TRUE(mentions(watch.check().message(), {"behind", "'x'"}));
}

// What a failed copy left on the device must not be told of the plugin.
TEST(ArgumentWatch, BlamesAFailedCopyUntilTheArgumentIsCopiedWhole) {
  MirrorDevice mirror;
  auto arguments = small_and_large();
  const auto on_device = DeviceArguments::create(mirror, arguments).value();
  const ArgumentWatch watch(on_device);
  arguments[1].bytes.data()[8] = std::byte{1};
  mirror.fails_copies = true;
  EXPECT_FALSE(on_device.update(1).is_ok());
  mirror.fails_copies = false;
  for (const base::Status& found : {on_device.failed_copy(), watch.check()}) {
    EXPECT_EQ(found.code(), base::Code::kEnvironment) << found.message();
    EXPECT_TRUE(mentions(found.message(), {"made-up failure"}));
  }
  ASSERT_TRUE(on_device.update(1, 0, 4).is_ok());
  EXPECT_FALSE(watch.check().is_ok()) << "the rest is not known";
  ASSERT_TRUE(on_device.update(1).is_ok());
  EXPECT_TRUE(watch.check().is_ok());
}

/// What a copy of a tensor on the device holds.
std::vector<float> copied(MirrorDevice& mirror, std::vector<std::int64_t> shape,
                          std::vector<std::int64_t> strides, const std::vector<float>& memory) {
  const std::size_t num_bytes = memory.size() * sizeof(float);
  const auto buffer = device::DeviceBuffer::allocate(mirror, num_bytes).value();
  EXPECT_TRUE(mirror.copy_in(buffer.data(), memory.data(), num_bytes).is_ok());
  DLTensor tensor = {};
  tensor.data = buffer.data();
  tensor.ndim = static_cast<std::int32_t>(shape.size());
  tensor.dtype = {kDLFloat, 32, 1};
  tensor.shape = shape.data();
  tensor.strides = strides.data();
  std::vector<float> dense(static_cast<std::size_t>(
      std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>())));
  EXPECT_TRUE(copy_dense(mirror, tensor, dense.data()).is_ok());
  return dense;
}

TEST(DenseCopy, PutsStridedOutputsOfADeviceInOrder) {
  MirrorDevice mirror;
  EXPECT_EQ(copied(mirror, {2, 3}, {3, 1}, {0, 1, 2, 3, 4, 5}),
            (std::vector<float>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(copied(mirror, {3, 2}, {1, 3}, {0, 1, 2, 3, 4, 5}),
            (std::vector<float>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(copied(mirror, {2, 2}, {0, 1}, {7, 8}), (std::vector<float>{7, 8, 7, 8})) << "expanded";
  EXPECT_EQ(copied(mirror, {}, {}, {9}), std::vector<float>{9});
  EXPECT_TRUE(copied(mirror, {0, 2}, {2, 1}, {1}).empty());
}

TEST(TaskDevice, IsTheHostForTheProcessor) {
  journal::Task task;
  const auto opened = TaskDevice::open(task);
  ASSERT_TRUE(opened.is_ok());
  EXPECT_FALSE((*opened)->is_cuda());
  EXPECT_TRUE((*opened)->tensors().is_host());
}

TEST(TaskDevice, IsMemoryOfADriversDevice) {
  const std::string driver = std::string(GRAPHNET_FAKE_CUDA) + "/ready.so";
  const auto opened = TaskDevice::open_driver({true, 1}, driver);
  ASSERT_TRUE(opened.is_ok());
  EXPECT_TRUE((*opened)->is_cuda());
  EXPECT_EQ((*opened)->tensors().name().text(), "cuda:1");
  const auto other = TaskDevice::open_driver({true, 2}, driver);
  ASSERT_FALSE(other.is_ok());
  EXPECT_TRUE(
      mentions(other.status().message(),
               {"'cuda:2'", "cuDeviceGet", "CUDA_ERROR_INVALID_DEVICE (101)", "no context"}));
}

}  // namespace device_arguments_test
}  // namespace graphnet::worker
