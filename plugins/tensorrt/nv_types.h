// SPDX-License-Identifier: MIT
//
// What crosses the border to TensorRT's libraries, declared by us: no header of NVIDIA is needed to
// build this plugin. Values are facts of TensorRT's public C++ API, versions 10.15 to 11.1 and
// TensorRT-RTX 1.5 to 1.7.
#pragma once

#include <cstdint>

namespace graphnet::tensorrt::nv {

#if !defined(__linux__) || !(defined(__x86_64__) || defined(__aarch64__))
#error "calls by slot need the Itanium C++ ABI of Linux on x86-64 or aarch64"
#endif

inline constexpr int kMaxDims = 8;

/// By value in calls; a function that returns one has a hidden pointer.
struct Dims {
  std::int32_t count = 0;  ///< -1: the layer could not infer it, which is an error of the layer
  std::int64_t extents[kMaxDims] = {};
};
static_assert(sizeof(Dims) == 72);

enum class DataType : std::int32_t {
  kFloat = 0,
  kHalf = 1,
  kInt8 = 2,
  kInt32 = 3,
  kBool = 4,
  kUint8 = 5,
  kBf16 = 7,
  kInt64 = 8,
};

/// Borrowed until the engine is built.
struct Weights {
  DataType type = DataType::kFloat;
  const void* values = nullptr;
  std::int64_t count = 0;
};
static_assert(sizeof(Weights) == 24);

struct Permutation {
  std::int32_t order[kMaxDims] = {};
};
static_assert(sizeof(Permutation) == 32);

/// What versioned interfaces say of themselves; returned in two registers.
struct InterfaceInfo {
  const char* kind = nullptr;
  std::int32_t major = 0;
  std::int32_t minor = 0;
};
static_assert(sizeof(InterfaceInfo) == 16);

enum class Severity : std::int32_t { kInternalError, kError, kWarning, kInfo, kVerbose };

enum class Activation : std::int32_t {
  kRelu = 0,
  kSigmoid = 1,
  kTanh = 2,
  kLeakyRelu = 3,
  kElu = 4,
  kSoftplus = 7,
  kHardSigmoid = 9,
  kGeluErf = 12,
  kGeluTanh = 13,
};

enum class Unary : std::int32_t {
  kExp = 0,
  kLog = 1,
  kSqrt = 2,
  kRecip = 3,
  kAbs = 4,
  kNeg = 5,
  kSin = 6,
  kCos = 7,
  kAtanh = 16,
  kCeil = 17,
  kFloor = 18,
  kErf = 19,
  kNot = 20,
  kSign = 21,
};

enum class Elementwise : std::int32_t {
  kSum = 0,
  kProd = 1,
  kMax = 2,
  kMin = 3,
  kSub = 4,
  kDiv = 5,
  kPow = 6,
  kAnd = 8,
  kOr = 9,
  kXor = 10,
  kEqual = 11,
  kGreater = 12,
  kLess = 13,
};

enum class Reduce : std::int32_t { kSum = 0, kProd = 1, kMax = 2, kMin = 3, kAvg = 4 };
enum class Pooling : std::int32_t { kMax = 0, kAverage = 1 };
enum class MatrixOperation : std::int32_t { kNone = 0, kTranspose = 1 };
enum class TopK : std::int32_t { kMax = 0, kMin = 1 };
enum class GatherMode : std::int32_t { kDefault = 0, kElement = 1, kNd = 2 };
enum class ScatterMode : std::int32_t { kElement = 0, kNd = 1 };
enum class SampleMode : std::int32_t { kStrictBounds = 0, kFill = 3 };
enum class Cumulative : std::int32_t { kSum = 0 };
enum class AttentionNormalization : std::int32_t { kNone = 0, kSoftmax = 1 };
/// Upper left: query i sees keys up to i, as in ATen.
enum class CausalMask : std::int32_t { kNone = 0, kUpperLeft = 1 };
enum class Interpolation : std::int32_t { kNearest = 0, kLinear = 1, kCubic = 2 };
enum class Coordinates : std::int32_t { kAlignCorners = 0, kAsymmetric = 1, kHalfPixel = 2 };
enum class Rounding : std::int32_t { kFloor = 2 };
enum class MemoryPool : std::int32_t { kWorkspace = 0 };
enum class Verbosity : std::int32_t { kLayerNames = 0, kNone = 1, kDetailed = 2 };
enum class InformationFormat : std::int32_t { kOneLine = 0, kJson = 1 };

}  // namespace graphnet::tensorrt::nv
