// SPDX-License-Identifier: MIT
#include "tensorrt/slots.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace graphnet::tensorrt {
namespace slots_test {

constexpr auto kNumSlots = static_cast<std::size_t>(Slot::kCount);
constexpr Flavour kFlavours[] = {Flavour::kTen, Flavour::kEleven, Flavour::kRtx};

std::string class_of(const SlotFacts& facts) {
  const std::string name = facts.name;
  return name.substr(0, name.find(' '));
}

TEST(Slots, LieBehindTheDestructorsAndNoTwoAtOnePlace) {
  for (const Flavour flavour : kFlavours) {
    std::map<std::string, std::set<int>> taken;
    for (std::size_t i = 0; i < kNumSlots; ++i) {
      const SlotFacts& facts = facts_of(static_cast<Slot>(i));
      const int index = facts.index(flavour);
      if (index < 0) continue;
      EXPECT_GE(index, 2) << facts.name;
      EXPECT_TRUE(taken[class_of(facts)].insert(index).second) << facts.name;
    }
  }
}

// TensorRT-RTX has no plugin layers of version 2, whose two functions lie before addSlice.
TEST(Slots, OfRtxAreThoseOf11ButForTwoOfNetworks) {
  constexpr int kAddSlice = 29;
  for (std::size_t i = 0; i < kNumSlots; ++i) {
    const SlotFacts& facts = facts_of(static_cast<Slot>(i));
    if (facts.eleven < 0) continue;
    const bool is_moved = class_of(facts) == "Network" && facts.eleven >= kAddSlice;
    EXPECT_EQ(facts.rtx, is_moved ? facts.eleven - 2 : facts.eleven) << facts.name;
  }
}

// Layers have the implementation of any layer first, and their own behind it.
TEST(Slots, OfLayersAreInTheSecondImplementation) {
  for (std::size_t i = 0; i < kNumSlots; ++i) {
    const SlotFacts& facts = facts_of(static_cast<Slot>(i));
    const std::string name = class_of(facts);
    const bool is_kind = name.size() > 5 && name.substr(name.size() - 5) == "Layer";
    EXPECT_EQ(facts.implementation, is_kind ? 16 : 8) << facts.name;
  }
}

TEST(Slots, CoverEveryFlavourButWhereOneHasNoSuchThing) {
  const std::set<std::string_view> of_rtx = {"BuilderConfig setNbComputeCapabilities",
                                             "BuilderConfig setComputeCapability"};
  for (std::size_t i = 0; i < kNumSlots; ++i) {
    const SlotFacts& facts = facts_of(static_cast<Slot>(i));
    const bool is_of_rtx = of_rtx.count(facts.name) != 0;
    const bool is_new = std::string_view(facts.name) == "Network addAttentionV2";
    EXPECT_EQ(facts.ten < 0, is_of_rtx || is_new) << facts.name;
    EXPECT_EQ(facts.eleven < 0, is_of_rtx) << facts.name;
    EXPECT_GE(facts.rtx, 0) << facts.name;
  }
}

}  // namespace slots_test
}  // namespace graphnet::tensorrt
