// SPDX-License-Identifier: MIT
#include "tensorrt/library.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "config/manifest.h"
#include "graphnet/failure.h"
#include "support/mentions.h"
#include "support/temp_dir.h"

namespace graphnet::tensorrt {
namespace library_test {

namespace fs = std::filesystem;
using tests::mentions;
using tests::TempDir;

std::string fake(const std::string& name) {
  return std::string(GN_TENSORRT_FAKES) + "/fake_tensorrt_" + name + ".so";
}

/// The message of a failure, which must be UNAVAILABLE.
std::string unavailable(const std::function<void()>& action) {
  try {
    action();
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), GN_STATUS_UNAVAILABLE);
    return failure.what();
  }
  ADD_FAILURE() << "nothing failed";
  return "";
}

std::string refusal(const std::string& file) {
  return unavailable([&] { Library::open(file); });
}

TEST(Library, SaysHowToGetOneWhereThereIsNone) {
  const TempDir folder;
  const std::string missing = refusal((folder.path() / "libnvinfer.so.11").string());
  EXPECT_TRUE(
      mentions(missing, {"is not there", "pip install", "apt install", "option 'library'"}));
  const std::string empty = unavailable([&] { Library::find(folder.path().string()); });
  EXPECT_TRUE(
      mentions(empty, {folder.path().string(), "libnvinfer.so.11", "libtensorrt_rtx.so.1"}));
}

TEST(Library, RefusesFilesThatAreNoLibrary) {
  const TempDir folder;
  const std::string text = refusal(folder.write("libnvinfer.so.11", "404: not found\n").string());
  EXPECT_TRUE(mentions(text, {"cannot be loaded", "no shared library"}));
  const fs::path whole = fake("eleven");
  const fs::path cut = folder.path() / "cut.so";
  fs::copy_file(whole, cut);
  fs::resize_file(cut, 1024);  // less than what is loaded of it
  EXPECT_TRUE(mentions(refusal(cut.string()), {"is cut off", "1024 bytes"}));
}

TEST(Library, RefusesWhatItHasNoTableFor) {
  EXPECT_TRUE(mentions(refusal(fake("twelve")), {"TensorRT 12.0.0.7", "TensorRT 11", "10.15"}));
  EXPECT_TRUE(mentions(refusal(fake("old_ten")), {"TensorRT 10.9.0.7", "10.15"}));
  EXPECT_TRUE(mentions(refusal(fake("lean")), {"lean or dispatch"}));
  EXPECT_TRUE(mentions(refusal("libc.so.6"), {"is no TensorRT library"}));
}

TEST(Library, KnowsItsFlavourByItsOwnVersion) {
  const Library eleven = Library::open(fake("eleven"));
  EXPECT_EQ(eleven.version(), "TensorRT 11.4.0.7");
  EXPECT_EQ(eleven.flavour(), Flavour::kEleven);
  const Library ten = Library::open(fake("ten"));
  EXPECT_EQ(ten.version(), "TensorRT 10.16.0.7");
  EXPECT_EQ(ten.flavour(), Flavour::kTen);
  EXPECT_EQ(Library::open(fake("rtx")).flavour(), Flavour::kRtx);
}

// Some libraries return null plus the offset of a base class, and the reason is in their log only.
TEST(Library, TakesNoBuilderThatIsNone) {
  const auto builder_of = [](const std::string& name) {
    return unavailable([&] { Library::open(fake(name)).make_builder(); });
  };
  EXPECT_TRUE(mentions(builder_of("null"), {"makes no builder", "no reason"}));
  EXPECT_TRUE(mentions(builder_of("offset"), {"CUDA initialization failure with error: 35"}));
  EXPECT_TRUE(mentions(builder_of("ten_offset"), {"CUDA initialization failure with error: 35"}));
  EXPECT_TRUE(mentions(builder_of("error"), {"no file for this device"}));
}

// The files with its kernels lie beside it, where the dynamic linker does not look.
TEST(Library, IsToldItsOwnFolder) {
  const auto folder_of = [](const std::string& name) {
    Library::open(fake(name));
    void* const handle = ::dlopen(fake(name).c_str(), RTLD_NOW | RTLD_NOLOAD);
    return std::string(static_cast<const char*>(::dlsym(handle, "fake_folder")));
  };
  EXPECT_EQ(folder_of("eleven"), GN_TENSORRT_FAKES);
  EXPECT_EQ(folder_of("ten"), "");
}

TEST(Library, IsLookedForWhereTheVariableSays) {
  const TempDir folder;
  fs::copy_file(fake("eleven"), folder.path() / "libnvinfer.so.11");
  ASSERT_EQ(setenv("GRAPHNET_TENSORRT_LIBRARY", folder.path().c_str(), 1), 0);
  const Library found = Library::find("");
  EXPECT_EQ(found.file(), (folder.path() / "libnvinfer.so.11").string());
  // What is named wins.
  EXPECT_EQ(Library::find(fake("ten")).flavour(), Flavour::kTen);
  ASSERT_EQ(unsetenv("GRAPHNET_TENSORRT_LIBRARY"), 0);
}

TEST(Library, IsLookedForInPythonEnvironments) {
  const TempDir folder;
  const fs::path wheel = folder.path() / "lib/python3.12/site-packages/tensorrt_libs";
  fs::create_directories(wheel);
  fs::copy_file(fake("eleven"), wheel / "libnvinfer.so.11");
  ASSERT_EQ(setenv("VIRTUAL_ENV", folder.path().c_str(), 1), 0);
  const std::vector<std::string> places = library_places(library_names(), "");
  ASSERT_EQ(unsetenv("VIRTUAL_ENV"), 0);
  EXPECT_NE(std::find(places.begin(), places.end(), (wheel / "libnvinfer.so.11").string()),
            places.end());
}

// The host looks for it first, by the manifest.
TEST(Library, HasTheNamesThatTheManifestSays) {
  const auto manifest = config::read_manifest(GN_TENSORRT_MANIFEST);
  ASSERT_TRUE(manifest.is_ok()) << manifest.status().to_string();
  ASSERT_EQ(manifest->opens.size(), 1U);
  const config::OpenedLibrary& said = manifest->opens[0];
  EXPECT_EQ(said.sonames, library_names().sonames);
  EXPECT_EQ(said.named_only, library_names().named_only);
  EXPECT_EQ(said.variable, library_names().variable);
  EXPECT_EQ(said.python_folder, library_names().python_folder);
  EXPECT_EQ(said.option, "library");
  EXPECT_EQ(said.hints.size(), 3U);
}

}  // namespace library_test
}  // namespace graphnet::tensorrt
