// SPDX-License-Identifier: MIT
#include "worker/output_digest.h"

#include <cmath>
#include <cstring>

#include "base/sha256.h"

namespace graphnet::worker {

namespace {

using base::DType;

template <typename T>
double load(const std::byte* data, std::size_t index) {
  T value;
  std::memcpy(&value, data + index * sizeof(T), sizeof(T));
  return static_cast<double>(value);
}

double element(const KeptOutput& output, std::size_t index) {
  const std::byte* data = output.bytes.data();
  std::uint16_t half = 0;
  switch (output.dtype) {
    case DType::kBool:
    case DType::kUInt8:
      return load<std::uint8_t>(data, index);
    case DType::kInt8:
      return load<std::int8_t>(data, index);
    case DType::kInt16:
      return load<std::int16_t>(data, index);
    case DType::kInt32:
      return load<std::int32_t>(data, index);
    case DType::kInt64:
      return load<std::int64_t>(data, index);
    case DType::kFloat16:
      std::memcpy(&half, data + 2 * index, sizeof(half));
      return static_cast<double>(base::half_to_float(half));
    case DType::kBFloat16:
      std::memcpy(&half, data + 2 * index, sizeof(half));
      return static_cast<double>(base::bfloat16_to_float(half));
    case DType::kFloat32:
      return load<float>(data, index);
    case DType::kFloat64:
      return load<double>(data, index);
    case DType::kComplex64:
    case DType::kComplex128:
      break;  // no sample returns one
  }
  return std::nan("");
}

base::Json digest(const KeptOutput& output) {
  const std::size_t count = output.bytes.num_bytes() / base::dtype_bytes(output.dtype);
  base::Json first = base::Json::array();
  std::size_t num_nan = 0;
  std::size_t num_inf = 0;
  std::size_t num_finite = 0;
  double sum = 0;
  double largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double value = element(output, i);
    if (i < 4) first.push_back(base::json_number(value));
    num_nan += std::isnan(value) ? 1 : 0;
    num_inf += std::isinf(value) ? 1 : 0;
    if (!std::isfinite(value)) continue;
    ++num_finite;
    sum += value;
    largest = std::fmax(largest, std::fabs(value));
  }
  const bool any = num_finite != 0;
  return {{"shape", output.shape},
          {"dtype", base::dtype_name(output.dtype)},
          {"sha256", base::sha256_hex(output.bytes.data(), output.bytes.num_bytes())},
          {"first4", first},
          {"nan_count", num_nan},
          {"inf_count", num_inf},
          {"mean", any ? base::Json(sum / static_cast<double>(num_finite)) : base::Json()},
          {"max_abs", any ? base::Json(largest) : base::Json()}};
}

}  // namespace

base::Json output_digests(const std::vector<KeptOutput>& outputs) {
  base::Json all = base::Json::array();
  for (const KeptOutput& output : outputs) all.push_back(digest(output));
  return all;
}

}  // namespace graphnet::worker
