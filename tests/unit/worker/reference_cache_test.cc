// SPDX-License-Identifier: MIT
#include "worker/reference_cache.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

#include "support/temp_dir.h"

namespace graphnet::worker {
namespace {

namespace fs = std::filesystem;
using base::Json;

std::vector<KeptOutput> outputs_of(std::size_t count, std::uint8_t fill) {
  std::vector<KeptOutput> outputs;
  for (const std::size_t elements : {count, std::size_t{0}}) {
    auto output = allocate_output(base::DType::kFloat32, {static_cast<std::int64_t>(elements), 1});
    std::memset(output->bytes.data(), fill, output->bytes.num_bytes());
    outputs.push_back(std::move(output).value());
  }
  return outputs;
}

class ReferenceCacheTest : public ::testing::Test {
 protected:
  ReferenceCache cache(const std::string& identity = "a", std::uint64_t max_bytes = 16 << 20) {
    return ReferenceCache(folder(), identity, max_bytes);
  }
  fs::path folder() const { return temp_.path() / "cache"; }

  std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::recursive_directory_iterator(folder())) {
      if (entry.is_regular_file()) found.push_back(entry.path());
    }
    return found;
  }

  tests::TempDir temp_;
};

TEST_F(ReferenceCacheTest, GivesBackWhatAnotherStored) {
  const auto outputs = outputs_of(100, 7);
  ReferenceCache writer = cache();
  EXPECT_FALSE(writer.find("eager"));
  writer.store("eager", outputs);
  EXPECT_EQ(writer.report(), Json({{"stored", {"eager"}}}));
  ReferenceCache reader = cache();
  const auto found = reader.find("eager");
  ASSERT_TRUE(found);
  EXPECT_TRUE(bits_equal(*found, outputs));
  EXPECT_EQ((*found)[0].shape, (std::vector<std::int64_t>{100, 1}));
  EXPECT_EQ((*found)[1].bytes.num_bytes(), 0U);
  EXPECT_EQ(reader.report(), Json({{"found", {"eager"}}}));
  EXPECT_FALSE(reader.find("float64")) << "another kind";
  EXPECT_FALSE(cache("b").find("eager")) << "another sample, library or machine";
}

TEST_F(ReferenceCacheTest, OffFindsAndKeepsNothing) {
  ReferenceCache off;
  off.store("eager", outputs_of(3, 1));
  EXPECT_FALSE(off.find("eager"));
  EXPECT_TRUE(off.report().empty());
}

TEST_F(ReferenceCacheTest, DamageIsNoticedAndRemoved) {
  cache().store("eager", outputs_of(1000, 7));
  const auto stored = files();
  ASSERT_EQ(stored.size(), 1U);
  const auto size = fs::file_size(stored[0]);
  for (const std::uintmax_t at : {std::uintmax_t{0}, std::uintmax_t{70}, size - 1}) {
    cache().store("eager", outputs_of(1000, 7));
    std::fstream file(stored[0], std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(at));
    file.put('#');
    file.close();
    ReferenceCache reader = cache();
    EXPECT_FALSE(reader.find("eager")) << at;
    EXPECT_EQ(reader.report(), Json({{"damaged", {"eager"}}}));
    EXPECT_TRUE(files().empty());
  }
  cache().store("eager", outputs_of(1000, 7));
  fs::resize_file(stored[0], size / 2);
  EXPECT_FALSE(cache().find("eager"));
  cache().store("eager", outputs_of(1000, 7));
  EXPECT_TRUE(cache().find("eager")) << "it is made again";
}

TEST_F(ReferenceCacheTest, WhatWasNotUsedForLongestGoesFirst) {
  constexpr std::uint64_t kMax = 64 << 10;  // 4 KiB a part: three results of 1 KiB fit
  ReferenceCache writer = cache("a", kMax);
  for (int i = 0; i < 200; ++i) {
    writer.store("inputs " + std::to_string(i), outputs_of(256, 1));
    if (i > 0) {
      EXPECT_TRUE(cache("a", kMax).find("inputs 0")) << "used a moment ago, at " << i;
    }
    // Times of files are coarse; what was just used must be younger than what comes next is old.
    for (const auto& file : files()) {
      fs::last_write_time(file, fs::last_write_time(file) - std::chrono::seconds(1));
    }
  }
  std::uint64_t total = 0;
  for (const auto& file : files()) total += fs::file_size(file);
  EXPECT_LE(total, kMax);
  EXPECT_GT(total, kMax / 2) << "it is used";
  EXPECT_TRUE(cache("a", kMax).find("inputs 199"));
  EXPECT_FALSE(cache("a", kMax).find("inputs 1"));
}

