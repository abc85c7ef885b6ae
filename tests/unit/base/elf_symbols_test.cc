// SPDX-License-Identifier: MIT
#include "base/elf_symbols.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/memory_map.h"
#include "support/temp_dir.h"

// Twelve thousand bytes of code that nobody runs.
__asm__(
    ".text\n"
    ".type three_pages, @function\n"
    "three_pages: .fill 12288, 1, 0xC3\n"
    ".size three_pages, 12288\n");
extern "C" void three_pages();

namespace graphnet::base {
namespace elf_symbols_test {

TEST(ElfSymbols, NameAPlaceInThisProgram) {
  const auto mappings = read_memory_map();
  ASSERT_TRUE(mappings.is_ok());
  const auto address = reinterpret_cast<std::uintptr_t>(&without_arguments);
  const Mapping* own = find_mapping(*mappings, address);
  ASSERT_NE(own, nullptr);
  const std::uint64_t address_in_file = address - own->start + own->file_offset;
  const auto names = name_offsets(own->path, {address_in_file + 1, 1, address_in_file});
  ASSERT_TRUE(names.is_ok()) << names.status().to_string();
  EXPECT_EQ((*names)[0].name, "graphnet::base::without_arguments");
  EXPECT_EQ((*names)[0].offset, 1U);
  EXPECT_EQ((*names)[1].name, "") << "no code";
  EXPECT_EQ((*names)[2].offset, 0U);
}

TEST(ElfSymbols, RefuseOtherFiles) {
  const tests::TempDir folder;
  EXPECT_FALSE(name_offsets(folder.path() / "none", {0}).is_ok());
  EXPECT_FALSE(name_offsets(folder.write("empty", ""), {0}).is_ok());
  EXPECT_FALSE(name_offsets(folder.write("text", std::string(5000, 'x')), {0}).is_ok());
  const std::string cut_off = std::string("\x7F") + "ELF\x02\x01" + std::string(200, '\xFF');
  EXPECT_FALSE(name_offsets(folder.write("cut", cut_off), {0}).is_ok());
}

TEST(Names, LoseTheirArguments) {
  EXPECT_EQ(without_arguments("at::_ops::relu_::call(at::Tensor&)"), "at::_ops::relu_::call");
  EXPECT_EQ(without_arguments("a::(anonymous namespace)::f(int)"), "a::(anonymous namespace)::f");
  EXPECT_EQ(without_arguments("std::function<void (int)>::operator()(int) const"),
            "std::function<void (int)>::operator()");
  EXPECT_EQ(without_arguments("f<(int)3>(int)"), "f<(int)3>");
  EXPECT_EQ(without_arguments("plain"), "plain");
  EXPECT_EQ(without_arguments(kJumpTable), kJumpTable);
  EXPECT_EQ(demangled("_ZN2at5relu_ERNS_6TensorE"), "at::relu_(at::Tensor&)");
  EXPECT_EQ(demangled("plain"), "plain");
  EXPECT_EQ(demangled("b"), "b") << "no type";
}

// Symbols whose first page nobody asks about, or that are larger than a page, are not passed over.
TEST(ElfSymbols, NameEachPlaceOfAFunctionOfSeveralPages) {
  const auto mappings = read_memory_map();
  ASSERT_TRUE(mappings.is_ok());
  const auto start = reinterpret_cast<std::uintptr_t>(&three_pages);
  const Mapping* own = find_mapping(*mappings, start);
  ASSERT_NE(own, nullptr);
  const std::uint64_t address_in_file = start - own->start + own->file_offset;
  for (const std::uint64_t offset : {0U, 4095U, 4096U, 8192U, 12287U}) {
    const auto names = name_offsets(own->path, {address_in_file + offset});
    ASSERT_TRUE(names.is_ok());
    EXPECT_EQ((*names)[0].name, "three_pages");
    EXPECT_EQ((*names)[0].offset, offset);
  }
}

}  // namespace elf_symbols_test
}  // namespace graphnet::base
