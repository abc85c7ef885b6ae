// SPDX-License-Identifier: MIT
#include "proof/elf_symbols.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "proof/findings.h"
#include "proof/memory_map.h"
#include "support/temp_dir.h"

namespace graphnet::proof {
namespace {

TEST(ElfSymbols, NameAPlaceInThisProgram) {
  const auto mappings = read_memory_map();
  ASSERT_TRUE(mappings.is_ok());
  const auto address = reinterpret_cast<std::uintptr_t>(&without_arguments);
  const Mapping* own = find_mapping(*mappings, address);
  ASSERT_NE(own, nullptr);
  const std::uint64_t place = address - own->start + own->file_offset;
  const auto names = name_places(own->path, {place + 1, 1, place});
  ASSERT_TRUE(names.is_ok()) << names.status().to_string();
  EXPECT_EQ((*names)[0].name, "graphnet::proof::without_arguments");
  EXPECT_EQ((*names)[0].offset, 1U);
  EXPECT_EQ((*names)[1].name, "") << "no code";
  EXPECT_EQ((*names)[2].offset, 0U);
}

TEST(ElfSymbols, ListWhatALibraryWantsFromOthers) {
  const auto mappings = read_memory_map();
  ASSERT_TRUE(mappings.is_ok());
  const Mapping* own =
      find_mapping(*mappings, reinterpret_cast<std::uintptr_t>(&undefined_symbols));
  const auto symbols = undefined_symbols(own->path);
  ASSERT_TRUE(symbols.is_ok());
  EXPECT_NE(std::find(symbols->begin(), symbols->end(), "__cxa_demangle"), symbols->end());
}

TEST(ElfSymbols, RefuseOtherFiles) {
  const tests::TempDir folder;
  EXPECT_FALSE(name_places(folder.path() / "none", {0}).is_ok());
  EXPECT_FALSE(name_places(folder.write("empty", ""), {0}).is_ok());
  EXPECT_FALSE(name_places(folder.write("text", std::string(5000, 'x')), {0}).is_ok());
  const std::string cut_off = std::string("\x7F") + "ELF\x02\x01" + std::string(200, '\xFF');
  EXPECT_FALSE(name_places(folder.write("cut", cut_off), {0}).is_ok());
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
}

TEST(Allowed, AreTheStandardLibrarysOwnAndJumpTables) {
  EXPECT_TRUE(is_allowed(kJumpTable));
  EXPECT_TRUE(is_allowed("std::__cxx11::basic_string<char, std::char_traits<char> >::_M_assign"));
  EXPECT_TRUE(is_allowed("std::vector<int, std::allocator<int> >::_M_realloc_insert"));
  EXPECT_TRUE(is_allowed("void std::vector<int>::emplace_back<int>"));
  EXPECT_FALSE(is_allowed("std::vector<at::Tensor, std::allocator<at::Tensor> >::~vector"));
  EXPECT_FALSE(is_allowed("std::_Function_handler<void (int), dnnl::impl::f()::{lambda()#1}>::_M"));
  EXPECT_FALSE(is_allowed("std::pair<long*, long*> fbgemm::radix_sort_parallel<long, long>"));
  EXPECT_FALSE(is_allowed("at::_ops::relu_::call"));
  EXPECT_FALSE(is_allowed("mkl_blas_avx512_sgemm"));
  EXPECT_FALSE(is_allowed("libtorch_cpu.so+0x1234"));
  EXPECT_FALSE(is_allowed(""));
}

TEST(Findings, AreCalledByTheirOperators) {
  const std::vector<Finding> findings = {{"at::_ops::relu_::call", "m", "c", 1, true},
                                         {"at::native::relu_", "m", "c", 1, false},
                                         {"at::_ops::relu_::call", "m", "c", 2, true},
                                         {"at::cpu::mm_out", "m", "c", 1, true}};
  EXPECT_EQ(operators_of(findings, true),
            (std::vector<std::string>{"aten::relu_", "at::cpu::mm_out"}));
  EXPECT_EQ(operators_of(findings, false), (std::vector<std::string>{"at::native::relu_"}));
}

}  // namespace
}  // namespace graphnet::proof
