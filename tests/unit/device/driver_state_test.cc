// SPDX-License-Identifier: MIT
// Every state of a driver, from made-up ones (tests/support/fake_cuda.cc), and this machine's own.
#include "device/driver_state.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "support/mentions.h"

namespace graphnet::device {
namespace driver_state_test {

using tests::mentions;

DriverState probe(const std::string& name) {
  return probe_driver(std::string(GRAPHNET_FAKE_CUDA) + "/" + name + ".so");
}

TEST(DriverState, EachConditionWithItsReason) {
  struct Case {
    const char* driver;
    DriverCondition condition;
    int code;
    const char* reason;
  };
  const Case cases[] = {
      {"ready", DriverCondition::kReady, 0, ""},
      {"stub", DriverCondition::kStub, 34, "stub of the driver, not a driver (error 34)"},
      {"no_device", DriverCondition::kNoDevice, 100, "(CUDA 13.0) and shows 0 devices"},
      {"hidden", DriverCondition::kNoDevice, 0, "shows 0 devices"},
      {"too_old", DriverCondition::kTooOld, 0, "knows CUDA up to 12.8, this libtorch needs 13.0"},
      {"mismatch", DriverCondition::kBroken, 803,
       "does not start: error 803 of cuInit, its library and"},
      {"unknown", DriverCondition::kBroken, 999,
       "does not start: error 999 of cuInit, unknown reason"},
      {"odd", DriverCondition::kBroken, 777, "error 777 of cuInit, reason unknown to this program"},
  };
  for (const Case& wanted : cases) {
    const DriverState state = probe(wanted.driver);
    EXPECT_EQ(state.condition, wanted.condition) << wanted.driver;
    EXPECT_EQ(state.code, wanted.code) << wanted.driver;
    EXPECT_NE(state.reason.find(wanted.reason), std::string::npos) << state.reason;
    EXPECT_EQ(state.reason.empty(), state.is_ready()) << wanted.driver;
  }
}

TEST(DriverState, NoLibraryAndAFileThatIsNone) {
  const DriverState missing = probe("none");
  EXPECT_EQ(missing.condition, DriverCondition::kNoLibrary);
  EXPECT_NE(missing.reason.find("no NVIDIA driver is installed"), std::string::npos);
  const DriverState other = probe_driver("libm.so.6");
  EXPECT_EQ(other.condition, DriverCondition::kBroken);
  EXPECT_NE(other.reason.find("is not the NVIDIA driver"), std::string::npos) << other.reason;
}

TEST(DriverState, NamesTheVariableThatHidesDevices) {
  ::setenv("CUDA_VISIBLE_DEVICES", "", 1);
  const DriverState state = probe("hidden");
  ::unsetenv("CUDA_VISIBLE_DEVICES");
  EXPECT_NE(state.reason.find("(CUDA_VISIBLE_DEVICES is '')"), std::string::npos) << state.reason;
}

TEST(CheckDevice, NamesTheNumberAndWhatThereIs) {
  const DriverState state = probe("ready");
  EXPECT_TRUE(check_device({true, 1}, state).is_ok());
  const base::Status beyond = check_device({true, 2}, state);
  EXPECT_EQ(beyond.code(), base::Code::kEnvironment);
  EXPECT_TRUE(mentions(beyond.message(), {"'cuda:2'", "2 devices", "cuda:0", "cuda:1"}));
  const base::Status stub = check_device({true, 0}, probe("stub"));
  EXPECT_EQ(stub.code(), base::Code::kEnvironment);
  EXPECT_TRUE(mentions(stub.message(), {"'cuda:0'", "found", "stub"}));
}

TEST(CheckDevice, TheProcessorNeedsNoDriver) {
  EXPECT_TRUE(check_device({}, DriverState()).is_ok());
}

// Whatever this machine has, it is told: a reason, or at least one device.
TEST(DriverState, OfThisMachine) {
  const DriverState state = probe_driver();
  EXPECT_EQ(state.is_ready(), state.num_devices > 0);
  EXPECT_EQ(state.is_ready(), state.reason.empty()) << state.reason;
}

}  // namespace driver_state_test
}  // namespace graphnet::device
