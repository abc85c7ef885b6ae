// SPDX-License-Identifier: MIT
//
// Source for GPUs: generated, and where CUDA's compilers are, accepted by them. Nothing runs it.
#include "tvm_plugin/gpu_code.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "lowering/builder.h"
#include "support/temp_dir.h"
#include "tvm_plugin/emitter.h"
#include "tvm_plugin/extern_functions.h"
#include "tvm_plugin/ffi_symbols.h"
#include "tvm_plugin/program_compiler.h"
#include "tvm_plugin/tvm_library.h"
#include "tvm_plugin/vector_math.h"
#include "unit/tvm/one_input.h"

namespace graphnet::tvm {
namespace {

namespace fs = std::filesystem;
using lowering::Binary;
using lowering::Reduction;
using lowering::Unary;

constexpr std::int64_t kRows = 20;
constexpr std::int64_t kColumns = 48;

/// What code differs by: a product, a softmax, maxima that keep NaN, functions of the C library in
/// three types, bfloat16, a reduction to one number, an order.
Program sample() {
  Emitter emitter(false);
  lowering::Builder b(emitter);
  const std::vector<std::int64_t> shape = {kRows, kColumns};
  const Tensor x = one_input(emitter, shape);
  const std::vector<float> weight(kColumns * kColumns, 0.5F);
  const Tensor w = emitter.constant(Type::kF32, {kColumns, kColumns}, weight.data());
  const Tensor y = b.softmax(b.matmul(x, w), 1);
  std::vector<Tensor> outputs = {y};
  for (const Type type : {Type::kF32, Type::kF64, Type::kF16, Type::kBF16}) {
    const Tensor typed = emitter.convert(x, type);
    Tensor sum = emitter.binary(Binary::kMaximum, typed, emitter.splat(type, shape, 0.25));
    for (const Unary kind : {Unary::kExp, Unary::kLog1p, Unary::kErf, Unary::kTanh, Unary::kExpm1,
                             Unary::kCeil, Unary::kSin, Unary::kRsqrt}) {
      sum = emitter.binary(Binary::kAdd, sum, emitter.unary(kind, typed));
    }
    // TVM has no powers of half for PTX.
    if (type != Type::kF16) sum = emitter.binary(Binary::kPower, sum, typed);
    outputs.push_back(emitter.binary(Binary::kRemainder, sum, typed));
    outputs.push_back(emitter.reduce(Reduction::kMax, typed, {0, 1}));
  }
  outputs.push_back(emitter.sort(y, 1, true).second);
  return emitter.finish(outputs);
}

std::string read(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

class GpuCodeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(tvm_folder() + "/tvm/lib/libtvm_compiler.so")) {
      GTEST_SKIP() << "no TVM: ./graphnet run --config tvm.yaml fetches it";
    }
    TvmLibrary::open(1);
    register_extern_functions();
    register_vector_math(Math::kPolynomials);
  }

  Options options(GpuCode form) const {
    Options options;
    options.gpu_code = form;
    options.gpu_code_folder = folder_.path() / "new" / "folder";
    return options;
  }
  /// The one file that was written.
  fs::path written() const {
    const fs::directory_iterator files(folder_.path() / "new" / "folder");
    EXPECT_EQ(std::distance(fs::begin(files), fs::end(files)), 1);
    return fs::directory_iterator(folder_.path() / "new" / "folder")->path();
  }
  /// What a compiler of CUDA's says of a file; it is run on no device.
  std::string complaints(const std::string& compiler) const {
    const std::string log = folder_.path() / "log";
    const std::string command = compiler + " -o " + std::string(folder_.path() / "out") + " " +
                                written().string() + " > " + log + " 2>&1";
    return std::system(command.c_str()) == 0 ? "" : read(log);
  }
  static bool has_libdevice() {
    const char* const home = std::getenv("CUDA_HOME");
    const std::string folder = home == nullptr || *home == '\0' ? "/usr/local/cuda" : home;
    return fs::exists(folder + "/nvvm/libdevice/libdevice.10.bc");
  }
  static bool has_program(const std::string& name) {
    return std::system((name + " --version > /dev/null 2>&1").c_str()) == 0;
  }

  tests::TempDir folder_;
};

TEST_F(GpuCodeTest, LabelsWhatItIsAndNamesWhatIsMissing) {
  const std::string line =
      write_gpu_code(sample(), "family/a model", options(GpuCode::kCuda), make_target("", 1));
  const fs::path file = written();
  EXPECT_NE(line.find(" kernels, " + file.string() +
                      "; refused: graphnet.sort: a function of the "
                      "plugin for the CPU"),
            std::string::npos)
      << line;
  EXPECT_EQ(file.filename().string().rfind("family_a_model-", 0), 0U) << file;
  EXPECT_EQ(file.extension(), ".cu");
  const std::string text = read(file);
  EXPECT_EQ(text.rfind("// Generated with TVM's default GPU schedule, neither compiled for nor run "
                       "on a device by graphnet.\n// sample: family/a model\n",
                       0),
            0U)
      << text.substr(0, 1000);
  EXPECT_NE(text.find("// refused: graphnet.sort: "), std::string::npos);
  EXPECT_NE(text.find("__global__"), std::string::npos);
}

