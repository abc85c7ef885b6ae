// SPDX-License-Identifier: MIT
#include "measure/others_share.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>
#include <string>

#include "base/kernel_file.h"
#include "measure/clock.h"
#include "support/one_core.h"

namespace graphnet::measure {
namespace others_share_test {

constexpr double kTickNs = 1e7;
constexpr std::int64_t kSecond = 1'000'000'000;

/// Two cores for a second, in which each was busy for 60 ticks.
CoresAt after_a_second() {
  return {{{100, 0, 60}, {100, 0, 60}}, 0, kSecond};
}
const CoresAt kBegin = {{{}, {}}, 0, 0};

TEST(OthersShare, IsWhatTheFamilyDidNotRun) {
  CoresAt after = after_a_second();
  EXPECT_NEAR(*others_share(kBegin, after, kTickNs), 0.6, 1e-12);
  after.family_ns = 1'100'000'000;
  EXPECT_NEAR(*others_share(kBegin, after, kTickNs), 0.05, 1e-12);
  after.family_ns = 1'230'000'000;
  EXPECT_EQ(*others_share(kBegin, after, kTickNs), 0) << "by ticks";
  after.cores[0].steal = 10;  // in which the family's time went on
  EXPECT_NEAR(*others_share(kBegin, after, kTickNs), 0.035, 1e-12);
}

TEST(OthersShare, IsUnknownWhereTicksSayNothing) {
  CoresAt after = after_a_second();
  after.at_ns = 390'000'000;
  for (CoreTicks& core : after.cores) core = {39, 0, 39};
  EXPECT_FALSE(others_share(kBegin, after, kTickNs)) << "too short";
  after = after_a_second();
  after.cores[1].total = 0;
  EXPECT_FALSE(others_share(kBegin, after, kTickNs)) << "the ticks do not go on";
  after = after_a_second();
  after.family_ns = 1'900'000'000;
  EXPECT_FALSE(others_share(kBegin, after, kTickNs)) << "the ticks are another machine's";
  after = after_a_second();
  after.cores.pop_back();
  EXPECT_FALSE(others_share(kBegin, after, kTickNs));
  EXPECT_FALSE(others_share({}, {{}, 0, kSecond}, kTickNs)) << "no core";
}

/// Runs on a core until so much time has passed.
void spin(std::int64_t duration_ns) {
  const std::int64_t end_ns = monotonic_raw_ns() + duration_ns;
  while (monotonic_raw_ns() < end_ns) {
  }
}

CoreTicks ticks_of(int core) {
  const std::string stat = base::read_kernel_file("/proc/stat");
  return core_ticks_in(stat, "cpu" + std::to_string(core) + " ").value_or(CoreTicks());
}

/// Shares of about a second of a core, in which this process spun.
struct Second {
  double own = 0;
  double stolen = 0;
  std::optional<double> others;
};

Second watch_a_second(const Instruments& instruments, const FamilyClock& clock, int core) {
  const OthersShare share = instruments.watch_others();
  EXPECT_FALSE(share()) << "too short";
  const CoreTicks ticks = ticks_of(core);
  const std::int64_t ran_ns = *clock.ran_ns();
  const std::int64_t begin_ns = monotonic_raw_ns();
  spin(kSecond);
  Second second;
  second.own = static_cast<double>(*clock.ran_ns() - ran_ns) /
               static_cast<double>(monotonic_raw_ns() - begin_ns);
  second.stolen = steal_share(ticks, ticks_of(core));
  second.others = share();
  return second;
}

TEST(WatchOthers, SeesAStrangerAndNotTheFamily) {
  constexpr int kMostSeconds = 3;
  const tests::OneCore here;
  const pid_t stranger = ::fork();  // before the clock, which counts what starts behind it
  if (stranger == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (true) spin(kSecond);
  }
  ASSERT_GT(stranger, 0);
  const auto clock = FamilyClock::open({});
  Instruments nowhere;
  Instruments instruments;
  Second second;
  if (clock) {
    watch_others(nowhere, *clock, {});
    watch_others(instruments, *clock, {here.core()});
    // A virtual machine that has no core for a while loses ticks.
    for (int i = 0; i < kMostSeconds && !second.others; ++i) {
      second = watch_a_second(instruments, *clock, here.core());
    }
  }
  ::kill(stranger, SIGKILL);
  ::waitpid(stranger, nullptr, 0);
  if (!clock) GTEST_SKIP() << "the kernel or a sandbox refuses";
  EXPECT_FALSE(nowhere.watch_others);
  if (!second.others) GTEST_SKIP() << "/proc/stat does not show this core";
  EXPECT_GT(*second.others, 0.2);
  // What the hypervisor took is in the time of both.
  EXPECT_LT(second.own + *second.others, 1.2 + second.stolen) << "the family's time is in it";
}

}  // namespace others_share_test
}  // namespace graphnet::measure
