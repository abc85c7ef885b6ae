// SPDX-License-Identifier: MIT
#include "base/status.h"

#include <gtest/gtest.h>

#include <memory>

#include "base/result.h"
#include "base/suggestion.h"

namespace graphnet::base {
namespace status_test {

TEST(Status, DefaultIsSuccessWithoutText) {
  const Status status;
  EXPECT_TRUE(status.is_ok());
  EXPECT_EQ(status.code(), Code::kOk);
  EXPECT_EQ(status.message(), "");
  EXPECT_TRUE(status.context().empty());
  EXPECT_EQ(status.to_string(), "ok");
}

TEST(Status, PrintsMessageThenContextThenHints) {
  Status status(Code::kInput, "unknown key 'a'");
  status.add_hint("did you mean 'b'").add_context("line 3").add_context("x.yaml");
  EXPECT_EQ(status.to_string(),
            "unknown key 'a'\n  at:  line 3\n  at:  x.yaml\n  try: did you mean 'b'");
}

TEST(Status, JoinsFailures) {
  Status status;
  EXPECT_TRUE(status.add_failure({}).is_ok());
  status.add_failure(Status(Code::kInput, "a").add_hint("same"));
  status.add_failure(Status(Code::kPlugin, "b").add_hint("same").add_hint("more"));
  status.add_failure({});
  EXPECT_EQ(status.code(), Code::kInput);
  EXPECT_EQ(status.to_string(), "a\nb\n  try: same\n  try: more");
}

TEST(Suggestion, NamesTheNearestWordOrNothing) {
  Status error(Code::kInput, "no 'abd'");
  EXPECT_FALSE(add_suggestion(error, "abd", {"something", "else"}));
  EXPECT_TRUE(error.hints().empty());
  EXPECT_TRUE(add_suggestion(error, "abd", {"else", "abc"}));
  ASSERT_EQ(error.hints().size(), 1U);
  EXPECT_EQ(error.hints()[0], suggestion("abd", {"abc"}));
}

TEST(Status, ContextOnSuccessIsIgnored) {
  Status status;
  status.add_context("somewhere").add_hint("something");
  EXPECT_TRUE(status.is_ok());
  EXPECT_EQ(status.to_string(), "ok");
}

TEST(Status, EveryCodeHasItsOwnName) {
  EXPECT_STREQ(code_name(Code::kOk), "ok");
  EXPECT_STREQ(code_name(Code::kUsage), "usage");
  EXPECT_STREQ(code_name(Code::kInput), "input");
  EXPECT_STREQ(code_name(Code::kUnsupported), "unsupported");
  EXPECT_STREQ(code_name(Code::kPlugin), "plugin");
  EXPECT_STREQ(code_name(Code::kEnvironment), "environment");
  EXPECT_STREQ(code_name(Code::kInternal), "internal");
}

Result<int> half_of(int value) {
  if (value % 2 != 0) return Status(Code::kInput, "odd");
  return value / 2;
}

Result<int> quarter_of(int value) {
  GN_ASSIGN_OR_RETURN(const int half, half_of(value));
  GN_ASSIGN_OR_RETURN(const int quarter, half_of(half));
  return quarter;
}

Status must_be_even(int value) {
  GN_RETURN_IF_ERROR(half_of(value).status());
  return Status::ok();
}

TEST(Result, MacrosPassOnTheFirstFailure) {
  EXPECT_EQ(quarter_of(8).value(), 2);
  EXPECT_EQ(quarter_of(6).status().message(), "odd");
  EXPECT_TRUE(must_be_even(4).is_ok());
  EXPECT_EQ(must_be_even(3).code(), Code::kInput);
}

TEST(Result, HoldsMoveOnlyValues) {
  Result<std::unique_ptr<int>> result(std::make_unique<int>(7));
  const std::unique_ptr<int> taken = std::move(result).value();
  EXPECT_EQ(*taken, 7);
}

}  // namespace status_test
}  // namespace graphnet::base
