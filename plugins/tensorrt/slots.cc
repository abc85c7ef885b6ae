// SPDX-License-Identifier: MIT
#include "tensorrt/slots.h"

#include <iterator>

namespace graphnet::tensorrt {

namespace {

// In the order of Slot. Layers have two implementations: the one of any layer, and behind it their
// own.
constexpr SlotFacts kSlots[] = {
    {"Builder createBuilderConfig", 8, 7, 5, 5},
    {"Builder createNetworkV2", 8, 8, 6, 6},
    {"Builder buildSerializedNetwork", 8, 14, 11, 11},
    {"Builder setMaxThreads", 8, 17, 14, 14},
    {"BuilderConfig clearFlag", 8, 10, 8, 8},
    {"BuilderConfig setFlag", 8, 11, 9, 9},
    {"BuilderConfig setProfilingVerbosity", 8, 27, 25, 25},
    {"BuilderConfig createTimingCache", 8, 40, 29, 29},
    {"BuilderConfig setTimingCache", 8, 41, 30, 30},
    {"BuilderConfig setMemoryPoolLimit", 8, 43, 32, 32},
    {"BuilderConfig setBuilderOptimizationLevel", 8, 47, 36, 36},
    {"BuilderConfig setMaxAuxStreams", 8, 54, 43, 43},
    {"BuilderConfig setProgressMonitor", 8, 56, 45, 45},
    {"BuilderConfig setNbComputeCapabilities", 8, -1, -1, 55},
    {"BuilderConfig setComputeCapability", 8, -1, -1, 57},
    {"Network addInput", 8, 2, 2, 2},
    {"Network markOutput", 8, 3, 3, 3},
    {"Network addActivation", 8, 4, 4, 4},
    {"Network addSoftMax", 8, 7, 7, 7},
    {"Network addConcatenation", 8, 8, 8, 8},
    {"Network addElementWise", 8, 9, 9, 9},
    {"Network addUnary", 8, 10, 10, 10},
    {"Network addShuffle", 8, 11, 11, 11},
    {"Network getNbLayers", 8, 12, 12, 12},
    {"Network addReduce", 8, 18, 18, 18},
    {"Network addMatrixMultiply", 8, 22, 22, 22},
    {"Network addConstant", 8, 23, 23, 23},
    {"Network addIdentity", 8, 24, 24, 24},
    {"Network addSlice", 8, 29, 29, 27},
    {"Network addConvolutionNd", 8, 37, 37, 35},
    {"Network addPoolingNd", 8, 38, 38, 36},
    {"Network addDeconvolutionNd", 8, 39, 39, 37},
    {"Network addResize", 8, 41, 41, 39},
    {"Network addSelect", 8, 43, 43, 41},
    {"Network setWeightsName", 8, 46, 45, 43},
    {"Network addGatherV2", 8, 51, 48, 46},
    {"Network addScatter", 8, 53, 50, 48},
    {"Network addCast", 8, 62, 59, 57},
    {"Network markWeightsRefittable", 8, 72, 69, 67},
    {"Network addCumulative", 8, 78, 75, 73},
    {"Network addTopKV2", 8, 81, 78, 76},
    {"Network addAttention", 8, 84, 81, 79},
    {"Network addNormalizationV2", 8, 88, 85, 83},
    {"Network addAttentionV2", 8, -1, 88, 86},
    {"Layer setName", 8, 3, 3, 3},
    {"Layer getOutput", 8, 8, 8, 8},
    {"Layer setInput", 8, 9, 9, 9},
    {"Layer setMetadata", 8, 18, 11, 11},
    {"ActivationLayer setAlpha", 16, 4, 4, 4},
    {"ActivationLayer setBeta", 16, 5, 5, 5},
    {"SoftMaxLayer setAxes", 16, 2, 2, 2},
    {"ConcatenationLayer setAxis", 16, 2, 2, 2},
    {"ShuffleLayer setFirstTranspose", 16, 2, 2, 2},
    {"ShuffleLayer setReshapeDimensions", 16, 4, 4, 4},
    {"ShuffleLayer setZeroIsPlaceholder", 16, 8, 8, 8},
    {"SliceLayer setMode", 16, 8, 8, 8},
    {"ConvolutionLayer setNbGroups", 16, 4, 4, 4},
    {"ConvolutionLayer setPrePadding", 16, 10, 10, 10},
    {"ConvolutionLayer setPostPadding", 16, 12, 12, 12},
    {"ConvolutionLayer setStrideNd", 16, 18, 18, 18},
    {"ConvolutionLayer setDilationNd", 16, 22, 22, 22},
    {"PoolingLayer setAverageCountExcludesPadding", 16, 6, 6, 6},
    {"PoolingLayer setPrePadding", 16, 8, 8, 8},
    {"PoolingLayer setPostPadding", 16, 10, 10, 10},
    {"PoolingLayer setStrideNd", 16, 16, 16, 16},
    {"GatherLayer setGatherAxis", 16, 2, 2, 2},
    {"NormalizationLayer setEpsilon", 16, 2, 2, 2},
    {"NormalizationLayer setNbGroups", 16, 6, 6, 6},
    {"ResizeLayer setOutputDimensions", 16, 2, 2, 2},
    {"ResizeLayer setResizeMode", 16, 6, 6, 6},
    {"ResizeLayer setCoordinateTransformation", 16, 8, 8, 8},
    {"ResizeLayer setNearestRounding", 16, 12, 12, 12},
    {"ResizeLayer setCubicCoeff", 16, 14, 14, 14},
    {"Attention getOutput", 8, 6, 6, 6},
    {"Attention setName", 8, 7, 7, 7},
    {"Attention setDecomposable", 8, 15, 15, 15},
    {"Tensor setName", 8, 2, 2, 2},
    {"Tensor getDimensions", 8, 5, 5, 5},
    {"Tensor getType", 8, 7, 6, 6},
    {"HostMemory data", 8, 2, 2, 2},
    {"HostMemory size", 8, 3, 3, 3},
    {"TimingCache serialize", 8, 2, 2, 2},
    {"Runtime deserializeCudaEngine", 8, 3, 3, 3},
    {"CudaEngine createExecutionContext", 8, 5, 5, 5},
    {"CudaEngine createEngineInspector", 8, 18, 14, 14},
    {"CudaEngine getDeviceMemorySizeV2", 8, 52, 44, 44},
    {"ExecutionContext setTensorAddress", 8, 24, 23, 23},
    {"ExecutionContext enqueueV3", 8, 37, 36, 36},
    {"EngineInspector getEngineInformation", 8, 6, 6, 6},
    {"Refitter refitCudaEngine", 8, 4, 4, 4},
    {"Refitter setNamedWeights", 8, 13, 9, 9},
    {"Refitter getMissingWeights", 8, 14, 10, 10},
};
static_assert(std::size(kSlots) == static_cast<std::size_t>(Slot::kCount));

// In the order of Flavour. 10 has kEXPLICIT_BATCH as bit 0 and kSTRONGLY_TYPED as bit 1; 11 knows
// nothing but strong types.
constexpr FlavourFacts kFlavours[] = {
    {"TensorRT 10.16", 1U << 1U, 23, 6, 24, false, 15},
    {"TensorRT 11.1", 0, 22, 6, 23, true, 0},
    {"TensorRT-RTX 1.6", 0, 22, 6, 23, true, 5},
};

}  // namespace

const SlotFacts& facts_of(Slot slot) {
  return kSlots[static_cast<std::size_t>(slot)];
}

const FlavourFacts& facts_of(Flavour flavour) {
  return kFlavours[static_cast<std::size_t>(flavour)];
}

void delete_object(void* object) {
  if (object == nullptr) return;
  void** const table = *static_cast<void***>(object);
  reinterpret_cast<void (*)(void*)>(table[1])(object);
}

}  // namespace graphnet::tensorrt
