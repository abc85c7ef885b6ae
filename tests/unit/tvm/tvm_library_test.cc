// SPDX-License-Identifier: MIT
#include "tvm_plugin/tvm_library.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <ctime>
#include <filesystem>

#include "tvm_plugin/ffi_symbols.h"

namespace graphnet::tvm {
namespace tvm_library_test {

// Whoever computes next gets the cores. In a process of its own: the pool starts once.
TEST(TvmLibrary, ItsThreadsSleepSoonAfterACall) {
  if (!std::filesystem::exists(tvm_folder() + "/tvm/lib/libtvm_compiler.so")) {
    GTEST_SKIP() << "no TVM: ./graphnet run --config tvm.yaml fetches it";
  }
  TvmLibrary::open(2);
  std::atomic<int> num_parts = 0;
  TvmLibrary::parallel(2, [&](std::int64_t, std::int64_t) { ++num_parts; });
  ASSERT_EQ(num_parts, 2) << "the pool has no thread beside this one";
  constexpr useconds_t kSoonUs = 20'000;
  constexpr useconds_t kWatchedUs = 60'000;
  ::usleep(kSoonUs);
  const std::clock_t before = std::clock();
  ::usleep(kWatchedUs);
  const double ran_s = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
  EXPECT_LT(ran_s, 1e-6 * kWatchedUs / 4);
}

}  // namespace tvm_library_test
}  // namespace graphnet::tvm
