// SPDX-License-Identifier: MIT
//
// A CUPTI without a device: it keeps CUPTI's rules (one subscriber, records in buffers of the
// subscriber's, ids by thread) and writes records in the layouts of the release that it pretends to
// be, which the headers give. Built as the whole library, as an old one without what came later
// (FAKE_OLD) and as a stub that only knows its version (FAKE_STUB). See cupti_session_test.cc.
#include "support/fake_cupti.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <iterator>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "proof/cupti_abi.h"

using namespace graphnet::proof::cupti;
using graphnet::tests::FakeCupti;
using graphnet::tests::FakeLaunch;

#define EXPORT extern "C" __attribute__((visibility("default")))
// The begin of each function of CUPTI's.
#define ENTER() \
  if (const int failed = enter(__func__)) return failed

namespace {

struct Buffer {
  std::uint8_t* bytes = nullptr;
  std::size_t size = 0;
  std::size_t used = 0;
};

struct State {
  std::mutex mutex;
  FakeCupti control;
  RequestBuffer request = nullptr;
  CompleteBuffer complete = nullptr;
  OnCallback callback = nullptr;
  void* user = nullptr;
  Timestamp timestamp = nullptr;
  Buffer current;
  std::vector<Buffer> full;
  std::size_t dropped = 0;
  std::uint32_t correlation = 0;
  std::atomic<bool> is_released{false};
};

State& state() {
  static State* const only = new State;
  return *only;
}

thread_local std::vector<std::uint64_t> pushed_ids;

constexpr std::uint32_t kContext = 1;

int enter(const char* function) {
  static std::mutex* const mutex = new std::mutex;
  const std::lock_guard<std::mutex> lock(*mutex);
  state().control.calls.emplace_back(function);
  if (state().control.fails_once != function) return kSuccess;
  if (state().control.num_before > 0) return state().control.num_before--, kSuccess;
  state().control.fails_once.clear();
  return state().control.failing_once_code;
}

bool is_enabled(std::uint32_t kind) {
  return (state().control.enabled_kinds >> kind & 1U) != 0;
}

/// Bytes of a record in the release that this pretends to be.
std::size_t record_bytes(std::uint32_t kind) {
  const std::uint32_t version = state().control.version;
  const bool is_13 = version >= 130000;
  const bool is_13_2 = version >= 130200;  // its kernel record is one field longer again
  switch (kind) {
    case kConcurrentKernel:
      return is_13_2 ? 224 : is_13 ? 216 : version >= 20 ? 208 : 200;
    case kMemcpy:
      return is_13 ? 96 : 88;
    case kMemset:
      return is_13 ? 88 : 80;
    case kMemcpyPeer:
      return is_13 ? 96 : 88;
    case kDriverCall:
    case kRuntimeCall:
    case kInternalCall:
      return 40;
    case kExternalId:
      return 24;
    case kOverhead:
      return is_13 ? 56 : 48;
    default:
      return 0;
  }
}

/// A record that is filled field by field; what is not set is not zero, as in real buffers.
class Record {
 public:
  explicit Record(std::uint32_t kind) : bytes_(record_bytes(kind), std::uint8_t{0xA5}) {
    set(0, kind);
  }

  template <typename T>
  Record& set(std::size_t offset, T value) {
    std::memcpy(bytes_.data() + offset, &value, sizeof(T));
    return *this;
  }

  const std::vector<std::uint8_t>& bytes() const { return bytes_; }

