// SPDX-License-Identifier: MIT
#include "tvm_plugin/vector_code.h"

#include <gtest/gtest.h>

#include "support/mentions.h"

namespace graphnet::tvm {
namespace vector_code_test {

using tests::contains;

Vector twice_or_floor(const Vector& x) {
  const Vector is_small = x < 0.5;
  const Vector twice = x + x;
  return choice(is_small, twice, floor(x));
}
Vector through_bits(const Vector& x) {
  return from_bits(shifted_left(to_type(x * -2.0, Type::kI32) + 127, 23));
}

TEST(VectorCode, OfOneNumber) {
  EXPECT_EQ(VectorWriter(1).write("f", twice_or_floor),
            "define float @f(float %x) {\n"
            "  %v0 = fcmp olt float %x, 0x3FE0000000000000\n"
            "  %v1 = fadd float %x, %x\n"
            "  %v2 = call float @llvm.floor.f32(float %x)\n"
            "  %v3 = select i1 %v0, float %v1, float %v2\n"
            "  ret float %v3\n"
            "}\n");
}

TEST(VectorCode, OfLanes) {
  const std::string text = VectorWriter(2).write("f_2", through_bits);
  EXPECT_TRUE(contains(text, "define <2 x float> @f_2(<2 x float> %x) {"));
  EXPECT_TRUE(contains(text,
                       "fmul <2 x float> %x, "
                       "<float 0xC000000000000000, float 0xC000000000000000>"));
  EXPECT_TRUE(contains(text, "%v1 = fptosi <2 x float> %v0 to <2 x i32>"));
  EXPECT_TRUE(contains(text, "shl <2 x i32> %v2, <i32 23, i32 23>"));
  EXPECT_TRUE(contains(text, "bitcast <2 x i32> %v3 to <2 x float>"));
  EXPECT_EQ(vector_declarations(2), "declare <2 x float> @llvm.floor.v2f32(<2 x float>)\n");
}

// LLVM refuses a float constant that float32 cannot hold.
TEST(VectorCode, ConstantsAreRoundedToFloat32) {
  EXPECT_EQ(VectorWriter(1).number(Type::kF32, 0.1).e, "0x3FB99999A0000000");
  EXPECT_EQ(VectorWriter(1).number(Type::kI32, -126).e, "-126");
}

}  // namespace vector_code_test
}  // namespace graphnet::tvm
