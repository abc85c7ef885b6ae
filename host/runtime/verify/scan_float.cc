// SPDX-License-Identifier: MIT
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <algorithm>
#include <cmath>

#include "verify/float_scan.h"

namespace graphnet::verify {

namespace {

template <typename Type>
using Stored = typename Type::Stored;

// Runs with the instructions that every processor of the architecture has.
struct Portable {
  template <typename Type>
  static Scan scan(const void* eager, const void* plugin, std::int64_t count) {
    return FloatScan<Type>().run(static_cast<const Stored<Type>*>(eager),
                                 static_cast<const Stored<Type>*>(plugin), count);
  }
};

#if defined(__x86_64__)
// Twice as many elements an instruction. No fused multiply-add: torch rounds after the
// multiplication and after the addition.
struct Avx2 {
  template <typename Type>
  [[gnu::target("avx2,bmi,lzcnt")]] static Scan scan(const void* eager, const void* plugin,
                                                     std::int64_t count) {
    return FloatScan<Type>().run(static_cast<const Stored<Type>*>(eager),
                                 static_cast<const Stored<Type>*>(plugin), count);
  }
};

// By its bit: clang 14, which the fuzzers are built with, knows no name for it.
bool has_lzcnt() {
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  return __get_cpuid(0x80000001U, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bit_LZCNT) != 0;
}

bool has_avx2() {
  static const bool has =
      __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi") != 0 && has_lzcnt();
  return has;
}
#endif

// Squares of float64 leave its range beyond 1e154 and below 1e-154; an extended exponent does not.
void rescale_sums(const double* eager, const double* plugin, std::int64_t count, Scan& scan) {
  const auto both_finite = [&](std::int64_t i) {
    return std::isfinite(eager[i]) && std::isfinite(plugin[i]);
  };
  double largest = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    if (!both_finite(i)) continue;
    largest = std::max({largest, std::abs(eager[i]), std::abs(plugin[i])});
  }
  if (largest == 0) return;
  const int exponent = -std::ilogb(largest) - 2;
  scan.square_scale = 2 * exponent;
  scan.squared_error = scan.squared_eager = scan.squared_plugin = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    if (!both_finite(i)) continue;
    const double e = std::scalbn(eager[i], exponent);
    const double p = std::scalbn(plugin[i], exponent);
    scan.squared_error += (p - e) * (p - e);
    scan.squared_eager += e * e;
    scan.squared_plugin += p * p;
  }
}

template <typename Instructions>
Scan scan_float64(const void* eager, const void* plugin, std::int64_t count) {
  Scan scan = Instructions::template scan<Float64>(eager, plugin, count);
  const auto safe = [](double sum) { return sum > 1e-200 && sum < 1e300; };
  const bool sums_are_safe = safe(scan.squared_eager) && safe(scan.squared_plugin) &&
                             (safe(scan.squared_error) || scan.differing == 0);
  if (!sums_are_safe) {
    rescale_sums(static_cast<const double*>(eager), static_cast<const double*>(plugin), count,
                 scan);
  }
  return scan;
}

template <typename Instructions>
Scan scan_with(base::DType dtype, const void* eager, const void* plugin, std::int64_t count) {
  switch (dtype) {
    case base::DType::kFloat16:
      return Instructions::template scan<Float16>(eager, plugin, count);
    case base::DType::kBFloat16:
      return Instructions::template scan<BFloat16>(eager, plugin, count);
    case base::DType::kFloat64:
      return scan_float64<Instructions>(eager, plugin, count);
    default:
      return Instructions::template scan<Float32>(eager, plugin, count);
  }
}

}  // namespace

Scan scan_floats(base::DType dtype, const void* eager, const void* plugin, std::int64_t count) {
#if defined(__x86_64__)
  if (has_avx2()) return scan_with<Avx2>(dtype, eager, plugin, count);
#endif
  return scan_floats_portably(dtype, eager, plugin, count);
}

Scan scan_floats_portably(base::DType dtype, const void* eager, const void* plugin,
                          std::int64_t count) {
  return scan_with<Portable>(dtype, eager, plugin, count);
}

}  // namespace graphnet::verify
