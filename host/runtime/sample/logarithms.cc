// SPDX-License-Identifier: MIT
#include "sample/logarithms.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "sample/vector_clones.h"

// x = 2^k z with z in [0.6875, 1.375), and m the integer next to 512 / z:
//   log x = k log 2 + log(512 / m) + log(1 + r),  r = z m / 512 - 1,  |r| < 0.0014
// r is exact: it needs 52 bits at most, because m has ten. The largest sum keeps what it loses, so
// that the whole is right to 2^-67, and the bits of any library as good as kLibraryError follow.

namespace graphnet::sample {

namespace {

/// What a library's result may be off before it is rounded. Since 2.28 glibc (like musl, whose
/// code it shares) is off by 1.25 * 2^-62, from the rounding of its own r, and was exact before.
constexpr double kLibraryError = 0x1p-61;

constexpr std::size_t kChunk = 1024;
constexpr std::size_t kTestedInEach = 512;
constexpr std::size_t kTested = 3 * kTestedInEach;

// Numbers of the table in units of 2^-110, while the compiler computes it.
__extension__ typedef __int128 Fixed;  // NOLINT(modernize-use-using): using cannot be marked
constexpr int kFixedBits = 110;
constexpr double kFixedUnit = 0x1p-110;

// With so many bits behind the point in high parts, k log 2 + log(512 / m) is exact for every k.
constexpr int kHighBits = 42;
constexpr double kHighUnit = 0x1p-42;

constexpr int kOne = 512;
constexpr std::size_t kFirst = 372;  // 512 / 1.375
constexpr std::size_t kLast = 745;   // 512 / 0.6875

/// high + low
struct Parts {
  double high = 0;
  double low = 0;
};

// log((n + 1) / n) = 2 atanh(1 / (2 n + 1))
constexpr Fixed log_of_step(int n) {
  const Fixed base = 2 * n + 1;
  Fixed power = (Fixed{2} << kFixedBits) / base;
  Fixed sum = 0;
  for (int exponent = 1; power != 0; exponent += 2) {
    sum += power / exponent;
    power /= base * base;
  }
  return sum;
}

constexpr Parts split(Fixed number) {
  constexpr Fixed kUnit = Fixed{1} << (kFixedBits - kHighBits);
  const Fixed high = (number + (number < 0 ? -kUnit : kUnit) / 2) / kUnit;
  return {static_cast<double>(high) * kHighUnit,
          static_cast<double>(number - high * kUnit) * kFixedUnit};
}

constexpr Parts kLog2 = split(log_of_step(1));

/// log(512 / m) for each m.
struct Table {
  std::array<double, kLast + 1> high = {};
  std::array<double, kLast + 1> low = {};

