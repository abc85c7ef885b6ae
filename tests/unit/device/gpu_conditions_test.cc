// SPDX-License-Identifier: MIT
#include "device/gpu_conditions.h"

#include <gtest/gtest.h>

namespace graphnet::device {
namespace gpu_conditions_test {

const std::string kLibrary = std::string(GRAPHNET_FAKE_CUDA) + "/nvml.so";

TEST(GpuConditions, HoldWhatTheLibraryKnows) {
  const base::Json wanted = {{"sm_mhz", 1200},
                             {"max_sm_mhz", 1980},
                             {"memory_mhz", 2600},
                             {"temperature_c", 41},
                             {"limited_by", {"sw_power_cap", "sw_thermal"}},
                             {"compute_processes", 2}};
  EXPECT_EQ(gpu_conditions("0000:3B:00.0", kLibrary), wanted);
}

TEST(GpuConditions, SayWhyNothingIsKnown) {
  EXPECT_EQ(gpu_conditions("0000:00:00.0", kLibrary),
            (base::Json{{"unavailable", kLibrary + " answers 6"}}));
  EXPECT_EQ(gpu_conditions("0000:3B:00.0", "libnothing.so.1"),
            (base::Json{{"unavailable", "there is no libnothing.so.1"}}));
}

}  // namespace gpu_conditions_test
}  // namespace graphnet::device
