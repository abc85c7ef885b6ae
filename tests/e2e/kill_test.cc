// SPDX-License-Identifier: MIT
// A sweep whose processes are killed at random moments, and that is resumed until it is done.
//
// GRAPHNET_TEST_KILLS: how many kills (default 6); GRAPHNET_TEST_SEED: of the random numbers.
#include <gtest/gtest.h>
#include <signal.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "journal/journal_file.h"
#include "support/folders.h"
#include "support/marked_processes.h"
#include "support/run_program.h"
#include "support/temp_dir.h"

namespace graphnet::tests {
namespace kill_test {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

const std::string kProgram = build_dir() + "/bin/graphnet";
const std::string kSource = source_dir();
const std::string kSmall = kSource + "/samples/transformers-auto-model/sadhaklal_mlp-iris";

constexpr int kNumSamples = 20;

int number_from(const char* variable, int otherwise) {
  const char* text = std::getenv(variable);
  return text != nullptr ? std::atoi(text) : otherwise;
}

enum Target { kSupervisor, kZygote, kWorker };
constexpr int kNumTargets = 3;
constexpr std::array<const char*, kNumTargets> kTargetNames = {"supervisor", "zygote", "worker"};

/// Records of each sample, by whether they are ok.
struct Counts {
  std::map<std::string, int> num_ok;
  int num_failed = 0;
};

/// By samples at a time.
class Kills : public ::testing::TestWithParam<int> {
 protected:
  Kills() {
    for (int i = 0; i < kNumSamples; ++i) {
      fs::create_directories(samples() / std::to_string(i));
      fs::copy(kSmall, samples() / std::to_string(i), fs::copy_options::recursive);
    }
    mark_ = "GRAPHNET_KILL_TEST=" + folder_.path().string();
  }

  fs::path samples() const { return folder_.path() / "samples" / "copies"; }

  base::Result<base::Subprocess> start(const fs::path& results) {
    return start_program(
        {kProgram, "run", samples().string(), "--config", kSource + "/configs/nope.yaml",
         "--threads", "1", "--protocol", "upstream", "--warmup", "0", "--trials", "1", "--resume",
         results.string(), "--retry-failed", "--jobs", std::to_string(GetParam())},
        {mark_}, folder_.path() / "log");
  }

  std::string log() const { return read_text(folder_.path() / "log"); }

  static Counts count(const fs::path& results) {
    Counts counts;
    if (!fs::exists(results) || fs::file_size(results) == 0) return counts;
    const auto journal = journal::read_journal(results);
    EXPECT_TRUE(journal.is_ok()) << journal.status().to_string();
    if (!journal.is_ok()) return counts;
    for (const auto& record : journal->records) {
      if (record.outcome == record::Outcome::kOk) {
        ++counts.num_ok[record.sample];
      } else {
        ++counts.num_failed;
      }
    }
    return counts;
  }

  /// The process to kill; 0 if there is none such right now.
  pid_t find(Target target, pid_t supervisor) const {
    if (target == kSupervisor) return supervisor;
    std::vector<pid_t> children;  // the zygote is the oldest
    for (const MarkedProcess& process : marked_processes(mark_)) {
      if (process.parent == supervisor) children.push_back(process.pid);
    }
    const std::size_t wanted = target == kZygote ? 0 : 1;
    return wanted < children.size() ? children[wanted] : 0;
  }

  static bool has_ended(const base::Subprocess& child) {
    siginfo_t info = {};
    return ::waitid(P_PID, static_cast<id_t>(child.pid()), &info, WEXITED | WNOHANG | WNOWAIT) ==
               0 &&
           info.si_pid != 0;
  }

