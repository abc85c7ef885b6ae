// SPDX-License-Identifier: MIT
#include "config/opened_library.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "support/elf_builder.h"
#include "support/mentions.h"
#include "support/temp_dir.h"

namespace graphnet::config {
namespace opened_library_test {

namespace fs = std::filesystem;
using base::Status;
using tests::elf_bytes;
using tests::mentions;

constexpr const char* kVariable = "GRAPHNET_TEST_ACME_LIBRARY";

class OpenedLibraryTest : public testing::Test {
 protected:
  void SetUp() override {
    ::unsetenv(kVariable);
    library_.name = "Acme";
    library_.sonames = {"libacme_of_test.so.11", "libacme_of_test.so.10"};
    library_.named_only = {"libacme_small.so.1"};
    library_.option = "library";
    library_.variable = kVariable;
    library_.python_folder = "acme_libs_of_test";
    library_.hints = {"pip install acme", "apt install acme", "unpack acme.tar"};
  }
  void TearDown() override {
    ::unsetenv(kVariable);
    ::unsetenv("VIRTUAL_ENV");
  }
  std::string write(const std::string& file, const std::string& soname) {
    tests::ElfRecipe recipe;
    recipe.soname = soname;
    return temp_.write(file, elf_bytes(recipe)).string();
  }
  Status check(const std::string& given = "") const {
    LoaderPaths paths;
    paths.environment = {(temp_.path() / "loader").string()};
    paths.cache["libacme_of_test.so.10"] = {temp_.path() / "cached/libacme_of_test.so.10"};
    return check_opened_library(library_, {{"library", given}}, paths);
  }
  void expect_missing(const Status& status, const std::vector<std::string_view>& parts) const {
    EXPECT_EQ(status.code(), base::Code::kPlugin);
    EXPECT_EQ(status.hints(), library_.hints);
    EXPECT_TRUE(mentions(status.to_string(), parts));
  }

  tests::TempDir temp_;
  OpenedLibrary library_;
};

TEST_F(OpenedLibraryTest, IsFoundWhereThePluginLooks) {
  expect_missing(check(), {"Acme is not available: there is no such library here", "looked for",
                           "libacme_of_test.so.11 and libacme_of_test.so.10", "VIRTUAL_ENV"});
  const fs::path wheel = "env/lib/python3.12/site-packages/acme_libs_of_test";
  write(wheel / "libacme_of_test.so.11", "libacme_of_test.so.11");
  ASSERT_EQ(::setenv("VIRTUAL_ENV", (temp_.path() / "env").c_str(), 1), 0);
  EXPECT_TRUE(check().is_ok()) << check().to_string();
  ::unsetenv("VIRTUAL_ENV");
  write("cached/libacme_of_test.so.10", "libacme_of_test.so.10");
  EXPECT_TRUE(check().is_ok()) << check().to_string();
  fs::remove(temp_.path() / "cached/libacme_of_test.so.10");
  write("loader/libacme_of_test.so.11", "libacme_of_test.so.11");
  EXPECT_TRUE(check().is_ok()) << check().to_string();
}

TEST_F(OpenedLibraryTest, OfTheFolderOrFileThatIsNamedAndNowhereElse) {
  const std::string file = write("loader/libacme_of_test.so.11", "libacme_of_test.so.11");
  EXPECT_TRUE(check(file).is_ok());
  EXPECT_TRUE(check(fs::path(file).parent_path().string()).is_ok());
  const std::string gone = (temp_.path() / "gone.so").string();
  expect_missing(check(gone), {"not found: " + gone, "named by option 'library'"});
  expect_missing(check(temp_.path().string()), {"the folder holds no such library"});
  ASSERT_EQ(::setenv(kVariable, gone.c_str(), 1), 0);
  expect_missing(check(), {"not found: " + gone, std::string("named by ") + kVariable});
  EXPECT_TRUE(check(file).is_ok()) << "the option wins";
}

TEST_F(OpenedLibraryTest, RefusesWhatIsNoneOrAnother) {
  const std::string text = temp_.write("libacme_of_test.so.11", "404: not found\n").string();
  expect_missing(check(text), {"not an ELF shared library", "404: not"});
  const std::string cut = write("cut.so", "libacme_of_test.so.11");
  fs::resize_file(cut, fs::file_size(cut) - 16);
  expect_missing(check(cut), {"cut off"});
  expect_missing(check(write("old.so", "libacme_of_test.so.8")),
                 {"is libacme_of_test.so.8; the plugin takes libacme_of_test.so.11 or "
                  "libacme_of_test.so.10"});
  EXPECT_TRUE(check(write("small.so", "libacme_small.so.1")).is_ok());
  EXPECT_TRUE(check(write("unnamed.so", "")).is_ok());
}

// What the dynamic linker would pass over is no reason to stop, but a reason to tell.
TEST_F(OpenedLibraryTest, GoesOnBehindAFileThatIsNone) {
  temp_.write("loader/libacme_of_test.so.11", "text");
  expect_missing(check(), {"loader/libacme_of_test.so.11", "not an ELF shared library"});
  write("cached/libacme_of_test.so.10", "libacme_of_test.so.10");
  EXPECT_TRUE(check().is_ok());
}

}  // namespace opened_library_test
}  // namespace graphnet::config
