// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

// What is used of CUPTI, declared here so that nothing is needed to build. Records grow from
// release to release, but every field keeps its offset: only fields that CUDA 12.0 has are read, at
// their offsets. unit/proof/cupti_header_test.cc compares all of it with the header where there is
// one.
namespace graphnet::proof::cupti {

/// Result codes.
///
/// source   cupti_result.h
inline constexpr int kSuccess = 0;
inline constexpr int kNoMoreRecords = 12;
inline constexpr int kNotInitialized = 15;
inline constexpr int kBadRecord = 21;
inline constexpr int kVirtualMachine = 33;
inline constexpr int kNoPrivileges = 35;
inline constexpr int kOtherSubscriber = 39;
inline constexpr int kFirstRefusedDevice = 40;  ///< virtual, confidential, CMP, MIG, SLI, WSL
inline constexpr int kLastRefusedDevice = 45;
inline constexpr int kUnknown = 999;

/// Kinds of records.
///
/// source   CUpti_ActivityKind
enum Kind : std::uint32_t {
  kMemcpy = 1,
  kMemset = 2,
  kDriverCall = 4,
  kRuntimeCall = 5,
  kConcurrentKernel = 10,
  kOverhead = 17,
  kMemcpyPeer = 22,
  kExternalId = 39,
  kInternalCall = 48,
};

/// Where fields lie, in bytes from the record's begin; `kBytes` is as much as is read.
struct KernelFields {
  static constexpr std::size_t kStart = 16, kEnd = 24, kDevice = 40, kContext = 44, kStream = 48,
                               kCorrelation = 92, kName = 104, kGraphNode = 144, kBytes = 152;
};
struct CopyFields {
  static constexpr std::size_t kSize = 8, kStart = 16, kEnd = 24, kDevice = 32, kContext = 36,
                               kStream = 40, kCorrelation = 44, kBytes = 48;
};
struct PeerCopyFields {
  static constexpr std::size_t kSize = 8, kStart = 16, kEnd = 24, kDevice = 32, kContext = 36,
                               kStream = 40, kCorrelation = 60, kBytes = 64;
};
struct CallFields {
  static constexpr std::size_t kId = 4, kStart = 8, kEnd = 16, kThread = 28, kCorrelation = 32,
                               kBytes = 40;
};
struct ExternalIdFields {
  static constexpr std::size_t kFamily = 4, kId = 8, kCorrelation = 16, kBytes = 24;
};
struct OverheadFields {
  static constexpr std::size_t kWhat = 4, kStart = 24, kEnd = 32, kBytes = 40;
};

/// Whose calls an id is about.
///
/// source   CUpti_CallbackDomain
enum Domain : std::uint32_t { kDriverDomain = 1, kRuntimeDomain = 2 };

/// source   CUpti_SubscriberParams
struct SubscriberNames {
  std::size_t struct_bytes;
  const char* own;
  char* other;  ///< written if somebody else subscribes already
  std::size_t other_bytes;
};

/// Family of the ids that are ours: CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0 is for tools' own use.
/// libtorch's profiler pushes ids of the same family, but is never on in a worker.
inline constexpr std::uint32_t kIdFamily = 3;

inline constexpr std::uint32_t kFlushForced = 1;

using OnCallback = void (*)(void* user, std::uint32_t domain, std::uint32_t id, const void* data);
using RequestBuffer = void (*)(std::uint8_t** buffer, std::size_t* num_bytes, std::size_t* records);
using CompleteBuffer = void (*)(void* context, std::uint32_t stream, std::uint8_t* buffer,
                                std::size_t num_bytes, std::size_t valid_bytes);
using Timestamp = std::uint64_t (*)();

/// Functions of the library; those marked optional may be null.
struct Functions {
  int (*get_version)(std::uint32_t* version) = nullptr;
  int (*subscribe)(void** subscriber, OnCallback callback, void* user) = nullptr;
  int (*unsubscribe)(void* subscriber) = nullptr;
  int (*callback_name)(std::uint32_t domain, std::uint32_t id, const char** name) = nullptr;
  int (*register_buffers)(RequestBuffer request, CompleteBuffer complete) = nullptr;
  int (*enable)(std::uint32_t kind) = nullptr;
  int (*next_record)(std::uint8_t* buffer, std::size_t valid_bytes, void** record) = nullptr;
  int (*num_dropped)(void* context, std::uint32_t stream, std::size_t* dropped) = nullptr;
  int (*flush)(std::uint32_t flag) = nullptr;
  int (*push_id)(std::uint32_t family, std::uint64_t id) = nullptr;
  int (*pop_id)(std::uint32_t family, std::uint64_t* id) = nullptr;

  int (*subscribe_named)(void** subscriber, OnCallback callback, void* user,
                         SubscriberNames* names) = nullptr;                 ///< optional
  int (*register_timestamp)(Timestamp timestamp) = nullptr;                 ///< optional
  int (*enable_driver_call)(std::uint32_t id, std::uint8_t on) = nullptr;   ///< optional
  int (*enable_runtime_call)(std::uint32_t id, std::uint8_t on) = nullptr;  ///< optional
  int (*result_text)(int result, const char** text) = nullptr;              ///< optional
};

}  // namespace graphnet::proof::cupti
