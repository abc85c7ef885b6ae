// SPDX-License-Identifier: MIT
#include "verify/scan.h"

#include <complex>

namespace graphnet::verify {

namespace {

using base::DType;

bool is_complex(DType dtype) {
  return dtype == DType::kComplex64 || dtype == DType::kComplex128;
}

template <typename T, typename Convert>
void load(const void* data, std::int64_t begin, int count, double* out, Convert convert) {
  const T* from = static_cast<const T*>(data) + begin;
  for (int i = 0; i < count; ++i) out[i] = convert(from[i]);
}

Scan scan_by_kind(DType dtype, const void* eager, const void* plugin, std::int64_t count) {
  if (is_complex(dtype)) return scan_complex(dtype, eager, plugin, count);
  if (base::is_floating(dtype)) return scan_floats(dtype, eager, plugin, count);
  return scan_integers(dtype, eager, plugin, count);
}

}  // namespace

double element_as_double(DType dtype, const void* data, std::int64_t index) {
  double value;
  load_as_double(dtype, data, index, 1, &value);
  return value;
}

void load_as_double(DType dtype, const void* data, std::int64_t begin, int count, double* out) {
  const auto number = [](auto value) { return static_cast<double>(value); };
  const auto modulus = [](auto value) { return std::abs(std::complex<double>(value)); };
  const auto truth = [](std::uint8_t value) { return value != 0 ? 1.0 : 0.0; };
  const auto half = [](std::uint16_t bits) { return double{base::half_to_float(bits)}; };
  const auto bfloat = [](std::uint16_t bits) { return double{base::bfloat16_to_float(bits)}; };
  switch (dtype) {
    case DType::kBool:
      return load<std::uint8_t>(data, begin, count, out, truth);
    case DType::kUInt8:
      return load<std::uint8_t>(data, begin, count, out, number);
    case DType::kInt8:
      return load<std::int8_t>(data, begin, count, out, number);
    case DType::kInt16:
      return load<std::int16_t>(data, begin, count, out, number);
    case DType::kInt32:
      return load<std::int32_t>(data, begin, count, out, number);
    case DType::kInt64:
      return load<std::int64_t>(data, begin, count, out, number);
    case DType::kFloat16:
      return load<std::uint16_t>(data, begin, count, out, half);
    case DType::kBFloat16:
      return load<std::uint16_t>(data, begin, count, out, bfloat);
    case DType::kFloat32:
      return load<float>(data, begin, count, out, number);
    case DType::kFloat64:
      return load<double>(data, begin, count, out, number);
    case DType::kComplex64:
      return load<std::complex<float>>(data, begin, count, out, modulus);
    case DType::kComplex128:
      return load<std::complex<double>>(data, begin, count, out, modulus);
  }
}

Scan scan_elements(DType dtype, const void* eager, const void* plugin, std::int64_t count) {
  Scan scan = scan_by_kind(dtype, eager, plugin, count);
  for (WorstPair& pair : scan.worst) {
    pair.eager = element_as_double(dtype, eager, pair.index);
    pair.plugin = element_as_double(dtype, plugin, pair.index);
  }
  return scan;
}

}  // namespace graphnet::verify
