// SPDX-License-Identifier: MIT
#include "base/elf_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>
#include <limits>

#include "support/elf_builder.h"
#include "support/elf_sections.h"
#include "support/temp_dir.h"

namespace graphnet::base {
namespace elf_file_test {

Result<ElfFile> read(std::string_view bytes) {
  return ElfFile::read(CheckedBytes(bytes));
}

/// Reads all that a file can be asked for; returns how much that was, in bytes.
std::size_t read_all(std::string_view bytes) {
  Result<ElfFile> file = read(bytes);
  if (!file.is_ok()) return 0;
  std::size_t num_bytes = 0;
  for (const Elf64_Shdr& section : file->sections()) {
    num_bytes += file->section_name(section).size();
  }
  for (const Elf64_Word table : {SHT_DYNSYM, SHT_SYMTAB}) {
    file->visit_symbols(table, [&](const Elf64_Sym& symbol, const ElfFile::Texts& texts) {
      const Result<std::string> name = file->text(texts, symbol.st_name);
      num_bytes += sizeof(symbol) + (name.is_ok() ? name->size() : 0);
    });
  }
  Result<ElfDynamic> dynamic = ElfDynamic::read(*file);
  if (!dynamic.is_ok()) return num_bytes;
  const Result<std::vector<Elf64_Sym>> symbols = dynamic->symbols();
  return num_bytes + (symbols.is_ok() ? symbols->size() * sizeof(Elf64_Sym) : 0);
}

TEST(CheckedBytes, ReadsNothingBeyondTheEnd) {
  const tests::TempDir folder;
  const Result<CheckedBytes> file = CheckedBytes::open(folder.write("four", "abcd"));
  ASSERT_TRUE(file.is_ok());
  const CheckedBytes memory("abcd");
  for (const CheckedBytes* bytes : {&*file, &memory}) {
    std::uint16_t value = 0;
    EXPECT_TRUE(bytes->read(2, value));
    EXPECT_EQ(std::memcmp(&value, "cd", 2), 0);
    std::vector<std::uint16_t> values;
    EXPECT_TRUE(bytes->read_array(4, 0, values));
    for (const std::uint64_t offset :
         {std::uint64_t{3}, std::uint64_t{4}, std::numeric_limits<std::uint64_t>::max()}) {
      EXPECT_FALSE(bytes->read(offset, value));
      EXPECT_FALSE(bytes->read_array(offset, 1, values));
    }
    EXPECT_FALSE(bytes->read_array(0, std::numeric_limits<std::uint64_t>::max() / 2 + 1, values));
  }
}

TEST(CheckedBytes, AFileThatIsCutShortMeanwhile) {
  const tests::TempDir folder;
  const auto path = folder.write("x", "abcd");
  const Result<CheckedBytes> bytes = CheckedBytes::open(path);
  ASSERT_TRUE(bytes.is_ok());
  std::filesystem::resize_file(path, 1);
  std::uint32_t value = 0;
  EXPECT_FALSE(bytes->read(0, value));
}

TEST(CheckedBytes, ANamedPipeIsRefusedAndNotWaitedFor) {
  const tests::TempDir folder;
  const auto pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(CheckedBytes::open(pipe).status().code(), Code::kInput);
}

TEST(ElfFile, ReadsThisProgram) {
  Result<CheckedBytes> bytes = CheckedBytes::open("/proc/self/exe");
  ASSERT_TRUE(bytes.is_ok());
  Result<ElfFile> file = ElfFile::read(std::move(bytes).value());
  ASSERT_TRUE(file.is_ok()) << file.status().to_string();
  bool has_code = false;
  for (const Elf64_Shdr& section : file->sections()) {
    if (file->section_name(section) != ".text") continue;
    has_code = true;
    EXPECT_EQ(file->address_of(section.sh_offset), section.sh_addr);
    EXPECT_EQ(file->offset_of(section.sh_addr), section.sh_offset);
  }
  EXPECT_TRUE(has_code);
  const Result<ElfDynamic> dynamic = ElfDynamic::read(*file);
  ASSERT_TRUE(dynamic.is_ok()) << dynamic.status().to_string();
  std::size_t num_symbols = 0;
  file->visit_symbols(SHT_DYNSYM, [&](const Elf64_Sym&, const ElfFile::Texts&) { ++num_symbols; });
  const Result<std::vector<Elf64_Sym>> symbols = dynamic->symbols();
  ASSERT_TRUE(symbols.is_ok());
  EXPECT_GT(num_symbols, 0U);
  EXPECT_FALSE(symbols->empty());
  EXPECT_LE(symbols->size(), num_symbols) << "hash table and section";
}

TEST(ElfFile, ReadsADynamicSegmentWithoutSections) {
  tests::ElfRecipe recipe;
  recipe.soname = "libx.so.1";
  const std::string bytes = tests::elf_bytes(recipe);
  Result<ElfFile> file = read(bytes);
  ASSERT_TRUE(file.is_ok());
  EXPECT_TRUE(file->sections().empty());
  Result<ElfDynamic> dynamic = ElfDynamic::read(*file);
  ASSERT_TRUE(dynamic.is_ok());
  EXPECT_EQ(*dynamic->text(dynamic->value_of(DT_SONAME).value_or(0)), "libx.so.1");
  EXPECT_FALSE(dynamic->value_of(DT_RPATH).has_value());
  EXPECT_EQ(dynamic->symbols()->size(), 1 + recipe.exports.size());
}

TEST(ElfFile, SurvivesEachCutAndEachChangedByte) {
  for (const std::string& good :
       {tests::elf_bytes({}),
        tests::elf_with_sections({{".text.one", "1"}, {".nv.two", ""}, {"three", "33"}})}) {
    EXPECT_GT(read_all(good), 0U);
    for (std::size_t size = 0; size < good.size(); ++size) {
      EXPECT_LE(read_all(good.substr(0, size)), 8 * good.size());
    }
    for (std::size_t offset = 0; offset < good.size(); ++offset) {
      for (const char byte : {'\0', '\1', '\x7F', '\xFF'}) {
        std::string changed = good;
        changed[offset] = byte;
        EXPECT_LE(read_all(changed), 8 * good.size()) << offset;
      }
    }
  }
}

TEST(ElfFile, RefusesNamesThatTogetherAreMuchLargerThanTheFile) {
  const std::string bytes = tests::elf_with_sections({{std::string(5000, 'x'), ""}});
  Result<ElfFile> file = read(bytes);
  ASSERT_TRUE(file.is_ok());
  const ElfFile::Texts texts = {0, bytes.size()};
  const std::uint64_t name = bytes.find("xxx");
  EXPECT_EQ(file->text(texts, name)->size(), 5000U);
  int num_names = 1;
  while (num_names < 100 && file->text(texts, name).is_ok()) ++num_names;
  EXPECT_LT(num_names, 20);
}

TEST(ElfFile, RefusesTextsOutsideTheFileOrWithoutAnEnd) {
  const std::string bytes = tests::elf_bytes({}) + "no end";
  Result<ElfFile> file = read(bytes);
  ASSERT_TRUE(file.is_ok());
  const std::uint64_t size = bytes.size();
  EXPECT_FALSE(file->text({0, size}, size - 6).is_ok());
  EXPECT_FALSE(file->text({0, size}, size).is_ok());
  EXPECT_FALSE(file->text({0, size + 1}, 0).is_ok());
  EXPECT_FALSE(file->text({std::numeric_limits<std::uint64_t>::max(), 4}, 1).is_ok());
}

/// A note of that owner and kind; sizes as given, whatever the content has.
std::string note(const Elf64_Nhdr& head, const std::string& content) {
  return std::string(reinterpret_cast<const char*>(&head), sizeof(head)) + content;
}

TEST(BuildId, IsFoundAmongOtherNotes) {
  const std::string gnu("GNU\0", 4);
  const std::string other = note({5, 3, NT_GNU_BUILD_ID}, std::string("CORE\0\0\0\0abc\0", 12));
  const std::string own = note({4, 3, NT_GNU_BUILD_ID}, gnu + std::string("\x01\xAB\xFF\0", 4));
  EXPECT_EQ(build_id_in(other + own), "01abff");
  EXPECT_EQ(build_id_in(other), "");
  EXPECT_EQ(build_id_in(""), "");
}

TEST(BuildId, HasNoBytesBeyondTheNotes) {
  const std::string gnu("GNU\0", 4);
  const std::uint32_t huge = std::numeric_limits<std::uint32_t>::max();
  EXPECT_EQ(build_id_in(note({4, huge, NT_GNU_BUILD_ID}, gnu)), "");
  EXPECT_EQ(build_id_in(note({huge, 4, NT_GNU_BUILD_ID}, gnu)), "");
  EXPECT_EQ(build_id_in(note({4, 1, NT_GNU_BUILD_ID}, gnu)), "");
  EXPECT_EQ(build_id_in("abc"), "");
}

}  // namespace elf_file_test
}  // namespace graphnet::base
