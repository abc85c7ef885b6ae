// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tensorrt/nv_types.h"

namespace graphnet::tensorrt {

/// The libraries that have a table of slots.
enum class Flavour : std::uint8_t { kTen, kEleven, kRtx };

/// Functions that are called, by class and name.
enum class Slot : std::uint8_t {
  kBuilderCreateConfig,
  kBuilderCreateNetwork,
  kBuilderBuild,
  kBuilderSetMaxThreads,
  kConfigClearFlag,
  kConfigSetFlag,
  kConfigSetVerbosity,
  kConfigCreateTimingCache,
  kConfigSetTimingCache,
  kConfigSetMemoryPoolLimit,
  kConfigSetLevel,
  kConfigSetMaxAuxStreams,
  kConfigSetProgressMonitor,
  kConfigSetNumCapabilities,
  kConfigSetCapability,
  kNetworkAddInput,
  kNetworkMarkOutput,
  kNetworkAddActivation,
  kNetworkAddSoftMax,
  kNetworkAddConcatenation,
  kNetworkAddElementwise,
  kNetworkAddUnary,
  kNetworkAddShuffle,
  kNetworkGetNumLayers,
  kNetworkAddReduce,
  kNetworkAddMatrixMultiply,
  kNetworkAddConstant,
  kNetworkAddIdentity,
  kNetworkAddSlice,
  kNetworkAddConvolution,
  kNetworkAddPooling,
  kNetworkAddDeconvolution,
  kNetworkAddResize,
  kNetworkAddSelect,
  kNetworkSetWeightsName,
  kNetworkAddGather,
  kNetworkAddScatter,
  kNetworkAddCast,
  kNetworkMarkWeightsRefittable,
  kNetworkAddCumulative,
  kNetworkAddTopK,
  kNetworkAddAttention,
  kNetworkAddNormalization,
  kNetworkAddAttentionV2,
  kLayerSetName,
  kLayerGetOutput,
  kLayerSetInput,
  kLayerSetMetadata,
  kActivationSetAlpha,
  kActivationSetBeta,
  kSoftMaxSetAxes,
  kConcatenationSetAxis,
  kShuffleSetFirstTranspose,
  kShuffleSetReshape,
  kShuffleSetZeroIsPlaceholder,
  kSliceSetMode,
  kConvolutionSetGroups,
  kConvolutionSetPrePadding,
  kConvolutionSetPostPadding,
  kConvolutionSetStride,
  kConvolutionSetDilation,
  kPoolingSetExcludesPadding,
  kPoolingSetPrePadding,
  kPoolingSetPostPadding,
  kPoolingSetStride,
  kGatherSetAxis,
  kNormalizationSetEpsilon,
  kNormalizationSetGroups,
  kResizeSetOutputDims,
  kResizeSetMode,
  kResizeSetCoordinates,
  kResizeSetRounding,
  kResizeSetCubicCoefficient,
  kAttentionGetOutput,
  kAttentionSetName,
  kAttentionSetDecomposable,
  kTensorSetName,
  kTensorGetDims,
  kTensorGetType,
  kHostMemoryData,
  kHostMemorySize,
  kTimingCacheSerialize,
  kRuntimeDeserialize,
  kEngineCreateContext,
  kEngineCreateInspector,
  kEngineGetDeviceMemory,
  kContextSetTensorAddress,
  kContextEnqueue,
  kInspectorGetEngine,
  kRefitterRefit,
  kRefitterSetWeights,
  kRefitterGetMissing,
  kCount,
};

/// Where a function is.
struct SlotFacts {
  const char* name = nullptr;       ///< "Network addConvolutionNd"
  std::uint8_t implementation = 8;  ///< offset of the pointer to the object whose table it is
  std::int16_t ten = -1;            ///< index in that table; negative: that library has none
  std::int16_t eleven = -1;
  std::int16_t rtx = -1;

  std::int16_t index(Flavour flavour) const {
    return flavour == Flavour::kTen ? ten : flavour == Flavour::kEleven ? eleven : rtx;
  }
};

/// source   10.16, 11.1 and RTX 1.6: names and order of the virtual functions of NvInferImpl.h.
/// Tables
///          only grow at their ends within a major version; RTX 1.7 was checked by building with it
const SlotFacts& facts_of(Slot slot);

/// What differs between flavours besides slots.
struct FlavourFacts {
  const char* made_from;          ///< the version that the table was read from
  std::uint32_t network_flags;    ///< strongly typed
  std::int32_t refit_flag;        ///< BuilderFlag: weights that are marked, not all constants
  std::int32_t tf32_flag;         ///< BuilderFlag
  std::int32_t strict_nans_flag;  ///< BuilderFlag
  bool logger_is_versioned;       ///< log() behind three functions of its base
  std::int32_t oldest_minor;      ///< of the library
};
const FlavourFacts& facts_of(Flavour flavour);

/// A call through a table of virtual functions. References are pointers here; arguments have
/// exactly the types of TensorRT's declaration.
template <typename Result, typename... Arguments>
Result call_slot(Flavour flavour, Slot slot, void* object, Arguments... arguments) {
  const SlotFacts& facts = facts_of(slot);
  void* const implementation =
      *reinterpret_cast<void**>(static_cast<char*>(object) + facts.implementation);
  void** const table = *static_cast<void***>(implementation);
  return reinterpret_cast<Result (*)(void*, Arguments...)>(table[facts.index(flavour)])(
      implementation, arguments...);
}

/// The deleting destructor of a public object.
void delete_object(void* object);

}  // namespace graphnet::tensorrt
