// SPDX-License-Identifier: MIT
#include "base/device_name.h"

#include <gtest/gtest.h>

namespace graphnet::base {
namespace device_name_test {

TEST(DeviceName, ReadsProcessorAndCudaDevices) {
  for (const char* text : {"cpu", "cuda:0", "cuda:17"}) {
    const auto device = parse_device_name(text);
    ASSERT_TRUE(device.is_ok()) << text;
    EXPECT_EQ(device->text(), text);
  }
  EXPECT_EQ(parse_device_name("cuda")->text(), "cuda:0");
  EXPECT_EQ(parse_device_name("cuda:3")->kind(), "cuda");
  EXPECT_EQ(parse_device_name("cpu")->kind(), "cpu");
}

TEST(DeviceName, RefusesEverythingElse) {
  for (const char* text : {"", "gpu", "CPU", "cuda:", "cuda:-1", "cuda:+1", "cuda: 1", "cuda:1a",
                           "cuda:0000", "cuda:99999999999999", "cuda0", "cpu:0", "cuda:0 "}) {
    const auto device = parse_device_name(text);
    ASSERT_FALSE(device.is_ok()) << text;
    EXPECT_EQ(device.status().code(), Code::kInput);
    EXPECT_EQ(device.status().message(), "unknown device '" + std::string(text) + "'");
  }
}

TEST(DeviceKind, OfWhatRecordsAndLogsSay) {
  EXPECT_EQ(device_kind("cuda:7"), "cuda");
  EXPECT_EQ(device_kind("cuda"), "cuda");
  EXPECT_EQ(device_kind("cpu"), "cpu");
  EXPECT_EQ(device_kind("dcu:0"), "dcu:0");
}

}  // namespace device_name_test
}  // namespace graphnet::base
