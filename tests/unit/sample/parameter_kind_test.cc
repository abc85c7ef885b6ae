// SPDX-License-Identifier: MIT
#include "sample/parameter_kind.h"

#include <gtest/gtest.h>

namespace graphnet::sample {
namespace parameter_kind_test {

using graph::Annotation;
using graph::ParameterKind;

TensorMeta meta_of(const std::string& name, const std::string& original_name,
                   const std::string& class_suffix) {
  TensorMeta meta;
  meta.name = name;
  meta.original_name = original_name;
  meta.class_name = "Program_weight_tensor_meta_" + class_suffix;
  return meta;
}

TEST(ParameterKind, AnnotationComesFirst) {
  EXPECT_EQ(parameter_kind(Annotation::kParameter, "x"), ParameterKind::kParameter);
  EXPECT_EQ(parameter_kind(Annotation::kParameter, "a_buffers_b_"), ParameterKind::kParameter);
  EXPECT_EQ(parameter_kind(Annotation::kSymInt, "x"), ParameterKind::kSymInt);
}

TEST(ParameterKind, NamesThatOnlyLookAlike) {
  for (const char* name : {"w_", "w_1_x", "w1", "s", "s1_", "sx1", "in_0", "parameters_", "x"}) {
    EXPECT_EQ(parameter_kind(Annotation::kNone, name), ParameterKind::kTensor) << name;
    EXPECT_EQ(parameter_kind(Annotation::kTensor, name), ParameterKind::kTensor) << name;
  }
}

TEST(ParameterKind, NamesFromBeforeARenaming) {
  EXPECT_EQ(parameter_kind(Annotation::kNone, meta_of("w_1", "L_self_buffers_mean_", "w_1")),
            ParameterKind::kBuffer);
  EXPECT_EQ(parameter_kind(Annotation::kTensor, meta_of("w_1", "", "L_self_buffers_mean_")),
            ParameterKind::kBuffer);
  EXPECT_EQ(parameter_kind(Annotation::kTensor, meta_of("w_1", "", "w_1")),
            ParameterKind::kParameter);
  EXPECT_EQ(parameter_kind(Annotation::kNone, meta_of("in_0", "s1", "in_0")),
            ParameterKind::kSymInt);
  EXPECT_EQ(parameter_kind(Annotation::kNone, meta_of("in_1", "L_x_", "in_1")),
            ParameterKind::kTensor);
  EXPECT_EQ(parameter_kind(Annotation::kParameter, meta_of("w_1", "L_self_buffers_mean_", "w_1")),
            ParameterKind::kParameter);
}

}  // namespace parameter_kind_test
}  // namespace graphnet::sample
