// SPDX-License-Identifier: MIT
#include "config/resolve_backend.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "config/plugin_registry.h"
#include "support/elf_builder.h"
#include "support/mentions.h"
#include "support/temp_dir.h"

namespace graphnet::config {
namespace resolve_backend_test {

using tests::contains;
using tests::mentions;

namespace fs = std::filesystem;
using base::Code;

class ResolveBackendTest : public ::testing::Test {
 protected:
  ResolveBackendTest() {
    install("plugins/acme", "acme");
    installation_.executable_folder = temp_.path() / "bin";
  }

  void install(const std::string& folder, const std::string& name,
               const std::string& version = "0.3.1", const std::string& more = "") {
    temp_.write(folder + "/libgn_x.so", tests::elf_bytes({}));
    temp_.write(folder + "/plugin.yaml", "schema: graphnet/plugin/v1\nname: " + name +
                                             "\nversion: " + version +
                                             "\nlibrary: libgn_x.so\nabi: {major: 0, minor: 3}\n"
                                             "devices: [cpu, cuda]\nweights: [bound]\n" +
                                             more);
  }

  base::Result<RunConfig> read(const std::string& backend) {
    return read_run_config(temp_.write("run.yaml", "schema: graphnet/run/v1\nbackend:\n" + backend),
                           {}, {});
  }

  base::Result<Backend> examine(const std::string& backend) {
    GN_ASSIGN_OR_RETURN(RunConfig config, read(backend));
    return examine_backend(installation_, {temp_.path() / "plugins"}, std::move(config));
  }

