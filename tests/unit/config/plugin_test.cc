// SPDX-License-Identifier: MIT
#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>

#include "config/elf_header.h"
#include "config/plugin_registry.h"
#include "config/resolve_backend.h"
#include "support/elf_builder.h"
#include "support/mentions.h"
#include "support/temp_dir.h"

namespace graphnet::config {
namespace plugin_test {

using tests::contains;
using tests::mentions;

namespace fs = std::filesystem;
using base::Code;

/// The first bytes of a shared library for this machine; enough for every check made here.
std::string library_bytes(Elf64_Half machine, Elf64_Half type = ET_DYN) {
  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_machine = machine;
  header.e_type = type;
  return std::string(reinterpret_cast<const char*>(&header), sizeof(header));
}

#if defined(__x86_64__)
constexpr Elf64_Half kThisMachine = EM_X86_64;
constexpr Elf64_Half kOtherMachine = EM_AARCH64;
#else
constexpr Elf64_Half kThisMachine = EM_AARCH64;
constexpr Elf64_Half kOtherMachine = EM_X86_64;
#endif

std::string manifest_text(const std::string& name, const std::string& more = "") {
  return "schema: graphnet/plugin/v1\nname: " + name +
         "\nversion: 0.1.0\nlibrary: libgn_x.so\nabi: {major: 0, minor: 3}\n"
         "devices: [cpu]\nweights: [bound, per_call]\n" +
         more;
}

class PluginTest : public ::testing::Test {
 protected:
  fs::path install(const std::string& folder, const std::string& manifest) {
    temp_.write(folder + "/libgn_x.so", tests::elf_bytes({}));
    return temp_.write(folder + "/plugin.yaml", manifest);
  }
  std::string manifest_error(const std::string& manifest) {
    const auto read = read_manifest(install("p/x", manifest));
    return read.is_ok() ? "" : read.status().message();
  }
  RunConfig run_config(const std::string& text) {
    auto config =
        read_run_config(temp_.write("run.yaml", "schema: graphnet/run/v1\n" + text), {}, {});
    EXPECT_TRUE(config.is_ok()) << config.status().to_string();
    return config.is_ok() ? std::move(config).value() : RunConfig();
  }
  Installation installation() const {
    Installation result;
    result.executable_folder = temp_.path() / "bin";
    return result;
  }
  tests::TempDir temp_;
};

TEST_F(PluginTest, ReadsAManifest) {
  const auto manifest = read_manifest(install(
      "p/x", manifest_text("acme",
                           "vendor: Acme\nlicense: MIT\ncapabilities: [sync_run]\n"
                           "needs: [{soname: libfoo.so.1, hint: install foo}]\n"
                           "options:\n"
                           "  precision: {enum: [fp32, fp16], default: fp32, help: math mode}\n"
                           "  workspace_mib: {type: integer, min: 64, default: 1024, help: room}\n"
                           "  ratio: {type: number, min: 0, max: 1, default: 0.5, help: r}\n"
                           "  trace: {type: boolean, default: false, help: t}\n"
                           "  extra: {type: text, default: '', help: e}\n")));
  ASSERT_TRUE(manifest.is_ok()) << manifest.status().to_string();
  EXPECT_EQ(manifest->name, "acme");
  EXPECT_EQ(manifest->library, fs::canonical(temp_.path() / "p/x/libgn_x.so"));
  EXPECT_EQ(manifest->needs.at(0).soname, "libfoo.so.1");
  ASSERT_EQ(manifest->options.size(), 5U);
  EXPECT_EQ(base::dump_json(*resolve_options(manifest->options, nullptr)),
            R"({"precision":"fp32","workspace_mib":1024,"ratio":0.5,"trace":false,"extra":""})");
}

TEST_F(PluginTest, PlacesManifestErrors) {
  const std::string options = "options:\n  a: ";
  const struct {
    std::string text;
    std::vector<std::string_view> names;
  } cases[] = {
      {"schema: graphnet/plugin/v2\n", {"schema 'graphnet/plugin/v2' is not known"}},
      {manifest_text("Acme"), {"plugin.yaml:2:7: name must be"}},
      {manifest_text("a", "colour: red\n"), {"plugin.yaml:8:1: unknown key 'colour'"}},
      {manifest_text("a", options + "{type: integer, default: x, help: h}\n"),
       {"plugin.yaml:9:31:", "options.a.default", "integer", "'x'"}},
      {manifest_text("a", options + "{type: integer, default: 1, min: 2, help: h}\n"),
       {"options.a.default", "integer >= 2"}},
      {manifest_text("a", options + "{type: integer, default: 1, min: 3, max: 2, help: h}\n"),
       {"options.a.max", "less", "min"}},
      {manifest_text("a", options + "{type: text, default: x, min: 2, help: h}\n"),
       {"options.a.min applies only to"}},
      {manifest_text("a", options + "{default: x, help: h}\n"),
       {"options.a needs either 'type' or 'enum'"}},
      {manifest_text("a", options + "{type: list, default: x, help: h}\n"),
       {"options.a.type must be"}},
      {manifest_text("a", options + "{type: text, default: x}\n"),
       {"missing key 'options.a.help'"}},
      {manifest_text("a", options + "{enum: [], default: x, help: h}\n"), {"has no choice"}},
      {manifest_text("a", options + "{enum: [y], default: x, help: h}\n"), {"one of y"}},
      {manifest_text("a", "options: []\n"), {"options", "map"}},
      {manifest_text("a", "needs: [{soname: x}]\n"), {"missing key 'needs.hint'"}},
  };
  for (const auto& [text, names] : cases) {
    EXPECT_TRUE(mentions(manifest_error(text), names));
  }
}

TEST_F(PluginTest, TheLibraryMustExistAndStayInItsFolder) {
  const auto with_library = [](const std::string& library) {
    std::string text = manifest_text("a");
    return text.replace(text.find("libgn_x.so"), 10, library);
  };
  EXPECT_TRUE(mentions(manifest_error(with_library("other.so")),
                       {"plugin.yaml:4:10:", "'other.so'", "not exist"}));
  EXPECT_TRUE(contains(manifest_error(with_library("/bin/sh")), "relative to this file"));
  temp_.write("outside.so", library_bytes(kThisMachine));
  EXPECT_TRUE(contains(manifest_error(with_library("../../outside.so")), "leads out of"));
  fs::create_symlink(temp_.path() / "outside.so", temp_.path() / "p/x/link.so");
  EXPECT_TRUE(contains(manifest_error(with_library("link.so")), "leads out of"));
}

TEST_F(PluginTest, ChecksOptionsOfARunConfigAtTheirLocation) {
  install("plugins/acme",
          manifest_text("acme",
                        "options:\n"
                        "  workspace_mib: {type: integer, min: 64, default: 1024, help: room}\n"));
  const std::string head = "plugins: {search_paths: [plugins]}\nbackend:\n  name: acme\n";
  const auto resolve = [&](const std::string& options) {
    return resolve_backend(installation(), {}, run_config(head + options));
  };
  const auto good = resolve("  options: {workspace_mib: 64}\n");
  ASSERT_TRUE(good.is_ok()) << good.status().to_string();
  EXPECT_EQ(good->options["workspace_mib"], 64);
  EXPECT_EQ(resolve("")->options["workspace_mib"], 1024);
  const auto unknown = resolve("  options:\n    worksapce_mib: 64\n").status();
  EXPECT_TRUE(contains(unknown.message(),
                       "run.yaml:6:5: unknown key 'worksapce_mib' in "
                       "backend.options; did you mean 'workspace_mib'?"));
  EXPECT_EQ(unknown.code(), Code::kInput);
  EXPECT_TRUE(contains(resolve("  options: {workspace_mib: 4GB}\n").status().message(),
                       "run.yaml:5:28: backend.options.workspace_mib must be an integer >= 64, got "
                       "'4GB'"));
}

TEST_F(PluginTest, ChoicesNameTheVariant) {
  const std::string options =
      "options:\n"
      "  a: { enum: [on, off], default: on, help: x, variant: { on: fast } }\n"
      "  b: { enum: [r2, r3], default: r2, help: x, variant: { r2: rules-r2, r3: rules-r3 } }\n"
      "  c: { type: text, default: q, help: x }\n";
  const auto manifest = read_manifest(install("p/x", manifest_text("acme", options)));
  ASSERT_TRUE(manifest.is_ok()) << manifest.status().to_string();
  const auto variant = [&](const char* a, const char* b) {
    return variant_name("acme", manifest->options, {{"a", a}, {"b", b}, {"c", "q"}});
  };
  EXPECT_EQ(variant("on", "r3"), "acme+fast+rules-r3");
  EXPECT_EQ(variant("off", "r2"), "acme+rules-r2");
  const auto error = [&](const std::string& option) {
    return manifest_error(manifest_text("acme", "options:\n  a: " + option + "\n"));
  };
  EXPECT_TRUE(mentions(error("{ type: text, default: q, help: x, variant: { q: w } }"),
                       {"options.a.variant", "enum"}));
  EXPECT_TRUE(mentions(error("{ enum: [on], default: on, help: x, variant: { off: w } }"),
                       {"unknown key 'off'"}));
  EXPECT_TRUE(mentions(error("{ enum: [on], default: on, help: x, variant: { on: 'A B' } }"),
                       {"32 of a-z"}));
}

TEST_F(PluginTest, RefusesWeightsModesThatThePluginDoesNotOffer) {
  install("plugins/acme", manifest_text("acme"));
  const auto backend = resolve_backend(installation(), {temp_.path() / "plugins"},
                                       run_config("backend: {name: acme}\nweights: frozen\n"));
  ASSERT_FALSE(backend.is_ok());
  EXPECT_EQ(backend.status().code(), Code::kPlugin);
  EXPECT_TRUE(mentions(backend.status().message(), {"'frozen'", "bound, per_call"}));
}

TEST_F(PluginTest, AllWrongKeysOfAManifestAreReportedAtOnce) {
  const auto file = temp_.write("plugins/acme/plugin.yaml",
                                "name: acme\nverion: 3\nabi: {major: 0}\n"
                                "needs:\n  - {soname: x}\noptions:\n  level: {type: integer}\n");
  const std::string text = read_manifest(file).status().to_string();
  for (const char* part :
       {":2:1: unknown key 'verion'; did you mean 'version'?",
        ":1:1: missing keys 'schema', 'version', 'library', 'devices', 'weights'",
        ":3:6: missing key 'abi.minor'", ":5:5: missing key 'needs.hint'",
        ":7:10: missing keys 'options.level.default', 'options.level.help'"}) {
    EXPECT_TRUE(contains(text, part)) << part << " is not in\n" << text;
  }
}

TEST_F(PluginTest, OptionsOfAPluginThatHasNone) {
  install("plugins/acme", manifest_text("acme"));
  const auto status = resolve_backend(installation(), {temp_.path() / "plugins"},
                                      run_config("backend: {name: acme, options: {level: 3}}\n"))
                          .status();
  EXPECT_EQ(status.code(), Code::kInput);
  EXPECT_TRUE(contains(status.message(), "plugin 'acme' has no options")) << status.to_string();
}

TEST_F(PluginTest, OneClearErrorForAMissingPlugin) {
  install("plugins/tvm", manifest_text("tvm"));
  const auto missing = [&](const std::string& name, const Installation& where) {
    return resolve_backend(where, {temp_.path() / "plugins"},
                           run_config("backend: {name: " + name + "}\n"))
        .status();
  };
  const auto status = missing("tvn", installation());
  EXPECT_EQ(status.code(), Code::kPlugin);
  EXPECT_TRUE(mentions(status.message(), {"'tvn'", "'tvm'"}));
  EXPECT_TRUE(contains(status.to_string(), "installed: tvm"));
  EXPECT_TRUE(contains(status.to_string(), "searched " + (temp_.path() / "plugins").string()));
  EXPECT_TRUE(contains(status.to_string(), "run.yaml:2:17"));
  EXPECT_TRUE(contains(status.to_string(), "try: graphnet plugin list"));

  Installation in_tree = installation();
  in_tree.source_tree = temp_.path() / "tree";
  temp_.write("tree/plugins/acme/plugin.yaml", "");
  EXPECT_TRUE(contains(missing("acme", in_tree).to_string(), "./graphnet run --config acme.yaml"));
}

TEST_F(PluginTest, EarlierTiersWin) {
  install("one/acme", manifest_text("acme"));
  install("two/acme", manifest_text("acme"));
  install("two/broken", "schema: [");
  temp_.write("two/readme.txt", "no plugin");
  const auto registry = PluginRegistry::scan({{"first", temp_.path() / "one"},
                                              {"second", temp_.path() / "two"},
                                              {"third", "/nonexistent"}});
  ASSERT_EQ(registry.entries().size(), 3U);
  EXPECT_EQ(registry.entries()[1].state, PluginEntry::State::kShadowed);
  EXPECT_EQ(registry.entries()[2].state, PluginEntry::State::kBroken);
  EXPECT_EQ(registry.find("acme")->file, temp_.path() / "one/acme/plugin.yaml");
  EXPECT_TRUE(contains(registry.find("broken")->problem.message(), "broken/plugin.yaml:1:"));
}

TEST_F(PluginTest, TwoOfANameInOneTierAreRefused) {
  install("one/a", manifest_text("acme"));
  install("one/b", manifest_text("acme"));
  const auto status = PluginRegistry::scan({{"first", temp_.path() / "one"}}).find("acme").status();
  EXPECT_TRUE(contains(status.message(), "two plugins named 'acme'"));
  EXPECT_TRUE(contains(status.to_string(), "one/a/plugin.yaml"));
  EXPECT_TRUE(contains(status.to_string(), "one/b/plugin.yaml"));
}

TEST_F(PluginTest, ALibraryCanBeNamedDirectly) {
  install("build", manifest_text("acme"));
  const auto resolve = [&](const std::string& library) {
    return resolve_backend(installation(), {}, run_config("backend: {library: " + library + "}\n"));
  };
  const auto backend = resolve("build/libgn_x.so");
  ASSERT_TRUE(backend.is_ok()) << backend.status().to_string();
  EXPECT_EQ(backend->manifest.name, "acme");
  EXPECT_TRUE(contains(resolve("build/nothing.so").status().message(), "library file not found: "));
  EXPECT_TRUE(contains(resolve("build/nothing.so").status().to_string(), "run.yaml:2:20"));
  temp_.write("bare/libgn_x.so", library_bytes(kThisMachine));
  EXPECT_TRUE(contains(resolve("bare/libgn_x.so").status().message(), "no plugin.yaml beside it"));
  temp_.write("build/other.so", library_bytes(kThisMachine));
  EXPECT_TRUE(contains(resolve("build/other.so").status().message(), "describes another library"));
}

TEST_F(PluginTest, ElfHeaderChecks) {
  const auto check = [&](const std::string& bytes) {
    return check_shared_library(temp_.write("x.so", bytes)).message();
  };
  EXPECT_EQ(check(library_bytes(kThisMachine)), "");
  EXPECT_TRUE(contains(check("<!DOCTYPE html>"),
                       "is not an ELF shared library (starts with "
                       "'<!DOCTYPE ht')"));
  EXPECT_TRUE(contains(check(""), "is not an ELF shared library"));
  EXPECT_TRUE(contains(check("\x7F"
                             "ELF"),
                       "is cut off after 4 bytes"));
  EXPECT_TRUE(contains(check(library_bytes(kOtherMachine)), "this host is"));
  EXPECT_TRUE(contains(check(library_bytes(kThisMachine, ET_REL)), "not a shared library"));
  std::string narrow = library_bytes(kThisMachine);
  narrow[EI_CLASS] = ELFCLASS32;
  EXPECT_TRUE(contains(check(narrow), "32-bit"));
  EXPECT_TRUE(
      contains(check_shared_library("/nonexistent.so").message(), "not found: /nonexistent"));
  EXPECT_TRUE(contains(check_shared_library(temp_.path()).message(), "it is a folder"));
  EXPECT_EQ(check_shared_library("/proc/self/exe").is_ok(), true);
}

TEST_F(PluginTest, ConfigsAreFoundByName) {
  Installation where = installation();
  where.config_home = temp_.path() / "home";
  where.source_tree = temp_.path() / "tree";
  temp_.write("home/graphnet/configs/mine.yaml", "");
  temp_.write("tree/configs/mine.yaml", "");
  temp_.write("tree/configs/nope.yaml", "");
  temp_.write("tree/configs/default.yaml", "");
  EXPECT_EQ(*find_config(where, "mine.yaml"), temp_.path() / "home/graphnet/configs/mine.yaml");
  EXPECT_EQ(*find_config(where, "nope.yaml"), temp_.path() / "tree/configs/nope.yaml");
  EXPECT_EQ(list_configs(where), (std::vector<std::string>{"mine.yaml", "nope.yaml"}));
  EXPECT_EQ(*find_config(where, "nope"), temp_.path() / "tree/configs/nope.yaml");
  EXPECT_EQ(*find_config(where, (temp_.path() / "tree/configs/nope").string()),
            temp_.path() / "tree/configs/nope.yaml");
  EXPECT_TRUE(
      contains(find_config(where, "nop+fast").status().to_string(), "did you mean 'nope.yaml'?"));
  const std::string near = (temp_.path() / "tree/configs/nopr.yaml").string();
  EXPECT_TRUE(contains(find_config(where, near).status().to_string(), "configs/nope.yaml'?"));
  EXPECT_TRUE(contains(find_config(where, "nop.yaml").status().to_string(), "'nope.yaml'"));
  EXPECT_FALSE(find_config(where, "").is_ok());
  const std::string missing = (temp_.path() / "x/y.yaml").string();
  EXPECT_TRUE(contains(find_config(where, missing).status().message(), "no config file"));
}

}  // namespace plugin_test
}  // namespace graphnet::config