TEST_F(ReferenceCacheTest, WhatIsTooLargeStaysOut) {
  ReferenceCache writer = cache("a", 64 << 10);
  writer.store("eager", outputs_of(1000, 1));
  EXPECT_TRUE(writer.report().empty());
  EXPECT_FALSE(writer.find("eager"));
}

TEST_F(ReferenceCacheTest, WhatAKilledWorkerLeftIsRemoved) {
  cache().store("eager", outputs_of(10, 1));
  const fs::path part = files()[0].parent_path();
  const fs::path old = part / "new-aaaaaa";
  const fs::path young = part / "new-bbbbbb";
  std::ofstream(old) << "half";
  std::ofstream(young) << "half";
  fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::hours(2));
  cache().store("eager", outputs_of(10, 1));
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(young)) << "another worker may be writing it";
}

TEST_F(ReferenceCacheTest, AFolderThatCannotBeWrittenCostsNothing) {
  const fs::path file = temp_.write("cache", "a file");
  ReferenceCache writer = cache();
  writer.store("eager", outputs_of(10, 1));
  EXPECT_FALSE(writer.find("eager"));
  EXPECT_TRUE(writer.report().empty());
}

TEST_F(ReferenceCacheTest, WhatDiffersEndsItsUse) {
  cache().store("eager", outputs_of(10, 1));
  ReferenceCache reader = cache();
  ASSERT_TRUE(reader.find("eager"));
  reader.distrust("eager");
  EXPECT_FALSE(reader.find("eager"));
  EXPECT_EQ(reader.report(), Json({{"found", {"eager"}}, {"differing", {"eager"}}}));
}

// Several processes store, find and trim the same few results at once: each finds one of those
// that were stored, whole, or nothing.
TEST_F(ReferenceCacheTest, ProcessesShareIt) {
  constexpr int kProcesses = 4;
  std::vector<pid_t> children;
  for (int child = 0; child < kProcesses; ++child) {
    const pid_t pid = ::fork();
    ASSERT_GE(pid, 0);
    if (pid == 0) {
      bool is_good = true;
      for (int i = 0; i < 100; ++i) {
        ReferenceCache shared = cache("a", 64 << 10);
        const std::string what = "inputs " + std::to_string(i % 7);
        const auto found = shared.find(what);
        if (found) {
          const auto* bytes = reinterpret_cast<const std::uint8_t*>((*found)[0].bytes.data());
          is_good = is_good && (*found)[0].bytes.num_bytes() == 1600;
          for (int k = 0; k < 1600; ++k) is_good = is_good && bytes[k] == bytes[0];
        }
        is_good = is_good && !shared.report().contains("damaged");
        shared.store(what, outputs_of(400, static_cast<std::uint8_t>(child + 1)));
      }
      ::_exit(is_good ? 0 : 1);
    }
    children.push_back(pid);
  }
  for (const pid_t pid : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(pid, &status, 0), pid);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
}

TEST(ReferenceIdentity, DependsOnSampleDeviceThreadsAndMath) {
  const auto identity = [](const char* sample, const char* device, int threads, bool flush) {
    journal::Task task;
    task.device = device;
    task.threads = threads;
    task.math.flush_denormals = flush;
    return reference_identity(sample, task);
  };
  const std::string one = identity("aa", "cpu", 1, false);
  EXPECT_EQ(one, identity("aa", "cpu", 1, false));
  EXPECT_NE(one, identity("bb", "cpu", 1, false));
  EXPECT_NE(one, identity("aa", "cuda", 1, false));
  EXPECT_NE(one, identity("aa", "cpu", 2, false));
  EXPECT_NE(one, identity("aa", "cpu", 1, true));
  EXPECT_NE(one.find("\"libtorch\":\"2."), std::string::npos) << one;
}

}  // namespace
}  // namespace graphnet::worker
