// SPDX-License-Identifier: MIT
#include "worker/artifact_cache.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "support/temp_dir.h"

namespace graphnet::worker {
namespace artifact_cache_test {

namespace fs = std::filesystem;

TEST(ArtifactCache, FindsWhatItKept) {
  const tests::TempDir folder;
  const auto cache = ArtifactCache::open(folder.path() / "made" / "here");
  ASSERT_TRUE(cache.is_ok()) << cache.status().to_string();
  EXPECT_FALSE(cache->find("one"));
  ASSERT_TRUE(cache->keep("one", "bytes").is_ok());
  EXPECT_EQ(cache->find("one"), "bytes");
  ASSERT_TRUE(cache->keep("one", "others").is_ok());
  EXPECT_EQ(cache->find("one"), "others");
  EXPECT_FALSE(cache->find("two"));
}

TEST(ArtifactCache, RefusesAFolderThatOthersMayWriteTo) {
  const tests::TempDir folder;
  const fs::path shared = folder.path() / "shared";
  fs::create_directory(shared);
  fs::permissions(shared, fs::perms::all);
  const auto cache = ArtifactCache::open(shared);
  ASSERT_FALSE(cache.is_ok());
  EXPECT_NE(cache.status().message().find("other users may write to it"), std::string::npos);
}

TEST(ArtifactCache, RefusesAFile) {
  const tests::TempDir folder;
  EXPECT_FALSE(ArtifactCache::open(folder.write("file", "")).is_ok());
}

struct Made {
  journal::Task task;
  plugin::Signature signature;
  std::vector<float> weight = {1, 2};
};

std::string key_with(const std::function<void(Made&)>& change) {
  Made made;
  made.task.plugin_name = "tvm";
  made.task.plugin_sha256 = "aa";
  made.task.threads = 1;
  made.signature.arguments = {{"weight", plugin::Role::kWeight, base::DType::kFloat32, {2}}};
  made.signature.known = {made.weight.data()};
  change(made);
  return artifact_key(made.task, made.signature);
}

TEST(ArtifactKey, ChangesWithWhateverDecidesTheExecutable) {
  graph::Graph graph;
  graph.name = "family/model";
  const std::vector<std::function<void(Made&)>> changes = {
      [](Made&) {},
      [](Made& made) { made.task.plugin_name = "xla"; },
      [](Made& made) { made.task.plugin_sha256 = "ab"; },
      [](Made& made) { made.task.plugin_options["schedule"] = "none"; },
      [](Made& made) { made.task.threads = 2; },
      [](Made& made) { made.task.device = "cuda:0"; },
      [](Made& made) { made.task.weights = "frozen"; },
      [](Made& made) { made.task.math.flush_denormals = true; },
      [](Made& made) { made.weight[1] = 3; },
      [&](Made& made) { made.signature.body = &graph; },
  };
  std::set<std::string> keys;
  for (const auto& change : changes) keys.insert(key_with(change));
  EXPECT_EQ(keys.size(), changes.size());
}

TEST(ArtifactKey, DoesNotDependOnWhereTheSampleLies) {
  const auto with_path = [](const char* path) {
    return key_with([&](Made& made) {
      made.task.sample_path = path;
      made.task.run_id = path;
      made.task.plugin_library = path;
    });
  };
  EXPECT_EQ(with_path("/a"), with_path("/b"));
}

}  // namespace artifact_cache_test
}  // namespace graphnet::worker
