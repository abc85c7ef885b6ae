// SPDX-License-Identifier: MIT
// A device is examined: a made-up driver's, under a made-up CUPTI. What must come first and last.
#include "worker/device_answer.h"

#include <gtest/gtest.h>

#include "device/own_kernels.h"
#include "support/seen_driver.h"
#include "worker/task_device.h"

namespace graphnet::worker {
namespace device_answer_test {

using tests::FakeCuptiLibrary;
using tests::SeenDriver;

/// Sessions that ran when the device's context was given back.
int sessions_at_release = -1;

class DeviceAnswerTest : public testing::Test {
 protected:
  DeviceAnswerTest() {
    sessions_at_release = -1;
    SeenDriver::control().on_release = [] {
      sessions_at_release = SeenDriver::cupti().control().num_subscribers;
    };
  }

  FakeCuptiLibrary fake_;
  SeenDriver driver_{fake_};
  proof::CuptiSession::Settings settings_ = fake_.settings();
};

TEST_F(DeviceAnswerTest, SaysWhatTracingSees) {
  fake_.control().misses = tests::kSecondThread;
  const auto json = examine_device({true, 0}, SeenDriver::library(), settings_);
  ASSERT_TRUE(json.is_ok()) << json.status().to_string();
  EXPECT_EQ((*json)["name"], "Made-up GPU");
  EXPECT_EQ((*json)["cupti"]["state"], "ready");
  EXPECT_EQ((*json)["cupti"]["version"], 130001);
  if (device::own_kernels() == nullptr) return;
  EXPECT_EQ((*json)["self_test"], "ok");
  EXPECT_EQ((*json)["tracing"]["ways"].size(), 4U);
  EXPECT_EQ((*json)["cupti"]["reason"],
            "CUPTI did not record the work of its self-test: second_thread 0 of 3");
}

TEST_F(DeviceAnswerTest, RecordingThatIsRefusedIsTheState) {
  if (device::own_kernels() == nullptr) GTEST_SKIP() << "built without nvcc";
  fake_.control().failing_kind = 10;
  fake_.control().failing_code = 35;
  const auto json = examine_device({true, 0}, SeenDriver::library(), settings_);
  ASSERT_TRUE(json.is_ok());
  EXPECT_EQ((*json)["cupti"]["state"], "denied");
  EXPECT_NE((*json)["cupti"]["reason"].get<std::string>().find("cuptiActivityEnable(kind 10)"),
            std::string::npos);
}

TEST_F(DeviceAnswerTest, WithoutCuptiThereIsNoTracing) {
  fake_.control().subscribe_code = 999;
  const auto json = examine_device({true, 0}, SeenDriver::library(), settings_);
  ASSERT_TRUE(json.is_ok());
  EXPECT_EQ((*json)["cupti"]["state"], "failed");
  EXPECT_FALSE(json->contains("tracing"));
}

TEST_F(DeviceAnswerTest, TracingEndsBeforeTheContext) {
  ASSERT_TRUE(examine_device({true, 0}, SeenDriver::library(), settings_).is_ok());
  EXPECT_EQ(sessions_at_release, 0);
  // Whatever goes wrong.
  SeenDriver::control().fails_once = "cuDeviceTotalMem_v2";
  SeenDriver::control().failing_once_code = 2;
  sessions_at_release = -1;
  EXPECT_FALSE(examine_device({true, 0}, SeenDriver::library(), settings_).is_ok());
  EXPECT_EQ(fake_.control().num_subscribers, 0);
  if (device::own_kernels() == nullptr) return;
  SeenDriver::control().computes_wrongly = true;
  sessions_at_release = -1;
  EXPECT_FALSE(examine_device({true, 0}, SeenDriver::library(), settings_).is_ok());
  EXPECT_EQ(sessions_at_release, 0);
}

// Launches cost more once somebody has subscribed.
TEST_F(DeviceAnswerTest, TaskDeviceDoesNotStartCupti) {
  const auto opened = TaskDevice::open_driver({true, 0}, SeenDriver::library(), settings_);
  ASSERT_TRUE(opened.is_ok());
  EXPECT_EQ(fake_.control().num_subscribers, 0);
  EXPECT_TRUE(fake_.control().calls.empty());
}

}  // namespace device_answer_test
}  // namespace graphnet::worker
