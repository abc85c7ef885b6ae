// SPDX-License-Identifier: MIT
#include "config/preflight.h"

#include <gtest/gtest.h>

#include <random>

#include "config/elf_image.h"
#include "config/library_search.h"
#include "support/elf_builder.h"
#include "support/mentions.h"
#include "support/temp_dir.h"

namespace graphnet::config {
namespace preflight_test {

using tests::contains;
using tests::mentions;

namespace fs = std::filesystem;
using tests::elf_bytes;
using tests::ElfRecipe;

base::Result<ElfImage> parse(const std::string& bytes) {
  return parse_elf_image(bytes, ElfSymbols::kRead);
}

ElfRecipe full_recipe() {
  ElfRecipe recipe;
  recipe.soname = "libx.so.1";
  recipe.needed = {"liba.so.1", "libb.so"};
  recipe.run_path = "$ORIGIN/deps";
  recipe.version_needs = {{"liba.so.1", "A_1.2"}, {"libb.so", "B_9"}};
  recipe.versions = {"X_1", "X_2"};
  return recipe;
}

TEST(ElfImage, ReadsWhatTheLoaderReads) {
  const auto image = parse(elf_bytes(full_recipe()));
  ASSERT_TRUE(image.is_ok()) << image.status().to_string();
  EXPECT_EQ(image->soname, "libx.so.1");
  EXPECT_EQ(image->needed, (std::vector<std::string>{"liba.so.1", "libb.so"}));
  EXPECT_EQ(image->run_path, "$ORIGIN/deps");
  EXPECT_EQ(image->exports.size(), 3U);
  EXPECT_EQ(image->versions, (std::vector<std::string>{"X_1", "X_2"}));
  ASSERT_EQ(image->version_needs.size(), 2U);
  EXPECT_EQ(image->version_needs[1].library, "libb.so");
  EXPECT_EQ(image->version_needs[1].version, "B_9");
}

TEST(ElfImage, ReadsRealFilesWithGnuHashTables) {
  const auto image = read_elf_image("/proc/self/exe", ElfSymbols::kRead);
  ASSERT_TRUE(image.is_ok()) << image.status().to_string();
  EXPECT_FALSE(image->needed.empty());
  EXPECT_FALSE(image->version_needs.empty());
}

TEST(ElfImage, SurvivesHostileBytes) {
  const std::string good = elf_bytes(full_recipe());
  for (std::size_t length = 0; length < good.size(); ++length) {
    EXPECT_FALSE(parse(good.substr(0, length)).is_ok()) << length;
  }
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i) {
    std::string bytes = good;
    const auto num_changes = 1 + random() % 4;
    for (std::size_t k = 0; k < num_changes; ++k) {
      const std::size_t at = random() % bytes.size();
      bytes[at] = random() % 2 == 0 ? static_cast<char>(0xFF) : static_cast<char>(random());
    }
    const auto image = parse(bytes);  // an error or harmless text
    EXPECT_EQ(image.is_ok(), image.status().message().empty());
  }
}

TEST(LoaderCache, IsReadAndSurvivesDamage) {
  const auto cache = LoaderPaths::of_this_machine().cache;
  for (const auto& [name, files] : cache) {
    EXPECT_FALSE(name.empty());
    EXPECT_FALSE(files.empty());
  }
  EXPECT_TRUE(parse_loader_cache("").empty());
  EXPECT_TRUE(parse_loader_cache("glibc-ld.so.cache1.1").empty());
  EXPECT_TRUE(parse_loader_cache("glibc-ld.so.cache1.1" + std::string(100, '\xFF')).empty());
}

class PreflightTest : public ::testing::Test {
 protected:
  Manifest manifest_of(const ElfRecipe& recipe) {
    Manifest manifest;
    manifest.name = "acme";
    manifest.file = temp_.path() / "p/plugin.yaml";
    manifest.library = temp_.write("p/libgn_acme.so", elf_bytes(recipe));
    manifest.abi_minor = 3;
    return manifest;
  }
  std::string message_of(const ElfRecipe& recipe) {
    return preflight(manifest_of(recipe), "").to_string();
  }
  void library(const std::string& file, const ElfRecipe& recipe) {
    temp_.write("p/deps/" + file, elf_bytes(recipe));
  }
  tests::TempDir temp_;
};

TEST_F(PreflightTest, AWholeClosureIsFine) {
  ElfRecipe second;
  second.versions = {"B_9"};
  library("libb.so", second);
  ElfRecipe first;
  first.needed = {"libb.so"};
  first.run_path = "$ORIGIN";
  library("liba.so.1", first);
  ElfRecipe plugin;
  plugin.needed = {"liba.so.1"};
  plugin.run_path = "${ORIGIN}/deps";
  EXPECT_EQ(message_of(plugin), "ok");
}

TEST_F(PreflightTest, ListsEveryMissingLibraryWithHintsAndNearMisses) {
  library("libfoo.so.8", {});
  ElfRecipe first;
  first.needed = {"libgone.so.2"};
  library("liba.so.1", first);
  ElfRecipe plugin;
  plugin.needed = {"liba.so.1", "libfoo.so.10"};
  plugin.run_path = "$ORIGIN/deps";
  Manifest manifest = manifest_of(plugin);
  manifest.needs = {{"libfoo.so.10", "install foo 10", {}}};
  const base::Status status = preflight(manifest, "");
  EXPECT_EQ(status.code(), base::Code::kPlugin);
  EXPECT_TRUE(mentions(status.message(),
                       {"'acme'", "libfoo.so.10", "libgn_acme.so", "libgone.so.2", "liba.so.1"}));
  EXPECT_TRUE(contains(status.to_string(), "try: libfoo.so.10: install foo 10"));
  EXPECT_TRUE(contains(status.to_string(), "near miss " + (temp_.path() / "p").string()));
  EXPECT_TRUE(contains(status.to_string(), "/p/deps/libfoo.so.8"));
  EXPECT_TRUE(contains(status.to_string(), "/etc/ld.so.cache"));
}

TEST_F(PreflightTest, WhatTheManifestHasOpenedBeforeIsThere) {
  ElfRecipe wheel;
  wheel.soname = "libfoo.so.10";
  wheel.needed = {"libbar.so.1"};
  wheel.run_path = "$ORIGIN";
  const fs::path file = temp_.write("wheel/libfoo.so.10", elf_bytes(wheel));
  ElfRecipe plugin;
  plugin.needed = {"libfoo.so.10"};
  Manifest manifest = manifest_of(plugin);
  manifest.needs = {{"libfoo.so.10", "graphnet setup acme", file}};
  EXPECT_TRUE(
      contains(preflight(manifest, "").to_string(), "libbar.so.1 (needed by libfoo.so.10)"));
  temp_.write("wheel/libbar.so.1", elf_bytes({}));
  EXPECT_TRUE(preflight(manifest, "").is_ok());
}

TEST_F(PreflightTest, NamesVersionsThatAreTooNew) {
  ElfRecipe first;
  first.versions = {"libfoo", "FOO_3.4.9", "FOO_3.4.30", "BAR_7"};
  library("libfoo.so.6", first);
  ElfRecipe plugin;
  plugin.needed = {"libfoo.so.6"};
  plugin.run_path = "$ORIGIN/deps";
  plugin.version_needs = {{"libfoo.so.6", "FOO_3.4.9"}, {"libfoo.so.6", "FOO_3.4.32"}};
  EXPECT_TRUE(contains(message_of(plugin),
                       "plugin 'acme' needs FOO_3.4.32 (needed by libgn_acme.so), libfoo.so.6 here "
                       "has up to FOO_3.4.30"));
}

TEST_F(PreflightTest, NamesMissingSymbolsAndCxxNames) {
  ElfRecipe plugin;
  plugin.exports = {"gn_plugin_query", "gn_backend_compile", "_Z14gn_backend_runv"};
  const std::string message = message_of(plugin);
  EXPECT_TRUE(contains(message,
                       "does not export gn_backend_run; exports found: gn_backend_compile, "
                       "gn_plugin_query"));
  EXPECT_TRUE(contains(message, "C++ name found: _Z14gn_backend_runv; add extern \"C\""));
}

TEST_F(PreflightTest, RefusesOtherAbiVersions) {
  for (const auto& [major, minor, hint] :
       {std::tuple(9, 1, "update graphnet"), std::tuple(0, 4, "update graphnet"),
        std::tuple(0, 2, "install a version of the plugin")}) {
    Manifest manifest = manifest_of({});
    manifest.abi_major = major;
    manifest.abi_minor = minor;
    const std::string text = preflight(manifest, "").to_string();
    EXPECT_TRUE(
        mentions(text, {"'acme'", std::to_string(major) + "." + std::to_string(minor), "0.3"}));
    EXPECT_TRUE(contains(text, hint)) << text;
  }
}

TEST_F(PreflightTest, WhatTheHostHasLoadedIsThere) {
  ElfRecipe host_library;
  host_library.soname = "libhost.so.3";
  temp_.write("host/libhost.so.3", elf_bytes(host_library));
  ElfRecipe program;
  program.needed = {"libhost.so.3"};
  program.run_path = "$ORIGIN";
  const fs::path host = temp_.write("host/program", elf_bytes(program));
  ElfRecipe plugin;
  plugin.needed = {"libhost.so.3"};
  EXPECT_TRUE(preflight(manifest_of(plugin), host).is_ok());
  EXPECT_FALSE(preflight(manifest_of(plugin), "").is_ok());
}

}  // namespace preflight_test
}  // namespace graphnet::config
