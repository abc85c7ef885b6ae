// SPDX-License-Identifier: MIT
#include "proof/regions.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

namespace graphnet::proof {
namespace regions_test {

constexpr int kCode = PROT_READ | PROT_EXEC;

base::Mapping code(std::uintptr_t start, std::uintptr_t end, const std::string& path) {
  return {start, end, kCode, 0, path};
}

std::string text_of(const std::vector<Region>& regions) {
  std::string text;
  for (const Region& region : regions) {
    text += base::module_name(region.mapping.path) + " " + region_kind_name(region.kind) + " " +
            region.epoch + "\n";
  }
  return text;
}

TEST(MapHistory, GivesEachMappingItsClassAndEpoch) {
  MapHistory history;
  std::vector<base::Mapping> mappings = {
      code(0x1000, 0x2000, "/bin/worker"), code(0x3000, 0x5000, "/x/libtorch_cpu.so"),
      code(0x6000, 0x7000, "/x/libc10.so"), code(0x8000, 0x9000, "/x/libgomp.so.1"),
      code(0xA000, 0xB000, "/lib/libc.so.6")};
  history.note("start", mappings);
  mappings.push_back(code(0xC000, 0xD000, ""));  // eager's own generated code
  history.note("eager", mappings);
  mappings.push_back(code(0xE000, 0xF000, "/p/libgn_x.so"));
  mappings.push_back(code(0x11000, 0x12000, "/p/libopenblas.so.0"));
  mappings.push_back(code(0x13000, 0x14000, "/p/libtorch_cpu.so"));
  history.note("load", mappings);
  mappings.push_back(code(0x15000, 0x16000, ""));
  history.note("compile", mappings);
  mappings.push_back(code(0x17000, 0x18000, ""));
  mappings.push_back({0x19000, 0x1A000, PROT_READ, 0, "/p/data"});
  EXPECT_EQ(text_of(history.regions(mappings)),
            "worker host start\n"
            "libtorch_cpu.so deny start\n"
            "libc10.so watch start\n"
            "libgomp.so.1 watch start\n"
            "libc.so.6 host start\n"
            "anonymous host eager\n"
            "libgn_x.so expect load\n"
            "libopenblas.so.0 expect load\n"
            "libtorch_cpu.so deny load\n"
            "anonymous expect compile\n"
            "anonymous expect run\n");
}

TEST(MapHistory, KnowsARenamedCopyOfLibtorchByItsBuildId) {
  MapHistory history;
  std::vector<base::Mapping> mappings = {code(0x1000, 0x2000, "/x/libtorch_cpu.so"),
                                         code(0x3000, 0x4000, "/bin/worker")};
  history.note("eager", mappings);
  mappings.push_back(code(0x5000, 0x6000, "/p/harmless.so"));
  mappings.push_back(code(0x7000, 0x8000, "/p/libgn_x.so"));
  mappings.push_back(code(0x9000, 0xA000, ""));
  const std::vector<base::LoadedObject> objects = {
      {0x1000, 0x3000, "ab"}, {0x3000, 0x5000, ""}, {0x5000, 0x7000, "ab"}, {0x7000, 0x9000, "cd"}};
  EXPECT_EQ(text_of(history.regions(mappings, objects)),
            "libtorch_cpu.so deny eager\n"
            "worker host eager\n"
            "harmless.so deny run\n"
            "libgn_x.so expect run\n"
            "anonymous expect run\n");
  EXPECT_EQ(text_of(history.regions(mappings)),
            "libtorch_cpu.so deny eager\n"
            "worker host eager\n"
            "harmless.so expect run\n"
            "libgn_x.so expect run\n"
            "anonymous expect run\n")
      << "names alone";
}

TEST(MapHistory, CutsAMappingThatHasGrown) {
  MapHistory history;
  history.note("eager", {code(0x2000, 0x3000, "")});
  const std::vector<Region> regions = history.regions({code(0x1000, 0x5000, "")});
  ASSERT_EQ(regions.size(), 3U);
  EXPECT_EQ(text_of(regions), "anonymous expect run\nanonymous host eager\nanonymous expect run\n");
  EXPECT_EQ(regions[0].mapping.end, 0x2000U);
  EXPECT_EQ(regions[2].mapping.start, 0x3000U);
}

TEST(MapHistory, AnotherFileAtTheSamePlaceIsNew) {
  MapHistory history;
  history.note("eager", {code(0x2000, 0x3000, "/a")});
  EXPECT_EQ(text_of(history.regions({code(0x2000, 0x3000, "/b")})), "b expect run\n");
}

TEST(Regions, AreFoundByAddress) {
  const std::vector<Region> regions = {{code(0x1000, 0x2000, "/a"), RegionKind::kHost, ""},
                                       {code(0x3000, 0x4000, "/b"), RegionKind::kHost, ""}};
  EXPECT_EQ(find_region(regions, 0x1000), &regions[0]);
  EXPECT_EQ(find_region(regions, 0x3FFF), &regions[1]);
  for (const std::uintptr_t address : {0xFFFU, 0x2000U, 0x2FFFU, 0x4000U}) {
    EXPECT_EQ(find_region(regions, address), nullptr);
  }
  EXPECT_EQ(find_region({}, 0x1000), nullptr);
}

}  // namespace regions_test
}  // namespace graphnet::proof
