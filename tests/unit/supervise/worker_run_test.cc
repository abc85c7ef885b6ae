// SPDX-License-Identifier: MIT
#include "supervise/worker_run.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>

#include "supervise/classify.h"
#include "supervise/output_ring.h"
#include "support/mentions.h"
#include "support/temp_dir.h"

namespace graphnet::supervise {
namespace worker_run_test {

using record::Record;
using std::chrono::milliseconds;
using tests::contains;
using tests::mentions;

/// Runs one worker to its end and grants whatever it asks for.
base::Result<WorkerEnd> run_worker(const PlannedTask& planned, const WorkerSettings& settings) {
  WorkerObserver observer;
  GN_ASSIGN_OR_RETURN(const auto run, WorkerRun::start(planned, settings, observer));
  while (!run->has_ended()) {
    std::array<pollfd, WorkerRun::kNumPolled> polled = {};
    run->fill_polled(polled.data());
    int timeout_ms = -1;
    if (const auto deadline = run->deadline()) {
      const auto left = std::chrono::ceil<milliseconds>(*deadline - WorkerRun::Clock::now());
      timeout_ms = std::max(0, static_cast<int>(left.count()));
    }
    ::poll(polled.data(), polled.size(), timeout_ms);
    run->handle(polled.data());
    run->check_clock();
    if (run->ask() != nullptr) run->grant();
  }
  return run->finish();
}

/// Runs shell scripts in place of graphnet-worker. `phase X`, `partial` and `final` in a script
/// send the messages of the protocol.
class WorkerRunTest : public ::testing::Test {
 protected:
  WorkerRunTest() {
    Record record;
    record.sample = "timm/a";
    record.plugin = "acme";
    record.eager.median_ns = 1000;
    temp_.write("partial.json", message(record, false));
    record.outcome = record::Outcome::kOk;
    temp_.write("final.json", message(record, true));
    // What the kernel of this machine counts meanwhile is another matter.
    temp_.write("proc/vmstat", "nr_free_pages 7\noom_kill 3\n");
    settings_.root = temp_.path();
    settings_.grace = milliseconds(200);
    planned_.task.plugin_name = "acme";
    planned_.task.threads = 1;
    planned_.task.run_id = "run";
    planned_.sample = {"samples/timm/a", "timm/a", "timm"};
    planned_.sample.category = "computer_vision";
    planned_.library.sha256 = "abc";
    planned_.limits = config::RunConfig::default_timeouts();
  }

  static std::string message(const Record& record, bool is_final) {
    const base::Json json = {
        {"event", "record"}, {"record", record::to_json(record)}, {"final", is_final}};
    return base::dump_json(json) + "\n";
  }

  /// A worker that reads its task and then does `body`.
  std::filesystem::path worker(const std::string& body) {
    const auto script = temp_.write(
        "worker",
        "#!/bin/sh\ncd '" + temp_.path().string() +
            "'\n"
            "phase() { echo \"{\\\"event\\\":\\\"phase\\\",\\\"phase\\\":\\\"$1\\\"}\" >&3; }\n"
            "partial() { cat partial.json >&3; }\n"
            "final() { cat final.json >&3; }\n"
            "read -r task <&3\n" +
            body + "\n");
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
    return script;
  }

  WorkerEnd run(const std::string& body) {
    settings_.executable = worker(body);
    auto end = run_worker(planned_, settings_);
    EXPECT_TRUE(end.is_ok()) << end.status().to_string();
    return end.is_ok() ? std::move(end).value() : WorkerEnd();
  }

  Record record_of(const std::string& body) { return classify(planned_, run(body)); }

