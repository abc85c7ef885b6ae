// SPDX-License-Identifier: MIT
// Every function of CUPTI that is used fails once: what a person is told then. With
// GRAPHNET_PRINT_FAILURES set the messages are printed as a table.
#include <gtest/gtest.h>

#include <map>

#include "proof/device_ledger.h"
#include "support/failure_table.h"
#include "support/mentions.h"
#include "unit/proof/fake_cupti_library.h"

namespace graphnet::proof {
namespace cupti_failures_test {

using tests::FakeCuptiLibrary;
using tests::mentions;

constexpr int kCode = 777;

/// What a session of one traced call tells of refusals.
struct Told {
  CuptiStatus status;   ///< of starting
  std::string problem;  ///< of the ledger
  std::vector<std::string> refusals;

  std::string text() const {
    std::string all = status.reason + problem;
    for (const std::string& refusal : refusals) all += refusal;
    return all;
  }
};

Told use_cupti(const FakeCuptiLibrary& fake) {
  Told told;
  const auto session = CuptiSession::start(fake.settings(), told.status);
  if (session == nullptr) return told;
  session->begin_call(CallSide::kPlugin);
  fake.launch("kernel");
  session->end_call();
  const DeviceTrace trace = session->finish();
  const auto name = [&](std::uint32_t domain, std::uint32_t id) {
    return session->call_name(domain, id);
  };
  told.problem = make_device_ledger(trace, name, {}).problem;
  told.refusals = trace.refusals;
  return told;
}

/// Functions whose failure is not told, and why it need not be.
const std::map<std::string, const char*> kUntold = {
    {"cuptiSubscribe", "another one is called where there is one; the old release is tried below"},
    {"cuptiUnsubscribe", "the session ends, and the process soon after"},
    {"cuptiGetResultString", "errors have a number only then"},
};

void expect_told(const std::string& function, const std::string& message) {
  tests::print_failure(function, kCode, message);
  const std::string begin = "CUPTI error " + std::to_string(kCode);
  EXPECT_NE(message.find(begin), std::string::npos) << message;
  EXPECT_NE(message.find(" of " + function), std::string::npos) << message;
  EXPECT_NE(message.find(" to ", message.find(" of " + function)), std::string::npos) << message;
}

TEST(CuptiFailures, EachIsToldWithFunctionCodeAndWhatItWasFor) {
  const std::set<std::string> functions =
      tests::looked_up("host/runtime/proof/cupti_library.cc", "cupti");
  ASSERT_GE(functions.size(), 16U) << "the test's own";
  for (const std::string& function : functions) {
    if (kUntold.count(function) != 0) continue;
    const FakeCuptiLibrary fake;
    fake.control().fails_once = function;
    fake.control().failing_once_code = kCode;
    const Told told = use_cupti(fake);
    EXPECT_EQ(fake.control().fails_once, "") << function << " was not called";
    EXPECT_EQ(fake.control().num_subscribers, 0) << function;
    expect_told(function, told.text());
  }
}

TEST(CuptiFailures, OfAnOldRelease) {
  for (const char* function : {"cuptiSubscribe", "cuptiActivityEnable"}) {
    const FakeCuptiLibrary fake("libcupti_fake_old.so");
    fake.control().fails_once = function;
    fake.control().failing_once_code = kCode;
    expect_told(function, use_cupti(fake).status.reason);
  }
}

TEST(CuptiFailures, OthersStopNothing) {
  const FakeCuptiLibrary fake;
  fake.control().fails_once = "cuptiUnsubscribe";
  fake.control().failing_once_code = kCode;
  EXPECT_EQ(use_cupti(fake).text(), "");
  tests::print_failure("cuptiUnsubscribe", kCode,
                       std::string("nothing: ") + kUntold.at("cuptiUnsubscribe"));
}

TEST(CuptiFailures, WithoutCuptisOwnWordTheNumberIsThere) {
  const FakeCuptiLibrary fake;
  fake.control().subscribe_code = 35;
  fake.control().fails_once = "cuptiGetResultString";
  fake.control().failing_once_code = kCode;
  const std::string reason = use_cupti(fake).status.reason;
  tests::print_failure("cuptiGetResultString", kCode, reason);
  EXPECT_TRUE(mentions(reason, {"CUPTI error 35", "cuptiSubscribe_v2"}));
}

// Ids by which a refusal can be looked up.
TEST(CuptiFailures, NameKindDomainAndId) {
  const std::pair<const char*, const char*> cases[] = {
      {"cuptiActivityEnable", "cuptiActivityEnable(kind 10) to record kernels"},
      {"cuptiActivityEnableDriverApi", "cuptiActivityEnableDriverApi(id 1, cuInit) to leave out "},
      {"cuptiActivityEnableRuntimeApi",
       "cuptiActivityEnableRuntimeApi(id 1, cudaMalloc_v3020) to leave out "},
      {"cuptiGetCallbackName", "cuptiGetCallbackName(domain 1, id 1) to leave out calls that give"},
      {"cuptiActivityPushExternalCorrelationId",
       "cuptiActivityPushExternalCorrelationId(family 3, id 0) to mark a call"}};
  for (const auto& [function, told] : cases) {
    const FakeCuptiLibrary fake;
    fake.control().fails_once = function;
    fake.control().failing_once_code = kCode;
    const std::string text = use_cupti(fake).text();
    EXPECT_NE(text.find(told), std::string::npos) << text;
  }
}

}  // namespace cupti_failures_test
}  // namespace graphnet::proof
