// SPDX-License-Identifier: MIT
// The tensors that the plugin ABI declares against DLPack's own header, as libtorch brings it. All
// of it is decided when this file is compiled.
#include <cstddef>

#include "graphnet/abi.h"

namespace dlpack {
#include <ATen/dlpack.h>
}

#define SAME_SIZE(type) \
  static_assert(sizeof(type) == sizeof(dlpack::type) && alignof(type) == alignof(dlpack::type))
#define SAME_FIELD(type, field)                                           \
  static_assert(offsetof(type, field) == offsetof(dlpack::type, field) && \
                sizeof(type::field) == sizeof(dlpack::type::field))
#define SAME_VALUE(name) static_assert(static_cast<int>(name) == static_cast<int>(dlpack::name))

SAME_SIZE(DLDevice);
SAME_FIELD(DLDevice, device_type);
SAME_FIELD(DLDevice, device_id);

SAME_SIZE(DLDataType);
SAME_FIELD(DLDataType, code);
SAME_FIELD(DLDataType, bits);
SAME_FIELD(DLDataType, lanes);

SAME_SIZE(DLTensor);
SAME_FIELD(DLTensor, data);
SAME_FIELD(DLTensor, device);
SAME_FIELD(DLTensor, ndim);
SAME_FIELD(DLTensor, dtype);
SAME_FIELD(DLTensor, shape);
SAME_FIELD(DLTensor, strides);
SAME_FIELD(DLTensor, byte_offset);

SAME_VALUE(kDLCPU);
SAME_VALUE(kDLCUDA);
SAME_VALUE(kDLInt);
SAME_VALUE(kDLUInt);
SAME_VALUE(kDLFloat);
SAME_VALUE(kDLBfloat);
SAME_VALUE(kDLComplex);
SAME_VALUE(kDLBool);
