// SPDX-License-Identifier: MIT
#include "supervise/inspection.h"

#include <gtest/gtest.h>

#include "support/temp_dir.h"

namespace graphnet::supervise {
namespace {

namespace fs = std::filesystem;

/// Asks a shell script about samples; each answer's text, or its error.
std::vector<std::string> answers(const std::string& body, std::vector<fs::path> samples) {
  const tests::TempDir folder;
  const fs::path script = folder.write("worker", "#!/bin/sh\n" + body + "\n");
  fs::permissions(script, fs::perms::owner_all);
  InspectionRequest request;
  request.samples = std::move(samples);
  std::vector<std::string> given(request.samples.size());
  const base::Status status =
      inspect_samples(script, request, [&](std::size_t i, base::Result<base::Json> answer) {
        given.at(i) = answer.is_ok() ? answer->value("text", "") : answer.status().to_string();
      });
  EXPECT_TRUE(status.is_ok()) << status.to_string();
  return given;
}

TEST(InspectSamples, PassesRequestAndAnswersOn) {
  const auto given = answers(
      "[ \"$1\" = --inspect ] || exit 1\n"
      "case \"$2\" in *'\"samples\":[\"a\",\"b\"]'*) ;; *) exit 1;; esac\n"
      "echo '{\"text\": \"one\"}' >&3\n"
      "echo '{\"error\": {\"code\": 3, \"message\": \"no two\", \"hints\": [\"three\"]}}' >&3",
      {"a", "b"});
  EXPECT_EQ(given[0], "one");
  EXPECT_NE(given[1].find("no two"), std::string::npos) << given[1];
}

TEST(InspectSamples, GoesOnAfterAWorkerThatDied) {
  // Dies at the second sample, and knows by the request that it is asked again.
  const auto given = answers(
      "case \"$2\" in\n"
      "  *'\"a\"'*) echo '{\"text\": \"first\"}' >&3; echo 'said a lot'; kill -SEGV $$;;\n"
      "  *) echo '{\"text\": \"third\"}' >&3;;\n"
      "esac",
      {"a", "b", "c"});
  EXPECT_EQ(given[0], "first");
  EXPECT_NE(given[1].find("SIGSEGV"), std::string::npos) << given[1];
  EXPECT_NE(given[1].find("said a lot"), std::string::npos) << given[1];
  EXPECT_EQ(given[2], "third");
}

TEST(InspectSamples, TellsOfAWorkerThatDoesNotStart) {
  InspectionRequest request;
  request.samples = {"a"};
  const base::Status status =
      inspect_samples("/no/such", request, [](std::size_t, const base::Result<base::Json>&) {});
  EXPECT_EQ(status.code(), base::Code::kEnvironment);
}

}  // namespace
}  // namespace graphnet::supervise
