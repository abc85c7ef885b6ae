// SPDX-License-Identifier: MIT
// Workers that are forked give what fresh processes give, and the process that forks them may die.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "journal/journal_file.h"
#include "support/folders.h"
#include "support/marked_processes.h"
#include "support/run_program.h"
#include "support/temp_dir.h"

namespace graphnet::tests {
namespace zygote_test {

const std::string kProgram = build_dir() + "/bin/graphnet";
const std::string kSamples = source_dir() + "/samples";

class Zygote : public ::testing::Test {
 protected:
  std::vector<std::string> command(const std::vector<std::string>& samples,
                                   const std::vector<std::string>& more) {
    std::vector<std::string> words = {kProgram, "run"};
    for (const std::string& sample : samples) {
      words.push_back((std::filesystem::path(kSamples) / sample).string());
    }
    words.insert(words.end(), {"--config", "nope.yaml", "--protocol", "upstream", "--warmup", "0",
                               "--trials", "1", "-o", results().string()});
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  /// A sample that is named twice runs once.
  std::vector<std::string> copies(int count, const std::string& sample) const {
    std::vector<std::string> paths;
    for (int i = 0; i < count; ++i) {
      const auto copy = folder_.path() / "samples" / "copies" / std::to_string(i);
      std::filesystem::create_directories(copy);
      std::filesystem::copy(kSamples + "/" + sample, copy,
                            std::filesystem::copy_options::overwrite_existing |
                                std::filesystem::copy_options::recursive);
      paths.push_back(copy.string());
    }
    return paths;
  }

  std::filesystem::path results() const { return folder_.path() / "results.jsonl"; }

  std::vector<record::Record> records() {
    auto content = journal::read_journal(results());
    EXPECT_TRUE(content.is_ok()) << content.status().to_string();
    return content.is_ok() ? content->records : std::vector<record::Record>();
  }

  /// Processes that fork workers for `supervisor`.
  static std::vector<pid_t> zygotes_of(pid_t supervisor) {
    std::vector<pid_t> found;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      const std::string name = entry.path().filename();
      if (name.find_first_not_of("0123456789") != std::string::npos) continue;
      const std::string words = read_text(entry.path() / "cmdline");
      const std::string stat = read_text(entry.path() / "stat");
      const std::size_t end = stat.rfind(')');
      if (words.find("--zygote") == std::string::npos || end == std::string::npos) continue;
      if (std::atoi(stat.c_str() + end + 4) != supervisor) continue;
      found.push_back(std::atoi(name.c_str()));
    }
    return found;
  }

  TempDir folder_;
};

TEST_F(Zygote, ForkedWorkersGiveWhatFreshOnesGive) {
  const std::vector<std::string> samples = {"torchvision/mobilenet_v3_small",
                                            "transformers-auto-model/opt-tiny-random"};
  std::map<std::string, std::set<std::string>> digests;
  for (const std::string way : {"fork", "fresh"}) {
    std::filesystem::remove(results());
    const ProgramEnd end =
        run_program(command(samples, {"--isolate", way, "--digest", "--threads", "2"}), {},
                    folder_.path() / "log");
    ASSERT_EQ(end.state.exit_code, 0) << end.output;
    const auto all = records();
    ASSERT_EQ(all.size(), samples.size()) << end.output;
    for (const record::Record& record : all) {
      EXPECT_EQ(record.environment.worker, way == "fork" ? "forked" : "fresh");
      EXPECT_EQ(record.environment.libtorch_threads, 2);
      digests[record.sample].insert(base::dump_json(record.digest));
    }
  }
  for (const auto& [sample, values] : digests) EXPECT_EQ(values.size(), 1u) << sample;
}

TEST_F(Zygote, ItsDeathCostsNoSample) {
  const std::vector<std::string> samples = copies(8, "transformers-auto-model/opt-tiny-random");
  auto child = start_program(command(samples, {"--threads", "1"}), {}, folder_.path() / "log");
  ASSERT_TRUE(child.is_ok());
  int num_killed = 0;
  using Clock = std::chrono::steady_clock;
  for (const auto end = Clock::now() + std::chrono::seconds(60);
       num_killed < 3 && Clock::now() < end;) {
    for (const pid_t zygote : zygotes_of(child->pid())) {
      num_killed += ::kill(zygote, SIGKILL) == 0 ? 1 : 0;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  const base::ExitState state = child->wait();
  EXPECT_EQ(state.exit_code, 0) << read_text(folder_.path() / "log");
  EXPECT_GT(num_killed, 0);
  EXPECT_EQ(records().size(), samples.size());
  for (const record::Record& record : records()) EXPECT_EQ(record.outcome, record::Outcome::kOk);
}

// A worker that is paused when the supervisor is killed cannot see that nobody needs it: it may
// not even have asked what to do.
TEST_F(Zygote, StoppedWorkersEndWithTheSupervisor) {
  const std::vector<std::string> samples = copies(8, "transformers-auto-model/opt-tiny-random");
  for (const int delay_ms : {0, 0, 1, 5, 50}) {
    const std::string mark =
        "GRAPHNET_STOP_TEST=" + folder_.path().string() + std::to_string(delay_ms);
    auto child =
        start_program(command(samples, {"--threads", "1"}), {mark}, folder_.path() / "log");
    ASSERT_TRUE(child.is_ok());
    std::vector<MarkedProcess> workers;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (workers.size() < 2 && std::chrono::steady_clock::now() < end) {
      workers = marked_processes(mark);
      workers.erase(std::remove_if(workers.begin(), workers.end(),
                                   [&](const auto& each) { return each.parent != child->pid(); }),
                    workers.end());
    }
    ASSERT_GE(workers.size(), 2U) << read_text(folder_.path() / "log");
    std::this_thread::sleep_for(std::chrono::milliseconds(delay_ms));
    ::kill(workers.back().pid, SIGSTOP);
    ::kill(child->pid(), SIGKILL);
    child->wait();
    EXPECT_EQ(num_left_processes(mark, std::chrono::seconds(20)), 0) << "after " << delay_ms;
  }
}

}  // namespace zygote_test
}  // namespace graphnet::tests
