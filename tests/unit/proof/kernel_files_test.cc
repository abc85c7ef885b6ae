// SPDX-License-Identifier: MIT
// Kernels are found in files by their names, and only there where they can be.
#include "proof/kernel_files.h"

#include <gtest/gtest.h>

#include "support/elf_sections.h"
#include "support/mentions.h"
#include "support/temp_dir.h"

namespace graphnet::proof {
namespace kernel_files_test {

using tests::elf_with_sections;
using tests::mentions;

const std::string kZero(1, '\0');

/// Texts, each with its zero.
std::string texts(const std::vector<std::string>& all) {
  std::string bytes;
  for (const std::string& text : all) bytes += text + kZero;
  return bytes;
}

class KernelFilesTest : public testing::Test {
 protected:
  /// A file with these read-only data.
  void map(const std::string& name, RegionKind kind, const std::string& data,
           const std::string& code_section = ".nv_fatbin") {
    map_bytes(name, kind, elf_with_sections({{".rodata", data}, {code_section, "code"}}));
  }
  void map_bytes(const std::string& name, RegionKind kind, const std::string& bytes) {
    Region region;
    region.mapping.path = folder_.write(name, bytes).string();
    region.kind = kind;
    regions_.push_back(region);
  }
  KernelFiles find(const std::vector<std::string>& names) {
    return find_kernel_files(names, regions_);
  }

  const tests::TempDir folder_;
  std::vector<Region> regions_;
};

TEST_F(KernelFilesTest, SaysWhoseFileHoldsWhich) {
  map("libtorch_cuda.so", RegionKind::kDeny, texts({"", "_Z4reluPf", "some text", "_Z3addPf"}));
  map("libgn_x.so", RegionKind::kExpect, texts({"fused", "_Z4mineiii"}), ".text");
  const KernelFiles files = find({"_Z4reluPf", "_Z4mineiii", "fused", "_Z4gemmPf", "text"});
  EXPECT_EQ(files.problem, "");
  ASSERT_EQ(files.by_name.size(), 3U) << "not the end of a text";
  EXPECT_EQ(files.by_name.at("_Z4reluPf").holder, KernelHolder::kLibtorch);
  EXPECT_EQ(files.by_name.at("_Z4reluPf").module, "libtorch_cuda.so");
  EXPECT_EQ(files.by_name.at("_Z4mineiii").holder, KernelHolder::kPlugin);
  EXPECT_EQ(files.by_name.at("fused").module, "libgn_x.so");
}

TEST_F(KernelFilesTest, FindsMangledNamesBehindOtherData) {
  map("libtorch_cuda.so", RegionKind::kDeny, "\x3F\x80_Z4reluPf" + kZero + "_Z5cut");
  EXPECT_EQ(find({"_Z4reluPf", "_Z5cut"}).by_name.size(), 2U);
}

TEST_F(KernelFilesTest, TakesNoOtherTextOfLibtorchsForAKernel) {
  map("libtorch_cuda.so", RegionKind::kDeny, texts({"softmax", "add"}));
  map("libgn_x.so", RegionKind::kExpect, texts({"softmax"}));
  const KernelFiles files = find({"softmax", "add"});
  ASSERT_EQ(files.by_name.size(), 1U);
  EXPECT_EQ(files.by_name.at("softmax").holder, KernelHolder::kPlugin);
}

TEST_F(KernelFilesTest, LeavesOutWhatCannotHaveKernels) {
  map("libtorch_cpu.so", RegionKind::kDeny, texts({"_Z4reluPf"}), ".text");
  map("libcublas.so.13", RegionKind::kHost, texts({"_Z4reluPf"}));
  map("libc10_cuda.so", RegionKind::kWatch, texts({"_Z4reluPf"}));
  EXPECT_TRUE(find({"_Z4reluPf"}).by_name.empty());
}

// A plugin could write the names of libtorch's kernels into its file.
TEST_F(KernelFilesTest, WhatBothHoldIsLibtorchsUnlessItIsATemplateOfHeaders) {
  const std::vector<std::string> names = {"_ZN2at6native4reluEv", "_ZN3cub4scanEv",
                                          "_ZN6thrust4sortEv", "_ZN7cutlass6KernelIN2at4GemmEEvv"};
  const std::string both = texts(names);
  for (const bool plugin_is_first : {false, true}) {
    regions_.clear();
    if (plugin_is_first) map("libgn_x.so", RegionKind::kExpect, both);
    map("libtorch_cuda.so", RegionKind::kDeny, both);
    if (!plugin_is_first) map("libgn_x.so", RegionKind::kExpect, both);
    const KernelFiles files = find(names);
    EXPECT_EQ(files.by_name.at(names[0]).holder, KernelHolder::kLibtorch);
    EXPECT_EQ(files.by_name.at(names[3]).holder, KernelHolder::kLibtorch) << "of libtorch's type";
    EXPECT_EQ(files.by_name.at("_ZN3cub4scanEv").holder, KernelHolder::kNobody);
    EXPECT_EQ(files.by_name.at("_ZN6thrust4sortEv").holder, KernelHolder::kNobody);
  }
}

TEST_F(KernelFilesTest, ReadsLargeDataInBlocks) {
  const std::size_t block = std::size_t{4} << 20U;
  std::string data(block - 5, 'x');
  data[block - 6] = '\0';
  data += texts({"_Z6acrossPf"}) + std::string(block, '\0') + texts({"_Z4lastPf"});
  map("libtorch_cuda.so", RegionKind::kDeny, data);
  EXPECT_EQ(find({"_Z6acrossPf", "_Z4lastPf"}).by_name.size(), 2U);
  // A text that is longer than a block.
  regions_.clear();
  map("libtorch_cuda.so", RegionKind::kDeny, std::string(2 * block, 'x') + kZero + "_Z4lastPf");
  EXPECT_EQ(find({"_Z4lastPf"}).by_name.size(), 1U);
}

TEST_F(KernelFilesTest, SaysThatLibtorchsCannotBeRead) {
  map_bytes("libgn_x.so", RegionKind::kExpect, "no ELF file");
  EXPECT_EQ(find({"_Z4relu"}).problem, "");
  map_bytes("libtorch_cuda.so", RegionKind::kDeny, "no ELF file");
  EXPECT_TRUE(mentions(find({"_Z4relu"}).problem, {"kernels of libtorch_cuda.so", "not known"}));
  EXPECT_EQ(find({}).problem, "") << "nothing is asked";
  std::string cut = elf_with_sections({{".nv_fatbin", "code"}, {".rodata", texts({"_Z4relu"})}});
  regions_.clear();
  Elf64_Ehdr header = {};
  std::memcpy(&header, cut.data(), sizeof(header));
  Elf64_Shdr section = {};
  const std::size_t at = header.e_shoff + 3 * sizeof(section);
  std::memcpy(&section, cut.data() + at, sizeof(section));
  section.sh_size = 1 << 20;
  std::memcpy(cut.data() + at, &section, sizeof(section));
  map_bytes("libtorch_cut.so", RegionKind::kDeny, cut);
  EXPECT_TRUE(mentions(find({"_Z4relu"}).problem, {"libtorch_cut.so", "cut short"}));
}

}  // namespace kernel_files_test
}  // namespace graphnet::proof
