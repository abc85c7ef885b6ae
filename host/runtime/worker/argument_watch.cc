// SPDX-License-Identifier: MIT
#include "worker/argument_watch.h"

#include <array>
#include <cstring>
#include <string>

#include "worker/weights.h"

namespace graphnet::worker {

namespace {

// Odd, so that multiplying loses nothing; the fractional bits of the golden ratio.
constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15U;

std::uint64_t mixed(std::uint64_t state, std::uint64_t word) {
  state = (state ^ word) * kFactor;
  return state ^ (state >> 29U);
}

std::string describe(const sample::Argument& argument) {
  return (is_weight(argument.kind) ? "weight '" : "input '") + argument.name + "'";
}

}  // namespace

std::uint64_t fingerprint(const void* data, std::size_t num_bytes) {
  // Four chains, so that the multiplications of one do not wait for another's.
  std::array<std::uint64_t, 4> lanes = {1, 2, 3, 4};
  const auto* next = static_cast<const std::byte*>(data);
  std::size_t left = num_bytes;
  for (; left >= sizeof(lanes); left -= sizeof(lanes), next += sizeof(lanes)) {
    std::array<std::uint64_t, 4> words;
    std::memcpy(words.data(), next, sizeof(words));
    for (std::size_t i = 0; i < lanes.size(); ++i) lanes[i] = mixed(lanes[i], words[i]);
  }
  std::array<std::uint64_t, 4> rest = {};
  if (left > 0) std::memcpy(rest.data(), next, left);
  std::uint64_t all = num_bytes;
  for (std::size_t i = 0; i < lanes.size(); ++i) all = mixed(all, mixed(lanes[i], rest[i]));
  return all;
}

ArgumentWatch::ArgumentWatch(const DeviceArguments& arguments) : arguments_(arguments) {
  if (!arguments.device().is_host()) return;
  for (const sample::Argument& argument : arguments.host()) {
    fingerprints_.push_back(fingerprint(argument.bytes.data(), argument.bytes.num_bytes()));
  }
}

base::Result<base::AlignedBuffer::Damage> ArgumentWatch::damage(std::size_t index) const {
  if (!arguments_.device().is_host()) return arguments_.damage(index);
  return arguments_.host()[index].bytes.damage();
}

base::Result<bool> ArgumentWatch::is_same(std::size_t index) const {
  if (!arguments_.device().is_host()) return arguments_.is_same(index);
  const base::AlignedBuffer& bytes = arguments_.host()[index].bytes;
  return fingerprint(bytes.data(), bytes.num_bytes()) == fingerprints_[index];
}

base::Status ArgumentWatch::check() const {
  GN_RETURN_IF_ERROR(arguments_.failed_copy());
  for (std::size_t i = 0; i < arguments_.host().size(); ++i) {
    const sample::Argument& argument = arguments_.host()[i];
    GN_ASSIGN_OR_RETURN(const base::AlignedBuffer::Damage found, damage(i));
    if (found != base::AlignedBuffer::Damage::kNone) {
      const bool before = found == base::AlignedBuffer::Damage::kBefore;
      return base::Status(base::Code::kPlugin,
                          "plugin wrote " +
                              std::string(before ? "before the first" : "behind the last") +
                              " byte of " + describe(argument));
    }
    GN_ASSIGN_OR_RETURN(const bool is_unchanged, is_same(i));
    if (!is_unchanged) {
      return base::Status(base::Code::kPlugin,
                          "plugin changed " + describe(argument) + ", which it may only read");
    }
  }
  return base::Status::ok();
}

}  // namespace graphnet::worker