  /// Sleeps, but not longer than the program lives.
  static void sleep_while_running(const base::Subprocess& child, double seconds) {
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    while (Clock::now() < end && !has_ended(child)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  double random_below(double limit) {
    return std::uniform_real_distribution<double>(0, limit)(random_);
  }

  /// Runs the program once, killing as it goes, after pauses of up to `max_pause_s`.
  void run_and_kill(const fs::path& results, double max_pause_s) {
    auto child = start(results);
    ASSERT_TRUE(child.is_ok()) << child.status().to_string();
    while (num_killed() < num_wanted_ && !has_ended(*child)) {
      sleep_while_running(*child, random_below(max_pause_s));
      const auto target = static_cast<Target>(random_() % kNumTargets);
      pid_t victim = 0;
      while (victim == 0 && !has_ended(*child)) victim = find(target, child->pid());
      if (victim == 0 || has_ended(*child) || ::kill(victim, SIGKILL) != 0) break;
      ++killed_[static_cast<std::size_t>(target)];
      if (target == kSupervisor) break;
    }
    child->wait();
    // One that was still loading libtorch sees only afterwards that nobody needs it.
    EXPECT_EQ(num_left_processes(mark_, std::chrono::seconds(20)), 0) << log();
  }

  int num_killed() const { return killed_[0] + killed_[1] + killed_[2]; }

  TempDir folder_;
  std::string mark_;
  const int num_wanted_ = number_from("GRAPHNET_TEST_KILLS", 6);
  std::mt19937 random_{static_cast<unsigned>(number_from("GRAPHNET_TEST_SEED", 1))};
  std::array<int, kNumTargets> killed_ = {};
};

INSTANTIATE_TEST_SUITE_P(Jobs, Kills, ::testing::Values(1, 2));

TEST_P(Kills, ResumingLosesAndDoublesNothing) {
  const auto started = Clock::now();
  auto unharmed = start(folder_.path() / "unharmed.jsonl");
  ASSERT_TRUE(unharmed.is_ok());
  ASSERT_EQ(unharmed->wait().exit_code, 0) << log();
  const double whole_s = std::chrono::duration<double>(Clock::now() - started).count();
  int num_failed = 0;
  int num_runs = 0;
  for (int round = 0; num_killed() < num_wanted_; ++round) {
    const fs::path results = folder_.path() / ("r" + std::to_string(round) + ".jsonl");
    Counts counts;
    while (counts.num_ok.size() < kNumSamples) {
      const Counts before = counts;
      run_and_kill(results, whole_s);
      ++num_runs;
      counts = count(results);
      for (const auto& [sample, times] : before.num_ok) EXPECT_EQ(counts.num_ok[sample], 1);
      EXPECT_GE(counts.num_failed, before.num_failed);
      ASSERT_LE(num_runs, 2 * num_wanted_ + 10) << "it does not come to an end\n" << log();
    }
    for (const auto& [sample, times] : counts.num_ok) EXPECT_EQ(times, 1) << sample;
    num_failed += counts.num_failed;
    const fs::path merged = folder_.path() / ("merged" + std::to_string(round) + ".jsonl");
    const ProgramEnd end = run_program({kProgram, "merge", "-o", merged.string(), results.string()},
                                       {}, folder_.path() / "log");
    EXPECT_EQ(end.state.exit_code, 0) << end.output;
    const Counts after = count(merged);
    EXPECT_EQ(after.num_ok.size(), std::size_t{kNumSamples});
    for (const auto& [sample, times] : after.num_ok) EXPECT_EQ(times, 1) << sample;
    EXPECT_EQ(after.num_failed, 0);
  }
  // A record that did not come out ok is a sample that a kill cost; none costs more than one. With
  // several at a time the oldest child may be a worker, while its zygote is being replaced.
  EXPECT_LE(num_failed, killed_[kWorker] + (GetParam() > 1 ? killed_[kZygote] : 0));
  std::cout << num_killed() << " kills in " << num_runs << " runs:";
  for (std::size_t i = 0; i < kNumTargets; ++i) {
    std::cout << ' ' << kTargetNames[i] << ' ' << killed_[i];
  }
  std::cout << "; " << num_failed << " records of killed workers\n";
}

}  // namespace kill_test
}  // namespace graphnet::tests
