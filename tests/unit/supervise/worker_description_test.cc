// SPDX-License-Identifier: MIT
#include "supervise/worker_description.h"

#include <gtest/gtest.h>

#include "support/temp_dir.h"

namespace graphnet::supervise {
namespace {

namespace fs = std::filesystem;

base::Result<base::Json> describe(const std::string& body) {
  const tests::TempDir folder;
  const fs::path script = folder.write("worker", "#!/bin/sh\n" + body + "\n");
  fs::permissions(script, fs::perms::owner_all);
  return describe_worker(script, std::chrono::milliseconds(2000));
}

std::string error_of(const std::string& body) {
  const auto answer = describe(body);
  return answer.is_ok() ? "" : answer.status().to_string();
}

TEST(DescribeWorker, PassesTheAnswerOn) {
  const auto answer = describe("[ \"$1\" = --describe ] && echo '{\"libtorch\": \"2.11.0\"}'");
  ASSERT_TRUE(answer.is_ok()) << answer.status().to_string();
  EXPECT_EQ((*answer)["libtorch"], "2.11.0");
}

TEST(DescribeWorker, StandardErrorIsNoPartOfTheAnswer) {
  const auto answer = describe("echo 'driver: careful' >&2; echo '{\"libtorch\": \"2.11.0\"}'");
  ASSERT_TRUE(answer.is_ok()) << answer.status().to_string();
  EXPECT_EQ((*answer)["libtorch"], "2.11.0");
  EXPECT_NE(error_of("echo 'libx.so: cannot open' >&2; exit 127").find("libx.so: cannot open"),
            std::string::npos);
  EXPECT_NE(error_of("echo 'driver: careful' >&2; echo hello").find("driver: careful"),
            std::string::npos);
}

TEST(DescribeWorker, SaysWhyThereIsNone) {
  EXPECT_NE(error_of("echo 'libx.so: cannot open'; exit 127").find("exit code 127"),
            std::string::npos);
  EXPECT_NE(error_of("echo 'libx.so: cannot open'; exit 127").find("libx.so: cannot open"),
            std::string::npos);
  EXPECT_NE(error_of("kill -SEGV $$").find("SIGSEGV"), std::string::npos);
  EXPECT_NE(error_of("echo hello").find("is no description"), std::string::npos);
  EXPECT_NE(error_of("sleep 60").find("no answer for 2000 ms"), std::string::npos);
  EXPECT_EQ(describe_worker("/no/such").status().code(), base::Code::kEnvironment);
}

}  // namespace
}  // namespace graphnet::supervise
