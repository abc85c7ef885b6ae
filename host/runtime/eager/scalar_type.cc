// SPDX-License-Identifier: MIT
#include "eager/scalar_type.h"

#include <c10/core/DefaultDtype.h>
#include <c10/core/ScalarTypeToTypeMeta.h>

#include <array>
#include <utility>

namespace graphnet::eager {

namespace {

using base::DType;
constexpr std::array<std::pair<DType, at::ScalarType>, 12> kTypes = {{
    {DType::kBool, at::ScalarType::Bool},
    {DType::kUInt8, at::ScalarType::Byte},
    {DType::kInt8, at::ScalarType::Char},
    {DType::kInt16, at::ScalarType::Short},
    {DType::kInt32, at::ScalarType::Int},
    {DType::kInt64, at::ScalarType::Long},
    {DType::kFloat16, at::ScalarType::Half},
    {DType::kBFloat16, at::ScalarType::BFloat16},
    {DType::kFloat32, at::ScalarType::Float},
    {DType::kFloat64, at::ScalarType::Double},
    {DType::kComplex64, at::ScalarType::ComplexFloat},
    {DType::kComplex128, at::ScalarType::ComplexDouble},
}};

}  // namespace

at::ScalarType to_scalar_type(base::DType dtype) {
  for (const auto& [ours, torch] : kTypes) {
    if (ours == dtype) return torch;
  }
  return at::ScalarType::Undefined;
}

std::optional<base::DType> from_scalar_type(at::ScalarType type) {
  for (const auto& [ours, torch] : kTypes) {
    if (torch == type) return ours;
  }
  return std::nullopt;
}

c10::Device to_device(base::DeviceName name) {
  if (!name.is_cuda) return c10::Device(c10::kCPU);
  return c10::Device(c10::kCUDA, static_cast<c10::DeviceIndex>(name.index));
}

at::ScalarType default_scalar_type() {
  return c10::typeMetaToScalarType(c10::get_default_dtype());
}

namespace {

void set_default(at::ScalarType type) {
  if (type != default_scalar_type()) c10::set_default_dtype(c10::scalarTypeToTypeMeta(type));
}

}  // namespace

DefaultTypeGuard::DefaultTypeGuard(base::DType dtype) : before_(default_scalar_type()) {
  set_default(to_scalar_type(dtype));
}
DefaultTypeGuard::~DefaultTypeGuard() {
  set_default(before_);
}

}  // namespace graphnet::eager
