// SPDX-License-Identifier: MIT
#include "inductor/package.h"

#include <gtest/gtest.h>

#include <string>

#include "graphnet/failure.h"

namespace graphnet::inductor {
namespace package_test {

Package sample_package() {
  Package package;
  package.library = std::string(
      "\x7f"
      "ELF\0code",
      9);
  package.arguments = {{false, 0}, {true, 5}};
  package.constants = {{"c7", {kDLInt, 64, 1}, {2, 0}, 64}};
  package.data = std::string(100, '\1');
  package.times = "import: 1.00 s\n";
  package.is_frozen = true;
  return package;
}

std::string reason(const std::string& bytes, const std::string& maker) {
  try {
    load(bytes, maker);
    return "";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), GN_STATUS_INVALID_ARGUMENT + 0U);
    return failure.what();
  }
}

TEST(Package, IsReadAsItWasStored) {
  const Package package = sample_package();
  const Package loaded = load(store(package, "maker"), "maker");
  EXPECT_EQ(loaded.library, package.library);
  ASSERT_EQ(loaded.arguments.size(), 2U);
  EXPECT_FALSE(loaded.arguments[0].is_weight);
  EXPECT_TRUE(loaded.arguments[1].is_weight);
  EXPECT_EQ(loaded.arguments[1].position, 5U);
  ASSERT_EQ(loaded.constants.size(), 1U);
  EXPECT_EQ(loaded.constants[0].name, "c7");
  EXPECT_EQ(loaded.constants[0].dtype.code, kDLInt);
  EXPECT_EQ(loaded.constants[0].dtype.bits, 64);
  EXPECT_EQ(loaded.constants[0].shape, (std::vector<std::int64_t>{2, 0}));
  EXPECT_EQ(loaded.constants[0].offset, 64U);
  EXPECT_EQ(loaded.data, package.data);
  EXPECT_EQ(loaded.times, package.times);
  EXPECT_TRUE(loaded.is_frozen);
}

TEST(Package, RefusesWhatIsDamagedOrOfAnotherMaker) {
  const std::string bytes = store(sample_package(), "maker");
  EXPECT_EQ(reason(bytes, "other"),
            "stored package was made by another compiler, with other options or for another "
            "processor");
  EXPECT_EQ(reason("", "maker"), "stored package is none of this version of the plugin");
  for (std::size_t size = 0; size < bytes.size(); size += 7) {
    EXPECT_NE(reason(bytes.substr(0, size), "maker"), "") << size;
  }
  for (std::size_t at = 0; at < bytes.size(); at += 5) {
    std::string damaged = bytes;
    damaged[at] ^= 1;
    EXPECT_NE(reason(damaged, "maker"), "") << at;
  }
}

TEST(Package, TheMakerNamesTheOptions) {
  Options options;
  const std::string maker = maker_text(options);
  options.threads = 2;
  EXPECT_NE(maker_text(options), maker);
  options.threads = 1;
  options.max_autotune = true;
  EXPECT_NE(maker_text(options), maker);
  options.max_autotune = false;
  options.freezing = false;
  EXPECT_NE(maker_text(options), maker);
}

}  // namespace package_test
}  // namespace graphnet::inductor
