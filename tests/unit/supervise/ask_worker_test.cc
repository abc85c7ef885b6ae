// SPDX-License-Identifier: MIT
#include "supervise/ask_worker.h"

#include <gtest/gtest.h>

#include "support/temp_dir.h"

namespace graphnet::supervise {
namespace ask_worker_test {

namespace fs = std::filesystem;
using base::Code;
using base::Json;
using base::Result;

/// Asks a shell script in place of the worker program.
class AskWorkerTest : public ::testing::Test {
 protected:
  AskWorkerTest() { settings_.limit = std::chrono::seconds(30); }

  Result<AnsweringWorker> start(const std::string& body) {
    settings_.executable = folder_.write("worker", "#!/bin/sh\n" + body + "\n");
    fs::permissions(settings_.executable, fs::perms::owner_all);
    return AnsweringWorker::start(settings_);
  }

  Result<Json> ask(const std::string& body) {
    auto worker = start(body);
    EXPECT_TRUE(worker.is_ok()) << worker.status().to_string();
    return worker->ask("describe", Json::object());
  }

  tests::TempDir folder_;
  AskSettings settings_;
};

bool contains(const base::Status& status, const std::string& part) {
  return status.to_string().find(part) != std::string::npos;
}

TEST_F(AskWorkerTest, PassesRequestsAndAnswersOn) {
  settings_.memory_limit_bytes = 77;
  auto worker = start(
      "[ \"$1\" = --answer ] || exit 1\n"
      "while read -r line <&3; do echo \"{\\\"answer\\\":$line}\" >&3; done");
  ASSERT_TRUE(worker.is_ok()) << worker.status().to_string();
  for (const char* sample : {"a", "b"}) {
    const Result<Json> answer = worker->ask("inspect", {{"sample", sample}});
    ASSERT_TRUE(answer.is_ok()) << answer.status().to_string();
    EXPECT_EQ(*answer, Json({{"request", "inspect"},
                             {"arguments", {{"sample", sample}}},
                             {"memory_limit_bytes", 77}}));
  }
}

TEST_F(AskWorkerTest, AnErrorOfTheWorkerIsTheAnswer) {
  auto worker = start(
      "read -r line <&3\n"
      "echo '{\"error\": {\"code\": 3, \"message\": \"no\", \"context\": [\"in a\"], "
      "\"hints\": [\"b\"]}}' >&3; sleep 60");
  ASSERT_TRUE(worker.is_ok());
  const Result<Json> answer = worker->ask("inspect", Json::object());
  EXPECT_EQ(answer.status().code(), Code::kUnsupported);
  EXPECT_EQ(answer.status().message(), "no");
  EXPECT_EQ(answer.status().context(), std::vector<std::string>{"in a"});
  EXPECT_EQ(answer.status().hints(), std::vector<std::string>{"b"});
  EXPECT_TRUE(worker->is_alive());
}

TEST_F(AskWorkerTest, GoesOnWithAnotherWorkerAfterADeath) {
  auto worker = start(
      "while read -r line <&3; do case $line in\n"
      "  *deadly*) echo 'wrote a lot'; kill -SEGV $$;;\n"
      "  *) echo '{\"answer\": \"fine\"}' >&3;;\n"
      "esac; done");
  ASSERT_TRUE(worker.is_ok());
  EXPECT_TRUE(worker->ask("inspect", Json::object()).is_ok());
  const Result<Json> died = worker->ask("deadly", Json::object());
  EXPECT_EQ(died.status().code(), Code::kEnvironment);
  EXPECT_TRUE(contains(died.status(), "SIGSEGV")) << died.status().to_string();
  EXPECT_TRUE(contains(died.status(), "wrote a lot")) << died.status().to_string();
  EXPECT_FALSE(worker->is_alive());
  EXPECT_TRUE(worker->ask("inspect", Json::object()).is_ok());
}

TEST_F(AskWorkerTest, SaysWhyThereIsNoAnswer) {
  const Result<Json> failed = ask("echo 'libx.so: cannot open' >&2; exit 127");
  EXPECT_EQ(failed.status().code(), Code::kEnvironment);
  EXPECT_TRUE(contains(failed.status(), "exit code 127")) << failed.status().to_string();
  EXPECT_TRUE(contains(failed.status(), "libx.so: cannot open")) << failed.status().to_string();
  for (const char* garbage :
       {"hello", "[]", "{}", "{\"error\": 7}", "{\"error\": {\"code\": 99}}"}) {
    const Result<Json> answer =
        ask(std::string("read -r line <&3; echo '") + garbage + "' >&3; sleep 60");
    EXPECT_EQ(answer.status().code(), Code::kEnvironment) << garbage;
  }
}

TEST_F(AskWorkerTest, AnAnswerHasALimit) {
  settings_.limit = std::chrono::milliseconds(300);
  const auto started = std::chrono::steady_clock::now();
  EXPECT_EQ(ask("sleep 60").status().code(), Code::kEnvironment);
  EXPECT_EQ(ask("read -r line <&3; echo -n half >&3; exec sleep 60").status().code(),
            Code::kEnvironment);
  EXPECT_EQ(ask("exec 3>&-; sleep 60").status().code(), Code::kEnvironment);
  EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::seconds(20));
}

TEST_F(AskWorkerTest, LargeMessagesPassBothWays) {
  auto worker = start(
      "read -r line <&3; printf '{\"answer\": \"' >&3\n"
      "head -c 3000000 /dev/zero | tr '\\0' x >&3; echo '\"}' >&3");
  ASSERT_TRUE(worker.is_ok());
  const Result<Json> answer = worker->ask("inspect", {{"text", std::string(1 << 20, 'y')}});
  ASSERT_TRUE(answer.is_ok()) << answer.status().to_string();
  EXPECT_EQ(answer->get<std::string>().size(), 3000000U);
}

TEST_F(AskWorkerTest, AWorkerThatIsNotThereIsAnEnvironmentError) {
  EXPECT_EQ(ask_worker({"/no/such"}, "describe").status().code(), Code::kEnvironment);
}

}  // namespace ask_worker_test
}  // namespace graphnet::supervise