TEST_F(GpuCodeTest, EveryKernelOfTheSampleIsGenerated) {
  for (const GpuCode form : {GpuCode::kCuda, GpuCode::kPtx}) {
    if (form == GpuCode::kPtx && !has_libdevice()) GTEST_SKIP() << "PTX: no libdevice.10.bc";
    const GpuSource source = generate_gpu_source(sample(), options(form), make_target("", 1));
    ASSERT_EQ(source.refusals.size(), 1U) << source.refusals.at(0) << "\n" << source.refusals.at(1);
    EXPECT_EQ(source.num_generated, source.num_kernels - 1);
    EXPECT_GE(source.launches.size(), static_cast<std::size_t>(source.num_generated));
  }
}

TEST_F(GpuCodeTest, PtxWithoutLibdeviceLacksWhatCallsIt) {
  const char* const home = std::getenv("CUDA_HOME");
  const std::string before = home == nullptr ? "" : home;
  ::setenv("CUDA_HOME", folder_.path().c_str(), 1);
  const GpuSource source =
      generate_gpu_source(sample(), options(GpuCode::kPtx), make_target("", 1));
  ::setenv("CUDA_HOME", before.c_str(), 1);
  EXPECT_GT(source.num_generated, 0);
  EXPECT_EQ(source.text.find(".extern .func"), std::string::npos);
  std::string refusals;
  for (const std::string& refusal : source.refusals) refusals += refusal + "\n";
  EXPECT_NE(
      refusals.find("calls __nv_expf of CUDA's nvvm/libdevice/libdevice.10.bc, looked for in " +
                    folder_.path().string()),
      std::string::npos)
      << refusals;
}

// The plugin's own polynomials are for vectors of a CPU.
TEST_F(GpuCodeTest, FunctionsAreThoseOfTheDevice) {
  const GpuSource source =
      generate_gpu_source(sample(), options(GpuCode::kCuda), make_target("", 1));
  for (const char* part : {"expf(", "erff(", "tanhf(", "graphnet_maximum("}) {
    EXPECT_NE(source.text.find(part), std::string::npos) << part;
  }
  std::string launches;
  for (const std::string& launch : source.launches) launches += launch + "\n";
  EXPECT_NE(launches.find("_kernel<<<1, 960>>>"), std::string::npos) << launches;
  EXPECT_EQ(source.text.find("1.987569e-04"), std::string::npos) << "a coefficient of exp";
}

// What the source says of itself: a function of more than one thread has __launch_bounds__.
TEST_F(GpuCodeTest, LaunchesAreThoseOfTheSource) {
  const GpuSource source =
      generate_gpu_source(sample(), options(GpuCode::kCuda), make_target("", 1));
  for (const std::string& launch : source.launches) {
    const std::size_t extents = launch.find("<<<");
    ASSERT_NE(extents, std::string::npos) << launch;
    const std::size_t threads = launch.find(", ", extents) + 2;
    const std::string count = launch.substr(threads, launch.find(">>>") - threads);
    const std::string bounds = count == "1" ? "void " : "__launch_bounds__(" + count + ") ";
    EXPECT_NE(source.text.find(bounds + launch.substr(0, extents) + "("), std::string::npos)
        << launch;
  }
}

TEST_F(GpuCodeTest, WhatCannotBeWrittenIsSaid) {
  Options unwritable = options(GpuCode::kCuda);
  unwritable.gpu_code_folder = (folder_.write("file", "") / "folder").string();
  const std::string line = write_gpu_code(sample(), "sample", unwritable, make_target("", 1));
  EXPECT_NE(line.find(" kernels, not written to " + unwritable.gpu_code_folder), std::string::npos)
      << line;
  Options unknown = options(GpuCode::kPtx);
  unknown.gpu_arch = "sm_1";
  EXPECT_EQ(write_gpu_code(sample(), "sample", unknown, make_target("", 1)),
            "none (option 'gpu_arch': LLVM does not know the processor 'sm_1')");
}

TEST_F(GpuCodeTest, NvccTakesTheSource) {
  if (!has_program("nvcc")) GTEST_SKIP() << "no nvcc";
  write_gpu_code(sample(), "sample", options(GpuCode::kCuda), make_target("", 1));
  EXPECT_EQ(complaints("nvcc -arch=sm_90 -cubin"), "");
}

TEST_F(GpuCodeTest, PtxasTakesThePtx) {
  if (!has_program("ptxas")) GTEST_SKIP() << "no ptxas";
  write_gpu_code(sample(), "sample", options(GpuCode::kPtx), make_target("", 1));
  EXPECT_EQ(complaints("ptxas -arch=sm_90"), "");
}

}  // namespace
}  // namespace graphnet::tvm
