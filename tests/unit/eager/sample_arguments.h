// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "eager/engine.h"
#include "eager/planner.h"
#include "sample/replay.h"
#include "sample/sample.h"

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

/// Replayed arguments as an engine wants them.
inline std::vector<EngineArgument> engine_arguments(std::vector<sample::Argument>& arguments) {
  std::vector<EngineArgument> views;
  for (sample::Argument& argument : arguments) {
    views.push_back({argument.dtype, argument.shape, argument.bytes.data(), argument.replay_rank,
                     argument.consumes_torch_generator, argument.needs_torch_normals});
  }
  return views;
}

}  // namespace graphnet::eager
