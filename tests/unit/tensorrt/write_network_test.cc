// SPDX-License-Identifier: MIT
#include "tensorrt/write_network.h"

#include <gtest/gtest.h>

#include <string>

#include "lowering/ir/text.h"
#include "tensorrt/legalize.h"
#include "unit/tensorrt/recording_network.h"

namespace graphnet::tensorrt {
namespace write_network_test {

/// The calls that a graph in text form becomes, or its failures.
std::string layers_of(const std::string& text) {
  const lowering::ir::Built built = legalize(lowering::ir::parse(text));
  if (!built.failures.empty()) return lowering::describe_failures(built.failures);
  RecordingNetwork network;
  const WrittenNetwork written = write_network(built.graph, network);
  if (!written.failures.empty()) return lowering::describe_failures(written.failures);
  return network.text();
}

// A row is stretched by the layer that adds it, and a number by the layer that multiplies with it.
TEST(WriteNetwork, LeavesStretchingToLayers) {
  EXPECT_EQ(layers_of("%0: f32[2,3] = input index=0\n"
                      "%1: f32[3] = input index=1\n"
                      "%2: f32[2,3] = broadcast(%1) dims=[1]\n"
                      "%3: f32[2,3] = add(%0, %2)\n"
                      "%4: f32[2,3] = splat value=0.5\n"
                      "%5: f32[2,3] = multiply(%3, %4)\n"
                      "return %5\n"),
            "%0: f32[2,3] = input input0\n"
            "%1: f32[3] = input input1\n"
            "%2: f32[1,3] = reshape %1\n"
            "%4: f32[2,3] = elementwise 0 %0 %2\n"
            "%5: f32[1,1] = constant \n"
            "%7: f32[2,3] = elementwise 1 %4 %5\n"
            "output output0 %7\n");
}

// Weights are refittable constants in the shape that the layer wants, and no layer transposes them.
TEST(WriteNetwork, MultipliesWithATransposedWeight) {
  EXPECT_EQ(layers_of("%0: f32[2,5,8] = input index=0\n"
                      "%1: f32[4,8] = weight index=0\n"
                      "%2: f32[2,5,4] = dot(%0, %1) left_batch=[] right_batch=[] "
                      "left_contracting=[2] right_contracting=[1]\n"
                      "return %2\n"),
            "%0: f32[2,5,8] = input input0\n"
            "%1: f32[4,8] = constant weight0\n"
            "%2: f32[10,8] = reshape %0\n"
            "%4: f32[10,4] = matrix_multiply NT %2 %1\n"
            "%5: f32[2,5,4] = reshape %4\n"
            "output output0 %5\n");
}

// Inputs are no outputs, and no tensor is two.
TEST(WriteNetwork, CopiesWhatIsTaken) {
  const std::string text = layers_of(
      "%0: f32[2] = input index=0\n"
      "%1: f32[2] = negate(%0)\n"
      "return %0, %1, %1\n");
  EXPECT_NE(text.find("identity %0\noutput output0"), std::string::npos) << text;
  EXPECT_NE(text.find("output output1 %1\n%1: f32[2] = identity %1\noutput output2"),
            std::string::npos)
      << text;
}

TEST(WriteNetwork, SortsAsFarAsAnybodyReads) {
  const std::string text = layers_of(
      "%0: f32[1,5000] = input index=0\n"
      "%1: f32[1,5000], %2: i64[1,5000] = sort(%0) dim=1 descending=true\n"
      "%3: f32[1,7] = slice(%1) begin=[0,0] end=[1,7] step=[1,1]\n"
      "return %3\n");
  EXPECT_NE(text.find("top_k 0 7 along 1"), std::string::npos) << text;
  const std::string all = layers_of(
      "%0: f32[1,5000] = input index=0\n"
      "%1: f32[1,5000], %2: i64[1,5000] = sort(%0) dim=1 descending=true # aten::sort "
      "model.py:3:5\n"
      "return %1\n");
  EXPECT_EQ(
      all,
      "1 node: aten::sort at model.py:3:5: TensorRT sorts at most 3840 elements, here are 5000");
}

// All that TensorRT has not is named, each with its place.
TEST(WriteNetwork, NamesEveryFailure) {
  const std::string text = layers_of(
      "%0: f64[2] = input index=0\n"
      "%1: f32[2] = convert(%0) # aten::to model.py:3:5\n"
      "%2: i64[2] = input index=1\n"
      "%3: i64[2] = and(%2, %2) # aten::bitwise_and model.py:4:5\n"
      "%4: c64[2] = input index=2\n"
      "return %1, %3\n");
  EXPECT_NE(text.find("aten::bitwise_and at model.py:4:5: TensorRT has no bitwise operation"),
            std::string::npos)
      << text;
  EXPECT_NE(layers_of("%0: f64[2] = input index=0\n"
                      "%1: f32[2] = convert(%0) # aten::to model.py:3:5\n"
                      "return %1\n")
                .find("TensorRT computes with no f64"),
            std::string::npos);
}

TEST(WriteNetwork, KeepsLeftoversOfPoolingOut) {
  const std::string text = layers_of(
      "%0: f32[1,3,8,8] = input index=0\n"
      "%1: f32[1,3,3,3] = reduce_window(%0) kind=max size=[1,1,3,3] stride=[1,1,2,2] "
      "dilation=[1,1,1,1] low=[0,0,0,0] high=[0,0,-1,-1]\n"
      "return %1\n");
  EXPECT_NE(text.find("pooling 0 [3,3][2,2][0,0][0,0]"), std::string::npos) << text;
}

}  // namespace write_network_test
}  // namespace graphnet::tensorrt