 private:
  std::vector<std::uint8_t> bytes_;
};

void append(const Record& record) {
  State& all = state();
  const std::size_t size = record.bytes().size();
  if (all.current.used + size > all.current.size) {
    if (all.current.bytes != nullptr) all.full.push_back(all.current);
    all.current = Buffer();
    // As CUPTI does it, full buffers are given back before the next one is asked for; here the last
    // one is kept, so that a flush has something to deliver in another order.
    while (all.full.size() > 1) {
      all.complete(nullptr, 0, all.full.front().bytes, all.full.front().size,
                   all.full.front().used);
      all.full.erase(all.full.begin());
    }
    std::size_t most_records = 0;
    all.request(&all.current.bytes, &all.current.size, &most_records);
  }
  if (all.current.bytes == nullptr) {
    ++all.dropped;
    return;
  }
  std::memcpy(all.current.bytes + all.current.used, record.bytes().data(), size);
  all.current.used += size;
}

std::uint64_t now() {
  const std::uint64_t time = state().timestamp != nullptr ? state().timestamp() : 1;
  return time + static_cast<std::uint64_t>(state().control.call_clock_ns);
}

void append_work(const FakeLaunch& launch, std::uint64_t start) {
  Record record(launch.kind);
  start += static_cast<std::uint64_t>(state().control.work_clock_ns);
  const std::uint64_t end = start + launch.duration_ns;
  const std::uint32_t device = 0;
  switch (launch.kind) {
    case kConcurrentKernel:
      record.set(KernelFields::kStart, start).set(KernelFields::kEnd, end);
      record.set(KernelFields::kDevice, device).set(KernelFields::kStream, launch.stream);
      record.set(KernelFields::kContext, kContext);
      record.set(KernelFields::kCorrelation, state().correlation);
      record.set(KernelFields::kName, launch.kernel);
      record.set(KernelFields::kGraphNode, std::uint64_t{launch.num_kernels > 1 ? 5U : 0U});
      break;
    case kMemcpyPeer:
      record.set(PeerCopyFields::kStart, start).set(PeerCopyFields::kEnd, end);
      record.set(PeerCopyFields::kDevice, device).set(PeerCopyFields::kStream, launch.stream);
      record.set(PeerCopyFields::kContext, kContext);
      record.set(PeerCopyFields::kCorrelation, state().correlation);
      break;
    default:
      record.set(CopyFields::kStart, start).set(CopyFields::kEnd, end);
      record.set(CopyFields::kDevice, device).set(CopyFields::kStream, launch.stream);
      record.set(CopyFields::kContext, kContext);
      record.set(CopyFields::kCorrelation, state().correlation);
  }
  append(record);
}

/// As in the real one, ids that were pushed come with the records of calls only.
void append_call(const FakeLaunch& launch, std::uint64_t start, std::uint64_t end) {
  const FakeCupti& control = state().control;
  const std::vector<std::uint32_t>& off =
      launch.is_runtime_call ? control.runtime_calls_off : control.driver_calls_off;
  if (!is_enabled(launch.is_runtime_call ? kRuntimeCall : kDriverCall)) return;
  if (std::find(off.begin(), off.end(), launch.call_id) != off.end()) return;
  for (const std::uint64_t id : pushed_ids) {
    if (!is_enabled(kExternalId)) break;
    append(Record(kExternalId)
               .set(ExternalIdFields::kFamily, kIdFamily)
               .set(ExternalIdFields::kId, id)
               .set(ExternalIdFields::kCorrelation, state().correlation));
  }
  append(Record(launch.is_runtime_call ? kRuntimeCall : kDriverCall)
             .set(CallFields::kId, launch.call_id)
             .set(CallFields::kStart, start)
             .set(CallFields::kEnd, end)
             .set(CallFields::kThread, std::uint32_t{1})
             .set(CallFields::kCorrelation, state().correlation));
}

[[maybe_unused]] void deliver() {
  State& all = state();
  if (all.current.used > 0) {
    all.full.push_back(all.current);
    all.current = Buffer();
  }
  if (all.control.delivers_reversed) all.full = {all.full.rbegin(), all.full.rend()};
  for (const Buffer& buffer : all.full) {
    const std::size_t cut = std::min(buffer.used, all.control.cut_bytes);
    all.complete(nullptr, 0, buffer.bytes, buffer.size, buffer.used - cut);
  }
  all.full.clear();
}

constexpr const char* kDriverNames[] = {"cuInit",           "cuMemcpyHtoD_v2", "cuLaunchKernel",
                                        "cuLaunchKernelEx", "cuGraphLaunch",   "cuModuleLoadData"};
constexpr const char* kRuntimeNames[] = {"cudaMalloc_v3020", "cudaLaunchKernel_v7000",
                                         "cudaMemcpy_v3020", "cudaGraphLaunch_v10000"};

}  // namespace

EXPORT FakeCupti* fake_cupti_control() {
  return &state().control;
}

EXPORT void fake_cupti_reset() {
  State& all = state();
  const std::lock_guard<std::mutex> lock(all.mutex);
  all.control = FakeCupti();
  all.current = Buffer();
  all.full.clear();
  all.dropped = 0;
  all.timestamp = nullptr;
  all.is_released = false;
}

EXPORT void fake_cupti_release() {
  state().is_released = true;
}

EXPORT void fake_cupti_launch(const FakeLaunch* launch) {
  State& all = state();
  const std::lock_guard<std::mutex> lock(all.mutex);
  if (all.request == nullptr || (all.control.misses & launch->way) != 0) return;
  ++all.correlation;
  const std::uint64_t start = now();
  append_call(*launch, start, now());
  const std::uint64_t first = start - static_cast<std::uint64_t>(all.control.call_clock_ns);
  for (std::size_t i = 0; i < launch->num_kernels && is_enabled(launch->kind); ++i) {
    append_work(*launch, first + i * launch->duration_ns);
  }
}

EXPORT int cuptiGetVersion(std::uint32_t* version) {
  ENTER();
  *version = state().control.version;
  return kSuccess;
}

#ifndef FAKE_STUB

namespace {

int subscribe(void** subscriber, OnCallback callback, void* user) {
  State& all = state();
  if (all.control.subscribe_code != kSuccess) return all.control.subscribe_code;
  if (all.control.num_subscribers > 0) return kOtherSubscriber;
  ++all.control.num_subscribers;
  all.callback = callback;
  all.user = user;
  *subscriber = &all;
  return kSuccess;
}

}  // namespace