  constexpr void set(std::size_t m, Parts parts) {
    high[m] = parts.high;
    low[m] = parts.low;
  }
};

constexpr Table make_table() {
  Table table;
  Fixed sum = 0;
  for (std::size_t m = kOne + 1; m <= kLast; ++m) {
    sum -= log_of_step(static_cast<int>(m) - 1);
    table.set(m, split(sum));
  }
  sum = 0;
  for (std::size_t m = kOne - 1; m >= kFirst; --m) {
    sum += log_of_step(static_cast<int>(m));
    table.set(m, split(sum));
  }
  return table;
}

constexpr Table kTable = make_table();

inline std::uint64_t bits_of(double number) {
  std::uint64_t bits;
  std::memcpy(&bits, &number, sizeof bits);
  return bits;
}

inline double from_bits(std::uint64_t bits) {
  double number;
  std::memcpy(&number, &bits, sizeof number);
  return number;
}

/// Logarithms if a library's error is added, and if it is subtracted: where they are equal, its
/// result is the same.
GN_VECTOR_CLONES void bound(const double* __restrict x, std::size_t count, double* __restrict upper,
                            double* __restrict lower) {
  constexpr std::uint64_t kOneBits = 0x3ff0000000000000u;
  constexpr std::uint64_t kLowestBits = 0x3fe6000000000000u;  // of 0.6875
  // Added to a number that is no larger than 2^51, they leave an integer in the last bits.
  constexpr double kRounder = 0x1.8p52;
  constexpr std::uint64_t kExponentBits = 0x4330000000000000u;  // of 2^52
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t bits = bits_of(x[i]);
    const std::uint64_t exponent = (bits + (kOneBits - kLowestBits)) >> 52;
    const double k = from_bits(exponent | kExponentBits) - (0x1p52 + 1023);
    const double z = from_bits(bits - (exponent << 52) + kOneBits);
    const double rounded = static_cast<double>(kOne) / z + kRounder;
    const std::uint64_t m = bits_of(rounded) & 0x3ffu;
    const double factor = (rounded - kRounder) * (1.0 / kOne);
    // In two parts, so that each product is exact without fused multiply-add.
    const double z_high = from_bits(bits_of(z) & ~std::uint64_t{0x3ff});
    const double r = (z_high * factor - 1.0) + (z - z_high) * factor;
    const double base = k * kLog2.high + kTable.high[m];
    const double sum = base + r;
    const double lost = (base - sum) + r;
    const double curve =
        r * r * (-1.0 / 2 + r * (1.0 / 3 + r * (-1.0 / 4 + r * (1.0 / 5 + r * (-1.0 / 6)))));
    const double rest = lost + (k * kLog2.low + kTable.low[m]) + curve;
    upper[i] = sum + (rest + kLibraryError);
    lower[i] = sum + (rest - kLibraryError);
  }
}

/// Positions where two arrays differ.
struct Positions {
  std::array<std::uint64_t, kChunk + 8> index;
  std::size_t count = 0;
};

#if defined(__x86_64__)
/// As list_differing(), from index 0, in whole eights; returns where the rest begins.
GN_EIGHTS std::size_t list_by_eights(const double* a, const double* b, std::size_t count,
                                     Positions* positions) {
  __m512i index = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const __mmask8 differ =
        _mm512_cmp_pd_mask(_mm512_loadu_pd(a + i), _mm512_loadu_pd(b + i), _CMP_NEQ_UQ);
    _mm512_storeu_si512(&positions->index[positions->count],
                        _mm512_maskz_compress_epi64(differ, index));
    positions->count += static_cast<std::size_t>(__builtin_popcount(differ));
    index += _mm512_set1_epi64(8);
  }
  return i;
}
#endif

void list_differing(const double* a, const double* b, std::size_t count, Positions* positions) {
  std::size_t i = 0;
#if defined(__x86_64__)
  if (has_eights()) i = list_by_eights(a, b, count, positions);
#endif
  for (; i < count; ++i) {
    // Arithmetic instead of a branch, as it is one in thirty, at random.
    positions->index[positions->count] = i;
    positions->count += static_cast<std::size_t>(a[i] != b[i]);
  }
}

void compute_chunk(Logarithms::Library library, const double* x, std::size_t count, double* out) {
  std::array<double, kChunk> lower;
  bound(x, count, out, lower.data());
  Positions asked;
  list_differing(out, lower.data(), count, &asked);
  for (std::size_t i = 0; i < asked.count; ++i) out[asked.index[i]] = library(x[asked.index[i]]);
}

/// A third each in (0, 1), next to 1 and next to 0.
std::array<double, kTested> tested_arguments() {
  std::array<double, kTested> x = {};
  for (std::size_t i = 0; i < kTestedInEach; ++i) {
    // Multiples of the golden ratio fill the interval evenly.
    const double golden = static_cast<double>(i + 1) * 0x1.3c6ef372fe95p-1;
    x[3 * i] = golden - std::floor(golden);
    x[3 * i + 1] = 1.0 - x[3 * i] * 0.12;
    x[3 * i + 2] = std::ldexp(1.0 + x[3 * i], -static_cast<int>(i % 110));
  }
  return x;
}

}  // namespace

Logarithms::Logarithms(Library library) : library_(library) {
  const std::array<double, kTested> x = tested_arguments();
  std::array<double, kTested> found = {};
  compute(x.data(), kTested, found.data());
  for (std::size_t i = 0; i < kTested && is_vectorised_; ++i) {
    is_vectorised_ = found[i] == library(x[i]);
  }
}

void Logarithms::compute(const double* x, std::size_t count, double* out) const {
  if (!is_vectorised_) {
    std::transform(x, x + count, out, library_);
    return;
  }
  for (std::size_t first = 0; first < count; first += kChunk) {
    compute_chunk(library_, x + first, std::min(kChunk, count - first), out + first);
  }
}

}  // namespace graphnet::sample
