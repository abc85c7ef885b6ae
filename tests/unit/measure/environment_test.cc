// SPDX-License-Identifier: MIT
#include "measure/environment.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <vector>

namespace graphnet::measure {
namespace environment_test {

TEST(CpuModel, IsReadFromCpuinfo) {
  EXPECT_EQ(cpu_model_in("processor\t: 0\nmodel\t\t: 143\nmodel name\t: AMD  EPYC 9B14 \n"),
            "AMD EPYC 9B14");
  EXPECT_EQ(cpu_model_in("cpu family\t: 26\nmodel\t\t: 2\nmodel name\t: AMD EPYC\n"),
            "AMD EPYC (family 26 model 2)");
  EXPECT_EQ(cpu_model_in("cpu family\t: 6\nmodel\t\t: 143\nmodel name\t: Xeon 8488C\n"),
            "Xeon 8488C");
  EXPECT_EQ(cpu_model_in("Processor : ARMv8\n"), "ARMv8");
  EXPECT_EQ(cpu_model_in("model name"), "");
  EXPECT_EQ(cpu_model_in("model name\t:"), "");
  EXPECT_EQ(cpu_model_in(""), "");
}

TEST(PeakRss, IsReadFromStatus) {
  EXPECT_EQ(peak_rss_in("Name:\tx\nVmPeak:\t 10 kB\nVmHWM:\t   2048 kB\n"), 2048 * 1024);
  EXPECT_EQ(peak_rss_in("VmHWM:\tmany kB\n"), std::nullopt);
  EXPECT_EQ(peak_rss_in("VmHWM:\t99999999999999999999 kB\n"), std::nullopt);
  EXPECT_EQ(peak_rss_in(""), std::nullopt);
}

TEST(PeakRss, OfThisProcessIsPlausible) {
  const auto peak = peak_rss_bytes();
  ASSERT_TRUE(peak.has_value());
  EXPECT_GT(*peak, 100'000);
}

TEST(Chosen, IsTheWordInBrackets) {
  EXPECT_EQ(chosen_in("always [madvise] never\n"), "madvise");
  for (const char* text : {"", "always", "]x[", "[x"}) EXPECT_EQ(chosen_in(text), "") << text;
}

TEST(CpuQuota, IsQuotaByPeriod) {
  EXPECT_EQ(cpu_quota_in("150000 100000"), 1.5);
  for (const char* text : {"", "max 100000", "150000", "150000 ", "1 0", "-1 100000"}) {
    EXPECT_EQ(cpu_quota_in(text), std::nullopt) << text;
  }
}

TEST(Allocator, IsKnownByItsLibrary) {
  EXPECT_EQ(allocator_in("7f00-7f01 r-xp 0 0:0 1 /usr/lib/libjemalloc.so.2\n"), "jemalloc");
  EXPECT_EQ(allocator_in("7f00-7f01 r-xp 0 0:0 1 /usr/lib/libc.so.6\n"), "");
}

TEST(PeakRss, CanBeReset) {
  // Mapped, not allocated: a sanitizer's allocator keeps what is freed.
  constexpr std::size_t kNumBytes = std::size_t{64} << 20U;
  void* block =
      ::mmap(nullptr, kNumBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(block, MAP_FAILED);
  std::memset(block, 1, kNumBytes);
  ::munmap(block, kNumBytes);
  const auto before = peak_rss_bytes();
  reset_peak_rss();
  const auto after = peak_rss_bytes();
  ASSERT_TRUE(before && after);
  EXPECT_LT(*after, *before - (std::int64_t{32} << 20U));
}

TEST(HardwareClass, NamesModelAndThreads) {
  EXPECT_EQ(hardware_class("AMD EPYC", 2), "AMD EPYC/2 threads");
  EXPECT_EQ(hardware_class("", 1), "unknown cpu/1 thread");
}

TEST(Environment, HoldsWhatAReaderNeedsButNotTheHostName) {
  const base::Json environment = collect_environment(2);
  for (const char* key : {"logical_cores", "kernel", "memory_bytes", "host_hash", "hardware_class",
                          "affinity", "steal_share", "runnable", "allocator"}) {
    EXPECT_TRUE(environment.contains(key)) << key;
  }
  EXPECT_GE(environment["logical_cores"].get<int>(), 1);
  EXPECT_EQ(environment["logical_cores"].get<int>(), affinity_cores());
  EXPECT_EQ(environment["host_hash"].get<std::string>().size(), 12u);
  std::array<char, 256> name = {};
  ASSERT_EQ(::gethostname(name.data(), name.size() - 1), 0);
  EXPECT_NE(environment["host_hash"].get<std::string>(), std::string(name.data()));
}

}  // namespace environment_test
}  // namespace graphnet::measure