  tests::TempDir temp_;
  WorkerSettings settings_;
  PlannedTask planned_;
};

TEST_F(WorkerRunTest, AFinalRecordIsTheResult) {
  const WorkerEnd end = run("phase load; phase run; partial; final");
  EXPECT_TRUE(end.is_final);
  EXPECT_EQ(end.phase, record::Phase::kRun);
  const Record record = classify(planned_, end);
  EXPECT_EQ(record.outcome, record::Outcome::kOk);
  EXPECT_EQ(record.run_id, "run");
  EXPECT_EQ(record.plugin_sha256, "abc");
  EXPECT_EQ(record.category, "computer_vision");
  EXPECT_EQ(record.output_tail, "");
  EXPECT_TRUE(record.notes.empty());
}

TEST_F(WorkerRunTest, TheWorkerGetsItsTask) {
  planned_.task.sample_path = "samples/with 'quotes' and \xC3\xA4";
  // More than a socket buffer holds, and the worker takes its time.
  planned_.task.command = std::string(1 << 20, 'x');
  const WorkerEnd end = run("sleep 0.2; printf '%s' \"$task\" > task.json; final");
  EXPECT_TRUE(end.is_final);
  std::ifstream file(temp_.path() / "task.json");
  std::stringstream text;
  text << file.rdbuf();
  const auto json = base::parse_json(text.str(), "task");
  ASSERT_TRUE(json.is_ok()) << json.status().to_string();
  EXPECT_EQ(journal::task_from_json(*json)->sample_path, planned_.task.sample_path);
}

TEST_F(WorkerRunTest, ACrashKeepsWhatWasMeasuredAndTheLastOutput) {
  const Record record =
      record_of("phase eager; partial; phase compile; echo one; echo two >&2; kill -SEGV $$");
  EXPECT_EQ(record.outcome, record::Outcome::kCrashed);
  EXPECT_EQ(record.phase, record::Phase::kCompile);
  EXPECT_TRUE(mentions(record.message, {"'acme'", "phase compile", "SIGSEGV"}));
  EXPECT_EQ(record.output_tail, "one\ntwo");
  EXPECT_EQ(record.eager.median_ns, 1000);
  EXPECT_EQ(record.category, "computer_vision");
}

TEST_F(WorkerRunTest, BlamesByPhase) {
  const struct {
    const char* body;
    const char* outcome;
  } cases[] = {
      {"phase load; kill -ABRT $$", "invalid_sample"},
      {"phase inputs; exit 3", "invalid_sample"},
      {"phase inputs; kill -KILL $$", "reference_failed"},
      {"phase eager; kill -SEGV $$", "reference_failed"},
      {"phase eager; kill -KILL $$", "reference_failed"},
      {"phase eager; exit 0", "reference_failed"},
      {"kill -SEGV $$", "reference_failed"},
      {"phase load; echo garbage >&3; sleep 9", "reference_failed"},
      {"phase compile; kill -KILL $$", "killed"},
      {"phase bind; exit 0", "plugin_failed"},
      {"phase run; kill -FPE $$", "crashed"},
      {"phase compare; kill -SEGV $$", "crashed"},
      {"phase run; echo garbage >&3; sleep 9", "plugin_failed"},
  };
  for (const auto& [body, outcome] : cases) {
    EXPECT_EQ(record_of(body).outcome.text(), outcome) << body;
  }
}

TEST_F(WorkerRunTest, ADeathOnSecondWeightsDecidesTheOutcome) {
  const Record killed = record_of(
      "phase time; sed 's/\"outcome\":\"\"/\"outcome\":\"ok\"/' partial.json >&3; "
      "phase second_weights; kill -SEGV $$");
  EXPECT_EQ(killed.outcome, record::Outcome::kCrashed);
  EXPECT_EQ(killed.phase, record::Phase::kSecondWeights);
  EXPECT_EQ(killed.eager.median_ns, 1000);
}

TEST_F(WorkerRunTest, ADeathInProofLeavesOutcomeAndTimes) {
  const Record killed = record_of(
      "phase time; sed 's/\"outcome\":\"\"/\"outcome\":\"ok\"/' partial.json >&3; "
      "phase proof; kill -SEGV $$");
  EXPECT_EQ(killed.outcome, record::Outcome::kOk);
  EXPECT_EQ(killed.message, "");
  EXPECT_EQ(killed.eager.median_ns, 1000);
  EXPECT_EQ(killed.verdict.text(), "unknown(killed in proof)");
  ASSERT_EQ(killed.notes.size(), 1U);
  EXPECT_TRUE(mentions(killed.notes[0], {"proof tracing", "'acme'", "SIGSEGV"}));
  // The tracer is done; only the sampler was still looking.
  const Record sampled = record_of(
      "phase time; sed -e 's/\"outcome\":\"\"/\"outcome\":\"ok\"/' "
      "-e 's/\"verdict\":\"\"/\"verdict\":\"proven\"/' "
      "-e 's/\"proof\":{}/\"proof\":{\"calls\":3}/' partial.json >&3; "
      "phase proof; kill -SEGV $$");
  EXPECT_EQ(sampled.verdict.text(), "proven");
  EXPECT_EQ(sampled.notes.size(), 1U);
}

TEST_F(WorkerRunTest, AStepNamesTheCall) {
  const std::string step = "echo '{\"event\":\"step\",\"step\":\"create\"}' >&3; ";
  EXPECT_TRUE(mentions(record_of("phase compile; " + step + "exit 7").message,
                       {"'acme'", "exit(7)", "create", "compile"}));
  EXPECT_TRUE(mentions(record_of("phase compile; " + step + "phase bind; exit 7").message,
                       {"'acme'", "exit(7)", "phase bind"}));
}

TEST_F(WorkerRunTest, ARefusedAllocationExplainsACrash) {
  const Record record =
      record_of("phase compile; echo '{\"event\":\"memory\"}' >&3; kill -ABRT $$");
  EXPECT_EQ(record.outcome, record::Outcome::kOutOfMemory);
  EXPECT_TRUE(mentions(record.message, {"memory", "compile"}));
}

TEST_F(WorkerRunTest, WhatLeftTheGroupIsKilledToo) {
  run("setsid sleep 600 & phase run; sleep 0.1; echo $! > pid; final");
  std::ifstream file(temp_.path() / "pid");
  pid_t pid = 0;
  ASSERT_TRUE(file >> pid);
  EXPECT_NE(::kill(pid, 0), 0);
}

TEST_F(WorkerRunTest, AnExitOfThePluginIsNamed) {
  const Record record = record_of("phase compile; exit 7");
  EXPECT_TRUE(mentions(record.message, {"'acme'", "exit(7)", "phase compile"}));
}

TEST_F(WorkerRunTest, TheKernelSaysWhetherAKillWasForMemory) {
  const Record killed = record_of("phase run; kill -KILL $$");
  EXPECT_EQ(killed.outcome, record::Outcome::kKilled);
  EXPECT_EQ(killed.phase, record::Phase::kRun);
  EXPECT_TRUE(mentions(killed.message, {"'acme'", "killed", "not", "memory"}));
  const Record starved = record_of("phase run; echo oom_kill 4 > proc/vmstat; kill -KILL $$");
  EXPECT_EQ(starved.outcome, record::Outcome::kOutOfMemory);
  EXPECT_TRUE(mentions(starved.message, {"kernel", "machine"}));
  EXPECT_TRUE(starved.notes.empty());
  EXPECT_EQ(starved.environment.memory_limit_by, "none");
}

TEST_F(WorkerRunTest, AKillThatTheKernelDoesNotExplainSuggestsMemory) {
  settings_.root = temp_.path() / "nothing";
  const Record record = record_of("phase run; kill -KILL $$");
  EXPECT_EQ(record.outcome, record::Outcome::kOutOfMemory);
  EXPECT_TRUE(mentions(record.message, {"likely", "memory"}));
  EXPECT_EQ(record.notes.size(), 1U);
  EXPECT_TRUE(contains(record_of("phase eager; kill -KILL $$").message, "lack of memory"));
}

TEST_F(WorkerRunTest, AWorkerMayAskForPhases) {
  const WorkerEnd end =
      run("phase load; echo '{\"event\":\"ask\",\"phase\":\"run\"}' >&3; read -r answer <&3; "
          "[ \"$answer\" = go ] && phase run; final");
  EXPECT_TRUE(end.is_final);
  EXPECT_EQ(end.phase, record::Phase::kRun);
}

TEST_F(WorkerRunTest, AHangIsStoppedAtTheLimitOfItsPhase) {
  planned_.limits["compile"] = milliseconds(200);
  planned_.limits["eager"] = std::nullopt;
  const auto started = std::chrono::steady_clock::now();
  const Record record = record_of("phase eager; sleep 0.4; phase compile; sleep 100");
  EXPECT_EQ(record.outcome, record::Outcome::kTimedOut);
  EXPECT_TRUE(mentions(record.message, {"'acme'", "200ms", "phase compile"}));
  EXPECT_GE(record.phases_ns.value("compile", 0.0), 200e6);
  EXPECT_LT(record.phases_ns.value("compile", 0.0), 5e9);
  EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::seconds(5));
}

TEST_F(WorkerRunTest, SigtermCanBeIgnoredButNotSigkill) {
  planned_.limits["run"] = milliseconds(100);
  const WorkerEnd end = run("trap '' TERM; phase run; while :; do sleep 1; done");
  EXPECT_EQ(end.exit.signal, SIGKILL);
  EXPECT_EQ(classify(planned_, end).outcome, record::Outcome::kTimedOut);
}

TEST_F(WorkerRunTest, AStoppedWorkerIsKilled) {
  planned_.limits["run"] = milliseconds(100);
  EXPECT_EQ(record_of("phase run; kill -STOP $$").outcome, record::Outcome::kTimedOut);
}

TEST_F(WorkerRunTest, TheStartHasTheLimitOfLoad) {
  planned_.limits["load"] = milliseconds(100);
  const WorkerEnd end = run("sleep 100");
  EXPECT_TRUE(never_began(end));
  EXPECT_TRUE(contains(classify(planned_, end).message, "before its first phase"));
}

TEST_F(WorkerRunTest, GarbageIsAProtocolFailure) {
  const char* garbage[] = {"not json",
                           "{}",
                           "[]",
                           "{\"event\":1}",
                           "{\"event\":\"dance\"}",
                           "{\"event\":\"phase\"}",
                           "{\"event\":\"phase\",\"phase\":\"dance\"}",
                           "{\"event\":\"record\"}",
                           "{\"event\":\"record\",\"record\":{},\"final\":1}",
                           "{\"event\":\"record\",\"record\":[],\"final\":true}",
                           "\\377\\376"};
  for (const char* line : garbage) {
    const WorkerEnd end = run(std::string("phase run; printf '") + line + "\\n' >&3; sleep 9");
    EXPECT_EQ(end.stop, WorkerEnd::Stop::kProtocol) << line;
    EXPECT_FALSE(end.protocol_error.empty()) << line;
    EXPECT_EQ(classify(planned_, end).outcome, record::Outcome::kPluginFailed) << line;
  }
}

TEST_F(WorkerRunTest, AnEndlessLineIsCutOffAndMemoryStaysBounded) {
  const WorkerEnd end = run("phase run; head -c 100000000 /dev/zero | tr '\\0' x >&3; sleep 9");
  EXPECT_EQ(end.stop, WorkerEnd::Stop::kProtocol);
  EXPECT_TRUE(contains(end.protocol_error, "longer than 64.0 MiB"));
}

TEST_F(WorkerRunTest, AFloodOfOutputIsBoundedAndHidesNothing) {
  const WorkerEnd end =
      run("phase run; head -c 30000000 /dev/zero | tr '\\0' x; echo; echo the end; final");
  EXPECT_TRUE(end.is_final);
  EXPECT_EQ(end.output.size(), kOutputRingBytes);
  EXPECT_TRUE(contains(end.output, "the end"));
  planned_.limits["compile"] = milliseconds(300);
  const Record record = record_of("phase compile; yes");
  EXPECT_EQ(record.outcome, record::Outcome::kTimedOut);
  EXPECT_LE(record.output_tail.size(), 8192U);
}

TEST_F(WorkerRunTest, ProcessesLeftBehindDoNotHoldItUp) {
  settings_.exit_limit = std::chrono::seconds(60);
  const auto started = std::chrono::steady_clock::now();
  EXPECT_TRUE(run("sleep 50 & final").is_final);
  EXPECT_TRUE(run("setsid sleep 50 & phase run; final").is_final);
  EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::seconds(20));
}

