// SPDX-License-Identifier: MIT
#include "journal/worker_request.h"

#include <gtest/gtest.h>

namespace graphnet::journal {
namespace worker_request_test {

using base::Code;
using base::Json;
using base::Status;

TEST(WorkerRequest, SurvivesTheRoundTripAsOneLine) {
  const WorkerRequest request = {"inspect", {{"sample", "a\nb"}}, 77};
  const std::string line = base::dump_json(to_json(request));
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const auto parsed = parse_request(line);
  ASSERT_TRUE(parsed.is_ok()) << parsed.status().to_string();
  EXPECT_EQ(parsed->name, "inspect");
  EXPECT_EQ(parsed->arguments, request.arguments);
  EXPECT_EQ(parsed->memory_limit_bytes, 77);
}

TEST(WorkerRequest, WhatIsMalformedIsRefused) {
  for (const char* line :
       {"", "7", "{}", "{\"request\": 7}", "{\"request\": \"a\", \"arguments\": []}"}) {
    EXPECT_EQ(parse_request(line).status().code(), Code::kInput) << line;
  }
}

TEST(WorkerAnswer, SurvivesTheRoundTripAsOneLine) {
  const auto answer = parse_answer(base::dump_json(answer_to_json(Json{{"text", "a\nb"}})));
  ASSERT_TRUE(answer.is_ok()) << answer.status().to_string();
  EXPECT_EQ((*answer)["text"], "a\nb");
  const Status error =
      Status(Code::kPlugin, "no").add_context("here").add_context("there").add_hint("that");
  EXPECT_EQ(parse_answer(base::dump_json(answer_to_json(error))).status().to_string(),
            error.to_string());
}

TEST(WorkerAnswer, WhatIsMalformedIsAnErrorOfTheEnvironment) {
  for (const char* line :
       {"", "7", "{}", "{\"error\": 7}", "{\"error\": {}}", "{\"error\": {\"code\": \"a\"}}",
        "{\"error\": {\"code\": 0}}", "{\"error\": {\"code\": 99}}",
        "{\"error\": {\"code\": 2, \"message\": 7}}", "{\"error\": {\"code\": 2, \"hints\": 7}}"}) {
    EXPECT_EQ(parse_answer(line).status().code(), Code::kEnvironment) << line;
  }
}

}  // namespace worker_request_test
}  // namespace graphnet::journal
