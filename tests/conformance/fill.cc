// SPDX-License-Identifier: MIT
#include "conformance/fill.h"

#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <sstream>
#include <utility>

namespace graphnet::conformance {

namespace {

using base::Code;
using base::DType;
using base::Result;
using base::Status;

struct KindRow {
  const char* name;
  Fill::Kind kind;
  bool has_range;
};
constexpr std::array<KindRow, 5> kKinds = {{
    {"normal", Fill::Kind::kNormal, false},
    {"uniform", Fill::Kind::kUniform, true},
    {"integers", Fill::Kind::kIntegers, true},
    {"permutation", Fill::Kind::kPermutation, false},
    {"values", Fill::Kind::kValues, false},
}};

constexpr std::size_t kWithPeriod = 11;
constexpr std::size_t kWithFirst = 3;

// splitmix64 (Steele, Lea, Flood 2014): short, and the same on every machine.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111eb;
    return mixed ^ (mixed >> 31U);
  }

  /// In [0, 1).
  double uniform() { return static_cast<double>(next() >> 11U) * 0x1p-53; }

  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * 3.14159265358979323846 * uniform());
  }

 private:
  std::uint64_t state_;
};

bool read_numbers(std::istringstream& words, std::vector<double>& numbers, std::string& stopped) {
  stopped.clear();
  std::string word;
  while (words >> word) {
    char* end = nullptr;
    const double number = std::strtod(word.c_str(), &end);
    if (end == word.c_str() || *end != '\0') {
      stopped = word;
      break;
    }
    numbers.push_back(number);
  }
  return !numbers.empty();
}

std::vector<double> shuffled(std::size_t count, Draws& draws) {
  std::vector<double> numbers(count);
  std::iota(numbers.begin(), numbers.end(), -static_cast<double>(count / 2));
  for (std::size_t i = count; i > 1; --i) std::swap(numbers[i - 1], numbers[draws.next() % i]);
  return numbers;
}

double draw(const Fill& fill, std::size_t index, Draws& draws) {
  switch (fill.kind) {
    case Fill::Kind::kUniform:
      return fill.low + (fill.high - fill.low) * draws.uniform();
    case Fill::Kind::kIntegers:
      return fill.low + std::floor(draws.uniform() * (fill.high - fill.low + 1));
    case Fill::Kind::kValues:
      return fill.values[index % fill.values.size()];
    default:
      return draws.normal();
  }
}

std::vector<double> numbers_of(const Fill& fill, std::size_t count, Draws& draws) {
  std::vector<double> numbers;
  if (fill.kind == Fill::Kind::kPermutation) {
    numbers = shuffled(count, draws);
  } else {
    for (std::size_t i = 0; i < count; ++i) numbers.push_back(draw(fill, i, draws));
  }
  if (fill.with.empty()) return numbers;
  std::size_t next = 0;
  for (std::size_t i = kWithFirst; i < count; i += kWithPeriod) {
    numbers[i] = fill.with[next++ % fill.with.size()];
  }
  return numbers;
}

template <typename T>
void store(std::byte* target, T value) {
  std::memcpy(target, &value, sizeof(T));
}

void store_as(DType dtype, std::byte* target, double number) {
  switch (dtype) {
    case DType::kBool:
      return store<std::uint8_t>(target, number != 0 ? 1 : 0);
    case DType::kUInt8:
      return store(target, static_cast<std::uint8_t>(number));
    case DType::kInt8:
      return store(target, static_cast<std::int8_t>(number));
    case DType::kInt16:
      return store(target, static_cast<std::int16_t>(number));
    case DType::kInt32:
      return store(target, static_cast<std::int32_t>(number));
    case DType::kInt64:
      return store(target, static_cast<std::int64_t>(number));
    case DType::kFloat16:
      return store(target, base::float_to_half(static_cast<float>(number)));
    case DType::kBFloat16:
      return store(target, base::float_to_bfloat16(static_cast<float>(number)));
    case DType::kFloat32:
    case DType::kComplex64:
      return store(target, static_cast<float>(number));
    case DType::kFloat64:
    case DType::kComplex128:
      return store(target, number);
  }
}

}  // namespace

Result<Fill> parse_fill(const std::string& text) {
  std::istringstream words(text);
  std::string word;
  words >> word;
  const KindRow* found = nullptr;
  for (const KindRow& row : kKinds) {
    if (word == row.name) found = &row;
  }
  const auto unclear = [&](const std::string& what) {
    return Status(Code::kInput, "fill '" + text + "': " + what);
  };
  if (found == nullptr) return unclear("there is no kind '" + word + "'");
  Fill fill;
  fill.kind = found->kind;
  std::vector<double> numbers;
  std::string stopped;
  read_numbers(words, numbers, stopped);
  if (found->has_range) {
    if (numbers.size() != 2 || !(numbers[0] <= numbers[1])) return unclear("expected LOW HIGH");
    fill.low = numbers[0];
    fill.high = numbers[1];
  } else if (numbers.empty() == (fill.kind == Fill::Kind::kValues)) {
    return unclear("'values' takes numbers, '" + word + "' takes " +
                   (numbers.empty() ? "some" : "none"));
  } else {
    fill.values = numbers;
  }
  if (stopped.empty()) return fill;
  const bool has_with = stopped == "with" && read_numbers(words, fill.with, stopped);
  if (!has_with || !stopped.empty()) return unclear("'" + stopped + "' is not understood");
  return fill;
}

Fill default_fill(DType dtype) {
  if (dtype == DType::kBool) return {Fill::Kind::kIntegers, 0, 1};
  if (dtype == DType::kUInt8) return {Fill::Kind::kIntegers, 0, 9};
  if (base::is_integer(dtype)) return {Fill::Kind::kIntegers, -5, 5};
  return {};
}

std::vector<std::byte> filled(const Fill& fill, DType dtype, std::size_t count,
                              std::uint64_t seed) {
  const bool is_complex = dtype == DType::kComplex64 || dtype == DType::kComplex128;
  const std::size_t parts = is_complex ? 2 : 1;
  const std::size_t part_bytes = base::dtype_bytes(dtype) / parts;
  Draws draws(seed);
  const std::vector<double> numbers = numbers_of(fill, count * parts, draws);
  std::vector<std::byte> bytes(numbers.size() * part_bytes);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    store_as(dtype, bytes.data() + i * part_bytes, numbers[i]);
  }
  return bytes;
}

std::uint64_t seed_of(const std::string& name, std::size_t parameter) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash + parameter;
}

}  // namespace graphnet::conformance
