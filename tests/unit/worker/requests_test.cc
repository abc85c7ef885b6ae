// SPDX-License-Identifier: MIT
#include "worker/requests.h"

#include <gtest/gtest.h>

#include <set>

namespace graphnet::worker {
namespace requests_test {

using base::Code;

TEST(Requests, EachHasANameOfItsOwn) {
  std::set<std::string> names;
  for (const RequestRow& row : kRequests) EXPECT_TRUE(names.insert(row.name).second) << row.name;
}

TEST(Requests, TellsWhatItDoesNotKnow) {
  EXPECT_EQ(answer_request("{\"request\":\"dance\"}").status().code(), Code::kInternal);
  EXPECT_EQ(answer_request("dance").status().code(), Code::kInput);
}

TEST(Requests, RefuseMalformedArguments) {
  for (const RequestRow& row : kRequests) {
    if (std::string_view(row.name) == "describe") continue;  // it has none
    const std::string line = std::string("{\"request\":\"") + row.name + "\",\"arguments\":{}}";
    EXPECT_EQ(answer_request(line).status().code(), Code::kInput) << row.name;
  }
}

}  // namespace requests_test
}  // namespace graphnet::worker
