// SPDX-License-Identifier: MIT
#include "eager/settings.h"

#include <ATen/Context.h>
#include <gtest/gtest.h>
#include <xmmintrin.h>

#include "eager/thread_pool.h"
#include "support/mentions.h"

namespace graphnet::eager {
namespace settings_test {

using tests::mentions;

TEST(Settings, AreTheSameTwice) {
  const auto settings = current_settings();
  EXPECT_GT(settings.size(), 20U);
  EXPECT_EQ(changed_settings(settings, current_settings()), "");
}

TEST(Settings, NameWhatWasChanged) {
  const auto before = current_settings();
  at::globalContext().setUserEnabledMkldnn(false);
  EXPECT_EQ(changed_settings(before, current_settings()), "oneDNN was on, is off");
  at::globalContext().setUserEnabledMkldnn(true);

  constexpr unsigned kFlushToZero = 0x8000;
  const unsigned control = _mm_getcsr();
  _mm_setcsr(control | kFlushToZero);
  EXPECT_TRUE(
      mentions(changed_settings(before, current_settings()), {"rounding", "nearest", "subnormal"}));
  _mm_setcsr(control);

  set_pool_size(3);
  const auto three = current_settings();
  set_pool_size(2);
  EXPECT_EQ(changed_settings(three, current_settings()), "threads was 3, is 2");
  at::globalContext().setFloat32MatmulPrecision("medium");
  EXPECT_NE(changed_settings(three, current_settings()).find("float32 precision"),
            std::string::npos);
  at::globalContext().setFloat32MatmulPrecision("highest");
}

TEST(Settings, DoNotNoticeWhatArithmeticLeavesBehind) {
  const auto before = current_settings();
  volatile float tiny = 1e-38F;
  tiny = tiny * 0.01F / 3.0F;
  EXPECT_EQ(changed_settings(before, current_settings()), "");
}

}  // namespace settings_test
}  // namespace graphnet::eager
