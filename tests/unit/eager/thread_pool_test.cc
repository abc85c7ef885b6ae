// SPDX-License-Identifier: MIT
#include "eager/thread_pool.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include "base/processes.h"

namespace graphnet::eager {
namespace thread_pool_test {

// Its regions have as many threads as the pool, however few rows there are.
void run_a_region() {
  at::triu(at::ones({8, 8}));
}

// In a process of its own: a pool that is there once stays.
TEST(WithoutPool, StartsNoThreadUntilItHasEnded) {
  if (base::num_threads() != 1) GTEST_SKIP() << "the test's own process has threads";
  static_cast<void>(at::get_num_threads());  // at the first one libtorch sets a number of its own
  set_pool_size(2);
  {
    const WithoutPool alone;
    run_a_region();
    EXPECT_EQ(base::num_threads(), 1);
  }
  run_a_region();
  EXPECT_GT(base::num_threads(), 1);
}

}  // namespace thread_pool_test
}  // namespace graphnet::eager
