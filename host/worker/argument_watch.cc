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

ArgumentWatch::ArgumentWatch(const std::vector<sample::Argument>& arguments)
    : arguments_(arguments) {
  for (const sample::Argument& argument : arguments) {
    fingerprints_.push_back(fingerprint(argument.bytes.data(), argument.bytes.num_bytes()));
  }
}

base::Status ArgumentWatch::check() const {
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    const sample::Argument& argument = arguments_[i];
    const base::AlignedBuffer::Damage damage = argument.bytes.damage();
    if (damage != base::AlignedBuffer::Damage::kNone) {
      const bool before = damage == base::AlignedBuffer::Damage::kBefore;
      return base::Status(base::Code::kPlugin,
                          "plugin wrote " +
                              std::string(before ? "before the first" : "behind the last") +
                              " byte of " + describe(argument));
    }
    if (fingerprint(argument.bytes.data(), argument.bytes.num_bytes()) != fingerprints_[i]) {
      return base::Status(base::Code::kPlugin,
                          "plugin changed " + describe(argument) + ", which it may only read");
    }
  }
  return base::Status::ok();
}

}  // namespace graphnet::worker
