// SPDX-License-Identifier: MIT
//
// The part of the PJRT C API that this plugin uses, declared anew: the layout of argument structs
// and the positions of functions in the table. Both are a public binary interface that only grows
// within major version 0: structs and the table get fields at their ends.
//
// source   layout of PJRT C API 0.81 (openxla/xla, xla/pjrt/c/pjrt_c_api.h); unchanged for these
//          functions in 0.115
#pragma once

#include <cstddef>
#include <cstdint>

namespace graphnet::xla::pjrt {

struct Error;
struct Client;
struct Device;
struct Buffer;
struct Event;
struct Executable;
struct LoadedExecutable;
struct SerializedExecutable;

/// Element type of a buffer.
enum class BufferType : std::int32_t {
  kInvalid = 0,
  kPred = 1,
  kS8 = 2,
  kS16 = 3,
  kS32 = 4,
  kS64 = 5,
  kU8 = 6,
  kU16 = 7,
  kU32 = 8,
  kU64 = 9,
  kF16 = 10,
  kF32 = 11,
  kF64 = 12,
  kBF16 = 13,
  kC64 = 14,
  kC128 = 15,
};

/// What a buffer made from host memory does with that memory.
enum class HostBufferSemantics : std::int32_t {
  kImmutableOnlyDuringCall = 0,  ///< copied before the call returns
  kImmutableZeroCopy = 2,        ///< read in place; copied if not aligned
  kMutableZeroCopy = 3,          ///< read and, if donated, written in place; copied if not aligned
};

enum ErrorCode : std::int32_t {
  kInvalidArgument = 3,
  kResourceExhausted = 8,
};

enum class NamedValueType : std::int32_t {
  kString = 0,
  kInt64 = 1,
  kInt64List = 2,
  kFloat = 3,
  kBool = 4,
};

/// PJRT_NamedValue; stands in arrays, so exactly this size.
struct NamedValue {
  std::size_t struct_size = sizeof(NamedValue);
  void* extension_start = nullptr;
  const char* name = nullptr;
  std::size_t name_size = 0;
  NamedValueType type = NamedValueType::kString;
  union {
    const char* text = nullptr;
    std::int64_t integer;
    const std::int64_t* integers;
    float number;
    bool flag;
  };
  std::size_t value_size = 0;
};

/// Zeros behind the fields known here. A newer PJRT accepts no struct smaller than its own; zero
/// means "not given" for every field it may have added.
struct ZeroTail {
  std::uint64_t words[16] = {};
};

/// Head of PJRT_Api; the function table follows it.
struct ApiHead {
  std::size_t struct_size = 0;
  void* extension_start = nullptr;
  std::size_t version_struct_size = 0;
  void* version_extension_start = nullptr;
  std::int32_t major_version = 0;
  std::int32_t minor_version = 0;
};

// Argument structs. kSlot is the position of their function in the table; a function returns an
// Error that the caller owns, or null. Fields keep PJRT's order; what is not used keeps its zeros.

/// PJRT_Error_Destroy
struct ErrorDestroyArgs {
  static constexpr int kSlot = 0;
  std::size_t struct_size = sizeof(ErrorDestroyArgs);
  void* extension_start = nullptr;
  Error* object = nullptr;
  ZeroTail tail = {};
};

/// PJRT_Error_Message
struct ErrorMessageArgs {
  static constexpr int kSlot = 1;
  std::size_t struct_size = sizeof(ErrorMessageArgs);
  void* extension_start = nullptr;
  const Error* error = nullptr;
  const char* message = nullptr;
  std::size_t message_size = 0;
  ZeroTail tail = {};
};

/// PJRT_Error_GetCode
struct ErrorGetCodeArgs {
  static constexpr int kSlot = 2;
  std::size_t struct_size = sizeof(ErrorGetCodeArgs);
  void* extension_start = nullptr;
  const Error* error = nullptr;
  std::int32_t code = 0;
  ZeroTail tail = {};
};

/// PJRT_Plugin_Initialize
struct PluginInitializeArgs {
  static constexpr int kSlot = 3;
  std::size_t struct_size = sizeof(PluginInitializeArgs);
  void* extension_start = nullptr;
  ZeroTail tail = {};
};

/// PJRT_Plugin_Attributes
struct PluginAttributesArgs {
  static constexpr int kSlot = 4;
  std::size_t struct_size = sizeof(PluginAttributesArgs);
  void* extension_start = nullptr;
  const NamedValue* attributes = nullptr;
  std::size_t num_attributes = 0;
  ZeroTail tail = {};
};

/// PJRT_Event_Destroy
struct EventDestroyArgs {
  static constexpr int kSlot = 5;
  std::size_t struct_size = sizeof(EventDestroyArgs);
  void* extension_start = nullptr;
  Event* object = nullptr;
  ZeroTail tail = {};
};

/// PJRT_Event_Await: an error is what became of the awaited work
struct EventAwaitArgs {
  static constexpr int kSlot = 8;
  std::size_t struct_size = sizeof(EventAwaitArgs);
  void* extension_start = nullptr;
  Event* event = nullptr;
  ZeroTail tail = {};
};

/// PJRT_Client_Create
struct ClientCreateArgs {
  static constexpr int kSlot = 10;
  std::size_t struct_size = sizeof(ClientCreateArgs);
  void* extension_start = nullptr;
  const NamedValue* create_options = nullptr;
  std::size_t num_options = 0;
  void* key_value_callbacks[4] = {};
  Client* client = nullptr;
  void* key_value_try_get[2] = {};
  ZeroTail tail = {};
};

/// PJRT_Client_Destroy
struct ClientDestroyArgs {
  static constexpr int kSlot = 11;
  std::size_t struct_size = sizeof(ClientDestroyArgs);
  void* extension_start = nullptr;
  Client* object = nullptr;
  ZeroTail tail = {};
};

/// PJRT_Client_AddressableDevices
struct ClientAddressableDevicesArgs {
  static constexpr int kSlot = 16;
  std::size_t struct_size = sizeof(ClientAddressableDevicesArgs);
  void* extension_start = nullptr;
  Client* client = nullptr;
  Device* const* devices = nullptr;
  std::size_t num_devices = 0;
  ZeroTail tail = {};
};

/// PJRT_Program
struct Program {
  std::size_t struct_size = sizeof(Program);
  void* extension_start = nullptr;
  char* code = nullptr;
  std::size_t code_size = 0;
  const char* format = nullptr;
  std::size_t format_size = 0;
  ZeroTail tail = {};
};

/// PJRT_Client_Compile
struct ClientCompileArgs {
  static constexpr int kSlot = 20;
  std::size_t struct_size = sizeof(ClientCompileArgs);
  void* extension_start = nullptr;
  Client* client = nullptr;
  const Program* program = nullptr;
  const char* compile_options = nullptr;
  std::size_t compile_options_size = 0;
  LoadedExecutable* executable = nullptr;
  ZeroTail tail = {};
};

/// PJRT_Client_BufferFromHostBuffer
struct BufferFromHostBufferArgs {
  static constexpr int kSlot = 22;
  std::size_t struct_size = sizeof(BufferFromHostBufferArgs);
  void* extension_start = nullptr;
  Client* client = nullptr;
  const void* data = nullptr;
  BufferType type = BufferType::kInvalid;
  const std::int64_t* dims = nullptr;
  std::size_t num_dims = 0;
  const std::int64_t* byte_strides = nullptr;
  std::size_t num_byte_strides = 0;
  HostBufferSemantics semantics = HostBufferSemantics::kImmutableOnlyDuringCall;
  Device* device = nullptr;
  void* memory = nullptr;
  void* device_layout = nullptr;
  Event* done_with_host_buffer = nullptr;
  Buffer* buffer = nullptr;
  ZeroTail tail = {};
};

/// PJRT_Client_CreateViewOfDeviceBuffer
struct ViewOfDeviceBufferArgs {
  static constexpr int kSlot = 93;
  std::size_t struct_size = sizeof(ViewOfDeviceBufferArgs);
  void* extension_start = nullptr;
  Client* client = nullptr;
  void* data = nullptr;
  const std::int64_t* dims = nullptr;
  std::size_t num_dims = 0;
  BufferType type = BufferType::kInvalid;
  void* layout = nullptr;
  Device* device = nullptr;
  void (*on_delete)(void* data, void* user) = nullptr;
  void* user = nullptr;
  std::intptr_t stream = 0;
  Buffer* buffer = nullptr;
  void* memory = nullptr;
  ZeroTail tail = {};
};

/// PJRT_Executable_Destroy
struct ExecutableDestroyArgs {
  static constexpr int kSlot = 40;
  std::size_t struct_size = sizeof(ExecutableDestroyArgs);
  void* extension_start = nullptr;
  Executable* object = nullptr;
  ZeroTail tail = {};
};

/// PJRT_Executable_OptimizedProgram: first call for the size, second for the code
struct ExecutableOptimizedProgramArgs {
  static constexpr int kSlot = 48;
  std::size_t struct_size = sizeof(ExecutableOptimizedProgramArgs);
  void* extension_start = nullptr;
  Executable* executable = nullptr;
  Program* program = nullptr;
  ZeroTail tail = {};
};

/// PJRT_Executable_Serialize
struct ExecutableSerializeArgs {
  static constexpr int kSlot = 49;
  std::size_t struct_size = sizeof(ExecutableSerializeArgs);
  void* extension_start = nullptr;
  const Executable* executable = nullptr;
  const char* bytes = nullptr;
  std::size_t num_bytes = 0;
  SerializedExecutable* backing = nullptr;
  void (*destroy_backing)(SerializedExecutable*) = nullptr;
  ZeroTail tail = {};
};

/// PJRT_LoadedExecutable_Destroy
struct LoadedExecutableDestroyArgs {
  static constexpr int kSlot = 50;
  std::size_t struct_size = sizeof(LoadedExecutableDestroyArgs);
  void* extension_start = nullptr;
  LoadedExecutable* object = nullptr;
  ZeroTail tail = {};
};

/// PJRT_LoadedExecutable_GetExecutable
struct LoadedExecutableGetExecutableArgs {
  static constexpr int kSlot = 51;
  std::size_t struct_size = sizeof(LoadedExecutableGetExecutableArgs);
  void* extension_start = nullptr;
  LoadedExecutable* loaded_executable = nullptr;
  Executable* executable = nullptr;
  ZeroTail tail = {};
};

/// PJRT_ExecuteOptions
struct ExecuteOptions {
  std::size_t struct_size = sizeof(ExecuteOptions);
  void* extension_start = nullptr;
  void* callbacks[2] = {};
  std::size_t num_callbacks[2] = {};
  std::int32_t launch_id = 0;
  const std::int64_t* non_donatable_input_indices = nullptr;
  std::size_t num_non_donatable_input_indices = 0;
  void* context = nullptr;
  const char* call_location = nullptr;
  std::size_t num_tasks = 0;
  std::int32_t* task_ids = nullptr;
  std::int64_t* incarnation_ids = nullptr;
  ZeroTail tail = {};
};

/// PJRT_LoadedExecutable_Execute: lists are [device][argument] and [device][output]
struct ExecuteArgs {
  static constexpr int kSlot = 55;
  std::size_t struct_size = sizeof(ExecuteArgs);
  void* extension_start = nullptr;
  LoadedExecutable* executable = nullptr;
  ExecuteOptions* options = nullptr;
  Buffer* const* const* argument_lists = nullptr;
  std::size_t num_devices = 0;
  std::size_t num_args = 0;
  Buffer** const* output_lists = nullptr;
  Event** device_complete_events = nullptr;
  Device* execute_device = nullptr;
  ZeroTail tail = {};
};

/// PJRT_Executable_DeserializeAndLoad
struct DeserializeAndLoadArgs {
  static constexpr int kSlot = 56;
  std::size_t struct_size = sizeof(DeserializeAndLoadArgs);
  void* extension_start = nullptr;
  Client* client = nullptr;
  const char* bytes = nullptr;
  std::size_t num_bytes = 0;
  LoadedExecutable* executable = nullptr;
  const char* compile_options = nullptr;
  std::size_t compile_options_size = 0;
  ZeroTail tail = {};
};

/// PJRT_Buffer_Destroy
struct BufferDestroyArgs {
  static constexpr int kSlot = 58;
  std::size_t struct_size = sizeof(BufferDestroyArgs);
  void* extension_start = nullptr;
  Buffer* object = nullptr;
  ZeroTail tail = {};
};

/// PJRT_Buffer_OpaqueDeviceMemoryDataPointer
struct BufferPointerArgs {
  static constexpr int kSlot = 76;
  std::size_t struct_size = sizeof(BufferPointerArgs);
  void* extension_start = nullptr;
  Buffer* buffer = nullptr;
  void* data = nullptr;
  ZeroTail tail = {};
};

/// PJRT_Executable_OutputElementTypes
struct OutputElementTypesArgs {
  static constexpr int kSlot = 90;
  std::size_t struct_size = sizeof(OutputElementTypesArgs);
  void* extension_start = nullptr;
  Executable* executable = nullptr;
  const BufferType* types = nullptr;
  std::size_t num_types = 0;
  ZeroTail tail = {};
};

/// PJRT_Executable_OutputDimensions: dims of all outputs in one list
struct OutputDimensionsArgs {
  static constexpr int kSlot = 91;
  std::size_t struct_size = sizeof(OutputDimensionsArgs);
  void* extension_start = nullptr;
  Executable* executable = nullptr;
  std::size_t num_outputs = 0;
  const std::int64_t* dims = nullptr;
  const std::size_t* ranks = nullptr;
  ZeroTail tail = {};
};

/// PJRT_Executable_Fingerprint
struct ExecutableFingerprintArgs {
  static constexpr int kSlot = 94;
  std::size_t struct_size = sizeof(ExecutableFingerprintArgs);
  void* extension_start = nullptr;
  Executable* executable = nullptr;
  const char* fingerprint = nullptr;
  std::size_t fingerprint_size = 0;
  ZeroTail tail = {};
};

/// Slots that a table must have for this plugin.
inline constexpr int kNumSlots = ExecutableFingerprintArgs::kSlot + 1;

static_assert(sizeof(void*) == 8 && sizeof(std::size_t) == 8,
              "layouts below are of 64-bit systems");
static_assert(sizeof(ApiHead) == 40);
static_assert(sizeof(NamedValue) == 56 && offsetof(NamedValue, value_size) == 48);
static_assert(offsetof(ClientCreateArgs, client) == 64 && offsetof(ClientCreateArgs, tail) == 88);
static_assert(offsetof(Program, tail) == 48);
static_assert(offsetof(ClientCompileArgs, executable) == 48);
static_assert(offsetof(BufferFromHostBufferArgs, dims) == 40);
static_assert(offsetof(BufferFromHostBufferArgs, device) == 80);
static_assert(offsetof(BufferFromHostBufferArgs, buffer) == 112);
static_assert(offsetof(ViewOfDeviceBufferArgs, layout) == 56);
static_assert(offsetof(ViewOfDeviceBufferArgs, buffer) == 96);
static_assert(offsetof(ExecuteOptions, non_donatable_input_indices) == 56);
static_assert(offsetof(ExecuteOptions, tail) == 112);
static_assert(offsetof(ExecuteArgs, execute_device) == 72 && offsetof(ExecuteArgs, tail) == 80);
static_assert(offsetof(ExecutableSerializeArgs, destroy_backing) == 48);
static_assert(offsetof(DeserializeAndLoadArgs, tail) == 64);
static_assert(offsetof(OutputDimensionsArgs, ranks) == 40);
static_assert(offsetof(ErrorGetCodeArgs, code) == 24);

}  // namespace graphnet::xla::pjrt
