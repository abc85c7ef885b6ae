// SPDX-License-Identifier: MIT
#include "vary/dim_variants.h"

#include <gtest/gtest.h>

namespace graphnet::vary {
namespace dim_variants_test {

/// The last variant of a sample whose only argument has these symbols.
base::Result<SymbolValues> last_variant(std::vector<std::string> symbols) {
  validate::ShapeConstraint constraint;
  constraint.name = "x";
  constraint.shape.assign(symbols.size(), 8);
  constraint.symbols = std::move(symbols);
  GN_ASSIGN_OR_RETURN(const auto variants, dim_variants({constraint}));
  return variants.back();
}

TEST(DimVariants, FollowFromWhatSymbolsStandFor) {
  EXPECT_EQ(last_variant({"S0", "S1"}).value(), (SymbolValues{{"S0", 16}, {"S1", 4096}}));
  EXPECT_EQ(last_variant({"S0", ""}).value(), (SymbolValues{{"S0", 512}}));
  EXPECT_EQ(last_variant({"S0", "", "S1", "S1"}).value(), (SymbolValues{{"S0", 128}, {"S1", 384}}));
  EXPECT_EQ(last_variant({"", "", "S0", "S0"}).value(), (SymbolValues{{"S0", 640}}));
}

TEST(DimVariants, TheLastAxisOfASpectrogramIsItsLength) {
  EXPECT_EQ(last_variant({"S0", "", "S1"}).value(), (SymbolValues{{"S0", 16}, {"S1", 4096}}));
}

TEST(DimVariants, HeightsAndWidthsDiffer) {
  EXPECT_EQ(last_variant({"S0", "", "S1", "S2"}).value(),
            (SymbolValues{{"S0", 128}, {"S1", 384}, {"S2", 256}}));
}

TEST(DimVariants, FramesAndChannelsHaveNone) {
  for (const auto& symbols :
       {std::vector<std::string>{"S0", "S1", "S2", "S2"},
        std::vector<std::string>{"S0", "", "S1", "S2", "S2"}, std::vector<std::string>{"", ""}}) {
    const auto variant = last_variant(symbols);
    ASSERT_FALSE(variant.is_ok());
    EXPECT_EQ(variant.status().code(), base::Code::kUnsupported);
  }
}

}  // namespace dim_variants_test
}  // namespace graphnet::vary
