// SPDX-License-Identifier: MIT
#include "extern_calls.h"

#include <algorithm>
#include <charconv>

#include "graphnet/failure.h"

namespace graphnet::inductor {

namespace {

[[noreturn]] void refuse(std::string_view what) {
  throw Failure(GN_STATUS_INVALID_ARGUMENT,
                "list of operator calls has '" + std::string(what) + "'");
}

std::uint64_t read_number(std::string_view text, int base) {
  std::uint64_t number = 0;
  const auto end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number, base);
  if (text.empty() || read.ec != std::errc() || read.ptr != end) refuse(text);
  return number;
}

/// Takes the words of a line, or the lines of a text, one by one.
std::string_view take(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return taken;
}

void check(std::int32_t failed, const std::string& what) {
  if (failed != 0) throw Failure(GN_STATUS_RUNTIME_FAILED, what + " failed; it printed the reason");
}

}  // namespace

/// What a call brings, in the order in which the schema's arguments take it.
struct ExternCalls::Given {
  const std::int64_t* ints;
  Tensor* tensors;

  std::uint64_t take_int() { return static_cast<std::uint64_t>(*ints++); }
  /// A handle of its own: the dispatcher deletes what it is given.
  std::uint64_t take_tensor() {
    Tensor own = nullptr;
    check(shim().new_tensor_handle(*tensors++, &own), "aoti_torch_new_tensor_handle");
    return reinterpret_cast<std::uint64_t>(own);
  }
};

ExternCalls::Argument ExternCalls::read_argument(std::string_view word) {
  static constexpr struct {
    std::string_view word;
    Kind kind;
    int base;  ///< of the number behind the word; 0 if there is none
  } kKinds[] = {{"tensor", Kind::kTensor, 0}, {"tensors:", Kind::kTensors, 10},
                {"int", Kind::kInt, 0},       {"ints:", Kind::kInts, 10},
                {"value:", Kind::kValue, 16}, {"none", Kind::kNone, 0}};
  Argument argument;
  std::string_view rest = word;
  argument.is_optional = !rest.empty() && rest[0] == '?';
  if (argument.is_optional) rest.remove_prefix(1);
  for (const auto& row : kKinds) {
    const bool is_it = row.base == 0 ? rest == row.word : rest.rfind(row.word, 0) == 0;
    if (!is_it) continue;
    argument.kind = row.kind;
    if (row.base != 0) argument.number = read_number(rest.substr(row.word.size()), row.base);
    return argument;
  }
  refuse(word);
}

ExternCalls::Call ExternCalls::read_call(std::string_view line) {
  Call call;
  call.name = take(line, ' ');
  call.overload = take(line, ' ');
  if (call.overload == "-") call.overload.clear();
  call.num_results = read_number(take(line, ' '), 10);
  while (!line.empty()) call.arguments.push_back(read_argument(take(line, ' ')));
  for (const Argument& argument : call.arguments) {
    const bool is_list = argument.kind == Kind::kTensors || argument.kind == Kind::kInts;
    const bool is_tensor = argument.kind == Kind::kTensor || argument.kind == Kind::kTensors;
    if (!is_list && !is_tensor && argument.kind != Kind::kInt) continue;
    (is_tensor ? call.num_tensors : call.num_ints) += is_list ? argument.number : 1;
  }
  return call;
}

ExternCalls::ExternCalls(std::string_view text) {
  while (!text.empty()) calls_.push_back(read_call(take(text, '\n')));
}

std::uint64_t ExternCalls::bits_of(const Argument& argument, Given& given) {
  switch (argument.kind) {
    case Kind::kTensor:
      return given.take_tensor();
    case Kind::kInt:
      return given.take_int();
    case Kind::kValue:
      return argument.number;
    case Kind::kNone:
      return 0;
    case Kind::kTensors:
    case Kind::kInts:
      break;
  }
  Shim::List* list = nullptr;
  check(shim().new_list(argument.number, &list), "torch_new_list_reserve_size");
  for (std::uint64_t i = 0; i < argument.number; ++i) {
    const bool is_tensor = argument.kind == Kind::kTensors;
    check(shim().push_back(list, is_tensor ? given.take_tensor() : given.take_int()),
          "torch_list_push_back");
  }
  return reinterpret_cast<std::uint64_t>(list);
}

void ExternCalls::call(int number, int num_ints, std::int64_t* ints, int num_tensors,
                       Tensor* tensors) {
  if (number < 0 || static_cast<std::size_t>(number) >= calls_.size()) {
    throw Failure(GN_STATUS_INTERNAL,
                  "compiled code calls an operator that its package does not name");
  }
  const Call& call = calls_[static_cast<std::size_t>(number)];
  if (static_cast<std::size_t>(num_ints) != call.num_ints ||
      static_cast<std::size_t>(num_tensors) != call.num_tensors + call.num_results) {
    throw Failure(GN_STATUS_INTERNAL, "compiled code calls " + call.name +
                                          " with other arguments than its package says");
  }
  Tensor* const results = tensors + call.num_tensors;
  Given given = {ints, tensors};
  std::vector<std::uint64_t> stack;
  for (const Argument& argument : call.arguments) {
    std::uint64_t bits = bits_of(argument, given);
    // The dispatcher deletes it.
    const bool is_boxed = argument.is_optional && argument.kind != Kind::kNone;
    if (is_boxed) bits = reinterpret_cast<std::uint64_t>(new std::uint64_t(bits));
    stack.push_back(bits);
  }
  stack.resize(std::max(stack.size(), call.num_results));
  check(shim().call_dispatcher(call.name.c_str(), call.overload.c_str(), stack.data()), call.name);
  for (std::size_t i = 0; i < call.num_results; ++i) {
    const TensorHandle made(reinterpret_cast<Tensor>(stack[i]));
    check(shim().assign_tensors(made.get(), results[i]), "aoti_torch_assign_tensors");
  }
}

}  // namespace graphnet::inductor
