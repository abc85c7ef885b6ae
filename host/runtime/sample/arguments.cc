// SPDX-License-Identifier: MIT
#include "sample/arguments.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <utility>

#include "base/sha256.h"
#include "base/text.h"
#include "sample/block_queue.h"
#include "sample/elements.h"
#include "sample/mt19937.h"

// The order of draws, which decides every value:
//   1. classes are visited in ascending byte order of their names, not in file order;
//   2. a first pass draws all integer ranges (and stores literals, which draw nothing);
//   3. a second pass draws everything else: bool tensors one uniform an element, others one
//      Gaussian an element, constants (deviation 0) nothing;
//   4. the spare Gaussian of a pair survives tensors and uniform draws.

namespace graphnet::sample {

namespace {

using base::Code;
using base::DType;
using base::Result;
using base::Status;

// Draws of one block stay in the first-level cache until they are stored.
constexpr std::size_t kBlock = 2 * PolarPoints::kMaxCount;
// Smaller tensors are filled before another thread could help.
constexpr std::size_t kShareFrom = 128 * kBlock;

/// One tensor to fill.
struct Task {
  const TensorMeta* meta = nullptr;
  Argument* argument = nullptr;
  std::size_t num_elements = 0;
};

void draw_integers(const Task& task, LegacyGenerator* generator) {
  const std::int64_t low = task.meta->min_val->integer;
  const std::int64_t high = task.meta->max_val->integer;
  const auto range = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  for (std::size_t i = 0; i < task.num_elements; ++i) {
    const auto value =
        static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + generator->bounded(range));
    store_integer(task.meta->dtype, value, i, task.argument->bytes.data());
  }
}

void draw_bools(const Task& task, LegacyGenerator* generator) {
  for (std::size_t i = 0; i < task.num_elements; ++i) {
    task.argument->bytes.data()[i] = std::byte{generator->uniform() > 0.5};
  }
}

/// Mean and deviation after upstream's defaults.
struct Moments {
  double mean = 0;
  double deviation = 0;
};

Moments moments_of(const TensorMeta& meta) {
  // An absent attribute and None have different defaults.
  return {meta.mean.value_or(0.0), meta.std.value_or(meta.has_std ? 0.1 : 1.0)};
}

std::optional<double> double_of(const std::optional<LiteralNumber>& bound) {
  return bound ? std::optional(bound->as_double()) : std::nullopt;
}

/// Stores `count` elements from `first` on; overwrites the draws. True if some are not finite.
bool store_numbers(const Task& task, std::size_t first, std::size_t count, double* draws) {
  const TensorMeta& meta = *task.meta;
  const Moments moments = moments_of(meta);
  std::byte* out = task.argument->bytes.data() + first * base::dtype_bytes(meta.dtype);
  if (moments.deviation == 0) {
    store_constant(meta.dtype, moments.mean, count, out);
  } else {
    store_scaled(meta.dtype, moments.deviation, moments.mean, count, draws, out);
  }
  clamp_to_bounds(meta.dtype, double_of(meta.min_val), double_of(meta.max_val), count, out);
  return clamp_to_hundred(meta.dtype, count, out);
}

// Elements [first, end).
void draw_numbers(const Task& task, std::size_t first, std::size_t end,
                  LegacyGenerator* generator) {
  std::array<double, kBlock> draws;
  for (; first < end; first += kBlock) {
    const std::size_t count = std::min(kBlock, end - first);
    if (moments_of(*task.meta).deviation != 0) generator->gaussians(draws.data(), count);
    task.argument->needs_torch_normals |= store_numbers(task, first, count, draws.data());
  }
}

/// Draws a large tensor with two threads. Words and rejections are sequential and stay here; what
/// is done element by element, logarithms to page faults, is shared.
void draw_numbers_shared(const Task& task, LegacyGenerator* generator) {
  // An odd element first, so that no pair lies across two blocks.
  const std::size_t first = generator->has_spare() ? 1 : 0;
  draw_numbers(task, 0, first, generator);
  const std::size_t num_blocks = (task.num_elements - first) / kBlock;
  std::atomic<bool> not_finite{false};
  {
    BlockQueue queue([&](const PolarPoints& points, std::size_t number) {
      std::array<double, kBlock> draws;
      gaussians_of(points, PolarPoints::kMaxCount, draws.data());
      if (store_numbers(task, first + number * kBlock, kBlock, draws.data())) not_finite = true;
    });
    for (std::size_t i = 0; i < num_blocks; ++i) {
      generator->polar_points(PolarPoints::kMaxCount, queue.free_block());
      queue.push();
    }
  }
  task.argument->needs_torch_normals |= not_finite;
  draw_numbers(task, first + num_blocks * kBlock, task.num_elements, generator);
}

// True if the generator's state does not decide the values.
bool is_drawless(const TensorMeta& meta) {
  if (is_integer_range(meta)) return meta.min_val->integer == meta.max_val->integer;
  return meta.data || (meta.dtype != DType::kBool && moments_of(meta).deviation == 0);
}

Status fill(const std::vector<Task>& tasks, std::uint32_t seed) {
  LegacyGenerator generator(seed);
  const bool may_share = std::thread::hardware_concurrency() > 1;
  for (const Task& task : tasks) {
    if (is_integer_range(*task.meta)) {
      draw_integers(task, &generator);
    } else if (task.meta->data) {
      Status stored =
          store_literal(task.meta->dtype, *task.meta->data, task.argument->bytes.data());
      if (!stored.is_ok()) return stored.add_context("tensor '" + task.meta->name + "'");
    }
  }
  for (const Task& task : tasks) {
    if (is_integer_range(*task.meta) || task.meta->data) continue;
    if (task.meta->dtype == DType::kBool) {
      draw_bools(task, &generator);
    } else {
      const bool is_shared =
          may_share && task.num_elements >= kShareFrom && moments_of(*task.meta).deviation != 0;
      if (is_shared) {
        draw_numbers_shared(task, &generator);
      } else {
        draw_numbers(task, 0, task.num_elements, &generator);
      }
    }
  }
  return Status::ok();
}

Argument describe(const TensorMeta& meta, const graph::Parameter& parameter) {
  Argument argument;
  argument.name = parameter.name;
  argument.kind = parameter.kind;
  argument.dtype = meta.dtype;
  argument.shape = meta.shape;
  argument.consumes_torch_generator = base::is_floating(meta.dtype) && !meta.data;
  return argument;
}

/// Tasks in the order of `parameters`.
Result<std::vector<Task>> match(const std::vector<TensorMeta>& metas,
                                const std::vector<graph::Parameter>& parameters) {
  std::unordered_map<std::string_view, const TensorMeta*> by_name;
  for (const TensorMeta& meta : metas) by_name.emplace(meta.name, &meta);
  std::vector<Task> tasks;
  for (const graph::Parameter& parameter : parameters) {
    const auto found = by_name.find(parameter.name);
    if (found == by_name.end()) {
      return Status(Code::kInput,
                    "parameter '" + parameter.name + "' of forward() has no tensor metadata");
    }
    const TensorMeta& meta = *found->second;
    const auto count = base::num_elements(meta.shape);
    if (!count) {
      return Status(Code::kInput,
                    "tensor '" + meta.name + "' cannot be generated: its shape is too large");
    }
    tasks.push_back({&meta, nullptr, static_cast<std::size_t>(*count)});
    by_name.erase(found);
  }
  if (by_name.empty()) return tasks;
  // The first of the file, so that the message does not depend on a hash.
  for (const TensorMeta& meta : metas) {
    if (by_name.count(meta.name) == 0) continue;
    return Status(Code::kInput, "tensor '" + meta.name + "' (line " + std::to_string(meta.line) +
                                    " of its file) is no parameter of forward()");
  }
  return tasks;
}

/// Bytes of all tensors; refuses what the machine cannot hold, because with overcommit the
/// allocations would succeed and the process would be killed while it fills them.
Result<unsigned long long> total_bytes(const std::vector<Task>& tasks) {
  unsigned long long total = 0;
  for (const Task& task : tasks) {
    unsigned long long bytes = 0;
    if (__builtin_mul_overflow(task.num_elements, base::dtype_bytes(task.meta->dtype), &bytes) ||
        __builtin_add_overflow(total, bytes, &total)) {
      return Status(Code::kInput, "the tensors have more than 2^64 bytes");
    }
  }
  const auto physical = static_cast<unsigned long long>(::sysconf(_SC_PHYS_PAGES)) *
                        static_cast<unsigned long long>(::sysconf(_SC_PAGESIZE));
  if (total <= physical) return total;
  return Status(Code::kEnvironment, "the arguments need " + std::to_string(total) + " bytes (" +
                                        base::format_bytes(total) + "), this machine has " +
                                        base::format_bytes(physical));
}

Status allocate(const std::vector<Task>& tasks, unsigned long long total) {
  for (const Task& task : tasks) {
    const std::size_t bytes = task.num_elements * base::dtype_bytes(task.meta->dtype);
    task.argument->bytes = base::AlignedBuffer::allocate(bytes);
    if (task.argument->bytes.data() != nullptr) continue;
    return {Code::kEnvironment, "out of memory for tensor '" + task.meta->name + "' (" +
                                    std::to_string(bytes) + " bytes, " + std::to_string(total) +
                                    " for all arguments)"};
  }
  return Status::ok();
}

}  // namespace

