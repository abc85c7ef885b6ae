// SPDX-License-Identifier: MIT
// Which CUPTI is found, and every state that one can be in.
#include "proof/cupti_library.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "support/mentions.h"
#include "support/temp_dir.h"
#include "unit/proof/fake_cupti_library.h"

namespace graphnet::proof {
namespace cupti_library_test {

using tests::mentions;

namespace fs = std::filesystem;
using device::DriverCondition;
using device::DriverState;
using tests::FakeCuptiLibrary;

const std::string kFakes = GRAPHNET_FAKE_CUPTI;

DriverState working_driver() {
  DriverState driver;
  driver.condition = DriverCondition::kReady;
  driver.num_devices = 1;
  return driver;
}

DriverState driver_without(DriverCondition condition, const std::string& reason) {
  DriverState driver;
  driver.condition = condition;
  driver.reason = reason;
  return driver;
}

CuptiStatus open_named(const std::string& name, CuptiLibrary& library) {
  return open_cupti({{name}, {kFakes}}, library);
}

TEST(CuptiLibrary, OpensWithVersionAndFile) {
  const FakeCuptiLibrary fake;
  CuptiLibrary library;
  const CuptiStatus status = open_named("libcupti_fake.so", library);
  EXPECT_TRUE(status.is_ready()) << status.reason;
  EXPECT_EQ(library.version, 130001U);
  EXPECT_EQ(library.file.filename(), "libcupti_fake.so");
  EXPECT_NE(library.functions.subscribe_named, nullptr);
}

TEST(CuptiLibrary, WorksWithoutWhatCameLater) {
  CuptiLibrary library;
  EXPECT_TRUE(open_named("libcupti_fake_old.so", library).is_ready());
  EXPECT_EQ(library.functions.subscribe_named, nullptr);
  EXPECT_EQ(library.functions.enable_driver_call, nullptr);
}

TEST(CuptiLibrary, AbsentNamesWhatWasLookedFor) {
  CuptiLibrary library;
  const CuptiStatus status =
      open_cupti({{"libcupti_none.so.13", "libcupti_none.so.12"}, {kFakes}}, library);
  EXPECT_EQ(status.state, CuptiState::kAbsent);
  EXPECT_EQ(status.reason,
            "CUPTI is not installed: libcupti_none.so.13, libcupti_none.so.12 not found");
}

TEST(CuptiLibrary, StubNamesWhatItLacks) {
  CuptiLibrary library;
  const CuptiStatus status = open_named("libcupti_fake_stub.so", library);
  EXPECT_EQ(status.state, CuptiState::kUnusable);
  EXPECT_NE(status.reason.find("is no CUPTI: it lacks cuptiSubscribe, "), std::string::npos)
      << status.reason;
  EXPECT_EQ(open_cupti({{"libm.so.6"}, {}}, library).state, CuptiState::kUnusable);
}

TEST(CuptiLibrary, OtherReleasesAreUnusable) {
  const FakeCuptiLibrary fake;
  for (const std::uint32_t version : {0U, 17U, 18U, 110000U, 140000U, 990000U}) {
    fake.control().version = version;
    CuptiLibrary library;
    const CuptiStatus status = open_named("libcupti_fake.so", library);
    EXPECT_EQ(status.state, CuptiState::kUnusable) << version;
    EXPECT_NE(status.reason.find("interface version " + std::to_string(version)), std::string::npos)
        << status.reason;
  }
  for (const std::uint32_t version : {19U, 22U, 28U, 130000U, 130001U, 130200U, 130500U}) {
    fake.control().version = version;
    CuptiLibrary library;
    EXPECT_TRUE(open_named("libcupti_fake.so", library).is_ready()) << version;
  }
}

TEST(CuptiLibrary, CopyThatIsMappedComesFirst) {
  const tests::TempDir folder;
  const FakeCuptiLibrary mapped("libcupti_fake_old.so");
  // Another file of that name, which a search by folders would find.
  fs::copy_file(kFakes + "/libcupti_fake.so", folder.path() / "libcupti_fake_old.so");
  CuptiLibrary library;
  EXPECT_TRUE(open_cupti({{"libcupti_fake_old.so"}, {folder.path()}}, library).is_ready());
  EXPECT_EQ(library.file, kFakes + "/libcupti_fake_old.so");
}

TEST(CuptiLibrary, PinnedOneIsFoundBesideWhatIsMappedLater) {
  const tests::TempDir folder;
  const auto copy = [&](const char* name) {
    fs::copy_file(kFakes + "/libcupti_fake_old.so", folder.path() / name);
    return folder.path() / name;
  };
  const CuptiSearch search = {{"libcupti_later.so", "libcupti_first.so"}, {folder.path()}};
  EXPECT_EQ(pin_cupti(search).names, search.names);  // there is none
  const fs::path first = copy("libcupti_first.so");
  const CuptiSearch pinned = pin_cupti(search);
  const fs::path later = copy("libcupti_later.so");
  ASSERT_NE(::dlopen(later.c_str(), RTLD_NOW), nullptr);
  CuptiLibrary library;
  EXPECT_TRUE(open_cupti(search, library).is_ready());
  EXPECT_EQ(library.file, later);
  EXPECT_TRUE(open_cupti(pinned, library).is_ready());
  EXPECT_EQ(library.file, first);
}

TEST(CuptiLibrary, FoldersLieBesideLibtorch) {
  base::Mapping torch;
  torch.path = "/trees/x/torch/lib/libtorch_cpu.so";
  base::Mapping other;
  other.path = "/usr/lib/libc.so.6";
  EXPECT_EQ(folders_beside_libtorch({other, torch}),
            (std::vector<fs::path>{"/trees/x/nvidia/cu13/lib", "/trees/x/nvidia/cuda_cupti/lib"}));
  EXPECT_TRUE(folders_beside_libtorch({other}).empty());
}

TEST(CuptiState, EachResultOfSubscribing) {
  const DriverState works = working_driver();
  const DriverState none = driver_without(DriverCondition::kNoLibrary, "no driver is installed");
  const struct {
    int code;
    DriverState driver;
    CuptiState state;
    const char* reason;
  } cases[] = {
      {0, works, CuptiState::kReady, ""},
      {39, works, CuptiState::kBusy, "'Nsight' traces this process already (refusal)"},
      {35, works, CuptiState::kDenied, "tracing is not allowed here (refusal)"},
      {33, works, CuptiState::kDenied, "tracing is not allowed here (refusal)"},
      {40, works, CuptiState::kDenied, "tracing is not allowed here (refusal)"},
      {45, works, CuptiState::kDenied, "tracing is not allowed here (refusal)"},
      {46, works, CuptiState::kFailed, "refusal, although the driver works"},
      {999, works, CuptiState::kFailed, "refusal, although the driver works"},
      {999, none, CuptiState::kNoDevice, "no driver is installed (refusal)"},
      {15, none, CuptiState::kNoDevice, "no driver is installed (refusal)"},
      {34, driver_without(DriverCondition::kStub, "a stub"), CuptiState::kNoDevice,
       "a stub (refusal)"},
      {100, driver_without(DriverCondition::kNoDevice, "0 devices"), CuptiState::kNoDevice,
       "0 devices (refusal)"},
  };
  for (const auto& wanted : cases) {
    const CuptiStatus status = judge_refusal(wanted.code, "refusal", "Nsight", wanted.driver);
    EXPECT_EQ(status.state, wanted.state) << wanted.code;
    EXPECT_EQ(status.reason, wanted.reason) << wanted.code;
    EXPECT_EQ(status.code, wanted.code);
  }
  EXPECT_TRUE(
      mentions(judge_refusal(39, "refusal", "", works).reason, {"another tool", "(refusal)"}));
}

}  // namespace cupti_library_test
}  // namespace graphnet::proof
