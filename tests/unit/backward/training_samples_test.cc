// SPDX-License-Identifier: MIT
#include "backward/training_samples.h"

#include <gtest/gtest.h>

#include "sample/parser.h"

namespace graphnet::backward {
namespace training_samples_test {

constexpr const char* kHead = "import torch\nclass GraphModule(torch.nn.Module):\n";

sample::Sample weighted() {
  sample::Sample sample;
  auto program = sample::parse_model(
      std::string(kHead) +
          "    def forward(self, L_w_ : torch.nn.parameter.Parameter, L_x_ : torch.Tensor):\n"
          "        y = L_x_ * L_w_\n        return (y,)\n",
      "model.py");
  EXPECT_TRUE(program.is_ok());
  sample.name = "made/product";
  sample.program = std::move(*program);
  for (const auto& parameter : sample.program.parameters) {
    sample::TensorMeta meta;
    meta.name = parameter.name;
    meta.class_name = "Program_weight_tensor_meta_" + parameter.name;
    meta.shape = {2};
    meta.std = 0.5;
    sample.metas.push_back(std::move(meta));
  }
  return sample;
}

base::Json answer() {
  return {{"forward", std::string(kHead) +
                          "    def forward(self, primals_1, primals_2):\n"
                          "        mul = torch.ops.aten.mul.Tensor(primals_2, primals_1)\n"
                          "        return [mul, primals_2, mul]\n"},
          {"backward", std::string(kHead) +
                           "    def forward(self, primals_2, mul, tangents_1):\n"
                           "        mul_1 = torch.ops.aten.mul.Tensor(tangents_1, primals_2)\n"
                           "        return [mul_1]\n"},
          {"outputs", 1},
          {"parameters",
           {{{"name", "primals_2"}, {"argument", 1U}},
            {{"name", "mul"}, {"argument", nullptr}},
            {{"name", "tangents_1"}, {"argument", nullptr}}}},
          {"values",
           base::Json::array({base::Json::array(
               {nullptr,
                {{"dtype", "float32"},
                 {"shape", {2}},
                 {"mean", 0.25},
                 {"deviation", 2.0},
                 {"lowest", -1.0},
                 {"highest", 3.0},
                 {"elements", ""}},
                {{"dtype", "float32"}, {"shape", {2}}, {"mean", 1.0}, {"deviation", 0.0}}})})},
          {"writes", base::Json::array()},
          {"gradients", {0}}};
}

TEST(TrainingSamples, KeepWhatTheSampleSays) {
  const sample::Sample sample = weighted();
  const auto made = training_samples(sample, answer());
  ASSERT_TRUE(made.is_ok()) << made.status().to_string();
  ASSERT_EQ(made->forward.metas.size(), 2U);
  EXPECT_EQ(made->forward.metas[0].name, "primals_1");
  EXPECT_EQ(made->forward.metas[0].original_name, "L_w_");
  // The order of draws is that of the sample.
  EXPECT_EQ(made->forward.metas[0].class_name, "Program_weight_tensor_meta_L_w_");
  EXPECT_EQ(made->forward.program.parameters[0].kind, sample.program.parameters[0].kind);
  ASSERT_EQ(made->backward.metas.size(), 3U);
  EXPECT_EQ(made->backward.metas[0].original_name, "L_x_");
  EXPECT_EQ(made->backward.metas[1].name, "mul");
  EXPECT_EQ(made->backward.metas[1].max_val->as_double(), 3);
  EXPECT_EQ(made->backward.metas[2].mean, 1);
  EXPECT_EQ(made->backward.metas[2].std, 0);
  EXPECT_EQ(made->num_saved, 2U);
}

TEST(TrainingSamples, RefuseAnotherAnswer) {
  base::Json other = answer();
  other["parameters"].erase(0);
  EXPECT_EQ(training_samples(weighted(), other).status().code(), base::Code::kInternal);
  EXPECT_EQ(training_samples(weighted(), base::Json::object()).status().code(),
            base::Code::kInternal);
}

TEST(TrainingSamples, HaveUpstreamsLabels) {
  const base::Json labels = training_labels(
      {{"framework", "torch"}, {"data_type_generalization_passes", base::Json::array()}},
      weighted(), "_train_forward");
  EXPECT_EQ(labels, (base::Json{{"framework", "torch"}, {"model_name", "product_train_forward"}}));
}

}  // namespace training_samples_test
}  // namespace graphnet::backward