bool is_integer_range(const TensorMeta& meta) {
  return base::is_integer(meta.dtype) && meta.dtype != DType::kUInt8 && meta.min_val &&
         meta.max_val;
}

Result<std::vector<Argument>> generate_arguments(const std::vector<TensorMeta>& metas,
                                                 const std::vector<graph::Parameter>& parameters,
                                                 std::uint32_t seed) {
  GN_ASSIGN_OR_RETURN(std::vector<Task> tasks, match(metas, parameters));
  GN_ASSIGN_OR_RETURN(const unsigned long long total, total_bytes(tasks));
  std::vector<Argument> arguments;
  arguments.reserve(tasks.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    arguments.push_back(describe(*tasks[i].meta, parameters[i]));
    tasks[i].argument = &arguments.back();
  }
  GN_RETURN_IF_ERROR(allocate(tasks, total));
  std::sort(tasks.begin(), tasks.end(),
            [](const Task& a, const Task& b) { return a.meta->class_name < b.meta->class_name; });
  for (std::size_t i = 0; i < tasks.size(); ++i) tasks[i].argument->draw_rank = i;
  GN_RETURN_IF_ERROR(fill(tasks, seed));
  return arguments;
}

Result<std::vector<base::AlignedBuffer>> known_values(
    const std::vector<TensorMeta>& metas, const std::vector<graph::Parameter>& parameters,
    std::size_t max_elements) {
  GN_ASSIGN_OR_RETURN(const std::vector<Task> tasks, match(metas, parameters));
  std::vector<base::AlignedBuffer> known(tasks.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (tasks[i].num_elements > max_elements || !is_drawless(*tasks[i].meta)) continue;
    Argument argument;
    const std::size_t bytes = tasks[i].num_elements * base::dtype_bytes(tasks[i].meta->dtype);
    argument.bytes = base::AlignedBuffer::allocate(bytes);
    if (argument.bytes.data() == nullptr) return Status(Code::kEnvironment, "out of memory");
    GN_RETURN_IF_ERROR(fill({{tasks[i].meta, &argument, tasks[i].num_elements}}, kUpstreamSeed));
    if (!argument.needs_torch_normals) known[i] = std::move(argument.bytes);
  }
  return known;
}

std::string arguments_digest(const std::vector<Argument>& arguments) {
  base::Sha256 digest;
  for (const Argument& argument : arguments) {
    digest.update(argument.bytes.data(), argument.bytes.num_bytes());
  }
  return digest.finish();
}

}  // namespace graphnet::sample