EXPORT int cuptiSubscribe(void** subscriber, OnCallback callback, void* user) {
  ENTER();
  return subscribe(subscriber, callback, user);
}

EXPORT int cuptiUnsubscribe(void*) {
  ENTER();
  --state().control.num_subscribers;
  return kSuccess;
}

EXPORT int cuptiGetCallbackName(std::uint32_t domain, std::uint32_t id, const char** name) {
  ENTER();
  // As in the real one, an id of its own for each; those that tests launch with are known by it.
  if (domain == kRuntimeDomain && id == 211) id = 2;
  if (domain == kRuntimeDomain && id == 311) id = 4;
  const bool is_driver = domain == kDriverDomain;
  const std::size_t count = is_driver ? std::size(kDriverNames) : std::size(kRuntimeNames);
  if (id == 0 || id > count) return 1;
  *name = is_driver ? kDriverNames[id - 1] : kRuntimeNames[id - 1];
  return kSuccess;
}

EXPORT int cuptiActivityRegisterCallbacks(RequestBuffer request, CompleteBuffer complete) {
  ENTER();
  // Succeeds without a driver too.
  state().request = request;
  state().complete = complete;
  return kSuccess;
}

EXPORT int cuptiActivityEnable(std::uint32_t kind) {
  ENTER();
  FakeCupti& control = state().control;
  if (kind == control.failing_kind) return control.failing_code;
  control.enabled_kinds |= std::uint64_t{1} << kind;
  return kSuccess;
}

EXPORT int cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t valid, void** record) {
  ENTER();
  auto* const previous = static_cast<std::uint8_t*>(*record);
  std::uint8_t* next = buffer;
  if (previous != nullptr) {
    std::uint32_t kind = 0;
    std::memcpy(&kind, previous, sizeof(kind));
    next = previous + record_bytes(kind);
  }
  const auto left = static_cast<std::ptrdiff_t>(valid) - (next - buffer);
  if (left <= 0) return kNoMoreRecords;
  std::uint32_t kind = 0;
  if (left >= 4) std::memcpy(&kind, next, sizeof(kind));
  const bool is_whole =
      left >= 4 && record_bytes(kind) != 0 && static_cast<std::size_t>(left) >= record_bytes(kind);
  if (!is_whole && !state().control.is_careless) return kBadRecord;
  *record = next;
  return kSuccess;
}

EXPORT int cuptiActivityGetNumDroppedRecords(void*, std::uint32_t, std::size_t* dropped) {
  ENTER();
  *dropped = state().dropped + state().control.dropped;
  state().dropped = 0;
  return kSuccess;
}

EXPORT int cuptiActivityFlushAll(std::uint32_t) {
  ENTER();
  FakeCupti& control = state().control;
  while (control.hangs_in_flush && !state().is_released) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  const std::lock_guard<std::mutex> lock(state().mutex);
  if (control.flush_code != kSuccess) return control.flush_code;
  deliver();
  return kSuccess;
}

EXPORT int cuptiActivityPushExternalCorrelationId(std::uint32_t, std::uint64_t id) {
  ENTER();
  pushed_ids.push_back(id);
  return kSuccess;
}

EXPORT int cuptiActivityPopExternalCorrelationId(std::uint32_t, std::uint64_t* id) {
  ENTER();
  if (pushed_ids.empty()) return 18;
  *id = pushed_ids.back();
  pushed_ids.pop_back();
  return kSuccess;
}

EXPORT int cuptiFinalize() {
  ENTER();
  ++state().control.num_finalized;
  return kSuccess;
}

#ifndef FAKE_OLD

EXPORT int cuptiSubscribe_v2(void** subscriber, OnCallback callback, void* user,
                             SubscriberNames* names) {
  ENTER();
  const int code = subscribe(subscriber, callback, user);
  if (code == kOtherSubscriber && names->other != nullptr) {
    const std::string other = state().control.other_tool;
    other.copy(names->other, names->other_bytes - 1);
  }
  return code;
}

EXPORT int cuptiActivityRegisterTimestampCallback(Timestamp timestamp) {
  ENTER();
  state().timestamp = timestamp;
  state().control.has_timestamp = true;
  return kSuccess;
}

// Turning a call on does nothing, as in the real one where the runtime has been called before.
EXPORT int cuptiActivityEnableDriverApi(std::uint32_t id, std::uint8_t is_on) {
  ENTER();
  if (is_on == 0) state().control.driver_calls_off.push_back(id);
  return kSuccess;
}

EXPORT int cuptiActivityEnableRuntimeApi(std::uint32_t id, std::uint8_t is_on) {
  ENTER();
  if (is_on == 0) state().control.runtime_calls_off.push_back(id);
  return kSuccess;
}

EXPORT int cuptiGetResultString(int result, const char** text) {
  ENTER();
  *text = result == kOtherSubscriber ? "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"
          : result == kNoPrivileges  ? "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"
                                     : "CUPTI_ERROR_UNKNOWN";
  return kSuccess;
}

#endif  // FAKE_OLD
#endif  // FAKE_STUB
