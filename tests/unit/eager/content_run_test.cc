// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <iostream>

#include "sample/content.h"
#include "unit/eager/sample_arguments.h"

namespace graphnet::eager {
namespace content_run_test {

using sample::Content;

constexpr Content kContents[] = {Content::kOtherSeed, Content::kZeros,   Content::kLarge,
                                 Content::kTiny,      Content::kNegated, Content::kPermuted};

/// All outputs of a run, one after the other.
std::string run_bytes(Engine& engine) {
  EXPECT_TRUE(engine.prepare().is_ok());
  const base::Status status = engine.run();
  EXPECT_TRUE(status.is_ok()) << status.to_string();
  std::string bytes;
  for (std::size_t i = 0; i < engine.outputs().size(); ++i) {
    const EngineOutput& output = engine.outputs()[i];
    const std::size_t before = bytes.size();
    bytes.resize(before + static_cast<std::size_t>(*base::num_elements(output.shape)) *
                              base::dtype_bytes(output.dtype));
    EXPECT_TRUE(engine.copy_output(i, bytes.data() + before).is_ok());
  }
  return bytes;
}

std::string names(const std::vector<sample::Argument>& arguments, const std::vector<bool>& chosen) {
  std::string text;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (chosen[i] && !sample::is_module_state(arguments[i].kind, arguments[i].name)) {
      text += " " + arguments[i].name;
    }
  }
  return text;
}

/// Runs a sample on every content. Sizes do not change, and with the generated content back so are
/// the outputs.
void check_sample(const sample::Sample& sample) {
  auto generated =
      sample::generate_arguments(sample.metas, sample.program.parameters, sample::kUpstreamSeed);
  ASSERT_TRUE(generated.is_ok()) << generated.status().to_string();
  const std::vector<EngineArgument> views = engine_arguments(*generated);
  ASSERT_TRUE(Engine::finish_arguments(sample.program, views, sample::kUpstreamSeed).is_ok());
  auto engine = Engine::create(sample.program, views);
  ASSERT_TRUE(engine.is_ok()) << engine.status().to_string();
  const std::string reference = run_bytes(**engine);
  auto variants =
      sample::ContentVariants::create(sample.metas, *generated, (*engine)->pinned_arguments());
  ASSERT_TRUE(variants.is_ok()) << variants.status().to_string();
  std::vector<bool> variable(generated->size(), false);
  for (const auto& argument : variants->variable()) variable[argument.index] = true;
  std::cout << sample.name << ": variable" << names(*generated, variable) << "; pinned"
            << names(*generated, (*engine)->pinned_arguments()) << "; outputs differ with";
  for (const Content content : kContents) {
    const auto changed = variants->apply(content, 1);
    ASSERT_TRUE(changed.is_ok()) << changed.status().to_string();
    const std::string bytes = run_bytes(**engine);
    EXPECT_EQ(bytes.size(), reference.size()) << sample.name;
    EXPECT_TRUE(*changed || bytes == reference) << sample.name;
    std::cout << " " << (bytes == reference ? 0 : 1);
  }
  variants->restore();
  EXPECT_EQ(run_bytes(**engine), reference) << sample.name;
  std::cout << std::endl;
}

// GRAPHNET_CONTENT_SAMPLES names another tree of samples, GRAPHNET_CONTENT_GFLOP how much work is
// too much; samples with more than 50 MB of arguments are left out.
TEST(ContentRun, EverySampleRunsOnEveryContent) {
  const double most_gflop = number_from_environment("GRAPHNET_CONTENT_GFLOP", 0.5);
  for_each_sample("GRAPHNET_CONTENT_SAMPLES", [&](const sample::Sample& sample) {
    if (is_small(sample, most_gflop)) check_sample(sample);
  });
}

}  // namespace content_run_test
}  // namespace graphnet::eager
