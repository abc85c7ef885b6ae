// SPDX-License-Identifier: MIT
#include "measure/paired_settings.h"

#include <gtest/gtest.h>

namespace graphnet::measure {
namespace paired_settings_test {

// That all keys of a protocol file are read is tested beside config::Protocol.
base::Json complete() {
  return base::Json::parse(R"({
    "half_width": 0.1, "margin": 0.2, "confidence": 0.9, "max_width": 0.3, "first_look": 8,
    "max_pairs": 9, "time_ns": 10, "long_call_pairs": 11, "long_call_time_ns": 12,
    "fewest_pairs": 13, "warmup_calls": 14, "warmup_change": 0.15, "warmup_time_ns": 16,
    "settle_below_ns": 17, "cache": "both", "flush_bytes": 19,
    "idle_wait_ns": 20, "disturbed_share": 0.21, "max_steal": 0.22, "max_dropped": 0.23,
    "max_waited": 0.26, "affinity": false,
    "remeasure": false, "quiet_wait_ns": 24, "seed": 25, "replay": true})");
}

TEST(PairedSettings, AreReadKeyByKey) {
  const auto settings = paired_settings(complete());
  ASSERT_TRUE(settings.is_ok()) << settings.status().to_string();
  EXPECT_EQ(settings->half_width, 0.1);
  EXPECT_EQ(settings->fewest_pairs, 13);
  EXPECT_EQ(settings->warmup_time_ns, 16);
  EXPECT_EQ(settings->cache, CacheMode::kBoth);
  EXPECT_FALSE(settings->remeasure);
  EXPECT_EQ(settings->seed, 25U);
  EXPECT_TRUE(settings->replay);
  EXPECT_EQ(settings->max_waited, 0.26);
  EXPECT_FALSE(settings->affinity);
}

TEST(PairedSettings, RefuseWhatTheyDoNotKnow) {
  const std::pair<const char*, base::Json> wrong[] = {
      {"half_width", "x"}, {"half_width", -1},        {"first_look", 1.5},    {"first_look", -1},
      {"max_pairs", 0},    {"max_pairs", 1LL << 40U}, {"cache", "warm"},      {"remeasure", 1},
      {"replay", "yes"},   {"confidence", 1},         {"clock_share", 0.001}, {"extra", 1}};
  for (const auto& [key, value] : wrong) {
    base::Json json = complete();
    json[key] = value;
    const auto settings = paired_settings(json);
    ASSERT_FALSE(settings.is_ok()) << key << value;
    EXPECT_NE(settings.status().message().find(key), std::string::npos);
  }
  base::Json json = complete();
  json.erase("seed");
  EXPECT_EQ(paired_settings(json).status().message(), "paired settings: 'seed' is missing");
  EXPECT_FALSE(paired_settings(base::Json::array()).is_ok());
}

TEST(Passes, AreOneForEachCacheMode) {
  PairedSettings settings;
  EXPECT_EQ(passes(settings).size(), 1U);
  settings.cache = CacheMode::kBoth;
  settings.margin = 0.3;
  const auto both = passes(settings);
  ASSERT_EQ(both.size(), 2U);
  EXPECT_STREQ(cache_mode_name(both[0].cache), "hot");
  EXPECT_STREQ(cache_mode_name(both[1].cache), "cold");
  EXPECT_EQ(both[1].margin, 0.3);
}

}  // namespace paired_settings_test
}  // namespace graphnet::measure
