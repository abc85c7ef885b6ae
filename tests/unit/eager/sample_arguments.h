// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "eager/engine.h"
#include "eager/planner.h"
#include "sample/arguments.h"
#include "sample/sample.h"
#include "support/folders.h"

namespace graphnet::eager {

/// The arguments of a sample as a plan wants them.
struct SamplePlanArguments {
  explicit SamplePlanArguments(const sample::Sample& sample) {
    auto found = sample::known_values(sample.metas, sample.program.parameters, kMostKnownElements);
    EXPECT_TRUE(found.is_ok()) << found.status().to_string();
    known = std::move(found).value();
    std::map<std::string, const sample::TensorMeta*> metas;
    for (const auto& meta : sample.metas) metas[meta.name] = &meta;
    for (std::size_t i = 0; i < sample.program.parameters.size(); ++i) {
      const auto& meta = *metas.at(sample.program.parameters[i].name);
      all.push_back({meta.dtype, meta.shape, known[i].data(), false});
    }
  }
  std::vector<base::AlignedBuffer> known;
  std::vector<PlanArgument> all;
};

/// Generated arguments as an engine wants them.
inline std::vector<EngineArgument> engine_arguments(std::vector<sample::Argument>& arguments) {
  std::vector<EngineArgument> views;
  for (sample::Argument& argument : arguments) {
    views.push_back({argument.dtype, argument.shape, argument.bytes.data(), argument.draw_rank,
                     argument.consumes_torch_generator, argument.needs_torch_normals});
  }
  return views;
}

/// Visits every sample of samples/, or of the folder that the environment variable names.
template <typename Visit>
void for_each_sample(const char* variable, Visit visit) {
  const char* given = std::getenv(variable);
  const auto folders =
      sample::discover(given != nullptr ? std::string(given) : tests::source_dir() + "/samples");
  ASSERT_TRUE(folders.is_ok()) << folders.status().to_string();
  for (const auto& folder : *folders) {
    const auto loaded = sample::load_sample(folder);
    ASSERT_TRUE(loaded.is_ok()) << loaded.status().to_string();
    visit(*loaded);
  }
}

/// The number that an environment variable holds.
inline double number_from_environment(const char* variable, double otherwise) {
  const char* given = std::getenv(variable);
  return given != nullptr ? std::atof(given) : otherwise;
}

/// Whether a test may run a sample: up to 50 MB of arguments and a bound of work, in GFLOP.
inline bool is_small(const sample::Sample& sample, double most_gflop) {
  const SamplePlanArguments arguments(sample);
  const Plan plan = plan_program(sample.program, arguments.all);
  return plan.argument_bytes <= 50'000'000 && plan.flop <= 1e9 * most_gflop;
}

}  // namespace graphnet::eager
