// SPDX-License-Identifier: MIT
#include "proof/answer_count.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace graphnet::proof {
namespace answer_count_test {

TEST(AnswerCount, LateAnswersDoNotCountInTheNextRound) {
  AnswerCount answers;
  const int first = answers.begin();
  answers.answer(first);
  EXPECT_EQ(answers.count(), 1);
  const int second = answers.begin();
  EXPECT_NE(second, first);
  EXPECT_EQ(answers.count(), 0);
  answers.answer(first);
  EXPECT_EQ(answers.count(), 0);
  answers.answer(second);
  EXPECT_EQ(answers.count(), 1);
}

TEST(AnswerCount, CountsTheAnswersOfManyThreads) {
  constexpr int kThreads = 8;
  constexpr int kAnswers = 1000;
  AnswerCount answers;
  const int late = answers.begin();
  const int round = answers.begin();
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < kAnswers; ++k) {
        answers.answer(round);
        answers.answer(late);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(answers.count(), kThreads * kAnswers);
}

}  // namespace answer_count_test
}  // namespace graphnet::proof
