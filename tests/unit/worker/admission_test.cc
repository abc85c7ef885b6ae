// SPDX-License-Identifier: MIT
#include "worker/admission.h"

#include <gtest/gtest.h>

#include "base/processes.h"
#include "eager/thread_pool.h"
#include "sample/sample.h"
#include "support/folders.h"

namespace graphnet::worker {
namespace admission_test {

// With a pool neither the copy of eager nor the kernel's count of processor time would be made.
TEST(PlanSample, LeavesTheProcessWithOneThread) {
  if (base::num_threads() != 1) GTEST_SKIP() << "the test's own process has threads";
  const auto sample =
      sample::load_sample(tests::source_dir() + "/samples/transformers-auto-model/opt-tiny-random");
  ASSERT_TRUE(sample.is_ok()) << sample.status().to_string();
  eager::set_pool_size(2);
  ASSERT_TRUE(plan_sample(*sample).is_ok());
  EXPECT_EQ(base::num_threads(), 1);
}

}  // namespace admission_test
}  // namespace graphnet::worker
