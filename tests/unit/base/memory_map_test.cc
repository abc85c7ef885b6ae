// SPDX-License-Identifier: MIT
#include "base/memory_map.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

namespace graphnet::base {
namespace memory_map_test {

constexpr const char* kText =
    "55e0c0000000-55e0c0001000 r--p 00000000 08:01 131 /opt/a folder/program\n"
    "55e0c0001000-55e0c0003000 r-xp 00001000 08:01 131 /opt/a folder/program\n"
    "7f0000000000-7f0000010000 rwxp 00000000 00:00 0 \n"
    "nonsense\n"
    "7f0000020000-7f0000021000 r-xp 00000000 00:00 0                          [vdso]\n"
    "7f0000030000-7f0000031000 --xp 00002000 08:01 132 /opt/gone.so (deleted)";

TEST(MemoryMap, ReadsWhatTheKernelWrites) {
  const std::vector<Mapping> mappings = parse_memory_map(kText);
  ASSERT_EQ(mappings.size(), 5U);
  EXPECT_EQ(mappings[1].start, 0x55e0c0001000U);
  EXPECT_EQ(mappings[1].end, 0x55e0c0003000U);
  EXPECT_EQ(mappings[1].protection, PROT_READ | PROT_EXEC);
  EXPECT_EQ(mappings[1].file_offset, 0x1000U);
  EXPECT_EQ(mappings[1].path, "/opt/a folder/program");
  EXPECT_EQ(mappings[2].protection, PROT_READ | PROT_WRITE | PROT_EXEC);
  EXPECT_EQ(mappings[2].path, "");
  EXPECT_EQ(mappings[4].protection, PROT_EXEC);
}

TEST(MemoryMap, KeepsWhatCanBeExecuted) {
  const std::vector<Mapping> executable = executable_mappings(parse_memory_map(kText));
  ASSERT_EQ(executable.size(), 3U) << "without data and the kernel's page";
  EXPECT_EQ(module_name(executable[0].path), "program");
  EXPECT_EQ(module_name(executable[1].path), "anonymous");
  EXPECT_EQ(module_name(executable[2].path), "gone.so");
  EXPECT_EQ(module_name("[heap]"), "anonymous");
}

TEST(MemoryMap, FindsTheMappingOfAnAddress) {
  const std::vector<Mapping> mappings = parse_memory_map(kText);
  EXPECT_EQ(find_mapping(mappings, 0x55e0c0002fffU), &mappings[1]);
  EXPECT_EQ(find_mapping(mappings, 0x55e0c0003000U), nullptr);
  EXPECT_EQ(find_mapping(mappings, 0), nullptr);
}

TEST(MemoryMap, OfThisProcessHoldsItsOwnCode) {
  const auto mappings = read_memory_map();
  ASSERT_TRUE(mappings.is_ok());
  const Mapping* own = find_mapping(*mappings, reinterpret_cast<std::uintptr_t>(&module_name));
  ASSERT_NE(own, nullptr);
  EXPECT_NE(own->protection & PROT_EXEC, 0);
}

}  // namespace memory_map_test
}  // namespace graphnet::base
