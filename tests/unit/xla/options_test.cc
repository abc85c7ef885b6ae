// SPDX-License-Identifier: MIT
#include "xla/options.h"

#include <gtest/gtest.h>

#include "graphnet/plugin.h"
#include "unit/xla/pjrt_fixture.h"

namespace graphnet::xla {
namespace options_test {

gn_option text_option(const char* name, const char* value) {
  gn_option option = {};
  option.name = to_gn(name);
  option.type = GN_OPTION_STRING;
  option.text = to_gn(value);
  return option;
}

std::string refusal(const gn_option& option) {
  const Failure failure = failure_of([&] { read_options(&option, 1); });
  EXPECT_EQ(failure.code(), GN_STATUS_INVALID_ARGUMENT);
  return failure.what();
}

TEST(Options, Defaults) {
  const gn_option options[] = {text_option("pjrt", ""), text_option("rewrites", "all"),
                               text_option("overrides", "")};
  const Options read = read_options(options, 3);
  EXPECT_EQ(read.pjrt, pinned_pjrt_file());
  EXPECT_TRUE(contains(read.pjrt, "/.deps/"));
  EXPECT_TRUE(contains(pinned_pjrt_package(), "=="));
  EXPECT_TRUE(read.rewrites);
  EXPECT_EQ(read.overrides.size(), default_overrides().size());
}

TEST(Options, OfACudaDeviceNameItsFile) {
  const gn_option none = text_option("pjrt", "");
  const Failure failure = failure_of([&] { read_options(&none, 1, /*is_gpu=*/true); });
  EXPECT_EQ(failure.code(), GN_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(contains(failure.what(), "jax-cuda13-pjrt 0.11.2")) << failure.what();
  const gn_option given = text_option("pjrt", "/x.so");
  const Options read = read_options(&given, 1, /*is_gpu=*/true);
  EXPECT_EQ(read.pjrt, "/x.so");
  EXPECT_TRUE(read.is_gpu);
  ASSERT_EQ(read.overrides.size(), 1U);
  EXPECT_EQ(read.overrides[0].name, "xla_gpu_enable_fast_min_max");
}

std::string value_of(const Options& options, const std::string& name) {
  for (const CompileOverride& entry : options.overrides) {
    if (entry.name == name) return entry.value;
  }
  return "";
}

TEST(Options, MathPolicyDecidesPrecisionAndFastMath) {
  const Options strict = read_options(nullptr, 0);
  EXPECT_TRUE(strict.full_precision);
  EXPECT_EQ(value_of(strict, "xla_cpu_enable_fast_math"), "");
  const Options relaxed = read_options(nullptr, 0, false, {true, true, false});
  EXPECT_TRUE(relaxed.full_precision) << "there is no TF32 on a CPU";
  EXPECT_EQ(value_of(relaxed, "xla_cpu_enable_fast_math"), "True");
  EXPECT_EQ(value_of(relaxed, "xla_cpu_fast_math_honor_nans"), "True");
  EXPECT_EQ(value_of(relaxed, "xla_cpu_fast_math_honor_infs"), "True");
  const gn_option off = text_option("overrides", "xla_cpu_enable_fast_math=False");
  EXPECT_EQ(
      value_of(read_options(&off, 1, false, {false, true, false}), "xla_cpu_enable_fast_math"),
      "False");
  const gn_option file = text_option("pjrt", "/x.so");
  const Options on_gpu = read_options(&file, 1, true, {true, true, false});
  EXPECT_FALSE(on_gpu.full_precision);
  EXPECT_EQ(on_gpu.overrides.size(), 1U);
}

TEST(Options, Given) {
  const gn_option options[] = {text_option("pjrt", "/x.so"), text_option("rewrites", "none"),
                               text_option("overrides", " --xla_a=1\txla_b=x,y= ")};
  const Options read = read_options(options, 3);
  EXPECT_EQ(read.pjrt, "/x.so");
  EXPECT_FALSE(read.rewrites);
  const std::size_t ours = default_overrides().size();
  ASSERT_EQ(read.overrides.size(), ours + 2);
  EXPECT_EQ(read.overrides[ours].name, "xla_a");
  EXPECT_EQ(read.overrides[ours].value, "1");
  EXPECT_TRUE(read.overrides[ours].is_needed);
  EXPECT_EQ(read.overrides[ours + 1].name, "xla_b");
  EXPECT_EQ(read.overrides[ours + 1].value, "x,y=");
}

TEST(Options, GivenOverrideReplacesOurs) {
  const std::string ours = default_overrides()[0].name;
  const std::string given = ours + "=x";
  const gn_option option = text_option("overrides", given.c_str());
  const Options read = read_options(&option, 1);
  ASSERT_EQ(read.overrides.size(), default_overrides().size());
  EXPECT_EQ(read.overrides.back().name, ours);
  EXPECT_EQ(read.overrides.back().value, "x");
}

TEST(Options, CudaRootIsToldUnlessGiven) {
  constexpr const char* kName = "xla_gpu_cuda_data_dir";
  const gn_option file = text_option("pjrt", "/x.so");
  Options found = read_options(&file, 1, /*is_gpu=*/true);
  add_cuda_root(found, "/usr/local/cuda");
  EXPECT_EQ(value_of(found, kName), "/usr/local/cuda");
  EXPECT_FALSE(found.overrides.back().is_needed) << "an XLA that does not know it compiles too";
  const gn_option given[] = {file, text_option("overrides", "xla_gpu_cuda_data_dir=/mine")};
  Options own = read_options(given, 2, /*is_gpu=*/true);
  add_cuda_root(own, "/usr/local/cuda");
  EXPECT_EQ(value_of(own, kName), "/mine");
  Options none = read_options(&file, 1, /*is_gpu=*/true);
  add_cuda_root(none, "");
  EXPECT_EQ(value_of(none, kName), "");
  Options on_cpu = read_options(nullptr, 0);
  add_cuda_root(on_cpu, "/usr/local/cuda");
  EXPECT_EQ(value_of(on_cpu, kName), "");
}

// As tests/gpu/run does to compare with graphs that XLA instantiates before anything is recorded.
TEST(Options, CommandBuffersAreSwitchedOffByAnEmptyList) {
  const gn_option options[] = {text_option("pjrt", "/x.so"),
                               text_option("overrides", "xla_gpu_enable_command_buffer=")};
  const Options read = read_options(options, 2, /*is_gpu=*/true);
  EXPECT_EQ(read.overrides.back().name, "xla_gpu_enable_command_buffer");
  EXPECT_EQ(read.overrides.back().value, "");
}

TEST(Options, Refused) {
  EXPECT_TRUE(
      mentions(refusal(text_option("rewrites", "some")), {"'rewrites'", "all", "none", "'some'"}));
  EXPECT_EQ(refusal(text_option("fast", "yes")), "option 'fast' is not known");
  EXPECT_TRUE(
      mentions(refusal(text_option("overrides", "xla_a=1 xla_b")), {"'overrides'", "'xla_b'"}));
  EXPECT_TRUE(mentions(refusal(text_option("overrides", "--=1")), {"'overrides'", "'--=1'"}));
  gn_option number = {};
  number.name = to_gn("pjrt");
  number.type = GN_OPTION_INT;
  EXPECT_EQ(refusal(number), "option 'pjrt' must be text");
}

TEST(CompileOptions, OneReplicaOnOneDevice) {
  EXPECT_EQ(encode_compile_options({}), std::string("\x1a\x04\x20\x01\x28\x01", 6));
}

TEST(CompileOptions, OverridesAreStringsByName) {
  EXPECT_EQ(encode_compile_options({{"ab", "c", true}}),
            std::string("\x1a\x04\x20\x01\x28\x01\x3a\x09\x0a\x02"
                        "ab\x12\x03\x0a\x01"
                        "c"));
}

TEST(CompileOptions, MessageNamesAnOption) {
  EXPECT_TRUE(names_option("No such compile option: 'xla_a'", "xla_a"));
  EXPECT_TRUE(names_option("xla_a_b or xla_a", "xla_a"));
  EXPECT_FALSE(names_option("No such compile option: 'xla_a_b'", "xla_a"));
  EXPECT_FALSE(names_option("No such compile option: 'my_xla_a'", "xla_a"));
}

}  // namespace options_test
}  // namespace graphnet::xla
