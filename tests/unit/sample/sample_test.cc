// SPDX-License-Identifier: MIT
#include "sample/sample.h"

#include <gtest/gtest.h>

#include "base/sha256.h"
#include "model_text.h"
#include "sample/outline.h"
#include "support/mentions.h"
#include "support/temp_dir.h"

namespace graphnet::sample {
namespace sample_test {

using tests::mentions;

namespace fs = std::filesystem;

const char* const kMeta = "class X:\n  name = \"x\"\nclass W:\n  name = \"w\"\n";

fs::path write_sample(const tests::TempDir& folder, const std::string& name,
                      const std::string& json) {
  folder.write(name + "/graph_net.json", json);
  folder.write(name + "/model.py", model_text("        return (x,)\n"));
  folder.write(name + "/weight_meta.py", kMeta);
  return folder.path() / name;
}

TEST(Sample, Load) {
  const tests::TempDir folder;
  const fs::path path = write_sample(folder, "samples/timm/net",
                                     R"({"framework": "torch", "model_name": "org/net"})");
  const auto sample = load_sample(path);
  ASSERT_TRUE(sample.is_ok()) << sample.status().to_string();
  EXPECT_EQ(sample->name, "timm/net");
  EXPECT_EQ(sample->family, "timm");
  EXPECT_EQ(sample->model_name, "org/net");
  EXPECT_EQ(sample->metas.size(), 2u);
  EXPECT_EQ(sample->program.parameters.size(), 2u);
  EXPECT_EQ(sample->program.file, (path / "model.py").string());
  const std::string model = model_text("        return (x,)\n");
  const std::string meta = kMeta;
  const std::string both =
      std::to_string(model.size()) + "\n" + model + std::to_string(meta.size()) + "\n" + meta;
  EXPECT_EQ(sample->content_sha256, base::sha256_hex(both.data(), both.size()));
}

TEST(Sample, CategoryFromTheLabels) {
  const tests::TempDir folder;
  EXPECT_EQ(category_of(write_sample(folder, "a", R"({"heuristic_tag": "nlp"})")), "nlp");
  EXPECT_EQ(category_of(write_sample(folder, "b", R"({"heuristic_tag": 3})")), "");
  EXPECT_EQ(category_of(write_sample(folder, "c", "{}")), "");
  EXPECT_EQ(category_of(write_sample(folder, "d", "[]")), "");
  EXPECT_EQ(category_of(folder.path() / "none"), "");
}

TEST(Sample, ModelNameFromThePath) {
  const tests::TempDir folder;
  EXPECT_EQ(load_sample(write_sample(folder, "a/net", "{}"))->model_name, "net");
  EXPECT_EQ(load_sample(write_sample(folder, "a/net/", "{}") / "")->model_name, "net");
  EXPECT_EQ(load_sample(write_sample(folder, "a/net/subgraph", "{}"))->model_name, "net");
  EXPECT_EQ(load_sample(write_sample(folder, "a/net/subgraph_12", "{}"))->model_name, "net");
  EXPECT_EQ(load_sample(write_sample(folder, "a/net/subgraph_", "{}"))->model_name, "subgraph_");
  EXPECT_EQ(load_sample(write_sample(folder, "a/net/subgraph_1x", "{}"))->model_name,
            "subgraph_1x");
}

TEST(Sample, MissingAndBrokenFilesAreNamed) {
  const tests::TempDir folder;
  const fs::path path = write_sample(folder, "net", "{}");
  fs::remove(path / "weight_meta.py");
  auto sample = load_sample(path);
  ASSERT_FALSE(sample.is_ok());
  EXPECT_EQ(sample.status().code(), base::Code::kInput);
  EXPECT_NE(sample.status().message().find("weight_meta.py"), std::string::npos);
  folder.write("net/weight_meta.py", "class X\n");
  sample = load_sample(path);
  EXPECT_EQ(sample.status().message().find((path / "weight_meta.py:1:8: ").string()), 0u);
  folder.write("net/graph_net.json", "[1]");
  EXPECT_NE(load_sample(path).status().message().find("not a JSON object"), std::string::npos);
  folder.write("net/graph_net.json", "{");
  EXPECT_NE(load_sample(path).status().to_string().find("graph_net.json"), std::string::npos);
}

TEST(Sample, Names) {
  EXPECT_EQ(sample_name("/data/samples/timm/resnet18"), "timm/resnet18");
  EXPECT_EQ(sample_name("/data/samples/timm/resnet18/"), "timm/resnet18");
  EXPECT_EQ(sample_name("/data/samples/auto/google/gemma"), "auto/google/gemma");
  EXPECT_EQ(sample_name("/samples/x/samples/timm/./resnet18"), "timm/resnet18");
  EXPECT_EQ(sample_name("/data/timm/resnet18"), "timm/resnet18");
  EXPECT_EQ(sample_name("/data/timm/samples"), "timm/samples");
  EXPECT_EQ(sample_name("/resnet18"), "resnet18");
  EXPECT_EQ(sample_name("samples/timm/resnet18"), "timm/resnet18");
}

TEST(Discover, SortedAndNotBelowASample) {
  const tests::TempDir folder;
  const fs::path b = write_sample(folder, "t/b", "{}");
  const fs::path a = write_sample(folder, "t/a", "{}");
  const fs::path c = write_sample(folder, "s/deep/c", "{}");
  write_sample(folder, "t/a/inner", "{}");
  folder.write("t/half/model.py", "");
  const auto found = discover(folder.path());
  ASSERT_TRUE(found.is_ok());
  EXPECT_EQ(*found, (std::vector<fs::path>{c, a, b}));
  EXPECT_EQ(*discover(a), (std::vector<fs::path>{a}));
}

TEST(Discover, LinkLoopsEnd) {
  const tests::TempDir folder;
  const fs::path a = write_sample(folder, "t/a", "{}");
  fs::create_directory_symlink(folder.path(), folder.path() / "t/loop");
  fs::create_directory_symlink(folder.path() / "gone", folder.path() / "t/dangling");
  fs::create_directory_symlink(a, folder.path() / "t/again");
  const auto found = discover(folder.path());
  ASSERT_TRUE(found.is_ok());
  EXPECT_EQ(*found, (std::vector<fs::path>{a}));
}

TEST(Discover, Errors) {
  const tests::TempDir folder;
  EXPECT_EQ(discover(folder.path() / "gone").status().code(), base::Code::kInput);
  const auto none = discover(folder.path());
  ASSERT_FALSE(none.is_ok());
  EXPECT_TRUE(mentions(none.status().message(), {"graph_net.json", "model.py"}));
  EXPECT_FALSE(discover(folder.write("file", "")).is_ok());
}

}  // namespace sample_test
}  // namespace graphnet::sample
