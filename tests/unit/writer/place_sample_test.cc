// SPDX-License-Identifier: MIT
#include "writer/place_sample.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <iterator>

#include "base/file.h"
#include "support/folders.h"
#include "support/temp_dir.h"

namespace graphnet::writer {
namespace place_sample_test {

namespace fs = std::filesystem;
using base::Code;
using sample::Sample;

const fs::path kPerceptron =
    fs::path(tests::source_dir()) / "samples/transformers-auto-model/sadhaklal_mlp-iris";

Sample load(const fs::path& folder) {
  auto loaded = sample::load_sample(folder);
  EXPECT_TRUE(loaded.is_ok()) << loaded.status().to_string();
  return loaded.is_ok() ? std::move(*loaded) : Sample();
}

std::ptrdiff_t num_entries(const fs::path& folder) {
  return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

TEST(PlaceSample, WritesANewOneAndReplacesNone) {
  const tests::TempDir temp;
  const Sample sample = load(kPerceptron);
  const fs::path parent = temp.path() / "a/b";
  ASSERT_TRUE(write_new_sample(sample, TextStyle::kTraced, parent / "one").is_ok());
  EXPECT_EQ(load(parent / "one").metas.size(), sample.metas.size());
  EXPECT_EQ(num_entries(parent), 1) << "what it was written in is gone";
  struct stat made = {};
  struct stat usual = {};
  fs::create_directory(temp.path() / "usual");
  ASSERT_EQ(::stat((parent / "one").c_str(), &made), 0);
  ASSERT_EQ(::stat((temp.path() / "usual").c_str(), &usual), 0);
  EXPECT_EQ(made.st_mode, usual.st_mode);
  temp.write("a/b/file", "");
  fs::create_directory(parent / "empty");
  fs::create_symlink("nowhere", parent / "link");
  for (const char* name : {"one", "one/", "file", "empty", "link"}) {
    EXPECT_EQ(write_new_sample(sample, TextStyle::kTraced, parent / name).code(), Code::kUsage)
        << name;
  }
}

TEST(PlaceSample, LeavesNothingOfWhatFails) {
  const tests::TempDir temp;
  Sample sample = load(kPerceptron);
  sample.folder = temp.path() / "none";
  EXPECT_EQ(write_new_sample(sample, TextStyle::kTraced, temp.path() / "one").code(), Code::kInput);
  EXPECT_EQ(num_entries(temp.path()), 0);
  temp.write("file", "");
  EXPECT_EQ(write_new_sample(sample, TextStyle::kTraced, temp.path() / "file/one").code(),
            Code::kEnvironment);
}

TEST(PlaceSample, ReplacesInPlace) {
  const tests::TempDir temp;
  fs::copy(kPerceptron, temp.path() / "one");
  temp.write("one/notes.txt", "kept");
  Sample sample = load(temp.path() / "one");
  sample.metas[0].device = "cuda:7";
  ASSERT_TRUE(replace_sample(sample, TextStyle::kRewritten).is_ok());
  EXPECT_EQ(load(temp.path() / "one").metas[0].device, "cuda:7");
  EXPECT_TRUE(fs::exists(temp.path() / "one/notes.txt"));
  EXPECT_EQ(num_entries(temp.path()), 1);
}

TEST(PlaceSample, LosesNoFolders) {
  const tests::TempDir temp;
  fs::copy(kPerceptron, temp.path() / "one");
  const Sample sample = load(temp.path() / "one");
  temp.write("one/_decomposed/one_0/model.py", "");
  EXPECT_EQ(replace_sample(sample, TextStyle::kTraced).code(), Code::kInput);
  EXPECT_EQ(remove_sample(temp.path() / "one").code(), Code::kInput);
  fs::remove_all(temp.path() / "one/_decomposed");
  ASSERT_TRUE(remove_sample(temp.path() / "one").is_ok());
  EXPECT_EQ(num_entries(temp.path()), 0);
}

}  // namespace place_sample_test
}  // namespace graphnet::writer
