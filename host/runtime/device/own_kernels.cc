// SPDX-License-Identifier: MIT
#include "device/own_kernels.h"

#include <algorithm>
#include <utility>
#include <vector>

#ifdef GRAPHNET_HAS_OWN_KERNELS
// Written by bin2c: the fat binary of kernels.cu.
extern "C" const unsigned long long graphnet_kernels[];
#endif

namespace graphnet::device {

using base::Code;
using base::Result;
using base::Status;

namespace {

constexpr std::uint32_t kNumWords = 1024;
constexpr unsigned int kBlockSize = 256;
constexpr std::uint32_t kSeed = 123;
constexpr std::size_t kLineBytes = 16;
constexpr unsigned int kBlocksPerProcessor = 8;

Status no_kernels() {
  return Status(Code::kUnsupported, "built without kernels of its own: there was no nvcc");
}

std::uint32_t expected_word(std::uint32_t index) {
  return (index * 2654435761U) ^ kSeed;
}

}  // namespace

const void* own_kernels() {
#ifdef GRAPHNET_HAS_OWN_KERNELS
  return graphnet_kernels;
#else
  return nullptr;
#endif
}

Result<SelfTestKernel> SelfTestKernel::create(Gpu& gpu) {
  if (own_kernels() == nullptr) return no_kernels();
  GN_ASSIGN_OR_RETURN(const auto kernel, gpu.load_kernel(own_kernels(), kName));
  GN_ASSIGN_OR_RETURN(GpuBuffer buffer, gpu.allocate(kNumWords * sizeof(std::uint32_t)));
  return SelfTestKernel(gpu, std::move(buffer), kernel);
}

Status SelfTestKernel::clear() {
  GN_RETURN_IF_ERROR(gpu_->fill(buffer_, 0));
  return gpu_->synchronize();
}

Status SelfTestKernel::launch(DriverLibrary::Handle stream) {
  DriverLibrary::Address address = buffer_.address();
  std::uint32_t count = kNumWords;
  std::uint32_t seed = kSeed;
  return gpu_->launch(kernel_, kNumWords / kBlockSize, kBlockSize, {&address, &count, &seed},
                      stream);
}

Status SelfTestKernel::check() {
  std::vector<std::uint32_t> words(kNumWords);
  GN_RETURN_IF_ERROR(gpu_->synchronize());
  GN_RETURN_IF_ERROR(gpu_->copy_out(words.data(), buffer_, buffer_.num_bytes()));
  for (std::uint32_t i = 0; i < kNumWords; ++i) {
    if (words[i] == expected_word(i)) continue;
    return Status(Code::kInternal, "the self-test's kernel gave " + std::to_string(words[i]) +
                                       " in place of " + std::to_string(expected_word(i)) + " at " +
                                       std::to_string(i));
  }
  return Status::ok();
}

Status run_self_test(Gpu& gpu) {
  GN_ASSIGN_OR_RETURN(SelfTestKernel kernel, SelfTestKernel::create(gpu));
  GN_RETURN_IF_ERROR(kernel.clear());
  GN_RETURN_IF_ERROR(kernel.launch());
  return kernel.check();
}

Result<CacheFlush> CacheFlush::create(Gpu& gpu) {
  if (own_kernels() == nullptr) return no_kernels();
  GN_ASSIGN_OR_RETURN(const auto kernel, gpu.load_kernel(own_kernels(), "graphnet_flush"));
  const std::size_t num_lines = 2 * gpu.facts().l2_bytes / kLineBytes;
  GN_ASSIGN_OR_RETURN(GpuBuffer buffer,
                      gpu.allocate(std::max<std::size_t>(1, num_lines) * kLineBytes));
  return CacheFlush(std::move(buffer), kernel);
}

Status CacheFlush::run(Gpu& gpu) {
  GN_RETURN_IF_ERROR(gpu.reset_persisting_l2());
  DriverLibrary::Address address = buffer_.address();
  unsigned long long num_lines = buffer_.num_bytes() / kLineBytes;
  // Another one each time, so that no write can be left out.
  std::uint32_t value = ++value_;
  const auto num_processors = static_cast<unsigned int>(std::max(1, gpu.facts().num_processors));
  return gpu.launch(kernel_, num_processors * kBlocksPerProcessor, kBlockSize,
                    {&address, &num_lines, &value});
}

}  // namespace graphnet::device
