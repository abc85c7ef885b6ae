// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>

#include "sample/arguments.h"
#include "sample/sample.h"
#include "support/folders.h"
#include "support/upstream_golden.h"

namespace graphnet::sample {
namespace golden_arguments_test {

enum class Verdict { kEqual, kDifferent, kNeedsTorch };

Verdict compare(const std::filesystem::path& folder, const std::string& expected) {
  const auto sample = load_sample(folder);
  EXPECT_TRUE(sample.is_ok()) << sample.status().to_string();
  if (!sample.is_ok()) return Verdict::kDifferent;
  const auto arguments =
      generate_arguments(sample->metas, sample->program.parameters, kUpstreamSeed);
  EXPECT_TRUE(arguments.is_ok()) << arguments.status().to_string();
  if (!arguments.is_ok()) return Verdict::kDifferent;
  const bool needs_torch =
      std::any_of(arguments->begin(), arguments->end(),
                  [](const Argument& argument) { return argument.needs_torch_normals; });
  if (needs_torch) return Verdict::kNeedsTorch;
  EXPECT_EQ(arguments_digest(*arguments), expected) << folder;
  return Verdict::kEqual;
}

/// Digests that upstream itself computed, for every sample of the file that `samples` holds.
void compare_all(const std::filesystem::path& goldens, const std::filesystem::path& samples) {
  std::size_t num_compared = 0;
  std::size_t num_needing_torch = 0;
  for (const base::Json& golden : tests::read_upstream_goldens(goldens)) {
    const auto folder = samples / golden.at("sample").get<std::string>();
    if (!is_sample(folder) || !golden.contains("inputs")) continue;
    const auto expected = golden.at("inputs").at("sha256").get<std::string>();
    const Verdict verdict = compare(folder, expected);
    ++(verdict == Verdict::kNeedsTorch ? num_needing_torch : num_compared);
  }
  std::cout << num_compared << " samples compared, " << num_needing_torch
            << " skipped (they need torch normals)\n";
  EXPECT_GT(num_compared, 0u) << "no sample of " << goldens << " lies in " << samples;
}

const std::filesystem::path kRoot = tests::source_dir();

TEST(GoldenArguments, ArgumentsEqualUpstream) {
  compare_all(kRoot / "tests/golden/shared.jsonl", kRoot / "samples");
}

TEST(GoldenArguments, ArgumentsOfWhatUpstreamsToolsWriteEqualUpstream) {
  const auto folder = kRoot / "tests/golden/upstream-tools";
  compare_all(folder / "golden.jsonl", folder);
}

// Renamed or without annotations, weights are told from inputs.
TEST(GoldenArguments, WeightsOfWhatUpstreamsToolsWriteAreKnown) {
  struct Counts {
    const char* sample;
    std::array<std::size_t, 4> kinds;  // parameters, buffers, tensors, extents
  };
  const Counts kSamples[] = {
      {"variable_rename/samples/timm/resnet18", {62, 40, 1, 1}},
      {"typical_sequence/samples/timm/resnet18/_decomposed/resnet18_7", {17, 10, 2, 0}},
      {"single_operator/samples/timm/resnet18/_decomposed/resnet18_start1_end2_1", {2, 2, 1, 0}}};
  for (const Counts& wanted : kSamples) {
    const auto sample = load_sample(kRoot / "tests/golden/upstream-tools" / wanted.sample);
    ASSERT_TRUE(sample.is_ok()) << sample.status().to_string();
    std::array<std::size_t, 4> found = {};
    for (const graph::Parameter& parameter : sample->program.parameters) {
      ++found[static_cast<std::size_t>(parameter.kind)];
    }
    EXPECT_EQ(found, wanted.kinds) << wanted.sample;
  }
}

}  // namespace golden_arguments_test
}  // namespace graphnet::sample
