// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lowering/aligned_copy.h"
#include "support/mentions.h"
#include "xla/options.h"
#include "xla/program_executable.h"
#include "xla/tensor_type.h"

namespace graphnet::xla {

using lowering::stablehlo::ArgumentSource;
using lowering::stablehlo::LoweredProgram;
using lowering::stablehlo::Module;
using lowering::stablehlo::ModuleArgument;
using tests::contains;
using tests::mentions;

constexpr DLDataType kF32 = {kDLFloat, 32, 1};

/// The pinned file, or another that GRAPHNET_TEST_PJRT names (xla-cpu-pjrt 0.0.1 is the one the
/// plugin is known to work with); empty if it is not there.
inline std::string pjrt_file(bool is_pinned) {
  const char* other = std::getenv("GRAPHNET_TEST_PJRT");
  const std::string file = is_pinned ? pinned_pjrt_file() : other == nullptr ? "" : other;
  return std::filesystem::exists(file) ? file : "";
}

inline std::string why_skipped(bool is_pinned) {
  return is_pinned ? "no " + pinned_pjrt_file() + ": ./graphnet run --config xla.yaml fetches it"
                   : "GRAPHNET_TEST_PJRT names no second PJRT file (of xla-cpu-pjrt==0.0.1)";
}

/// One client for all tests of a process: XLA's threads stay anyway.
inline std::shared_ptr<const PjrtClient> shared_client(bool is_pinned) {
  static std::shared_ptr<const PjrtClient> clients[2];
  std::shared_ptr<const PjrtClient>& client = clients[is_pinned ? 0 : 1];
  if (!client) {
    set_xla_environment(1);
    client = std::make_shared<const PjrtClient>(PjrtLibrary::open(pjrt_file(is_pinned)));
  }
  return client;
}

/// Runs each test with the pinned PJRT file (true) and with a second one (false).
class PjrtTest : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (pjrt_file(GetParam()).empty()) GTEST_SKIP() << why_skipped(GetParam());
    client_ = shared_client(GetParam());
  }

  std::unique_ptr<ProgramExecutable> compile(LoweredProgram program) const {
    return ProgramExecutable::compile(client_, std::move(program), default_overrides());
  }

  std::shared_ptr<const PjrtClient> client_;
};

#define GN_INSTANTIATE_PJRT(Suite)  \
  INSTANTIATE_TEST_SUITE_P(         \
      Pjrt, Suite, testing::Bool(), \
      [](const testing::TestParamInfo<bool>& i) { return i.param ? "Pinned" : "Second"; })

/// A tensor of the host: aligned to 64 bytes plus `offset`.
class HostTensor {
 public:
  template <typename T>
  HostTensor(DLDataType dtype, std::vector<std::int64_t> shape, const std::vector<T>& values,
             std::size_t offset = 0)
      : type_{dtype, std::move(shape)}, memory_(num_bytes(type_) + offset + 64), offset_(offset) {
    EXPECT_EQ(values.size() * sizeof(T), num_bytes(type_));
    std::memcpy(data(), values.data(), num_bytes(type_));
    tensor_.data = data();
    tensor_.device = {kDLCPU, 0};
    tensor_.ndim = static_cast<std::int32_t>(type_.shape.size());
    tensor_.dtype = dtype;
    tensor_.shape = type_.shape.data();
  }
  HostTensor(const HostTensor&) = delete;
  HostTensor& operator=(const HostTensor&) = delete;

  std::byte* data() const { return memory_.data() + offset_; }
  DLTensor& tensor() { return tensor_; }
  const TensorType& type() const { return type_; }

  template <typename T>
  std::vector<T> values() const {
    std::vector<T> values(num_bytes(type_) / sizeof(T));
    std::memcpy(values.data(), data(), num_bytes(type_));
    return values;
  }
  template <typename T>
  void set(const std::vector<T>& values) {
    std::memcpy(data(), values.data(), num_bytes(type_));
  }

 private:
  TensorType type_;
  lowering::AlignedCopy memory_;
  std::size_t offset_;
  DLTensor tensor_ = {};
};

inline HostTensor f32(std::vector<std::int64_t> shape, const std::vector<float>& values,
                      std::size_t offset = 0) {
  return HostTensor(kF32, std::move(shape), values, offset);
}

inline TensorType f32_type(std::vector<std::int64_t> shape) {
  return {kF32, std::move(shape)};
}

inline ModuleArgument input(std::uint32_t index, TensorType type) {
  return {ArgumentSource::kInput, index, std::move(type)};
}
inline ModuleArgument weight(std::uint32_t index, TensorType type) {
  return {ArgumentSource::kWeight, index, std::move(type)};
}
inline ModuleArgument bound(std::uint32_t index, TensorType type) {
  return {ArgumentSource::kBound, index, std::move(type)};
}
inline ModuleArgument result_memory(std::uint32_t index, TensorType type) {
  return {ArgumentSource::kResultMemory, index, std::move(type)};
}

/// A module around the body of main: "(%a: tensor<..>) -> ... { ... }".
inline Module module_of(const std::string& main, std::vector<ModuleArgument> arguments,
                        std::vector<TensorType> results) {
  return {"module @test {\n  func.func public @main" + main + "\n}\n", std::move(arguments),
          std::move(results)};
}

/// A program without bind whose results are the outputs in their order.
inline LoweredProgram program_of(Module main) {
  LoweredProgram program;
  for (std::uint32_t i = 0; i < main.results.size(); ++i) program.result_outputs.push_back(i);
  program.main = std::move(main);
  return program;
}

/// Calls run as the host does.
inline void run(ProgramExecutable& executable, const std::vector<HostTensor*>& inputs,
                const std::vector<HostTensor*>& outputs, bool rebind = true) {
  std::vector<const DLTensor*> in;
  std::vector<DLTensor*> out;
  for (HostTensor* tensor : inputs) in.push_back(&tensor->tensor());
  for (HostTensor* tensor : outputs) out.push_back(&tensor->tensor());
  gn_run_args args = {};
  args.struct_size = sizeof(args);
  args.inputs = in.data();
  args.num_inputs = in.size();
  args.outputs = out.data();
  args.num_outputs = out.size();
  args.rebind = rebind ? 1 : 0;
  executable.run(args);
}

/// Calls bind as the host does; returns what it answered.
inline gn_bind_args bind(ProgramExecutable& executable, const std::vector<HostTensor*>& weights) {
  std::vector<const DLTensor*> tensors;
  for (HostTensor* tensor : weights) tensors.push_back(&tensor->tensor());
  gn_bind_args args = {};
  args.struct_size = sizeof(args);
  args.weights = tensors.data();
  args.num_weights = tensors.size();
  executable.bind(args);
  args.weights = nullptr;
  return args;
}

/// What `body` throws; fails if it throws no Failure.
template <typename Body>
Failure failure_of(Body body) {
  try {
    body();
  } catch (const Failure& failure) {
    return failure;
  }
  ADD_FAILURE() << "no failure";
  return Failure(0, "");
}

}  // namespace graphnet::xla
