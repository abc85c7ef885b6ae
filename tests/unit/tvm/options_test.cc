// SPDX-License-Identifier: MIT
#include "tvm_plugin/options.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iterator>

#include "graphnet/failure.h"
#include "graphnet/plugin.h"
#include "support/mentions.h"
#include "support/temp_dir.h"
#include "tvm_plugin/tvm_library.h"

namespace graphnet::tvm {
namespace options_test {

using tests::mentions;

gn_option text(const char* name, const char* value) {
  gn_option option = {};
  option.name = to_gn(name);
  option.type = GN_OPTION_STRING;
  option.text = to_gn(value);
  return option;
}

gn_option number(const char* name, std::uint32_t type, std::int64_t value) {
  gn_option option = {};
  option.name = to_gn(name);
  option.type = type;
  option.integer = value;
  return option;
}

std::string failure_of(const gn_option& option) {
  try {
    read_options(&option, 1);
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), GN_STATUS_INVALID_ARGUMENT + 0U);
    return failure.what();
  }
  return "none";
}

TEST(Options, AreReadByNameAndType) {
  const gn_option given[] = {text("schedule", "none"),
                             text("mcpu", "x86-64-v3"),
                             number("allow_other_tvm", GN_OPTION_BOOL, 1),
                             number("tune_seconds", GN_OPTION_INT, 7),
                             text("math", "library"),
                             text("convolution", "direct"),
                             text("attention", "separate"),
                             text("bfloat16", "float32")};
  const Options read = read_options(given, std::size(given));
  EXPECT_EQ(read.math, Math::kLibrary);
  EXPECT_EQ(read.convolution, Convolution::kDirect);
  EXPECT_EQ(read.attention, AttentionForm::kSeparate);
  EXPECT_EQ(read.bfloat16, Bfloat16::kFloat32);
  EXPECT_EQ(read.schedule, Schedule::kNone);
  EXPECT_EQ(read.mcpu, "x86-64-v3");
  EXPECT_TRUE(read.allow_other_tvm);
  EXPECT_EQ(read.tune_seconds, 7);
  EXPECT_EQ(describe(read),
            "schedule=none math=library convolution=direct attention=separate bfloat16=float32");
  EXPECT_FALSE(read_options(nullptr, 0).allow_other_tvm);
}

TEST(Options, UnknownOnesAreRefused) {
  EXPECT_EQ(failure_of(text("colour", "red")), "option 'colour' is not known");
  EXPECT_TRUE(
      mentions(failure_of(text("schedule", "best")), {"'schedule'", "rules", "none", "tuned"}));
  EXPECT_TRUE(
      mentions(failure_of(text("math", "fast")), {"'math'", "polynomials", "library", "'fast'"}));
  EXPECT_EQ(failure_of(number("mcpu", GN_OPTION_INT, 1)), "option 'mcpu' must be text");
}

// The name of a version says nothing: the pinned 0.1.14.post1 calls itself 0.1.15, too.
TEST(TvmLibrary, RefusesAnFfiThatIsNotThePinnedFile) {
  const tests::TempDir folder;
  folder.write("tvm_ffi/lib/libtvm_ffi.so", "another release");
  ::setenv("GRAPHNET_TVM", folder.path().c_str(), 1);
  const auto failure = [](bool allow_other) {
    try {
      TvmLibrary::open(1, allow_other);
    } catch (const Failure& refused) {
      EXPECT_EQ(refused.code(), GN_STATUS_UNAVAILABLE + 0U);
      return std::string(refused.what());
    }
    return std::string("none");
  };
  const std::string refused = failure(false);
  const std::string tried = failure(true);
  ::unsetenv("GRAPHNET_TVM");
  if (refused.find("cannot load TVM") == 0) GTEST_SKIP() << refused;
  for (const char* part : {"is not that of apache-tvm-ffi==0.1.14.post1", "its SHA-256 is",
                           "allow_other_tvm", "./graphnet run --config tvm.yaml"}) {
    EXPECT_NE(refused.find(part), std::string::npos) << part << "\n" << refused;
  }
  EXPECT_EQ(tried.find("cannot load TVM"), 0U) << "goes on to the next file: " << tried;
}

}  // namespace options_test
}  // namespace graphnet::tvm
