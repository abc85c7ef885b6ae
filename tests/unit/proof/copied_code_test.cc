// SPDX-License-Identifier: MIT
#include "proof/copied_code.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <random>

namespace graphnet::proof {
namespace copied_code_test {

constexpr std::size_t kPiece = std::size_t{256} << 10U;  // as copied_code.cc's
constexpr std::size_t kBytes = 4 * kPiece;

/// Readable memory, for code that is never run.
class Memory {
 public:
  explicit Memory(unsigned seed)
      : bytes_(static_cast<unsigned char*>(
            ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    std::mt19937 random(seed);
    for (std::size_t i = 0; i < kBytes; ++i) bytes_[i] = static_cast<unsigned char>(random());
  }
  ~Memory() { ::munmap(bytes_, kBytes); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  std::uintptr_t at(std::size_t offset) const {
    return reinterpret_cast<std::uintptr_t>(bytes_) + offset;
  }
  void copy(std::size_t offset, const Memory& from, std::size_t other, std::size_t count) const {
    std::memcpy(bytes_ + offset, from.bytes_ + other, count);
  }
  Region region(RegionKind kind, const char* epoch, const char* path = "") const {
    return {{at(0), at(kBytes), PROT_READ | PROT_EXEC, 0, path}, kind, epoch};
  }

 private:
  unsigned char* bytes_;
};

class Copies : public ::testing::Test {
 protected:
  std::vector<CopiedCode> found(const std::vector<std::uintptr_t>& ran, const char* path = "",
                                const std::vector<base::LoadedObject>& objects = {},
                                double share = 1) const {
    std::vector<Region> regions = {torch.region(RegionKind::kDeny, "start", "/libtorch_cpu.so"),
                                   plugin.region(RegionKind::kExpect, "compile", path)};
    std::sort(regions.begin(), regions.end(), [](const Region& one, const Region& other) {
      return one.mapping.start < other.mapping.start;
    });
    return find_copied_code(ran, regions, objects, share);
  }

  Memory torch{1};
  Memory plugin{2};
};

TEST_F(Copies, OfPagesAreAllFound) {
  plugin.copy(0, torch, 64 * 4096, 8 * 4096);
  std::vector<std::uintptr_t> ran;
  for (std::size_t i = 0; i < 8; ++i) ran.push_back(plugin.at(i * 4096 + 100 * i));
  ran.push_back(plugin.at(100 * 4096));  // the plugin's own
  const auto copies = found(ran);
  EXPECT_EQ(copies.size(), 8U);
  for (const CopiedCode& copy : copies) {
    EXPECT_EQ(copy.original - torch.at(64 * 4096), copy.address - plugin.at(0));
  }
}

TEST_F(Copies, ThatWereMovedAreFoundIfTheyAreDrawn) {
  plugin.copy(1000, torch, 500'007, 96);
  const auto copies = found({plugin.at(1000)});
  ASSERT_EQ(copies.size(), 1U);
  EXPECT_EQ(copies[0].original, torch.at(500'007));
}

TEST_F(Copies, AreLongerThanWhatAllFunctionsBeginWith) {
  plugin.copy(1000, torch, 500'000, 80);
  EXPECT_TRUE(found({plugin.at(1000)}).empty());
}

TEST_F(Copies, OfALoadedFileLieWhereTheOriginalLies) {
  const std::vector<base::LoadedObject> objects = {{plugin.at(0), plugin.at(kBytes), "id"}};
  plugin.copy(4096, torch, 8 * 4096, 4096);
  EXPECT_TRUE(found({plugin.at(5000)}, "/libmaths.so", objects).empty()) << "the same archive";
  plugin.copy(4096, torch, 4096, 4096);
  EXPECT_EQ(found({plugin.at(5000)}, "/libmaths.so", objects).size(), 1U);
}

TEST_F(Copies, ThatAreGoneAreLeftOut) {
  plugin.copy(0, torch, 0, kBytes);
  ::munmap(reinterpret_cast<void*>(plugin.at(0)), 4096);
  EXPECT_TRUE(found({plugin.at(2000)}).empty());
}

TEST_F(Copies, AreFoundInTheShareThatIsLookedThrough) {
  plugin.copy(0, torch, 0, kBytes);
  std::vector<std::uintptr_t> ran;
  for (std::size_t piece = 0; piece < kBytes; piece += kPiece) ran.push_back(plugin.at(piece + 50));
  EXPECT_EQ(found(ran, "", {}, 1).size(), 4U);
  EXPECT_EQ(found(ran, "", {}, 0.5).size(), 2U) << "on any machine";
  EXPECT_TRUE(found(ran, "", {}, 0).empty());
}

}  // namespace copied_code_test
}  // namespace graphnet::proof
