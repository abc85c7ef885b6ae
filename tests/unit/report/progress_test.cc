// SPDX-License-Identifier: MIT
#include "report/progress.h"

#include <gtest/gtest.h>

#include <sstream>

namespace graphnet::report {
namespace progress_test {

constexpr std::int64_t kMs = 1'000'000;

struct Fixture {
  std::int64_t now = 0;
  std::ostringstream out;
  Progress progress;
  explicit Fixture(ProgressMode mode, bool is_terminal = true)
      : progress(out, {mode, is_terminal, 80, 3, [this] { return now; }}) {}

  // What was written since the last call.
  std::string taken() {
    std::string text = out.str();
    out.str("");
    return text;
  }
};

record::Record finished() {
  record::Record record;
  record.sample = "timm/resnet10t";
  record.plugin = "nope";
  record.outcome = record::Outcome::kOk;
  record.speedup = 1.018;
  return record;
}

TEST(Progress, LinesAreOnePerPair) {
  Fixture fixture(ProgressMode::kAuto, false);
  fixture.progress.begin("timm/resnet10t", "nope");
  fixture.progress.phase(record::Phase::kEager);
  fixture.now += 4100 * kMs;
  fixture.progress.tick();
  fixture.progress.finish(finished());
  record::Record failed = finished();
  failed.outcome = record::Outcome::kTimedOut;
  failed.sample = "a\nb";
  fixture.progress.begin("a\nb", "nope");
  fixture.progress.finish(failed);
  EXPECT_EQ(fixture.taken(),
            "[1/3] timm/resnet10t nope ok 1.02x (4.1 s)\n[2/3] a b nope timed_out (0.0 s)\n");
  EXPECT_EQ(fixture.progress.poll_timeout_ms(), -1);
}

TEST(Progress, BarShowsPairPhaseAndElapsedTime) {
  Fixture fixture(ProgressMode::kAuto);
  fixture.progress.begin("a/b", "nope");
  EXPECT_EQ(fixture.taken(), "\r\x1b[2K[1/3] a/b · nope · start · 0.0 s");
  fixture.now += 200 * kMs;
  fixture.progress.phase(record::Phase::kLoad);
  EXPECT_EQ(fixture.taken(), "\r\x1b[2K[1/3] a/b · nope · load · 0.2 s");
  fixture.now = 20'000 * kMs;
  fixture.progress.finish(finished());
  EXPECT_EQ(fixture.taken(), "\r\x1b[2K") << "cleared, and no line";
  fixture.progress.begin("c/d", "nope");
  EXPECT_EQ(fixture.taken(), "\r\x1b[2K[2/3] c/d · nope · start · 20 s, about 40 s left");
}

TEST(Progress, BarIsDrawnAtMostTenTimesASecond) {
  Fixture fixture(ProgressMode::kBar);
  fixture.progress.begin("a/b", "nope");
  int draws = 0;
  fixture.taken();
  for (int i = 0; i < 1000; ++i) {
    fixture.now += kMs;
    fixture.progress.tick();
    fixture.progress.phase(i % 2 == 0 ? record::Phase::kLoad : record::Phase::kInputs);
    if (!fixture.taken().empty()) ++draws;
  }
  EXPECT_EQ(draws, 10);
}

TEST(Progress, NothingIsDrawnWhileTimesAreTaken) {
  Fixture fixture(ProgressMode::kBar);
  for (const record::Phase phase : {record::Phase::kEager, record::Phase::kRun}) {
    fixture.progress.begin("a/b", "nope");
    fixture.now += 500 * kMs;
    EXPECT_EQ(fixture.progress.poll_timeout_ms(), 100);
    fixture.progress.phase(phase);
    EXPECT_NE(fixture.taken().find(name_of(phase)), std::string::npos) << "its begin is drawn";
    EXPECT_EQ(fixture.progress.poll_timeout_ms(), -1);
    for (int i = 0; i < 100; ++i) {
      fixture.now += 500 * kMs;
      fixture.progress.tick();
    }
    EXPECT_EQ(fixture.taken(), "");
  }
}

TEST(Progress, SeveralPairsHaveTheirOwnPhaseAndTime) {
  Fixture fixture(ProgressMode::kBar);
  fixture.progress.begin("a/b", "nope");
  fixture.now += 1000 * kMs;
  fixture.progress.begin("c/d", "nope");
  fixture.progress.turn_to("a/b", "nope");
  fixture.progress.phase(record::Phase::kTime);
  EXPECT_EQ(fixture.progress.poll_timeout_ms(), -1);
  fixture.now += 1000 * kMs;
  fixture.progress.turn_to("c/d", "nope");
  EXPECT_EQ(fixture.progress.poll_timeout_ms(), 100) << "the other one takes times";
  fixture.taken();
  fixture.progress.phase(record::Phase::kLoad);
  EXPECT_EQ(fixture.taken(), "\r\x1b[2K[1/3] c/d · nope · load · 2.0 s");
}

TEST(Progress, LinesTellTheTimeOfTheirOwnPair) {
  Fixture fixture(ProgressMode::kLines);
  fixture.progress.begin("timm/resnet10t", "nope");
  fixture.now += 1000 * kMs;
  fixture.progress.begin("c/d", "nope");
  fixture.now += 1000 * kMs;
  fixture.progress.turn_to("timm/resnet10t", "nope");
  fixture.progress.finish(finished());
  fixture.progress.turn_to("c/d", "nope");
  record::Record other = finished();
  other.sample = "c/d";
  fixture.progress.finish(other);
  EXPECT_EQ(fixture.taken(),
            "[1/3] timm/resnet10t nope ok 1.02x (2.0 s)\n[2/3] c/d nope ok 1.02x (1.0 s)\n");
}

TEST(Progress, BarFitsTheTerminal) {
  Fixture fixture(ProgressMode::kBar);
  fixture.progress.begin(std::string(200, 'x'), "nope");
  EXPECT_LE(fixture.taken().size(), 80u + 5 + 2);
}

TEST(Progress, NoneIsSilent) {
  Fixture fixture(ProgressMode::kNone);
  fixture.progress.begin("a/b", "nope");
  fixture.progress.phase(record::Phase::kLoad);
  fixture.progress.finish(finished());
  EXPECT_EQ(fixture.taken(), "");
}

TEST(Progress, TheTimeLeftFollowsTheCostOfWhatIsLeft) {
  std::int64_t now = 0;
  std::ostringstream out;
  Progress::Options options{ProgressMode::kBar, true, 80, 3, [&] { return now; }, {}};
  options.pairs = {{"timm/resnet10t", "nope", 1}, {"b", "nope", 1}, {"c", "nope", 58}};
  Progress progress(out, options);
  progress.begin("timm/resnet10t", "nope");
  now += 1000 * kMs;
  progress.finish(finished());
  out.str("");
  progress.begin("b", "nope");
  EXPECT_NE(out.str().find("about 59 s left"), std::string::npos) << out.str();
}

TEST(Progress, EarlierTimesTellHowLongItTakesFromTheStart) {
  std::int64_t now = 0;
  std::ostringstream out;
  Progress::Options options{ProgressMode::kBar, true, 80, 1, [&] { return now; }, {}};
  options.pairs = {{"a", "nope", 5}};
  Progress progress(out, options);
  progress.learn({"z", "nope", 2}, 8);
  progress.begin("a", "nope");
  EXPECT_NE(out.str().find("about 20 s left"), std::string::npos) << out.str();
}

}  // namespace progress_test
}  // namespace graphnet::report
