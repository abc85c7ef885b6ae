// SPDX-License-Identifier: MIT
#include "proof/findings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "base/elf_symbols.h"
#include "unit/proof/generated_code.h"

namespace graphnet::proof {
namespace findings_test {

// Code without symbols is named by its offset.
TEST(Trace, NamesAllThatIsDeniedAndTheFirstWindowsOfTheRest) {
  const tests::GeneratedCode denied(7);
  const tests::GeneratedCode expected(7);
  std::vector<Region> regions = {denied.region(RegionKind::kDeny),
                                 expected.region(RegionKind::kExpect)};
  const bool is_first = denied.window(0) < expected.window(0);
  if (!is_first) std::swap(regions[0], regions[1]);
  std::vector<Hit> hits;
  for (std::size_t round = 0; round < 2; ++round) {
    for (std::size_t i = 0; i < 7; ++i) {
      for (const auto* code : {&denied, &expected}) {
        Hit hit;
        hit.instruction = hit.window = code->window(i);
        hit.region = (code == &denied) == is_first ? 0 : 1;
        hit.return_word = expected.window(0);
        hit.thread = static_cast<int>(round);
        hit.time_ns = static_cast<std::int64_t>(hits.size());
        hits.push_back(hit);
      }
    }
  }
  const Trace trace = name_hits(hits, regions);
  EXPECT_EQ(trace.num_threads, 2U);
  ASSERT_EQ(trace.denied.size(), 14U);
  EXPECT_EQ(trace.denied[0].module, "anonymous");
  EXPECT_EQ(trace.denied[0].symbol.rfind("anonymous+0x", 0), 0U) << trace.denied[0].symbol;
  EXPECT_EQ(trace.denied[0].caller.rfind("anonymous+0x", 0), 0U) << trace.denied[0].caller;
  EXPECT_FALSE(trace.denied[0].is_entry) << "no symbol begins there";
  ASSERT_EQ(trace.modules.size(), 2U);
  for (const ModuleUse& use : trace.modules) {
    EXPECT_EQ(use.windows, 7U);
    EXPECT_EQ(use.symbols.size(), 5U);
    EXPECT_EQ(use.text_bytes, denied.num_bytes());
  }
  EXPECT_EQ(trace.modules[0].kind, RegionKind::kDeny);
  EXPECT_EQ(trace.modules[1].kind, RegionKind::kExpect);
  ASSERT_EQ(trace.moments.size(), hits.size());
  EXPECT_EQ(trace.moments[27].time_ns, 27);
  EXPECT_EQ(trace.moments[27].thread, 1);
  EXPECT_EQ(trace.moments[27].what, "anonymous");
}

// What somebody calls shows by its name.
TEST(Trace, CallsAnEntryByItsFunction) {
  const auto mappings = base::read_memory_map();
  ASSERT_TRUE(mappings.is_ok());
  std::vector<Region> regions = MapHistory().regions(*mappings);
  const auto start = reinterpret_cast<std::uintptr_t>(&is_allowed);
  Hit hit;
  hit.instruction = hit.window = start;
  for (std::size_t i = 0; i < regions.size(); ++i) {
    if (!regions[i].mapping.contains(start)) continue;
    regions[i].kind = RegionKind::kDeny;
    hit.region = i;
  }
  const tests::GeneratedCode caller(1);
  regions.insert(std::upper_bound(regions.begin(), regions.end(), caller.window(0),
                                  [](std::uintptr_t wanted, const Region& region) {
                                    return wanted < region.mapping.start;
                                  }),
                 caller.region(RegionKind::kExpect));
  hit.region += regions[hit.region].mapping.contains(start) ? 0 : 1;
  hit.return_word = caller.window(0);
  const Trace trace = name_hits({hit}, regions);
  ASSERT_EQ(trace.denied.size(), 1U);
  EXPECT_TRUE(trace.denied[0].is_entry);
  ASSERT_EQ(trace.moments.size(), 1U);
  EXPECT_EQ(trace.moments[0].what, "graphnet::proof::is_allowed");
}

TEST(Allowed, AreTheStandardLibrarysOwnAndJumpTables) {
  EXPECT_TRUE(is_allowed(base::kJumpTable));
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

TEST(Findings, ProductsOfMklMayBeGeneratedElsewhere) {
  EXPECT_TRUE(is_generated_elsewhere("mkl_blas_avx512_sgemm_kernel_nocopy_NN_bn"));
  EXPECT_FALSE(is_generated_elsewhere("mkl_blas_sgemm"));
  EXPECT_FALSE(is_generated_elsewhere("at::_ops::mm::call"));
  EXPECT_FALSE(is_allowed("mkl_blas_avx512_sgemm_kernel_nocopy_NN_bn"));
}

}  // namespace findings_test
}  // namespace graphnet::proof
