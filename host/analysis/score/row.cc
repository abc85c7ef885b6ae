// SPDX-License-Identifier: MIT
#include "score/row.h"

namespace graphnet::score {

namespace {

// source   GraphNet bench: error types of its scores
constexpr std::array<const char*, kNumFailures> kNames = {
    "correct",        "accuracy",     "nan",          "type_mismatch",
    "shape_mismatch", "runtime_fail", "compile_fail", "eager_fail"};

}  // namespace

const char* failure_name(Failure failure) {
  return kNames[static_cast<std::size_t>(failure)];
}

std::optional<int> first_correct_level(const Row& row) {
  std::optional<int> first;
  for (int t = kLastLevel; t >= kFirstLevel && row.correct[level_index(t)]; --t) first = t;
  return first;
}

}  // namespace graphnet::score
