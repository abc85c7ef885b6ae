// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lowering/ir/graph.h"
#include "tensorrt/write_network.h"

namespace graphnet::tensorrt {

/// What an engine is good for. TensorRT loads plans of other devices and of other settings, and
/// runs them slowly or wrongly.
struct EngineOrigin {
  std::string library;   ///< Library::version()
  std::string device;    ///< CudaDriver::device()
  std::string settings;  ///< text_of() of the build's settings
};

/// A built engine with what binding and calling it needs besides.
struct EngineParts {
  std::string plan;  ///< as the library serialized it; holds no weight that bind gives
  std::int32_t num_layers = 0;
  lowering::ir::Graph bind;  ///< empty: nothing depends on weights alone
  lowering::ir::Graph call;  ///< of an engine whose refitting is checked; else empty
  WrittenNetwork network;    ///< inputs, refittable and outputs; nothing else
};

/// An engine as bytes that read_engine() takes where all of `origin` is the same.
std::string store_engine(const EngineParts& parts, const EngineOrigin& origin);

/// The engine again.
///
/// errors   INVALID_ARGUMENT: no such bytes, cut off or damaged, of another library, device or
/// build
EngineParts read_engine(std::string_view bytes, const EngineOrigin& here);

}  // namespace graphnet::tensorrt
