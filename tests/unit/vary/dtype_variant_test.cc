// SPDX-License-Identifier: MIT
#include "vary/dtype_variant.h"

#include <gtest/gtest.h>

#include "sample/parser.h"
#include "writer/model_text.h"

namespace graphnet::vary {
namespace dtype_variant_test {

constexpr base::DType kHalf = base::DType::kFloat16;

sample::Sample parsed(const std::string& parameters, const std::string& body) {
  auto program = sample::parse_model(
      "import torch\nclass GraphModule(torch.nn.Module):\n    def forward(self" + parameters +
          "):\n" + body,
      "model.py");
  EXPECT_TRUE(program.is_ok()) << program.status().to_string();
  sample::Sample sample;
  if (program.is_ok()) sample.program = std::move(*program);
  for (const graph::Parameter& parameter : sample.program.parameters) {
    sample::TensorMeta meta;
    meta.class_name = "Program_weight_tensor_meta_" + parameter.name;
    meta.name = parameter.name;
    meta.shape = {4, 4};
    sample.metas.push_back(meta);
  }
  return sample;
}

StatementFacts calls(const char* op, std::vector<std::int64_t> shape = {4, 4}) {
  return {{op}, "float32", std::move(shape)};
}

std::string code_of(const DTypeVariant& variant) {
  const std::string text =
      writer::model_text(variant.sample.program, writer::TextStyle::kRewritten);
  return text.substr(text.find(":\n", text.find("def forward")) + 2);
}

std::vector<std::string> dtypes_of(const DTypeVariant& variant) {
  std::vector<std::string> names;
  for (const auto& meta : variant.sample.metas) names.emplace_back(base::dtype_name(meta.dtype));
  return names;
}

TEST(DTypeVariant, CastsAsAutocast) {
  const sample::Sample sample = parsed(", x, w, b",
                                       "        y = x @ w\n        z = y + b\n"
                                       "        e = torch.exp(y)\n        return (z, e)\n");
  const auto variant = with_dtype(
      sample, {calls("aten::matmul"), calls("aten::add"), calls("aten::exp")}, kHalf, {});
  // Only the product reads x and w; the sum of both types is float32 by itself.
  EXPECT_EQ(dtypes_of(variant), (std::vector<std::string>{"float16", "float16", "float32"}));
  EXPECT_EQ(code_of(variant),
            "        y = x @ w\n        z = y + b\n        to = y.to(torch.float32)\n"
            "        e = torch.exp(to)\n        return (z, e)");
  EXPECT_EQ(variant.num_arguments, 2U);
  EXPECT_EQ(variant.num_casts, 1U);
  EXPECT_EQ(variant.origins, (std::vector<std::size_t>{0, 1, 2, 2}));
}

TEST(DTypeVariant, ConvertsWhatOthersReadToo) {
  const sample::Sample sample = parsed(", x, w",
                                       "        l_w = w\n        s = torch.exp(w)\n"
                                       "        y = torch.nn.functional.linear(x, l_w)\n"
                                       "        v = y.view(-1)\n        u = v @ s\n"
                                       "        return (u,)\n");
  const auto variant = with_dtype(sample,
                                  {{{}, "float32", {4, 4}},
                                   calls("aten::exp"),
                                   calls("aten::linear"),
                                   calls("aten::view"),
                                   calls("aten::matmul")},
                                  kHalf, {});
  EXPECT_EQ(dtypes_of(variant), (std::vector<std::string>{"float16", "float32"}));
  EXPECT_EQ(code_of(variant),
            "        l_w = w\n        s = torch.exp(w)\n        to = l_w.to(torch.float16)\n"
            "        y = torch.nn.functional.linear(x, to)\n        v = y.view(-1)\n"
            "        to_1 = s.to(torch.float16)\n        u = v @ to_1\n        return (u,)");
}

TEST(DTypeVariant, LeavesOuterProductsAlone) {
  const sample::Sample sample =
      parsed(", x, w",
             "        column = x.unsqueeze(2)\n        row = w.unsqueeze(1)\n"
             "        y = column @ row\n        z = x @ w\n"
             "        return (y, z)\n");
  const auto variant =
      with_dtype(sample,
                 {calls("aten::unsqueeze", {4, 4, 1}), calls("aten::unsqueeze", {4, 1, 4}),
                  calls("aten::matmul", {4, 4, 4}), calls("aten::matmul")},
                 kHalf, {});
  EXPECT_EQ(
      code_of(variant),
      "        column = x.unsqueeze(2)\n        row = w.unsqueeze(1)\n        y = column @ row\n"
      "        to = x.to(torch.float16)\n        to_1 = w.to(torch.float16)\n"
      "        z = to @ to_1\n        return (y, z)");
}

TEST(DTypeVariant, KeepsTheTypeOfWhatIsChangedInPlace) {
  const sample::Sample sample = parsed(", x, w, b",
                                       "        y = x @ w\n        y += b\n        b[0] = y\n"
                                       "        return (y,)\n");
  const auto variant = with_dtype(
      sample, {calls("aten::matmul"), calls("aten::add_"), calls("aten::copy_")}, kHalf, {});
  EXPECT_EQ(code_of(variant),
            "        y = x @ w\n        to = b.to(torch.float16)\n        y += to\n"
            "        to_1 = y.to(torch.float32)\n        b[0] = to_1\n        return (y,)");
}

TEST(DTypeVariant, GivesFloat32ToWhatRefuses) {
  const sample::Sample sample =
      parsed(", x, w", "        y = x @ w\n        z = y @ w\n        return (z,)\n");
  const std::vector<StatementFacts> facts = {calls("aten::matmul"), calls("aten::matmul")};
  const auto variant = with_dtype(sample, facts, kHalf, {1});
  EXPECT_EQ(dtypes_of(variant), (std::vector<std::string>{"float16", "float32"}));
  EXPECT_EQ(code_of(variant),
            "        to = w.to(torch.float16)\n        y = x @ to\n"
            "        to_1 = y.to(torch.float32)\n        to_2 = w.to(torch.float32)\n"
            "        z = to_1 @ to_2\n        return (z,)");
}

TEST(DTypeVariant, WidensWhatMakesAValueThatIsChangedInPlace) {
  const sample::Sample sample =
      parsed(", x, w, m",
             "        y = x @ w\n        v = y.masked_fill_(m, -1e30)\n        return (v,)\n");
  std::set<std::size_t> wide;
  EXPECT_TRUE(widen(sample.program, 1, wide));
  EXPECT_EQ(wide, std::set<std::size_t>{0});
  EXPECT_FALSE(widen(sample.program, 1, wide));
  const sample::Sample argument =
      parsed(", x", "        v = x.masked_fill_(x, -1e30)\n        return (v,)\n");
  EXPECT_FALSE(widen(argument.program, 0, wide));
}

TEST(DTypeVariant, LeavesIntegersAlone) {
  const sample::Sample sample =
      parsed(", x, w", "        i = x.argmax(-1)\n        y = x @ w\n        return (i, y)\n");
  const auto variant = with_dtype(sample, {{{"aten::argmax"}, "int64", {4}}, calls("aten::matmul")},
                                  base::DType::kBFloat16, {});
  EXPECT_EQ(dtypes_of(variant), (std::vector<std::string>{"float32", "bfloat16"}));
}

}  // namespace dtype_variant_test
}  // namespace graphnet::vary
