// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "base/json.h"
#include "sample/replay.h"
#include "sample/sample.h"

namespace graphnet::sample {
namespace {

enum class Verdict { kEqual, kDifferent, kNeedsTorch };

Verdict compare(const std::filesystem::path& folder, const std::string& expected) {
  const auto sample = load_sample(folder);
  EXPECT_TRUE(sample.is_ok()) << sample.status().to_string();
  if (!sample.is_ok()) return Verdict::kDifferent;
  const auto arguments = replay(sample->metas, sample->program.parameters, kReplaySeed);
  EXPECT_TRUE(arguments.is_ok()) << arguments.status().to_string();
  if (!arguments.is_ok()) return Verdict::kDifferent;
  const bool needs_torch =
      std::any_of(arguments->begin(), arguments->end(),
                  [](const Argument& argument) { return argument.needs_torch_normals; });
  if (needs_torch) return Verdict::kNeedsTorch;
  EXPECT_EQ(arguments_digest(*arguments), expected) << folder;
  return Verdict::kEqual;
}

// Digests that upstream's own replay gave, for every sample that this tree carries.
TEST(GoldenReplay, ArgumentsEqualUpstream) {
  const std::filesystem::path root = GRAPHNET_SOURCE_DIR;
  std::ifstream lines(root / "tests/golden/shared.jsonl");
  std::size_t num_compared = 0;
  std::size_t num_needing_torch = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto golden = base::parse_json(line, "shared.jsonl");
    ASSERT_TRUE(golden.is_ok());
    const auto folder = root / "samples" / golden->at("sample").get<std::string>();
    if (!is_sample(folder) || !golden->contains("inputs")) continue;
    const auto expected = golden->at("inputs").at("sha256").get<std::string>();
    const Verdict verdict = compare(folder, expected);
    ++(verdict == Verdict::kNeedsTorch ? num_needing_torch : num_compared);
  }
  std::cout << num_compared << " samples compared, " << num_needing_torch
            << " skipped (they need torch normals)\n";
  EXPECT_GT(num_compared, 0u) << "no sample of tests/golden/shared.jsonl lies in samples/";
}

}  // namespace
}  // namespace graphnet::sample
