// SPDX-License-Identifier: MIT
#include "sample/tensor_meta.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/mentions.h"

namespace graphnet::sample {
namespace tensor_meta_test {

using base::DType;
using Kind = LiteralNumber::Kind;
using tests::mentions;

std::vector<TensorMeta> parse(const std::string& text) {
  auto metas = parse_tensor_meta(text, "weight_meta.py");
  EXPECT_TRUE(metas.is_ok()) << metas.status().to_string();
  return metas.is_ok() ? std::move(metas).value() : std::vector<TensorMeta>();
}

std::string refusal(const std::string& text) {
  const auto metas = parse_tensor_meta(text, "weight_meta.py");
  EXPECT_FALSE(metas.is_ok()) << text;
  if (metas.is_ok()) return "";
  EXPECT_EQ(metas.status().code(), base::Code::kInput);
  const std::string& message = metas.status().message();
  return message.substr(0, message.find('\n'));
}

std::string with(const std::string& attribute) {
  return "class A:\n    name = \"a\"\n    " + attribute + "\n";
}

TEST(TensorMeta, EmptyText) {
  EXPECT_TRUE(parse("").empty());
  EXPECT_TRUE(parse("\n\n# nothing\n").empty());
}

TEST(TensorMeta, FormattedWithBlanks) {
  const auto metas = parse(
      "class Program_weight_tensor_meta_a:\n"
      "    name = \"a\"\n"
      "    shape = [\n        2,\n        3,\n    ]\n"
      "    dtype = \"torch.bfloat16\"\n"
      "    device = \"cuda:0\"\n"
      "    mean = -0.000\n"
      "    std = float(\"nan\")\n"
      "    data = None\n"
      "    min_val = 0\n"
      "    max_val = 2.5\n");
  ASSERT_EQ(metas.size(), 1u);
  EXPECT_EQ(metas[0].class_name, "Program_weight_tensor_meta_a");
  EXPECT_EQ(metas[0].name, "a");
  EXPECT_EQ(metas[0].shape, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(metas[0].dtype, DType::kBFloat16);
  EXPECT_EQ(metas[0].device, "cuda:0");
  EXPECT_TRUE(metas[0].has_mean && metas[0].has_std);
  EXPECT_TRUE(std::signbit(*metas[0].mean));
  EXPECT_TRUE(std::isnan(*metas[0].std));
  EXPECT_FALSE(metas[0].data);
  EXPECT_EQ(metas[0].min_val->kind, LiteralNumber::Kind::kInteger);
  EXPECT_EQ(metas[0].min_val->integer, 0);
  EXPECT_EQ(metas[0].max_val->as_double(), 2.5);
  EXPECT_EQ(metas[0].line, 1);
}

TEST(TensorMeta, WrittenWithTabs) {
  const auto metas = parse(
      "class B:\n\tname = 'b'\n\tshape = [2]\n\tdtype = 'torch.int64'\n\tdevice = 'cpu'\n"
      "\tmean = None\n\tstd = None\n\tdata = [1, -2]\n\nclass A:\n\tname = (\n'a'\n)\n");
  ASSERT_EQ(metas.size(), 2u);
  EXPECT_EQ(metas[0].class_name, "B");
  EXPECT_TRUE(metas[0].has_mean);
  EXPECT_FALSE(metas[0].mean || metas[0].std);
  EXPECT_EQ((*metas[0].data)[1].integer, -2);
  EXPECT_EQ(metas[1].name, "a");
  EXPECT_EQ(metas[1].line, 10);
}

TEST(TensorMeta, Defaults) {
  const TensorMeta meta = parse("class A:\n  name = \"a\"\n").at(0);
  EXPECT_TRUE(meta.shape.empty());
  EXPECT_EQ(meta.dtype, DType::kFloat32);
  EXPECT_EQ(meta.device, "cpu");
  EXPECT_FALSE(meta.has_mean || meta.has_std);
}

TEST(TensorMeta, LiteralNumbers) {
  const TensorMeta meta =
      parse(with("original_name = \"b\"\n    shape = [7]\n    data = [1, -1.5, True, False, "
                 "float('inf'), float(\"-inf\"), 1e-3,]"))
          .at(0);
  ASSERT_EQ(meta.data->size(), 7u);
  const auto& data = *meta.data;
  EXPECT_TRUE(data[0].kind == Kind::kInteger && data[0].integer == 1);
  EXPECT_TRUE(data[1].kind == Kind::kFloat && data[1].number == -1.5);
  EXPECT_TRUE(data[2].kind == Kind::kBool && data[2].integer == 1);
  EXPECT_TRUE(data[3].kind == Kind::kBool && data[3].integer == 0);
  EXPECT_EQ(data[4].number, INFINITY);
  EXPECT_EQ(data[5].number, -INFINITY);
  EXPECT_EQ(data[6].number, 1e-3);
}

TEST(TensorMeta, EmptyTensor) {
  const TensorMeta meta = parse(with("shape = [0, 3]\n    data = []")).at(0);
  EXPECT_EQ(meta.shape, (std::vector<std::int64_t>{0, 3}));
  EXPECT_TRUE(meta.data && meta.data->empty());
}

TEST(TensorMetaError, Grammar) {
  EXPECT_EQ(refusal("x = 1\n"), "weight_meta.py:1:1: expected 'class', found name 'x'");
  EXPECT_TRUE(mentions(refusal(" class A:\n"), {"weight_meta.py:1:2:", "'class'", "indentation"}));
  EXPECT_EQ(refusal("class A\n"), "weight_meta.py:1:8: expected ':', found end of line");
  EXPECT_TRUE(
      mentions(refusal("class A:\n"), {"weight_meta.py:2:1:", "attributes", "end of file"}));
  EXPECT_TRUE(
      mentions(refusal("class A:\nclass B:\n"), {"weight_meta.py:2:1:", "attributes", "'class'"}));
  EXPECT_TRUE(mentions(refusal(with(" device = \"cpu\"")), {"weight_meta.py:3:6:", "indentation"}));
  EXPECT_TRUE(mentions(refusal(with("1 = 2")), {"weight_meta.py:3:5:", "attribute", "'1'"}));
  EXPECT_TRUE(
      mentions(refusal(with("mean = 1 2")), {"weight_meta.py:3:14:", "end of line", "'2'"}));
  EXPECT_EQ(refusal(with("mean = (1")), "weight_meta.py:4:1: expected ')', found end of file");
  EXPECT_EQ(refusal(with("mean = \xff")), "weight_meta.py:3:12: byte outside ASCII");
}

TEST(TensorMetaError, Attributes) {
  EXPECT_TRUE(
      mentions(refusal(with("colour = 1")),
               {"weight_meta.py:3:5:", "'colour'",
                "name, shape, dtype, device, mean, std, data, min_val, max_val, original_name"}));
  EXPECT_EQ(refusal(with("name = \"b\"")), "weight_meta.py:3:5: attribute 'name' is repeated");
  EXPECT_EQ(refusal("class A:\n  mean = 1.0\n"),
            "weight_meta.py:1:7: class without attribute 'name'");
  EXPECT_TRUE(
      mentions(refusal("class A:\n  name = None\n"), {"weight_meta.py:2:10:", "string", "'None'"}));
  EXPECT_TRUE(mentions(refusal(with("mean = \"1\"")), {"weight_meta.py:3:12:", "number", "'1'"}));
  EXPECT_EQ(refusal(with("std = float(\"one\")")),
            "weight_meta.py:3:17: expected \"nan\", \"inf\" or \"-inf\", found string 'one'");
  EXPECT_EQ(refusal(with("dtype = \"float32\"")),
            "weight_meta.py:3:13: unknown dtype 'float32' (expected \"torch.float32\", "
            "\"torch.int64\", ...)");
  EXPECT_EQ(refusal(with("dtype = \"torch.float33\"")).substr(0, 48),
            "weight_meta.py:3:13: unknown dtype 'torch.float3");
}

TEST(TensorMetaError, Shapes) {
  EXPECT_EQ(refusal(with("shape = [-1]")),
            "weight_meta.py:3:14: expected an extent (0 or more), found '-'");
  EXPECT_EQ(refusal(with("shape = (1, 2)")), "weight_meta.py:3:14: expected '[', found number '1'");
  EXPECT_EQ(refusal(with("shape = [1099511627777]")),
            "weight_meta.py:3:13: shape has more than 2^40 elements");
  EXPECT_EQ(refusal(with("shape = [4294967296, 4294967296, 4294967296]")),
            "weight_meta.py:3:13: shape has more than 2^40 elements");
  EXPECT_EQ(refusal(with("shape = [9223372036854775808]")),
            "weight_meta.py:3:14: extent does not fit 64 bits");
  std::string ones;
  for (int i = 0; i < 65; ++i) ones += "1,";
  EXPECT_EQ(refusal(with("shape = [" + ones + "]")),
            "weight_meta.py:3:13: shape has more than 64 extents");
}

TEST(TensorMetaError, Literals) {
  EXPECT_EQ(refusal(with("data = [1, 2]")),
            "weight_meta.py:3:12: the literal has 2 numbers, the shape has 1 elements");
  EXPECT_TRUE(mentions(refusal(with("data = \"abc\"")), {"weight_meta.py:3:12:", "list", "'abc'"}));
  EXPECT_EQ(refusal(with("data = [[1]]")), "weight_meta.py:3:13: expected a number, found '['");
  EXPECT_TRUE(
      mentions(refusal(with("data = [None]")), {"weight_meta.py:3:13:", "number", "'None'"}));
  EXPECT_EQ(refusal(with("data = [99999999999999999999]")),
            "weight_meta.py:3:13: integer does not fit 64 bits");
}

TEST(TensorMetaError, Bounds) {
  EXPECT_EQ(refusal(with("min_val = float(\"nan\")")),
            "weight_meta.py:3:15: a bound cannot be NaN");
  EXPECT_TRUE(mentions(refusal(with("dtype = \"torch.bool\"\n    min_val = 0")),
                       {"weight_meta.py:1:7:", "bounds", "integers", "floats"}));
  EXPECT_TRUE(mentions(refusal(with("dtype = \"torch.int64\"\n    min_val = 0.5")),
                       {"weight_meta.py:1:7:", "integers", "64 bits"}));
  EXPECT_TRUE(mentions(refusal(with("dtype = \"torch.int64\"\n    max_val = 9.3e18")),
                       {"weight_meta.py:1:7:", "integers", "64 bits"}));
  EXPECT_EQ(refusal(with("dtype = \"torch.int64\"\n    min_val = 2\n    max_val = 1")),
            "weight_meta.py:1:7: min_val is above max_val");
}

TEST(TensorMetaError, Duplicates) {
  EXPECT_TRUE(mentions(refusal("class A:\n  name = \"a\"\nclass A:\n  name = \"b\"\n"),
                       {"weight_meta.py:3:7:", "class 'A'", "line 1"}));
  EXPECT_TRUE(mentions(refusal("class A:\n  name = \"a\"\nclass B:\n  name = \"a\"\n"),
                       {"weight_meta.py:3:7:", "name 'a'", "line 1"}));
}

TEST(TensorMetaError, DamagedTextsNeverCrash) {
  const std::string text = with(
      "shape = [2, 1]\n    dtype = 'torch.int8'\n    std = float(\"nan\")\n    data = [1, -2]");
  ASSERT_TRUE(parse_tensor_meta(text, "m").is_ok());
  for (std::size_t length = 0; length < text.size(); ++length) {
    (void)parse_tensor_meta(std::string_view(text).substr(0, length), "m").is_ok();
    for (const char byte : {'\0', '(', ']', '"', '\n', '\t', '9', '=', '\xff'}) {
      std::string damaged = text;
      damaged[length] = byte;
      (void)parse_tensor_meta(damaged, "m").is_ok();
    }
  }
}

}  // namespace tensor_meta_test
}  // namespace graphnet::sample
