// SPDX-License-Identifier: MIT
#include "journal/task_key.h"

#include <gtest/gtest.h>

#include <set>

namespace graphnet::journal {
namespace task_key_test {

// Records from before there were math policies must be found again.
TEST(TaskKey, OfTheDefaultPolicyIsWhatItWas) {
  TaskIdentity identity;
  identity.sample = "f/x";
  EXPECT_EQ(task_key(identity), "1cd74593ce3efee8de6240a616cd6f38");
}

TEST(TaskKey, IsAnotherForEachMathPolicy) {
  std::set<std::string> keys;
  for (int policy = 0; policy < 8; ++policy) {
    TaskIdentity identity;
    identity.sample = "f/x";
    identity.task.math = {(policy & 1) != 0, (policy & 2) != 0, (policy & 4) != 0};
    keys.insert(task_key(identity));
  }
  EXPECT_EQ(keys.size(), 8U);
}

}  // namespace task_key_test
}  // namespace graphnet::journal
