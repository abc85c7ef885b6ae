// SPDX-License-Identifier: MIT
#include "score/row.h"

namespace graphnet::score {

namespace {

struct FailureFacts {
  const char* name;
  const char* meaning;
};

// source   GraphNet bench: error types of its scores
constexpr std::array<FailureFacts, kNumFailures> kFailures = {{
    {"correct", "both sides ran; the level says whether they agree"},
    {"accuracy", "both sides ran and differ by more than the level allows"},
    {"nan", "an output has NaN or infinities where eager's has none, or the other way round"},
    {"type_mismatch", "an output has another element type than eager's"},
    {"shape_mismatch", "an output has another shape, or there is another number of outputs"},
    {"runtime_fail", "the compiled program did not run to its end"},
    {"compile_fail", "the program was not compiled"},
    {"eager_fail", "eager itself failed"},
}};

}  // namespace

const char* failure_name(Failure failure) {
  return kFailures[static_cast<std::size_t>(failure)].name;
}

const char* failure_meaning(Failure failure) {
  return kFailures[static_cast<std::size_t>(failure)].meaning;
}

std::optional<int> first_correct_level(const Row& row) {
  std::optional<int> first;
  for (int t = kLastLevel; t >= kFirstLevel && row.correct[level_index(t)]; --t) first = t;
  return first;
}

}  // namespace graphnet::score
