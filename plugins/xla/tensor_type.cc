// SPDX-License-Identifier: MIT
#include "xla/tensor_type.h"

#include <algorithm>

#include "graphnet/failure.h"

namespace graphnet::xla {

namespace {

struct ElementType {
  std::uint8_t code;
  std::uint8_t bits;
  pjrt::BufferType type;
  const char* name;
};

constexpr ElementType kElementTypes[] = {
    {kDLBool, 8, pjrt::BufferType::kPred, "bool"},
    {kDLInt, 8, pjrt::BufferType::kS8, "int8"},
    {kDLInt, 16, pjrt::BufferType::kS16, "int16"},
    {kDLInt, 32, pjrt::BufferType::kS32, "int32"},
    {kDLInt, 64, pjrt::BufferType::kS64, "int64"},
    {kDLUInt, 8, pjrt::BufferType::kU8, "uint8"},
    {kDLUInt, 16, pjrt::BufferType::kU16, "uint16"},
    {kDLUInt, 32, pjrt::BufferType::kU32, "uint32"},
    {kDLUInt, 64, pjrt::BufferType::kU64, "uint64"},
    {kDLFloat, 16, pjrt::BufferType::kF16, "float16"},
    {kDLFloat, 32, pjrt::BufferType::kF32, "float32"},
    {kDLFloat, 64, pjrt::BufferType::kF64, "float64"},
    {kDLBfloat, 16, pjrt::BufferType::kBF16, "bfloat16"},
    {kDLComplex, 64, pjrt::BufferType::kC64, "complex64"},
    {kDLComplex, 128, pjrt::BufferType::kC128, "complex128"},
};

const ElementType* find_element_type(DLDataType dtype) {
  const auto* found = std::find_if(
      std::begin(kElementTypes), std::end(kElementTypes),
      [&](const ElementType& row) { return row.code == dtype.code && row.bits == dtype.bits; });
  return found == std::end(kElementTypes) || dtype.lanes != 1 ? nullptr : found;
}

std::string type_name(DLDataType dtype) {
  const ElementType* found = find_element_type(dtype);
  if (found != nullptr) return found->name;
  return "type(code " + std::to_string(dtype.code) + ", " + std::to_string(dtype.bits) + " bits)";
}

bool is_dense(const DLTensor& tensor) {
  if (tensor.strides == nullptr) return true;
  std::int64_t expected = 1;
  for (int i = tensor.ndim - 1; i >= 0; --i) {
    if (tensor.shape[i] != 1 && tensor.strides[i] != expected) return false;
    expected *= tensor.shape[i];
  }
  return true;
}

bool has_shape(const DLTensor& tensor, const std::vector<std::int64_t>& shape) {
  return tensor.ndim == static_cast<std::int32_t>(shape.size()) &&
         std::equal(shape.begin(), shape.end(), tensor.shape);
}

TensorType type_of(const DLTensor& tensor) {
  return {tensor.dtype, {tensor.shape, tensor.shape + tensor.ndim}};
}

}  // namespace

pjrt::BufferType buffer_type(DLDataType dtype) {
  const ElementType* found = find_element_type(dtype);
  if (found != nullptr) return found->type;
  throw Failure(GN_STATUS_UNSUPPORTED, "XLA has no element type for " + type_name(dtype));
}

std::size_t num_bytes(const TensorType& type) {
  std::size_t bytes = type.dtype.bits / 8U;
  for (const std::int64_t extent : type.shape) bytes *= static_cast<std::size_t>(extent);
  return bytes;
}

std::string describe(const TensorType& type) {
  std::string text = type_name(type.dtype) + "[";
  for (std::size_t i = 0; i < type.shape.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(type.shape[i]);
  }
  return text + "]";
}

std::byte* checked_data(const DLTensor& tensor, const TensorType& expected, const char* kind,
                        std::uint32_t index, std::int32_t device_type) {
  const auto refuse = [&](const std::string& reason) {
    throw Failure(GN_STATUS_INVALID_ARGUMENT,
                  std::string(kind) + " " + std::to_string(index) + " " + reason);
  };
  if (tensor.device.device_type != device_type) {
    refuse(device_type == kDLCPU ? "is not in the CPU's memory" : "is not on the device");
  }
  const bool has_type = tensor.dtype.code == expected.dtype.code &&
                        tensor.dtype.bits == expected.dtype.bits && tensor.dtype.lanes == 1;
  if (!has_type || !has_shape(tensor, expected.shape)) {
    refuse("is " + describe(type_of(tensor)) + ", compiled was " + describe(expected));
  }
  if (!is_dense(tensor)) refuse("is not dense row-major");
  if (tensor.data == nullptr) refuse("has no data");
  return static_cast<std::byte*>(tensor.data) + tensor.byte_offset;
}

}  // namespace graphnet::xla
