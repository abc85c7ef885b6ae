// SPDX-License-Identifier: MIT
#include "xla/device_copy.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "graphnet/abi.h"
#include "unit/xla/pjrt_fixture.h"

namespace graphnet::xla {
namespace device_copy_test {

const std::string kDriver = std::string(GRAPHNET_FAKE_CUDA) + "/ready.so";

TEST(DeviceCopy, CopiesThroughTheDriver) {
  const DeviceCopy copy(kDriver);
  const std::vector<float> from = {1, 2, 3};
  std::vector<float> to(3);
  copy.copy(to.data(), from.data(), 3 * sizeof(float), nullptr);
  EXPECT_EQ(to, from);
  copy.copy(nullptr, nullptr, 0, nullptr);
  const Failure failure = failure_of([&] { copy.copy(nullptr, from.data(), 4, nullptr); });
  EXPECT_EQ(failure.code(), GN_STATUS_RUNTIME_FAILED);
  EXPECT_TRUE(mentions(failure.what(), {"CUDA", "error 1"}));
}

TEST(DeviceCopy, NeedsADriver) {
  const Failure failure = failure_of([] { DeviceCopy("libnothing.so.1"); });
  EXPECT_EQ(failure.code(), GN_STATUS_UNAVAILABLE);
  EXPECT_TRUE(mentions(failure.what(), {"'libnothing.so.1'", "CUDA"}));
}

}  // namespace device_copy_test
}  // namespace graphnet::xla
