// SPDX-License-Identifier: MIT
#include "config/run_config.h"

#include <gtest/gtest.h>

#include "support/folders.h"
#include "support/mentions.h"
#include "support/temp_dir.h"

namespace graphnet::config {
namespace run_config_test {

using base::Code;
using base::Result;
using tests::contains;
using tests::mentions;

constexpr const char* kHead = "schema: graphnet/run/v1\nbackend: {name: nope}\n";

class RunConfigTest : public ::testing::Test {
 protected:
  Result<RunConfig> read(const std::string& text, const std::vector<std::string>& sets = {}) {
    return read_run_config(folder_.write("x.yaml", text), sets,
                           {std::filesystem::path(tests::source_dir()) / "configs"});
  }
  std::string error_of(const std::string& text, const std::vector<std::string>& sets = {}) {
    const auto config = read(text, sets);
    return config.is_ok() ? "" : config.status().message();
  }
  tests::TempDir folder_;
};

TEST_F(RunConfigTest, DefaultYamlDocumentsTheBuiltInDefaults) {
  const std::filesystem::path configs = std::filesystem::path(tests::source_dir()) / "configs";
  const auto documented = read_run_config(configs / "default.yaml", {}, {configs});
  ASSERT_TRUE(documented.is_ok()) << documented.status().to_string();
  const RunConfig built_in;
  EXPECT_EQ(documented->backend.version.text, built_in.backend.version.text);
  EXPECT_EQ(documented->backend.sha256, built_in.backend.sha256);
  EXPECT_EQ(documented->device, built_in.device);
  EXPECT_EQ(documented->threads, built_in.threads);
  EXPECT_EQ(documented->compile_threads, built_in.compile_threads);
  EXPECT_EQ(documented->weights, built_in.weights);
  EXPECT_EQ(documented->proof, built_in.proof);
  EXPECT_EQ(documented->math, built_in.math);
  EXPECT_EQ(documented->protocol.name, built_in.protocol.name);
  EXPECT_EQ(documented->protocol.method, built_in.protocol.method);
  EXPECT_EQ(documented->protocol.paired, built_in.protocol.paired);
  EXPECT_EQ(documented->limits.flop, built_in.limits.flop);
  EXPECT_EQ(documented->timeouts, built_in.timeouts);
  EXPECT_EQ(documented->limits.memory, built_in.limits.memory);
  EXPECT_EQ(documented->limits.memory_by, built_in.limits.memory_by);
  EXPECT_EQ(documented->samples, built_in.samples);
  EXPECT_EQ(documented->plugin_search_paths, built_in.plugin_search_paths);
  // Every key is in the file: each leaf left its origin (backend.options has none).
  std::vector<std::string> keys;
  for (const auto& [key, origin] : documented->origins) {
    // Those of the protocol come from its own file; see protocol_file_test.cc.
    if (key.rfind("protocol.", 0) != 0 || key == "protocol.name") keys.push_back(key);
  }
  EXPECT_EQ(keys, (std::vector<std::string>{"backend.name",
                                            "backend.sha256",
                                            "backend.version",
                                            "compile_threads",
                                            "device",
                                            "limits.flop",
                                            "limits.memory",
                                            "limits.memory_by",
                                            "math.fast_math",
                                            "math.flush_denormals",
                                            "math.tf32",
                                            "plugins.search_paths",
                                            "proof",
                                            "protocol.name",
                                            "samples",
                                            "second_weights",
                                            "threads",
                                            "timeouts.bind",
                                            "timeouts.compare",
                                            "timeouts.compile",
                                            "timeouts.eager",
                                            "timeouts.inputs",
                                            "timeouts.load",
                                            "timeouts.plan",
                                            "timeouts.proof",
                                            "timeouts.robustness",
                                            "timeouts.run",
                                            "timeouts.second_weights",
                                            "timeouts.time",
                                            "weights"}));
}

TEST_F(RunConfigTest, OlderNamesOfPhasesAreRead) {
  EXPECT_EQ(read(kHead, {"timeouts.replay=7s"})->timeouts.at("inputs"), std::chrono::seconds(7));
  EXPECT_EQ(read(kHead)->timeouts.count("replay"), 0U);
  EXPECT_TRUE(mentions(error_of(kHead, {"timeouts.inputs=7s", "timeouts.replay=8s"}),
                       {"unknown key 'replay'", "timeouts"}));
}

TEST_F(RunConfigTest, EveryBundledConfigIsValid) {
  int num_configs = 0;
  const std::filesystem::path configs = std::filesystem::path(tests::source_dir()) / "configs";
  for (const auto& entry : std::filesystem::directory_iterator(configs)) {
    if (entry.is_directory()) continue;
    const auto config = read_run_config(entry.path(), {}, {configs});
    EXPECT_TRUE(config.is_ok()) << config.status().to_string();
    ++num_configs;
  }
  EXPECT_GE(num_configs, 6);
}

TEST_F(RunConfigTest, MathPolicyIsOffUnlessAskedFor) {
  EXPECT_TRUE(read(kHead)->math.is_default());
  const auto config = read(std::string(kHead) + "math: {tf32: true, fast_math: true}\n",
                           {"math.flush_denormals=true", "math.fast_math=false"});
  ASSERT_TRUE(config.is_ok()) << config.status().to_string();
  EXPECT_EQ(config->math.text(), "tf32, flush_denormals");
  EXPECT_EQ(config->origins.at("math.flush_denormals").rfind("--set", 0), 0U);
  EXPECT_TRUE(mentions(error_of(kHead, {"math.tf32=yes"}), {"math.tf32", "true", "false"}));
  EXPECT_TRUE(contains(error_of(kHead, {"math.tf23=true"}), "tf23"));
  EXPECT_TRUE(contains(error_of(kHead, {"math=fast"}), "math"));
  const std::string on_device = error_of(kHead, {"math.flush_denormals=true", "device=cuda:0"});
  EXPECT_TRUE(contains(on_device, "math.flush_denormals is not for cuda:0")) << on_device;
  EXPECT_EQ(error_of(kHead, {"math.tf32=true", "device=cuda:0"}), "");
}

TEST_F(RunConfigTest, LoadIncludesTheStartOfACudaDevice) {
  using std::chrono::seconds;
  EXPECT_EQ(read(kHead)->timeouts.at("load"), seconds(60));
  EXPECT_EQ(read(kHead, {"device=cuda:0"})->timeouts.at("load"), seconds(120));
  EXPECT_EQ(read(kHead, {"device=cuda:0"})->timeouts.at("eager"), seconds(600));
  EXPECT_EQ(read(kHead, {"device=cuda:0", "timeouts.load=60s"})->timeouts.at("load"), seconds(60));
}

TEST_F(RunConfigTest, ReadsEveryKey) {
  const auto config = read(
      "schema: graphnet/run/v1\n"
      "backend: {library: libs/libgn_x.so, options: {level: 3}}\n"
      "device: cpu\nthreads: 4\nweights: per_call\nproof: counts\n"
      "protocol: {name: upstream, warmup: 0, trials: 9}\n"
      "timeouts: {compile: 500ms, run: none, load: 1.5s, eager: 2m, bind: 1h}\n"
      "samples: [a/b, /c]\nplugins: {search_paths: [p, /q]}\n");
  ASSERT_TRUE(config.is_ok()) << config.status().to_string();
  EXPECT_EQ(config->backend.library, folder_.path() / "libs/libgn_x.so");
  EXPECT_TRUE(config->backend.options.has_value());
  EXPECT_EQ(config->threads, 4);
  EXPECT_EQ(config->weights, "per_call");
  EXPECT_EQ(config->proof, "counts");
  EXPECT_EQ(config->protocol.warmup, 0);
  EXPECT_EQ(config->protocol.trials, 9);
  using std::chrono::milliseconds;
  EXPECT_EQ(config->timeouts.at("compile"), milliseconds(500));
  EXPECT_EQ(config->timeouts.at("run"), TimeLimit());
  EXPECT_EQ(config->timeouts.at("load"), milliseconds(1500));
  EXPECT_EQ(config->timeouts.at("eager"), milliseconds(120000));
  EXPECT_EQ(config->timeouts.at("bind"), milliseconds(3600000));
  EXPECT_EQ(config->timeouts.at("inputs"), milliseconds(120000));
  EXPECT_EQ(config->samples, (std::vector<std::filesystem::path>{folder_.path() / "a/b", "/c"}));
  EXPECT_EQ(config->plugin_search_paths.at(0), folder_.path() / "p");
}

TEST_F(RunConfigTest, PlacesEachError) {
  const std::string head = kHead;
  const struct {
    std::string text;
    std::vector<std::string_view> names;
  } cases[] = {
      {"", {"x.yaml:1:1:", "document", "no value", "map"}},
      {"backend: {name: nope}\n", {"x.yaml:1:1: missing key 'schema'"}},
      {"schema: graphnet/run/v3\nbackend: {name: nope}\n",
       {"x.yaml:1:9: schema 'graphnet/run/v3'"}},
      {"schema: graphnet/run/v1\n", {"x.yaml:1:1: missing key 'backend'"}},
      {"schema: graphnet/run/v1\nbackend: {}\n", {"x.yaml:2:10: backend needs either"}},
      {"schema: graphnet/run/v1\nbackend: {name: a, library: b}\n", {"backend needs either"}},
      {"schema: graphnet/run/v1\nbackend: {name: ../a}\n", {"x.yaml:2:17: backend.name must be"}},
      {"schema: graphnet/run/v1\nbackend: {nam: a}\n",
       {"x.yaml:2:11:", "unknown key 'nam'", "backend", "'name'"}},
      {head + "device: gpu\n", {"x.yaml:3:9:", "device", "cpu", "cuda:N", "'gpu'"}},
      {head + "device: [cpu]\n", {"x.yaml:3:9:", "device", "cpu", "cuda:N"}},
      {head + "threads: 0\n", {"x.yaml:3:10:", "threads", "auto", "integer", "1"}},
      {head + "weights: bond\n",
       {"x.yaml:3:10:", "weights", "bound, frozen, per_call", "'bond'", "'bound'"}},
      {head + "protocol: {name: upstream, trials: 0}\n",
       {"x.yaml:3:36:", "protocol.trials", "integer", "1"}},
      {head + "protocol: {name: upstream, warmup: -1}\n", {"protocol.warmup", "integer", "0"}},
      {head + "timeouts: {compile: 600}\n", {"x.yaml:3:21:", "timeouts.compile", "duration"}},
      {head + "timeouts: {compile: 0s}\n", {"timeouts.compile", "duration"}},
      {head + "timeouts: {compile: []}\n", {"timeouts.compile", "duration"}},
      {head + "timeouts: {compil: 1s}\n", {"did you mean 'compile'?"}},
      {head + "samples: a\n", {"x.yaml:3:10:", "samples", "list", "'a'"}},
      {head + "samples: ['']\n", {"samples", "not", "empty"}},
      {head + "threads:\n", {"x.yaml:3:1: threads"}},
  };
  for (const auto& [text, names] : cases) {
    EXPECT_TRUE(mentions(error_of(text), names)) << text;
  }
}

TEST_F(RunConfigTest, AllWrongKeysAreReportedAtOnce) {
  const std::string text = error_of(
      "theads: 2\nlimits: {flopp: 1, memori: 2}\ntimeouts:\n  compil: 1s\nmath: {tf: true}\n");
  for (const char* location :
       {"x.yaml:1:1: unknown key 'theads'", "missing keys 'schema', 'backend'",
        "x.yaml:2:10: unknown key 'flopp' in limits", "x.yaml:2:20: unknown key 'memori' in limits",
        "x.yaml:4:3: unknown key 'compil' in timeouts", "x.yaml:5:8: unknown key 'tf' in math"}) {
    EXPECT_TRUE(contains(text, location)) << location << " is not in\n" << text;
  }
}

TEST_F(RunConfigTest, OverridesWinAndSayWhere) {
  const auto config = read(kHead, {"threads=3", "protocol=upstream", "protocol.trials=7",
                                   "threads=5", "backend.options.level=2", "timeouts.run=none"});
  ASSERT_TRUE(config.is_ok()) << config.status().to_string();
  EXPECT_EQ(config->threads, 5);
  EXPECT_EQ(config->protocol.trials, 7);
  EXPECT_EQ(config->origins.at("threads"), "--set");
  EXPECT_EQ(config->backend.options->find("level")->text, "2");
  EXPECT_EQ(config->timeouts.at("run"), TimeLimit());
}

TEST_F(RunConfigTest, BadOverridesAreExplained) {
  EXPECT_TRUE(contains(error_of(kHead, {"thread=3"}),
                       "--set: unknown key 'thread'; did you mean 'threads'?\n  thread=3\n  ^"));
  EXPECT_TRUE(mentions(error_of(kHead, {"threads=x"}), {"--set", "threads", "auto"}));
  EXPECT_TRUE(contains(error_of(kHead, {"threads.x=1", "threads=[1"}), "--set"));
  EXPECT_TRUE(contains(error_of(kHead, {"schema.x=1"}), "--set: 'x' cannot be set"));
  EXPECT_TRUE(contains(error_of(kHead, {"threads=&a 1"}), "anchors are not allowed"));
  EXPECT_TRUE(contains(error_of(kHead, {"threads=1\nfoo: 2"}), "one line"));
  for (const char* text : {"", "=", "threads", "a..b=1", ".a=1", "a.=1"}) {
    const auto config = read(kHead, {text});
    ASSERT_FALSE(config.is_ok()) << text;
    EXPECT_EQ(config.status().code(), Code::kUsage) << text;
  }
}

TEST(TimeLimits, RoundTrip) {
  for (const char* text : {"600s", "500ms", "none", "1500ms"}) {
    const auto limit = parse_time_limit(text);
    ASSERT_TRUE(limit.is_ok());
    EXPECT_EQ(format_time_limit(*limit), text);
  }
  EXPECT_EQ(*parse_time_limit("90", "s"), std::chrono::milliseconds(90000));
  for (const char* text : {"", "s", "-1s", "0s", "0", "1d", "1 s", "nan", "inf", "1e30h", "infs"}) {
    EXPECT_FALSE(parse_time_limit(text).is_ok()) << text;
  }
}

}  // namespace run_config_test
}  // namespace graphnet::config
