// SPDX-License-Identifier: MIT
#include "worker/early_copy.h"

#include <algorithm>
#include <cstring>
#include <random>

#include "base/system_random.h"
#include "worker/kernel_copy.h"

namespace graphnet::worker {

namespace {

// 64 KiB in all: 3 us from the caches, under 10 from memory.
constexpr std::size_t kRuns = 64;
constexpr std::size_t kRunBytes = 1024;

}  // namespace

base::Status EarlyCopy::take(const std::vector<DLTensor>& outputs,
                             const std::vector<KeptOutput>& kept) {
  std::size_t total = 0;
  for (const KeptOutput& output : kept) total += output.bytes.num_bytes();
  runs_.resize(total == 0 ? 0 : kRuns);
  std::mt19937_64 generator(base::SystemRandom{}());
  std::vector<iovec> known;
  std::vector<iovec> copies;
  for (Run& run : runs_) {
    std::size_t at = std::uniform_int_distribution<std::size_t>(0, total - 1)(generator);
    run.output = 0;
    while (at >= kept[run.output].bytes.num_bytes()) at -= kept[run.output++].bytes.num_bytes();
    const DLTensor& tensor = outputs[run.output];
    const std::size_t size = is_dense(tensor) ? kept[run.output].bytes.num_bytes() : 0;
    run.first_byte = std::min(at, size - std::min(size, kRunBytes));
    run.bytes.resize(std::min(size, kRunBytes));
    const auto* const from = static_cast<const std::byte*>(tensor.data) + tensor.byte_offset;
    known.push_back({const_cast<std::byte*>(from) + run.first_byte, run.bytes.size()});
    copies.push_back({run.bytes.data(), run.bytes.size()});
  }
  return read_known_runs(known, copies, "an output");
}

bool EarlyCopy::differs(const std::vector<KeptOutput>& later) const {
  return std::any_of(runs_.begin(), runs_.end(), [&](const Run& run) {
    return std::memcmp(later[run.output].bytes.data() + run.first_byte, run.bytes.data(),
                       run.bytes.size()) != 0;
  });
}

}  // namespace graphnet::worker
