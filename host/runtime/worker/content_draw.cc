// SPDX-License-Identifier: MIT
#include "worker/content_draw.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <utility>

#include "sample/vector_clones.h"

namespace graphnet::worker {

using base::DType;

namespace {

std::uint64_t rotate_left(std::uint64_t bits, unsigned by) {
  return bits << by | bits >> (64U - by);
}

void sip_round(std::array<std::uint64_t, 4>& v) {
  v[0] += v[1];
  v[2] += v[3];
  v[1] = rotate_left(v[1], 13) ^ v[0];
  v[3] = rotate_left(v[3], 16) ^ v[2];
  v[0] = rotate_left(v[0], 32) + v[3];
  v[2] += v[1];
  v[1] = rotate_left(v[1], 17) ^ v[2];
  v[3] = rotate_left(v[3], 21) ^ v[0];
  v[2] = rotate_left(v[2], 32);
}

/// SipHash-2-4 of 16 bytes.
std::uint64_t keyed_hash(std::uint64_t key, std::uint64_t first, std::uint64_t second) {
  std::array<std::uint64_t, 4> v = {key ^ 0x736F6D6570736575U, ~key ^ 0x646F72616E646F6DU,
                                    key ^ 0x6C7967656E657261U, ~key ^ 0x7465646279746573U};
  const std::uint64_t length = std::uint64_t{16} << 56U;
  for (const std::uint64_t word : {first, second, length}) {
    v[3] ^= word;
    for (int round = 0; round < 2; ++round) sip_round(v);
    v[0] ^= word;
  }
  v[2] ^= 0xFFU;
  for (int round = 0; round < 4; ++round) sip_round(v);
  return v[0] ^ v[1] ^ v[2] ^ v[3];
}

// ---- sixteen numbers at a time, whatever the width of the processor's registers ----

constexpr std::size_t kLanes = 16;
using Halves [[gnu::vector_size(kLanes * 2)]] = std::uint16_t;
using Words [[gnu::vector_size(kLanes * 4)]] = std::uint32_t;
using Integers [[gnu::vector_size(kLanes * 4)]] = std::int32_t;
using Floats [[gnu::vector_size(kLanes * 4)]] = float;
using Doubles [[gnu::vector_size(kLanes * 8)]] = double;

#define GN_INLINE [[gnu::always_inline]] inline

/// Shares in [0, 1), short of 1 by more than rounding; a generator for each lane.
///
/// source   Marsaglia: Xorshift RNGs (2003)
GN_INLINE void next_shares(Words& state, Floats& shares) {
  state ^= state << 13U;
  state ^= state >> 17U;
  state ^= state << 5U;
  constexpr float kScale = 0x1p-24F * (1 - 0x1p-20F);
  shares = __builtin_convertvector(reinterpret_cast<Integers>(state >> 8U), Floats) * kScale;
}

/// Infinity and NaN give differences that do not equal themselves.
template <typename Reals>
GN_INLINE void between(const Reals& one, const Reals& other, const Reals& shares, Reals& value) {
  value = one + shares * (other - one);
  const Reals rest = value - value;
  value = rest == rest ? value : one;
}

/// How a type is read as numbers to calculate with, and written: rounded towards zero, which leaves
/// no range.
struct Float32 {
  using Stored = Floats;
  using Reals = Floats;
  GN_INLINE static void read(const Stored& stored, Reals& reals) { reals = stored; }
  GN_INLINE static void write(const Reals& reals, Stored& stored) { stored = reals; }
};

struct Float64 {
  using Stored = Doubles;
  using Reals = Doubles;
  GN_INLINE static void read(const Stored& stored, Reals& reals) { reals = stored; }
  GN_INLINE static void write(const Reals& reals, Stored& stored) { stored = reals; }
};

struct BFloat16 {
  using Stored = Halves;
  using Reals = Floats;
  GN_INLINE static void read(const Stored& stored, Reals& reals) {
    reals = reinterpret_cast<Floats>(__builtin_convertvector(stored, Words) << 16U);
  }
  GN_INLINE static void write(const Reals& reals, Stored& stored) {
    stored = __builtin_convertvector(reinterpret_cast<Words>(reals) >> 16U, Halves);
  }
};

/// The exponent of a float is biased by 112 more.
struct Float16 {
  using Stored = Halves;
  using Reals = Floats;
  GN_INLINE static void read(const Stored& stored, Reals& reals) {
    const Words bits = __builtin_convertvector(stored, Words);
    const Words sign = (bits & 0x8000U) << 16U;
    const Words rest = bits & 0x7FFFU;
    const Words finite = reinterpret_cast<Words>(reinterpret_cast<Floats>(rest << 13U) * 0x1p112F);
    const Words special = rest << 13U | 0x7F800000U;
    reals = reinterpret_cast<Floats>((rest >= 0x7C00U ? special : finite) | sign);
  }
  GN_INLINE static void write(const Reals& reals, Stored& stored) {
    const Words bits = reinterpret_cast<Words>(reals);
    const Words rest = bits & 0x7FFFFFFFU;
    const Words finite = reinterpret_cast<Words>(reinterpret_cast<Floats>(rest) * 0x1p-112F) >> 13U;
    const Words special = (rest >> 13U & 0x3FFU) | 0x7C00U;
    stored = __builtin_convertvector(
        (rest >= 0x7F800000U ? special : finite) | ((bits >> 16U) & 0x8000U), Halves);
  }
};

template <typename Type>
GN_INLINE void draw_lanes(const std::byte* one, const std::byte* other, std::byte* to,
                          std::size_t num_bytes, Words& state) {
  using Stored = typename Type::Stored;
  using Reals = typename Type::Reals;
  Stored stored = {};
  Reals a = {};
  Reals b = {};
  std::memcpy(&stored, one, num_bytes);
  Type::read(stored, a);
  std::memcpy(&stored, other, num_bytes);
  Type::read(stored, b);
  Floats shares;
  next_shares(state, shares);
  Reals value = {};
  between(a, b, __builtin_convertvector(shares, Reals), value);
  Type::write(value, stored);
  std::memcpy(to, &stored, num_bytes);
}

template <typename Type>
GN_INLINE void draw_run(const std::byte* one, const std::byte* other, std::byte* to,
                        std::size_t num_bytes, std::uint32_t* lanes) {
  constexpr std::size_t kBytes = sizeof(typename Type::Stored);
  Words state;
  std::memcpy(&state, lanes, sizeof state);
  std::size_t at = 0;
  for (; at + kBytes <= num_bytes; at += kBytes) {
    draw_lanes<Type>(one + at, other + at, to + at, kBytes, state);
  }
  if (at < num_bytes) draw_lanes<Type>(one + at, other + at, to + at, num_bytes - at, state);
  std::memcpy(lanes, &state, sizeof state);
}

using DrawRun = void (*)(const std::byte*, const std::byte*, std::byte*, std::size_t,
                         std::uint32_t*);

GN_VECTOR_CLONES void draw_float32(const std::byte* one, const std::byte* other, std::byte* to,
                                   std::size_t num_bytes, std::uint32_t* lanes) {
  draw_run<Float32>(one, other, to, num_bytes, lanes);
}
GN_VECTOR_CLONES void draw_float64(const std::byte* one, const std::byte* other, std::byte* to,
                                   std::size_t num_bytes, std::uint32_t* lanes) {
  draw_run<Float64>(one, other, to, num_bytes, lanes);
}
GN_VECTOR_CLONES void draw_float16(const std::byte* one, const std::byte* other, std::byte* to,
                                   std::size_t num_bytes, std::uint32_t* lanes) {
  draw_run<Float16>(one, other, to, num_bytes, lanes);
}
GN_VECTOR_CLONES void draw_bfloat16(const std::byte* one, const std::byte* other, std::byte* to,
                                    std::size_t num_bytes, std::uint32_t* lanes) {
  draw_run<BFloat16>(one, other, to, num_bytes, lanes);
}

struct Drawable {
  DType dtype;
  std::size_t number_bytes;
  DrawRun draw;
};

const Drawable kDrawables[] = {
    {DType::kFloat16, 2, draw_float16}, {DType::kBFloat16, 2, draw_bfloat16},
    {DType::kFloat32, 4, draw_float32}, {DType::kComplex64, 4, draw_float32},
    {DType::kFloat64, 8, draw_float64}, {DType::kComplex128, 8, draw_float64},
};

const Drawable* find_drawable(DType dtype) {
  for (const Drawable& drawable : kDrawables) {
    if (drawable.dtype == dtype) return &drawable;
  }
  return nullptr;
}

template <typename Element>
void permute_as(std::byte* memory, std::size_t count, Numbers& numbers) {
  auto* const elements = reinterpret_cast<Element*>(memory);
  for (std::size_t i = count - 1; i > 0; --i)
    std::swap(elements[i], elements[numbers.below(i + 1)]);
}

template <typename Element>
void draw_integers_as(std::int64_t low, std::uint32_t range, std::byte* to, std::size_t count,
                      Numbers& numbers) {
  auto* const elements = reinterpret_cast<Element*>(to);
  const std::size_t end = std::size_t{range} + 1;
  for (std::size_t i = 0; i < count; ++i) {
    elements[i] = static_cast<Element>(static_cast<std::uint64_t>(low) + numbers.below(end));
  }
}

/// One with which all elements of a run are reached, and hardly any one beside its neighbours.
std::size_t draw_stride(std::size_t length, Numbers& numbers) {
  constexpr std::size_t kShortest = 3;
  if (length < 4 * kShortest) return 1;
  std::size_t stride = 0;
  do {
    stride = kShortest + numbers.below(length - 2 * kShortest);
  } while (std::gcd(stride, length) != 1);
  return stride;
}

template <typename Element>
void stride_runs_as(const std::byte* original, std::byte* to, std::size_t count, Numbers& numbers) {
  const auto* const elements = reinterpret_cast<const Element*>(original);
  auto* run = reinterpret_cast<Element*>(to);
  const std::size_t by = numbers.below(count);
  for (std::size_t begin = 0; begin < count; begin += kDrawnRun) {
    const std::size_t length = std::min(kDrawnRun, count - begin);
    const Element* const from = elements + (by + begin) % count;
    const std::size_t stride = draw_stride(length, numbers);
    std::size_t at = numbers.below(length);
    for (std::size_t i = 0; i < length; ++i) {
      *run++ = from[at];
      at += stride;
      if (at >= length) at -= length;
    }
  }
}

}  // namespace

Numbers::Numbers(std::uint64_t seed, std::uint64_t content, std::uint64_t attempt)
    : state_(keyed_hash(seed, content, attempt)) {}

std::uint64_t Numbers::operator()() {
  std::uint64_t bits = state_ += 0x9E3779B97F4A7C15U;
  bits = (bits ^ (bits >> 30U)) * 0xBF58476D1CE4E5B9U;
  bits = (bits ^ (bits >> 27U)) * 0x94D049BB133111EBU;
  return bits ^ (bits >> 31U);
}

bool can_draw_between(DType dtype) {
  return find_drawable(dtype) != nullptr;
}

void draw_between(DType dtype, const std::byte* original, std::byte* to, std::size_t num_bytes,
                  Numbers& numbers) {
  const Drawable& type = *find_drawable(dtype);
  const std::size_t count = num_bytes / type.number_bytes;
  std::array<std::uint32_t, kLanes> lanes;
  for (std::uint32_t& lane : lanes) lane = static_cast<std::uint32_t>(numbers() >> 32U) | 1U;
  for (std::size_t begin = 0; begin < count; begin += kDrawnRun) {
    const std::size_t length = std::min(kDrawnRun, count - begin);
    const std::size_t one = numbers.below(count);
    const std::size_t other = (one + 1 + numbers.below(count - 1)) % count;
    type.draw(original + one * type.number_bytes, original + other * type.number_bytes,
              to + begin * type.number_bytes, length * type.number_bytes, lanes.data());
  }
}

void draw_integers(std::int64_t low, std::uint32_t range, std::byte* to, std::size_t count,
                   std::size_t element_bytes, Numbers& numbers) {
  if (element_bytes == 1) return draw_integers_as<std::uint8_t>(low, range, to, count, numbers);
  if (element_bytes == 2) return draw_integers_as<std::uint16_t>(low, range, to, count, numbers);
  if (element_bytes == 4) return draw_integers_as<std::uint32_t>(low, range, to, count, numbers);
  draw_integers_as<std::uint64_t>(low, range, to, count, numbers);
}

void permute(std::byte* to, std::size_t count, std::size_t element_bytes, Numbers& numbers) {
  if (element_bytes == 1) return permute_as<std::uint8_t>(to, count, numbers);
  if (element_bytes == 2) return permute_as<std::uint16_t>(to, count, numbers);
  if (element_bytes == 4) return permute_as<std::uint32_t>(to, count, numbers);
  if (element_bytes == 8) return permute_as<std::uint64_t>(to, count, numbers);
  permute_as<std::array<std::uint64_t, 2>>(to, count, numbers);
}

void stride_runs(const std::byte* original, std::byte* to, std::size_t count,
                 std::size_t element_bytes, Numbers& numbers) {
  if (element_bytes == 1) return stride_runs_as<std::uint8_t>(original, to, count, numbers);
  if (element_bytes == 2) return stride_runs_as<std::uint16_t>(original, to, count, numbers);
  if (element_bytes == 4) return stride_runs_as<std::uint32_t>(original, to, count, numbers);
  if (element_bytes == 8) return stride_runs_as<std::uint64_t>(original, to, count, numbers);
  stride_runs_as<std::array<std::uint64_t, 2>>(original, to, count, numbers);
}

}  // namespace graphnet::worker
