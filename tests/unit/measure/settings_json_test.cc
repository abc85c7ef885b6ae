// SPDX-License-Identifier: MIT
#include "measure/settings_json.h"

#include <gtest/gtest.h>

namespace graphnet::measure {
namespace {

TEST(SettingsJson, ReadsWhatItWrites) {
  PairedSettings settings;
  settings.half_width = 0.25;
  settings.max_pairs = 7;
  settings.remeasure = false;
  settings.cache = CacheMode::kCold;
  const auto read = paired_settings_from_json(to_json(settings));
  ASSERT_TRUE(read.is_ok()) << read.status().to_string();
  EXPECT_EQ(to_json(*read), to_json(settings));
  EXPECT_EQ(read->cache, CacheMode::kCold);
}

TEST(SettingsJson, KeepsDefaultsForMissingKeys) {
  const auto read = paired_settings_from_json({{"max_pairs", 3}});
  ASSERT_TRUE(read.is_ok());
  EXPECT_EQ(read->max_pairs, 3);
  EXPECT_EQ(read->confidence, PairedSettings().confidence);
}

TEST(SettingsJson, RefusesWrongTypes) {
  EXPECT_FALSE(paired_settings_from_json({{"max_pairs", "many"}}).is_ok());
  EXPECT_FALSE(paired_settings_from_json({{"remeasure", 1}}).is_ok());
  EXPECT_FALSE(paired_settings_from_json({{"cache", "tepid"}}).is_ok());
}

}  // namespace
}  // namespace graphnet::measure
