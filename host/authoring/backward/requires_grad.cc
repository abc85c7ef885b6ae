// SPDX-License-Identifier: MIT
#include "backward/requires_grad.h"

#include <algorithm>
#include <string>

namespace graphnet::backward {

namespace {

constexpr const char* kWithoutGradient[] = {"running_mean", "running_var", "num_batches_tracked",
                                            "mask",         "indices",     "position_ids",
                                            "anchor"};

bool is_differentiated(const sample::TensorMeta& meta) {
  if (!base::is_floating(meta.dtype)) return false;
  const std::string& name = meta.original_name.empty() ? meta.name : meta.original_name;
  return std::none_of(std::begin(kWithoutGradient), std::end(kWithoutGradient),
                      [&](const char* word) { return name.find(word) != std::string::npos; });
}

}  // namespace

std::vector<bool> requires_grad(const sample::Sample& sample) {
  std::vector<bool> flags;
  for (const graph::Parameter& parameter : sample.program.parameters) {
    const auto meta =
        std::find_if(sample.metas.begin(), sample.metas.end(),
                     [&](const sample::TensorMeta& one) { return one.name == parameter.name; });
    flags.push_back(meta != sample.metas.end() && is_differentiated(*meta));
  }
  return flags;
}

}  // namespace graphnet::backward
