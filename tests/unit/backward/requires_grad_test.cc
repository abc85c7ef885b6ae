// SPDX-License-Identifier: MIT
#include "backward/requires_grad.h"

#include <gtest/gtest.h>

namespace graphnet::backward {
namespace requires_grad_test {

TEST(RequiresGrad, IsUpstreamsRule) {
  sample::Sample sample;
  const auto add = [&](const char* name, const char* original, base::DType dtype) {
    sample::TensorMeta meta;
    meta.name = name;
    meta.original_name = original;
    meta.dtype = dtype;
    sample.metas.push_back(std::move(meta));
    graph::Parameter parameter;
    parameter.name = name;
    sample.program.parameters.push_back(std::move(parameter));
  };
  add("L_x_", "", base::DType::kFloat32);
  add("L_ids_", "", base::DType::kInt64);
  add("bn_running_mean", "", base::DType::kFloat32);
  add("w_0", "L_self_modules_bn_buffers_running_var_", base::DType::kFloat32);
  add("attention_mask", "in_0", base::DType::kBFloat16);
  add("anchors", "", base::DType::kFloat32);
  EXPECT_EQ(requires_grad(sample), (std::vector<bool>{true, false, false, false, true, false}));
}

}  // namespace requires_grad_test
}  // namespace graphnet::backward
