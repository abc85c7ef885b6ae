// SPDX-License-Identifier: MIT
#include "config/file_trust.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/mentions.h"
#include "support/temp_dir.h"

namespace graphnet::config {
namespace file_trust_test {

using tests::contains;
using tests::mentions;

namespace fs = std::filesystem;

class FileTrustTest : public ::testing::Test {
 protected:
  FileTrustTest() {
    manifest_.name = "acme";
    manifest_.file = temp_.write("p/acme/plugin.yaml", "");
    manifest_.library = temp_.write("p/acme/lib/libgn_acme.so", "");
    for (const char* path : {"p/acme", "p/acme/lib"}) ::chmod((temp_.path() / path).c_str(), 0755);
    for (const fs::path& file : {manifest_.file, manifest_.library}) ::chmod(file.c_str(), 0644);
  }

  std::string problem() const {
    const base::Status status = check_trust(manifest_, trust_);
    return status.is_ok() ? "" : status.to_string();
  }

  tests::TempDir temp_;
  Manifest manifest_;
  FileTrust trust_ = FileTrust::of_this_user({});
};

TEST_F(FileTrustTest, OwnFilesAreTrusted) {
  EXPECT_EQ(problem(), "");
}

TEST_F(FileTrustTest, WhatEverybodyCanWriteIsRefused) {
  for (const char* path :
       {"p/acme/plugin.yaml", "p/acme/lib/libgn_acme.so", "p/acme", "p/acme/lib"}) {
    const fs::path real = fs::canonical(temp_.path() / path);
    const bool is_folder = fs::is_directory(real);
    // For folders with the sticky bit too, as /tmp has it.
    ::chmod(real.c_str(), is_folder ? 01777 : 0666);
    const base::Status status = check_trust(manifest_, trust_);
    EXPECT_EQ(status.code(), base::Code::kPlugin);
    EXPECT_EQ(status.message(),
              "plugin 'acme' is not trusted: '" + real.string() + "' is writable by others");
    EXPECT_TRUE(contains(status.to_string(), "--trust-file " + real.string()));
    ::chmod(real.c_str(), is_folder ? 0755 : 0644);
  }
  EXPECT_EQ(problem(), "");
}

TEST_F(FileTrustTest, AllFilesAreNamedAtOnce) {
  ::chmod(manifest_.file.c_str(), 0666);
  ::chmod(manifest_.library.c_str(), 0666);
  EXPECT_TRUE(mentions(problem(), {"libgn_acme.so' is writable", "; '"})) << problem();
  EXPECT_TRUE(mentions(problem(), {"plugin.yaml' is writable"})) << problem();
}

TEST_F(FileTrustTest, FilesOfAThirdUserAreRefused) {
  trust_.owners = {::geteuid() + 1};
  EXPECT_TRUE(mentions(problem(), {"plugin.yaml' belongs to user " + std::to_string(::geteuid())}))
      << problem();
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  trust_ = FileTrust::of_this_user({});
  ASSERT_EQ(::chown(manifest_.library.c_str(), 12345, 12345), 0);
  EXPECT_TRUE(contains(problem(), "libgn_acme.so' belongs to user 12345")) << problem();
  // Whoever owns the program could change it as well as the plugin.
  ASSERT_EQ(::chown(temp_.path().c_str(), 12345, 12345), 0);
  trust_ = FileTrust::of_this_user(temp_.path());
  EXPECT_EQ(problem(), "");
}

TEST_F(FileTrustTest, LinksAreFollowed) {
  const fs::path target = temp_.write("elsewhere/real.so", "");
  fs::create_symlink(target, temp_.path() / "p/acme/link.so");
  manifest_.library = temp_.path() / "p/acme/link.so";
  EXPECT_EQ(problem(), "");
  ::chmod((temp_.path() / "elsewhere").c_str(), 0777);
  EXPECT_TRUE(mentions(problem(), {"elsewhere' is writable"})) << problem();
}

TEST_F(FileTrustTest, ExemptFilesAndFolders) {
  ::chmod(manifest_.library.c_str(), 0666);
  trust_.exempt = {manifest_.library};
  EXPECT_EQ(problem(), "");
  ::chmod((temp_.path() / "p/acme").c_str(), 0777);
  EXPECT_TRUE(mentions(problem(), {"p/acme' is writable"})) << problem();
  trust_.exempt = {temp_.path() / "p/acme/"};
  EXPECT_EQ(problem(), "");
  trust_.exempt = {temp_.path() / "p/ac"};
  EXPECT_NE(problem(), "");
}

}  // namespace file_trust_test
}  // namespace graphnet::config
