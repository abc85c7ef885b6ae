// SPDX-License-Identifier: MIT
#include "config/protocol_file.h"

#include <gtest/gtest.h>

#include "config/run_config.h"
#include "measure/paired_settings.h"
#include "support/folders.h"
#include "support/mentions.h"
#include "support/temp_dir.h"

namespace graphnet::config {
namespace protocol_file_test {

using base::Result;
using tests::contains;
using tests::mentions;

const std::filesystem::path kConfigs = std::filesystem::path(tests::source_dir()) / "configs";
constexpr const char* kHead = "schema: graphnet/run/v1\nbackend: {name: nope}\n";

class ProtocolFileTest : public ::testing::Test {
 protected:
  Result<RunConfig> read(const std::string& text, const std::vector<std::string>& sets = {}) {
    return read_run_config(folder_.write("x.yaml", kHead + text), sets, {folder_.path(), kConfigs});
  }
  std::string error_of(const std::string& text, const std::vector<std::string>& sets = {}) {
    const auto config = read(text, sets);
    return config.is_ok() ? "" : config.status().message();
  }
  tests::TempDir folder_;
};

TEST_F(ProtocolFileTest, StandardDocumentsTheBuiltInDefaults) {
  const auto standard = read("protocol: standard\n");
  ASSERT_TRUE(standard.is_ok()) << standard.status().to_string();
  const Protocol built_in;
  EXPECT_EQ(standard->protocol.method, built_in.method);
  EXPECT_EQ(standard->protocol.paired, built_in.paired);
  // Every key is in the file: each left its origin.
  for (const auto& [key, value] : protocol_settings(built_in)) {
    EXPECT_EQ(standard->origins.count("protocol." + key), 1U) << key;
  }
}

TEST_F(ProtocolFileTest, DefaultsAreThoseOfTheEngine) {
  const auto settings = measure::paired_settings(Protocol::default_paired());
  ASSERT_TRUE(settings.is_ok()) << settings.status().to_string();
  const measure::PairedSettings engine;
  EXPECT_EQ(settings->half_width, engine.half_width);
  EXPECT_EQ(settings->margin, engine.margin);
  EXPECT_EQ(settings->confidence, engine.confidence);
  EXPECT_EQ(settings->max_width, engine.max_width);
  EXPECT_EQ(settings->first_analysis, engine.first_analysis);
  EXPECT_EQ(settings->max_pairs, engine.max_pairs);
  EXPECT_EQ(settings->time_ns, engine.time_ns);
  EXPECT_EQ(settings->long_call_pairs, engine.long_call_pairs);
  EXPECT_EQ(settings->long_call_time_ns, engine.long_call_time_ns);
  EXPECT_EQ(settings->fewest_pairs, engine.fewest_pairs);
  EXPECT_EQ(settings->warmup_calls, engine.warmup_calls);
  EXPECT_EQ(settings->warmup_change, engine.warmup_change);
  EXPECT_EQ(settings->warmup_time_ns, engine.warmup_time_ns);
  EXPECT_EQ(settings->settle_below_ns, engine.settle_below_ns);
  EXPECT_EQ(settings->cache, engine.cache);
  EXPECT_EQ(settings->flush_bytes, engine.flush_bytes);
  EXPECT_EQ(settings->idle_wait_ns, engine.idle_wait_ns);
  EXPECT_EQ(settings->disturbed_share, engine.disturbed_share);
  EXPECT_EQ(settings->max_steal, engine.max_steal);
  EXPECT_EQ(settings->max_dropped, engine.max_dropped);
  EXPECT_EQ(settings->max_waited, engine.max_waited);
  EXPECT_EQ(settings->affinity, engine.affinity);
  EXPECT_EQ(settings->remeasure, engine.remeasure);
  EXPECT_EQ(settings->quiet_wait_ns, engine.quiet_wait_ns);
  EXPECT_EQ(settings->seed, engine.seed);
  EXPECT_EQ(settings->replay, engine.replay);
}

TEST_F(ProtocolFileTest, EveryBundledProtocolIsValid) {
  const struct {
    const char* name;
    const char* method;
    const char* cache;
  } cases[] = {{"smoke", "paired", "hot"},
               {"standard", "paired", "hot"},
               {"kernel", "paired", "both"},
               {"replay", "paired", "hot"},
               {"upstream", "upstream", "hot"}};
  for (const auto& [name, method, cache] : cases) {
    const auto protocol = find_protocol(name, {kConfigs});
    ASSERT_TRUE(protocol.is_ok()) << protocol.status().to_string();
    EXPECT_EQ(protocol->name, name);
    EXPECT_EQ(protocol->method, method);
    EXPECT_EQ(protocol->paired["cache"], cache);
    EXPECT_TRUE(measure::paired_settings(protocol->paired).is_ok());
    EXPECT_EQ(protocol->replays(), std::string(name) == "replay");
  }
}

TEST_F(ProtocolFileTest, KeysOfARunConfigOverrideTheFile) {
  const auto config = read("protocol: {name: kernel, time: 1500ms, flush: 64MiB, cache: cold}\n");
  ASSERT_TRUE(config.is_ok()) << config.status().to_string();
  const base::Json& paired = config->protocol.paired;
  EXPECT_EQ(paired["time_ns"], 1'500'000'000);
  EXPECT_EQ(paired["flush_bytes"], 64 << 20);
  EXPECT_EQ(paired["cache"], "cold");
  EXPECT_EQ(paired["half_width"], 0.002);
  EXPECT_EQ(paired["confidence"], 0.95);
  EXPECT_TRUE(contains(config->origins.at("protocol.time"), "x.yaml:3:32"));
  EXPECT_TRUE(contains(config->origins.at("protocol.half_width"), "kernel.yaml:5:13"));
  EXPECT_EQ(config->origins.count("protocol.confidence"), 0U);
}

TEST_F(ProtocolFileTest, AnyPairedProtocolMayReplay) {
  const auto config = read("protocol: {name: kernel, replay: true}\n");
  ASSERT_TRUE(config.is_ok()) << config.status().to_string();
  EXPECT_TRUE(config->protocol.replays());
  EXPECT_EQ(config->protocol.paired["cache"], "both");
  EXPECT_TRUE(measure::paired_settings(config->protocol.paired)->replay);
  EXPECT_FALSE(read("protocol: {name: replay, replay: false}\n")->protocol.replays());
  EXPECT_FALSE(read("protocol: upstream\n")->protocol.replays());
}

TEST_F(ProtocolFileTest, WithoutANameStandardIsMeant) {
  const auto config = read("protocol: {half_width: 0.02}\n");
  ASSERT_TRUE(config.is_ok()) << config.status().to_string();
  EXPECT_EQ(config->protocol.name, "standard");
  EXPECT_EQ(config->protocol.paired["half_width"], 0.02);
}

TEST_F(ProtocolFileTest, FlagsChangeBothForms) {
  for (const char* text : {"", "protocol: kernel\n", "protocol: {name: kernel}\n"}) {
    const auto config = read(text, {"protocol=smoke", "protocol.margin=0.2"});
    ASSERT_TRUE(config.is_ok()) << config.status().to_string();
    EXPECT_EQ(config->protocol.name, "smoke");
    EXPECT_EQ(config->protocol.paired["margin"], 0.2);
    EXPECT_EQ(config->origins.at("protocol.margin"), "--set");
  }
}

TEST_F(ProtocolFileTest, AFileIsFoundByPathAndByName) {
  std::filesystem::create_directory(folder_.path() / "protocols");
  folder_.write("protocols/mine.yaml",
                "schema: graphnet/protocol/v1\nmethod: paired\nmargin: 0.3\n");
  for (const char* text : {"protocol: mine\n", "protocol: ./protocols/mine.yaml\n"}) {
    const auto config = read(text);
    ASSERT_TRUE(config.is_ok()) << config.status().to_string();
    EXPECT_EQ(config->protocol.paired["margin"], 0.3);
  }
}

TEST_F(ProtocolFileTest, PlacesEachError) {
  std::filesystem::create_directory(folder_.path() / "protocols");
  const std::string head = "schema: graphnet/protocol/v1\n";
  folder_.write("protocols/list.yaml", "[1]\n");
  folder_.write("protocols/schema.yaml", "schema: graphnet/protocol/v9\nmethod: paired\n");
  folder_.write("protocols/method.yaml", head + "method: pared\n");
  folder_.write("protocols/none.yaml", head);
  folder_.write("protocols/key.yaml", head + "method: paired\nmargn: 0.1\n");
  folder_.write("protocols/foreign.yaml", head + "method: upstream\nmargin: 0.1\n");
  const struct {
    const char* text;
    std::vector<std::string_view> names;
  } cases[] = {
      {"protocol: standart\n",
       {"x.yaml:3:11: no protocol named 'standart'; did you mean 'standard'?"}},
      {"protocol: {name: ''}\n", {"x.yaml:3:18: no protocol named ''"}},
      {"protocol: ./no.yaml\n", {"x.yaml:3:11: no protocol named './no.yaml'"}},
      {"protocol: [a]\n", {"x.yaml:3:11: protocol must be"}},
      {"protocol: {margn: 0.1}\n", {"x.yaml:3:12:", "unknown key 'margn'", "protocol", "'margin'"}},
      {"protocol: {trials: 9}\n", {"x.yaml:3:12:", "'trials' belongs", "method upstream"}},
      {"protocol: {name: upstream, margin: 0.1}\n", {"'margin' belongs", "method paired"}},
      {"protocol: {half_width: -1}\n", {"x.yaml:3:24: protocol.half_width must be"}},
      {"protocol: {confidence: 1}\n", {"protocol.confidence must be"}},
      {"protocol: {time: none}\n", {"protocol.time", "duration"}},
      {"protocol: {time: 2}\n", {"protocol.time", "duration"}},
      {"protocol: {cache: warm}\n", {"protocol.cache", "hot, cold, both"}},
      {"protocol: {flush: 3}\n", {"protocol.flush", "auto", "size", "64MiB", "'3'"}},
      {"protocol: {remeasure: yes}\n", {"protocol.remeasure must be"}},
      {"protocol: {replay: once}\n", {"x.yaml:3:20: protocol.replay must be"}},
      {"protocol: {name: upstream, replay: true}\n", {"'replay' belongs", "method paired"}},
      {"protocol: list\n", {"list.yaml:1:1:", "protocol file", "map"}},
      {"protocol: schema\n", {"schema.yaml:1:9:", "schema", "graphnet/protocol/v1"}},
      {"protocol: method\n", {"method.yaml:2:9:", "method", "paired, upstream"}},
      {"protocol: none\n", {"none.yaml:1:1: missing key 'method'"}},
      {"protocol: key\n", {"key.yaml:3:1: unknown key 'margn'; did you mean 'margin'?"}},
      {"protocol: foreign\n", {"foreign.yaml:3:1:", "'margin' belongs", "method paired"}},
  };
  for (const auto& [text, names] : cases) {
    EXPECT_TRUE(mentions(error_of(text), names)) << text;
  }
  EXPECT_TRUE(contains(error_of("", {"protocol=no"}), "--set: no protocol named 'no'"));
}

TEST_F(ProtocolFileTest, SettingsReadBackAsTheyPrint) {
  const auto kernel = find_protocol("kernel", {kConfigs});
  ASSERT_TRUE(kernel.is_ok());
  std::string text = "schema: graphnet/protocol/v1\nmethod: paired\n";
  for (const auto& [key, value] : protocol_settings(*kernel)) text += key + ": " + value + "\n";
  std::filesystem::create_directory(folder_.path() / "protocols");
  folder_.write("protocols/again.yaml", text);
  const auto again = find_protocol("again", {folder_.path()});
  ASSERT_TRUE(again.is_ok()) << again.status().to_string() << text;
  EXPECT_EQ(again->paired, kernel->paired);
}

}  // namespace protocol_file_test
}  // namespace graphnet::config