  tests::TempDir temp_;
  Installation installation_;
};

TEST_F(ResolveBackendTest, TheVersionWantedIsCheckedAgainstTheManifest) {
  EXPECT_TRUE(examine("  name: acme\n  version: any\n").is_ok());
  EXPECT_TRUE(examine("  name: acme\n  version: '>=0.2, <0.4'\n").is_ok());
  EXPECT_TRUE(examine("  name: acme\n  version: 0.3.1\n").is_ok());
  const auto status = examine("  name: acme\n  version: '>=0.4'\n").status();
  EXPECT_EQ(status.code(), Code::kPlugin);
  EXPECT_EQ(status.message(), "found plugin 'acme' 0.3.1, the config wants >=0.4 (" +
                                  (temp_.path() / "run.yaml").string() + ":4:12)");
  const auto malformed = examine("  name: acme\n  version: '^0.3'\n").status();
  EXPECT_EQ(malformed.code(), Code::kInput);
  EXPECT_TRUE(mentions(malformed.message(), {"run.yaml:4:12:", "backend.version", "any",
                                             "'>=0.2, <0.4'", "'^'", "= < <= > >="}))
      << malformed.message();
  install("plugins/odd", "odd", "0.27.0.post1");
  EXPECT_TRUE(examine("  name: odd\n").is_ok());
  EXPECT_TRUE(mentions(examine("  name: odd\n  version: '>=0.4'\n").status().message(),
                       {"'odd'", "'>=0.4'"}));
}

TEST_F(ResolveBackendTest, AnUnquotedRequirementIsExplained) {
  // '>' begins a block of text in YAML.
  const auto status = read("  name: acme\n  version: >=0.2\n").status();
  EXPECT_EQ(status.code(), Code::kInput);
  EXPECT_TRUE(contains(status.message(), "run.yaml:4:")) << status.message();
  EXPECT_TRUE(mentions(status.to_string(), {">", "|", "quotes"}));
}

TEST_F(ResolveBackendTest, ThePinnedLibraryIsTheOnlyOneAccepted) {
  const auto backend = examine("  name: acme\n");
  ASSERT_TRUE(backend.is_ok()) << backend.status().to_string();
  const std::string actual = backend->library.sha256;
  EXPECT_TRUE(is_sha256(actual));
  EXPECT_EQ(backend->library.stamp, file_stamp(backend->manifest.library));
  const auto pinned = examine("  name: acme\n  sha256: " + actual + "\n");
  EXPECT_TRUE(pinned->problem.is_ok()) << pinned->problem.to_string();
  EXPECT_TRUE(examine("  name: acme\n  sha256: none\n")->problem.is_ok());
  std::string upper = actual;
  for (char& digit : upper) digit = static_cast<char>(std::toupper(digit));
  EXPECT_TRUE(examine("  name: acme\n  sha256: '" + upper + "'\n")->problem.is_ok());

  const std::string other(64, 'a');
  const auto refused = examine("  name: acme\n  sha256: " + other + "\n");
  ASSERT_TRUE(refused.is_ok());
  EXPECT_EQ(refused->problem.code(), Code::kPlugin);
  EXPECT_EQ(refused->problem.message(), "the library of plugin 'acme' has SHA-256 " + actual +
                                            ", the config pins " + other + " (" +
                                            (temp_.path() / "run.yaml").string() + ":4:11)");
  EXPECT_TRUE(contains(examine("  name: acme\n  sha256: abc\n").status().message(),
                       "backend.sha256 must be none or 64 hexadecimal digits, got 'abc'"));
}

TEST_F(ResolveBackendTest, ABrokenFileIsAProblemAndNoFailure) {
  temp_.write("plugins/acme/libgn_x.so", "text");
  const auto broken = examine("  name: acme\n");
  ASSERT_TRUE(broken.is_ok()) << broken.status().to_string();
  EXPECT_TRUE(contains(broken->problem.message(), "is not an ELF shared library"));
  EXPECT_EQ(broken->manifest.version, "0.3.1");
  EXPECT_TRUE(is_sha256(broken->library.sha256));
  auto config = read("  name: acme\n");
  EXPECT_EQ(resolve_backend(installation_, {temp_.path() / "plugins"}, std::move(config).value())
                .status()
                .message(),
            broken->problem.message());

  temp_.write("plugins/acme/plugin.yaml", "schema: [");
  const auto unreadable = examine("  name: acme\n");
  ASSERT_TRUE(unreadable.is_ok()) << unreadable.status().to_string();
  EXPECT_EQ(unreadable->problem.code(), Code::kInput);
  EXPECT_EQ(unreadable->manifest.name, "acme");
  const auto missing = examine("  library: plugins/acme/nothing.so\n");
  ASSERT_TRUE(missing.is_ok()) << missing.status().to_string();
  EXPECT_TRUE(contains(missing->problem.message(), "library file not found: "));
  EXPECT_EQ(missing->manifest.name, "acme");
  EXPECT_FALSE(examine("  name: nothing\n").is_ok());
}

TEST_F(ResolveBackendTest, AFileThatOthersCanWriteIsAProblem) {
  const fs::path library = temp_.path() / "plugins/acme/libgn_x.so";
  ::chmod(library.c_str(), 0666);
  EXPECT_TRUE(contains(examine("  name: acme\n")->problem.message(), "is writable by others"));
  auto registry = PluginRegistry::scan({{"first", temp_.path() / "plugins"}});
  registry.check_libraries(installation_);
  EXPECT_TRUE(contains(registry.entries()[0].problem.message(), "is writable by others"));
  installation_.trust.exempt = {library};
  EXPECT_TRUE(examine("  name: acme\n")->problem.is_ok());
}

TEST_F(ResolveBackendTest, DisabledPluginsAreNotUsed) {
  install("plugins/other", "other");
  installation_.plugins_disable = {"zzz", "ac*"};
  const auto status = examine("  name: acme\n").status();
  EXPECT_EQ(status.code(), Code::kPlugin);
  EXPECT_TRUE(mentions(status.message(), {"'acme'", "GRAPHNET_PLUGINS_DISABLE=zzz,ac*"}));
  EXPECT_TRUE(contains(status.to_string(), "leave 'ac*' out of it"));
  EXPECT_TRUE(
      mentions(examine("  library: plugins/acme/libgn_x.so\n").status().message(), {"disabled"}));
  EXPECT_TRUE(examine("  name: other\n").is_ok());
  const auto registry =
      PluginRegistry::scan({{"first", temp_.path() / "plugins"}}, installation_.plugins_disable);
  EXPECT_EQ(registry.entries()[0].state, PluginEntry::State::kDisabled);
  EXPECT_EQ(registry.entries()[1].state, PluginEntry::State::kOk);
}

TEST_F(ResolveBackendTest, OnlyTheNamedPluginsAreSearched) {
  install("apart/one", "one");
  install("apart/two", "two");
  install("found/three", "three");
  const fs::path apart = temp_.path() / "apart";
  installation_.plugin_path = {temp_.path() / "found"};
  installation_.plugins_only = {{apart / "one/libgn_x.so", apart / "two", apart / "nothing"}};
  const auto names = [&](const std::vector<fs::path>& extra) {
    std::vector<std::string> found;
    const auto registry = PluginRegistry::scan(plugin_tiers(installation_, extra, {"found"}));
    for (const auto& entry : registry.entries()) found.push_back(entry.name);
    return found;
  };
  EXPECT_EQ(names({}), (std::vector<std::string>{"one", "two"}));
  // A flag of this very command line still counts.
  EXPECT_EQ(names({temp_.path() / "plugins"}), (std::vector<std::string>{"acme", "one", "two"}));
  installation_.plugins_only = {{apart}};
  EXPECT_EQ(names({}), (std::vector<std::string>{"one", "two"}));
  installation_.plugins_only = {{apart / "two/plugin.yaml"}};
  EXPECT_EQ(names({}), (std::vector<std::string>{"two"}));
  installation_.plugins_only.emplace();
  EXPECT_TRUE(names({}).empty());
}

TEST_F(ResolveBackendTest, TheEnvironmentIsReadAndShown) {
  ::setenv("GRAPHNET_PLUGIN_PATH", "/a::/b", 1);
  ::setenv("GRAPHNET_PLUGINS_ONLY", "", 1);
  ::setenv("GRAPHNET_PLUGINS_DISABLE", "x*,,y", 1);
  const Installation set = Installation::of_this_process();
  for (const char* name :
       {"GRAPHNET_PLUGIN_PATH", "GRAPHNET_PLUGINS_ONLY", "GRAPHNET_PLUGINS_DISABLE"}) {
    ::unsetenv(name);
  }
  EXPECT_EQ(set.plugin_path, (std::vector<fs::path>{"/a", "/b"}));
  ASSERT_TRUE(set.plugins_only);
  EXPECT_TRUE(set.plugins_only->empty());
  EXPECT_EQ(set.plugins_disable, (std::vector<std::string>{"x*", "y"}));
  EXPECT_EQ(set.overrides(),
            (std::vector<std::string>{"GRAPHNET_PLUGIN_PATH=/a:/b",
                                      "GRAPHNET_PLUGINS_ONLY=", "GRAPHNET_PLUGINS_DISABLE=x*,y"}));
  const Installation unset = Installation::of_this_process();
  EXPECT_FALSE(unset.plugins_only);
  EXPECT_TRUE(unset.overrides().empty());
}

TEST_F(ResolveBackendTest, ReplayedCallsNeedADeviceThatHasGraphs) {
  const auto status = examine("  name: acme\nprotocol: {replay: true}\n").status();
  EXPECT_EQ(status.code(), Code::kInput);
  EXPECT_EQ(status.message(),
            "protocol 'standard' replays captured CUDA graphs, which device 'cpu' does not have");
}

TEST_F(ResolveBackendTest, ReplayedCallsNeedAPluginThatSaysSo) {
  const std::string config = "device: cuda:0\nprotocol: {replay: true}\n";
  const auto silent = examine("  name: acme\n" + config);
  ASSERT_TRUE(silent.is_ok()) << "others can go on: " << silent.status().to_string();
  EXPECT_EQ(silent->problem.code(), Code::kUnsupported);
  EXPECT_TRUE(mentions(silent->problem.message(), {"'standard'", "'acme'"}));
  EXPECT_TRUE(contains(silent->problem.to_string(), "capabilities has no graph_capturable"));
  EXPECT_TRUE(examine("  name: acme\ndevice: cuda:0\n")->problem.is_ok());
  install("plugins/able", "able", "0.3.1", "capabilities: [graph_capturable]\n");
  const auto able = examine("  name: able\n" + config);
  ASSERT_TRUE(able.is_ok()) << able.status().to_string();
  EXPECT_TRUE(able->problem.is_ok()) << able->problem.to_string();
}

}  // namespace resolve_backend_test
}  // namespace graphnet::config
