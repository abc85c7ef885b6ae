// SPDX-License-Identifier: MIT
#include "xla/pjrt_library.h"

#include "support/temp_dir.h"
#include "unit/xla/pjrt_fixture.h"

namespace graphnet::xla {
namespace pjrt_library_test {

std::string refusal(const std::string& file) {
  const Failure failure = failure_of([&] { PjrtLibrary::open(file); });
  EXPECT_EQ(failure.code(), GN_STATUS_UNAVAILABLE);
  EXPECT_TRUE(contains(failure.what(), "PJRT file '" + file + "'")) << failure.what();
  return failure.what();
}

std::string fake(const std::string& name) {
  return std::string(GN_XLA_FAKES) + "/fake_pjrt_" + name + ".so";
}

TEST(PjrtLibrary, RefusesFilesThatAreNone) {
  const tests::TempDir folder;
  const std::string missing = refusal((folder.path() / "none.so").string());
  EXPECT_TRUE(contains(missing, "No such file")) << missing;
  EXPECT_TRUE(contains(missing, "option 'pjrt'")) << missing;
  const std::string text = refusal(folder.write("text.so", "404: not found\n").string());
  EXPECT_TRUE(contains(text, "cannot be loaded")) << text;
  refusal(folder.path().string());
  refusal("");
}

TEST(PjrtLibrary, RefusesOtherLibraries) {
  EXPECT_TRUE(contains(refusal(fake("no_symbol")), "exports no GetPjrtApi"));
  EXPECT_TRUE(contains(refusal(fake("null_table")), "has no PJRT function table"));
  EXPECT_TRUE(contains(refusal(fake("wrong_major")), "has PJRT C API 1.2, this plugin needs 0.x"));
  EXPECT_TRUE(contains(refusal(fake("small_table")), "is too old"));
  EXPECT_TRUE(contains(refusal(fake("tiny_table")), "is too old"));
}

/// Errors of the library keep their words, and each is destroyed once.
TEST(PjrtLibrary, PassesOnAnErrorOfInitialisation) {
  const Failure failure = failure_of([] { PjrtLibrary::open(fake("fails")); });
  EXPECT_EQ(failure.code(), GN_STATUS_UNAVAILABLE);
  EXPECT_TRUE(mentions(failure.what(), {"out of luck", "errors alive: 1"}));
  const Failure again = failure_of([] { PjrtLibrary::open(fake("fails")); });
  EXPECT_TRUE(mentions(again.what(), {"out of luck", "errors alive: 1"}));
}

TEST(PjrtClient, TriesFewerOptionsWhereSomeAreRefused) {
  const PjrtLibrary library = PjrtLibrary::open(fake("few_options"));
  const PjrtClient client(library);  // takes one option and no more
  EXPECT_EQ(library.version(), "0.81");
}

TEST(PjrtClient, SaysWhyThereIsNone) {
  const PjrtLibrary library = PjrtLibrary::open(fake("no_client"));
  const Failure failure = failure_of([&] { const PjrtClient client(library); });
  EXPECT_EQ(failure.code(), GN_STATUS_UNAVAILABLE);
  EXPECT_TRUE(mentions(failure.what(), {"client", "out of luck"})) << failure.what();
}

TEST(XlaEnvironment, HasThreadsAndNoFlags) {
  ::setenv("XLA_FLAGS", "--xla_no_such_flag", 1);
  EXPECT_EQ(set_xla_environment(3), "--xla_no_such_flag");
  EXPECT_EQ(std::getenv("XLA_FLAGS"), nullptr);
  EXPECT_STREQ(std::getenv("PJRT_NPROC"), "3");
  EXPECT_STREQ(std::getenv("NPROC"), "3");
  EXPECT_STREQ(std::getenv("TF_CPP_MIN_LOG_LEVEL"), "3");
  EXPECT_EQ(set_xla_environment(1), "");
}

TEST(XlaEnvironment, OnAGpuAllOfTheLogIsWritten) {
  set_xla_environment(1, /*is_gpu=*/true);
  EXPECT_STREQ(std::getenv("TF_CPP_MIN_LOG_LEVEL"), "0");
  set_xla_environment(1);
  EXPECT_STREQ(std::getenv("TF_CPP_MIN_LOG_LEVEL"), "3");
}

class PjrtLibraryTest : public PjrtTest {};
GN_INSTANTIATE_PJRT(PjrtLibraryTest);

TEST_P(PjrtLibraryTest, DescribesItself) {
  const auto attributes = client_->library().attributes();
  EXPECT_EQ(client_->library().version().substr(0, 2), "0.");
  EXPECT_EQ(attributes.at("stablehlo_minimum_version"), "0.9.0");
  EXPECT_EQ(client_->file_sha256().size(), 64u);
}

/// As on a CUDA device, where memory is never the host's.
TEST_P(PjrtLibraryTest, ViewsMemoryOfTheDeviceInPlace) {
  HostTensor a = f32({2, 2}, {1, 2, 3, 4});
  const OwnedBuffer buffer = client_->view(a.type(), a.data());
  EXPECT_EQ(client_->data(buffer.get()), a.data());
}

/// Clients come and go; the library stays.
TEST_P(PjrtLibraryTest, MakesClientsAgain) {
  for (int i = 0; i < 3; ++i) {
    const auto client =
        std::make_shared<const PjrtClient>(PjrtLibrary::open(pjrt_file(GetParam())));
    HostTensor a = f32({2}, {1, 2});
    const OwnedBuffer buffer =
        client->make_buffer(a.type(), a.data(), pjrt::HostBufferSemantics::kImmutableZeroCopy);
    EXPECT_EQ(client->data(buffer.get()), a.data());
  }
}

}  // namespace pjrt_library_test
}  // namespace graphnet::xla
