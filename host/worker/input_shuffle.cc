// SPDX-License-Identifier: MIT
#include "worker/input_shuffle.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "sample/content.h"

namespace graphnet::worker {

using base::Status;

namespace {

// Enough that no output can be expected to stay the same, few enough to cost under a microsecond.
constexpr std::size_t kExchanges = 32;

// Up to here one copy of all is cheaper than one for each element.
constexpr std::size_t kWholeBytes = std::size_t{64} << 10U;

}  // namespace

std::vector<std::size_t> variable_inputs(const sample::Sample& sample,
                                         const std::vector<sample::Argument>& arguments,
                                         const std::vector<bool>& pinned) {
  std::vector<std::size_t> indices;
  for (const auto& argument : sample::variable_arguments(sample.metas, arguments, pinned)) {
    indices.push_back(argument.index);
  }
  return indices;
}

InputShuffle::InputShuffle(const PlacedArguments& arguments, std::vector<std::size_t> which,
                           std::uint64_t seed)
    : arguments_(arguments), generator_(seed) {
  for (const std::size_t index : which) {
    sample::Argument& argument = arguments.host()[index];
    const std::size_t size = base::dtype_bytes(argument.dtype);
    const std::size_t count = argument.bytes.num_bytes() / size;
    const std::byte* data = argument.bytes.data();
    std::size_t other = 1;
    while (other < count && std::memcmp(data, data + other * size, size) == 0) ++other;
    if (other >= count) continue;  // constant
    inputs_.push_back({index, &argument, size, count, {data, data + count * size}});
  }
}

bool InputShuffle::changes(const Exchange& places) const {
  const Input& input = inputs_[places.input];
  const std::byte* data = input.argument->bytes.data();
  return std::memcmp(data + places.one * input.element_bytes,
                     data + places.other * input.element_bytes, input.element_bytes) != 0;
}

void InputShuffle::draw() {
  drawn_.clear();
  bool any_change = false;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const std::size_t count = inputs_[i].num_elements;
    std::uniform_int_distribution<std::size_t> place(0, count - 1);
    for (std::size_t k = 0; k < std::min(kExchanges, count / 2); ++k) {
      drawn_.push_back({i, place(generator_), place(generator_)});
      any_change = any_change || changes(drawn_.back());
    }
  }
  if (any_change || inputs_.empty()) return;
  // Nearly constant: look for a place that differs. There is one, since elements only moved.
  Exchange found = drawn_.front();
  do {
    found.other = (found.other + 1) % inputs_[found.input].num_elements;
  } while (!changes(found));
  drawn_.assign(1, found);
}

void InputShuffle::exchange(const Exchange& places) {
  const Input& input = inputs_[places.input];
  std::byte* data = input.argument->bytes.data();
  std::byte* one = data + places.one * input.element_bytes;
  std::byte* other = data + places.other * input.element_bytes;
  if (one != other) std::swap_ranges(one, one + input.element_bytes, other);
}

Status InputShuffle::apply() {
  for (const Exchange& places : drawn_) exchange(places);
  return update_drawn();
}

Status InputShuffle::undo() {
  for (auto places = drawn_.rbegin(); places != drawn_.rend(); ++places) exchange(*places);
  return update_drawn();
}

Status InputShuffle::update_drawn() const {
  if (arguments_.place().is_host()) return Status::ok();
  std::size_t last = inputs_.size();  // exchanges of an input stand together
  for (const Exchange& places : drawn_) {
    const Input& input = inputs_[places.input];
    if (input.original.size() <= kWholeBytes) {
      if (places.input != last) GN_RETURN_IF_ERROR(arguments_.update(input.index));
      last = places.input;
      continue;
    }
    for (const std::size_t element : {places.one, places.other}) {
      GN_RETURN_IF_ERROR(
          arguments_.update(input.index, element * input.element_bytes, input.element_bytes));
    }
  }
  return Status::ok();
}

Status InputShuffle::restore() {
  for (const Input& input : inputs_) {
    std::memcpy(input.argument->bytes.data(), input.original.data(), input.original.size());
    GN_RETURN_IF_ERROR(arguments_.update(input.index));
  }
  return Status::ok();
}

}  // namespace graphnet::worker