TEST_F(WorkerRunTest, TheFinalRecordStandsWhateverHappensAtExit) {
  const Record crashed = record_of("phase run; final; kill -SEGV $$");
  EXPECT_EQ(crashed.outcome, record::Outcome::kOk);
  EXPECT_TRUE(mentions(crashed.notes.at(0), {"crashed", "SIGSEGV"}));
  const Record noisy = record_of("phase run; final; echo garbage >&3; exit 4");
  EXPECT_EQ(noisy.outcome, record::Outcome::kOk);
  EXPECT_TRUE(contains(noisy.notes.at(0), "exit code 4"));
  settings_.exit_limit = milliseconds(300);
  const Record hung = record_of("phase run; final; sleep 100");
  EXPECT_EQ(hung.outcome, record::Outcome::kOk);
  EXPECT_TRUE(contains(hung.notes.at(0), "was killed"));
}

TEST_F(WorkerRunTest, ClosedChannelsAreNoEnd) {
  EXPECT_TRUE(mentions(record_of("phase run; exec 3>&- >/dev/null 2>&1; sleep 0.2; exit 5").message,
                       {"'acme'", "exit(5)", "phase run"}));
}

TEST_F(WorkerRunTest, AMissingWorkerIsAnEnvironmentError) {
  settings_.executable = temp_.path() / "nothing";
  const auto end = run_worker(planned_, settings_);
  ASSERT_FALSE(end.is_ok());
  EXPECT_EQ(end.status().code(), base::Code::kEnvironment);
}

TEST(TailText, RemovesControlsAndKeepsWholeLines) {
  EXPECT_EQ(tail_text("a\x1B[31mred\x1B[0m\r\nb\x07\x1B]\n", 100), "ared\nb");
  EXPECT_EQ(tail_text("first line\nsecond line\n", 15), "second line");
  EXPECT_EQ(tail_text("0123456789", 4), "6789");
  EXPECT_EQ(tail_text("", 4), "");
  EXPECT_EQ(tail_text("\x1B", 4), "");
}

}  // namespace worker_run_test
}  // namespace graphnet::supervise
