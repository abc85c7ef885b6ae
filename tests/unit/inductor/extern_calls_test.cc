// SPDX-License-Identifier: MIT
#include "inductor/extern_calls.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "graphnet/failure.h"

// What stands in for libtorch: a tensor is a number, a list is a vector, and the dispatcher notes
// what it gets.
namespace {

struct FakeTensor {
  std::int64_t number;
};
using FakeList = std::vector<std::uint64_t>;

std::vector<std::uint64_t> dispatched;
std::string dispatched_name;
std::int64_t live_tensors = 0;

FakeTensor* as_tensor(std::uint64_t bits) {
  return reinterpret_cast<FakeTensor*>(bits);
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {
std::int32_t aoti_torch_create_tensor_from_blob() {
  return 1;
}
std::int32_t aoti_torch_get_data_ptr() {
  return 1;
}
std::int32_t aoti_torch_get_numel() {
  return 1;
}
std::int32_t aoti_torch_is_contiguous() {
  return 1;
}
std::int32_t aoti_torch_copy_() {
  return 1;
}
std::int32_t aoti_torch_delete_tensor_object(FakeTensor* tensor) {
  --live_tensors;
  delete tensor;
  return 0;
}
std::int32_t aoti_torch_new_tensor_handle(FakeTensor* tensor, FakeTensor** same) {
  ++live_tensors;
  *same = new FakeTensor(*tensor);
  return 0;
}
std::int32_t aoti_torch_assign_tensors(FakeTensor* from, FakeTensor* to) {
  *to = *from;
  return 0;
}
std::int32_t torch_new_list_reserve_size(std::size_t, FakeList** made) {
  *made = new FakeList;
  return 0;
}
std::int32_t torch_list_push_back(FakeList* list, std::uint64_t bits) {
  list->push_back(bits);
  return 0;
}
/// Takes (tensor, int list, float, optional float, optional int that is absent) and gives two
/// tensors. Fails for another operator.
std::int32_t aoti_torch_call_dispatcher(const char* name, const char* overload,
                                        std::uint64_t* stack) {
  dispatched_name = std::string(name) + "." + overload;
  if (dispatched_name != "aten::two.vec") return 1;
  FakeTensor* const given = as_tensor(stack[0]);
  auto* const list = reinterpret_cast<FakeList*>(stack[1]);
  auto* const boxed = reinterpret_cast<std::uint64_t*>(stack[3]);
  dispatched = {static_cast<std::uint64_t>(given->number),
                list->size(),
                list->at(0),
                list->at(1),
                stack[2],
                *boxed,
                stack[4]};
  stack[0] = reinterpret_cast<std::uint64_t>(new FakeTensor{given->number + 1});
  stack[1] = reinterpret_cast<std::uint64_t>(new FakeTensor{given->number + 2});
  live_tensors += 2;
  aoti_torch_delete_tensor_object(given);
  delete list;
  delete boxed;
  return 0;
}
}

#pragma GCC visibility pop

namespace graphnet::inductor {
namespace {

constexpr const char* kTwo =
    "aten::two vec 2 tensor ints:2 value:3ff8000000000000 ?value:7 ?none\n";

Tensor as_handle(FakeTensor& tensor) {
  return reinterpret_cast<Tensor>(&tensor);
}

template <typename Action>
std::string reason(const Action& action) {
  try {
    action();
    return "";
  } catch (const Failure& failure) {
    return failure.what();
  }
}

TEST(ExternCalls, GivesTheDispatcherWhatTheSchemaTakesAndTheCallTheResults) {
  ExternCalls calls(std::string("aten::other - 1 tensor\n") + kTwo);
  FakeTensor operand = {10};
  FakeTensor results[2] = {{0}, {0}};
  Tensor tensors[] = {as_handle(operand), as_handle(results[0]), as_handle(results[1])};
  std::int64_t ints[] = {5, -1};
  live_tensors = 0;
  calls.call(1, 2, ints, 3, tensors);
  EXPECT_EQ(dispatched, (std::vector<std::uint64_t>{10, 2, 5, ~0ULL, 0x3ff8000000000000ULL, 7, 0}));
  EXPECT_EQ(operand.number, 10);
  EXPECT_EQ(results[0].number, 11);
  EXPECT_EQ(results[1].number, 12);
  EXPECT_EQ(live_tensors, 0);  // the code's own tensors are not among them
}

TEST(ExternCalls, FailsWithTheOperatorsName) {
  ExternCalls calls("aten::other - 1 none\n");
  FakeTensor result = {0};
  Tensor tensors[] = {as_handle(result)};
  EXPECT_EQ(reason([&] { calls.call(0, 0, nullptr, 1, tensors); }),
            "aten::other failed; it printed the reason");
  EXPECT_EQ(dispatched_name, "aten::other.");
}

TEST(ExternCalls, RefusesCallsOfOtherCode) {
  ExternCalls calls(kTwo);
  FakeTensor tensor = {0};
  Tensor tensors[] = {as_handle(tensor), as_handle(tensor), as_handle(tensor)};
  std::int64_t ints[] = {5, 5};
  EXPECT_EQ(reason([&] { calls.call(1, 0, ints, 3, tensors); }),
            "compiled code calls an operator that its package does not name");
  EXPECT_EQ(reason([&] { calls.call(-1, 0, ints, 3, tensors); }),
            "compiled code calls an operator that its package does not name");
  for (const auto& [num_ints, num_tensors] : {std::pair(1, 3), std::pair(2, 2), std::pair(2, 0)}) {
    EXPECT_EQ(reason([&] { calls.call(0, num_ints, ints, num_tensors, tensors); }),
              "compiled code calls aten::two with other arguments than its package says");
  }
}

TEST(ExternCalls, RefusesTextThatCompilePyDoesNotWrite) {
  for (const char* word : {"tensors", "ints:", "ints:x", "ints:2x",
                           "value:", "value:12345678123456781", "scalar", "?", "-1"}) {
    const std::string text = std::string("aten::two - 1 ") + word + "\n";
    EXPECT_NE(reason([&] { const ExternCalls calls(text); }).find("list of operator calls has '"),
              std::string::npos)
        << word;
  }
  EXPECT_NE(reason([] { const ExternCalls calls("aten::two -\n"); }), "");
}

}  // namespace
}  // namespace graphnet::inductor
