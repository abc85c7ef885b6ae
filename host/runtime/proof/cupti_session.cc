// SPDX-License-Identifier: MIT
#include "proof/cupti_session.h"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <ctime>
#include <mutex>
#include <utility>

#include "base/threads.h"

namespace graphnet::proof {

namespace {

constexpr const char* kSideNames[] = {"host", "eager", "plugin", "replay", "between"};
constexpr const char* kOwnName = "graphnet";
constexpr std::size_t kToolNameBytes = 64;
constexpr std::uint32_t kMostCallIds = 4096;

constexpr std::string_view kLaunches[] = {"cuLaunch", "cudaLaunch", "__cudaLaunch", "cuGraphLaunch",
                                          "cudaGraphLaunch"};
constexpr std::string_view kOthers[] = {"cuMemcpy",       "cudaMemcpy",   "cuMemset",
                                        "cudaMemset",     "cuModuleLoad", "cuLibraryLoad",
                                        "cudaLibraryLoad"};

template <std::size_t N>
bool begins_with_one_of(std::string_view name, const std::string_view (&beginnings)[N]) {
  return std::any_of(std::begin(beginnings), std::end(beginnings), [&](std::string_view beginning) {
    return name.substr(0, beginning.size()) == beginning;
  });
}

std::uint64_t monotonic_raw_ns() {
  timespec now = {};
  ::clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000000000U +
         static_cast<std::uint64_t>(now.tv_nsec);
}

/// A kind of record, and whether there is no tracing without it.
struct WantedKind {
  std::uint32_t kind;
  bool is_needed;
  const char* doing;
};

constexpr std::array<WantedKind, 7> kWantedKinds = {
    {{cupti::kConcurrentKernel, true, "record kernels"},
     {cupti::kMemcpy, true, "record copies"},
     {cupti::kMemset, true, "record sets"},
     {cupti::kExternalId, true, "record which call asked for work"},
     {cupti::kMemcpyPeer, false, "record copies between devices"},
     {cupti::kOverhead, false, "record its own overhead"},
     {cupti::kInternalCall, false, "record the driver's own calls"}}};

// Enough to see what is wrong.
constexpr std::size_t kMostRefusals = 8;

std::string domain_and_id(std::uint32_t domain, std::uint32_t id) {
  return "domain " + std::to_string(domain) + ", id " + std::to_string(id);
}

std::string id_of_call(std::uint64_t id) {
  return "family " + std::to_string(cupti::kIdFamily) + ", id " + std::to_string(id);
}

CuptiCall enabling(std::uint32_t kind, const char* doing) {
  return {"cuptiActivityEnable", "kind " + std::to_string(kind), doing};
}

}  // namespace

const char* call_side_name(CallSide side) {
  return kSideNames[static_cast<std::size_t>(side)];
}

bool is_launch_call(std::string_view name) {
  return begins_with_one_of(name, kLaunches);
}

bool is_traced_call(std::string_view name) {
  return is_launch_call(name) || begins_with_one_of(name, kOthers);
}

struct CuptiSession::State {
  Settings settings;
  CuptiLibrary library;
  void* subscriber = nullptr;
  bool has_own_clock = false;
  std::vector<TracedCall> calls;
  std::size_t num_finished_calls = 0;
  std::vector<std::string> refusals;

  CuptiStatus subscribe();
  void register_clock();
  CuptiStatus enable();
  CuptiStatus enable_kinds();
  using EnableCall = int (*)(std::uint32_t id, std::uint8_t on);
  CuptiStatus enable_calls(std::uint32_t domain, std::uint32_t kind, EnableCall enable_one,
                           const char* function);
  CuptiStatus judge(int code, const CuptiCall& call, const std::string& other_tool = {}) const;
  /// Notes a refusal that costs no records.
  void note(int code, const CuptiCall& call);
};

namespace {

// CUPTI's buffer functions get no argument of ours. Pools stay for good: CUPTI may ask for buffers,
// and hold some, after a session has ended.
struct CurrentPool {
  std::mutex mutex;
  std::shared_ptr<BufferPool> pool;
  std::vector<std::shared_ptr<BufferPool>> earlier;
};

CurrentPool& current_pool() {
  static CurrentPool* const current = new CurrentPool;
  return *current;
}

std::shared_ptr<BufferPool> get_pool() {
  const std::lock_guard<std::mutex> lock(current_pool().mutex);
  return current_pool().pool;
}

void set_pool(std::shared_ptr<BufferPool> pool) {
  const std::lock_guard<std::mutex> lock(current_pool().mutex);
  if (current_pool().pool != nullptr) current_pool().earlier.push_back(current_pool().pool);
  current_pool().pool = std::move(pool);
}

void request_buffer(std::uint8_t** buffer, std::size_t* num_bytes, std::size_t* records) {
  const std::shared_ptr<BufferPool> pool = get_pool();
  *buffer = pool->request();
  *num_bytes = *buffer == nullptr ? 0 : pool->buffer_bytes();
  *records = 0;  // as many as fit
}

/// Callbacks are not wanted, but there is no subscription without one.
void ignore(void*, std::uint32_t, std::uint32_t, const void*) {}

void complete_buffer(void*, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t valid) {
  if (buffer != nullptr) get_pool()->complete(buffer, valid);
}

}  // namespace

CuptiStatus CuptiSession::State::judge(int code, const CuptiCall& call,
                                       const std::string& other_tool) const {
  if (code == cupti::kSuccess) return {};
  device::DriverState driver;
  if (code != cupti::kOtherSubscriber) driver = device::probe_driver(settings.driver);
  return judge_refusal(code, cupti_refusal(library.functions, code, call), other_tool, driver);
}

void CuptiSession::State::note(int code, const CuptiCall& call) {
  if (code == cupti::kSuccess || refusals.size() == kMostRefusals) return;
  refusals.push_back(cupti_refusal(library.functions, code, call));
}

CuptiStatus CuptiSession::State::subscribe() {
  const cupti::Functions& functions = library.functions;
  constexpr const char* kDoing = "subscribe to it";
  if (functions.subscribe_named == nullptr) {
    return judge(functions.subscribe(&subscriber, &ignore, nullptr),
                 {"cuptiSubscribe", "", kDoing});
  }
  std::array<char, kToolNameBytes + 1> other = {};
  cupti::SubscriberNames names = {sizeof(names), kOwnName, other.data(), kToolNameBytes};
  const int code = functions.subscribe_named(&subscriber, &ignore, nullptr, &names);
  return judge(code, {"cuptiSubscribe_v2", "", kDoing}, other.data());
}

void CuptiSession::State::register_clock() {
  const cupti::Functions& functions = library.functions;
  if (functions.register_timestamp == nullptr) return;
  const int code = functions.register_timestamp(&monotonic_raw_ns);
  has_own_clock = code == cupti::kSuccess;
  note(code, {"cuptiActivityRegisterTimestampCallback", "", "take times by the host's clock"});
}

CuptiStatus CuptiSession::State::enable() {
  const cupti::Functions& functions = library.functions;
  CuptiStatus status = judge(functions.register_buffers(&request_buffer, &complete_buffer),
                             {"cuptiActivityRegisterCallbacks", "", "give it buffers"});
  if (status.is_ready()) status = enable_kinds();
  if (status.is_ready()) {
    status = enable_calls(cupti::kDriverDomain, cupti::kDriverCall, functions.enable_driver_call,
                          "cuptiActivityEnableDriverApi");
  }
  if (status.is_ready()) {
    status = enable_calls(cupti::kRuntimeDomain, cupti::kRuntimeCall, functions.enable_runtime_call,
                          "cuptiActivityEnableRuntimeApi");
  }
  return status;
}

CuptiStatus CuptiSession::State::enable_kinds() {
  for (const WantedKind& wanted : kWantedKinds) {
    const CuptiCall call = enabling(wanted.kind, wanted.doing);
    const int code = library.functions.enable(wanted.kind);
    if (code == cupti::kSuccess) continue;
    if (wanted.is_needed) return judge(code, call);
    note(code, call);
  }
  return {};
}

/// All calls, then without those whose records nobody wants. Not the wanted ones by name: that has
/// no effect on a runtime library that has been called before (seen with CUDA 13.0 on an H100), and
/// libtorch's has. Where CUPTI cannot choose there are more records, which cost memory only.
CuptiStatus CuptiSession::State::enable_calls(std::uint32_t domain, std::uint32_t kind,
                                              EnableCall enable_one, const char* function) {
  constexpr const char* kDoing = "leave out calls that give a device no work";
  const CuptiStatus status =
      judge(library.functions.enable(kind), enabling(kind, "record calls that give a device work"));
  if (!status.is_ready() || enable_one == nullptr) return status;
  for (std::uint32_t id = 1; id < kMostCallIds; ++id) {
    const char* name = nullptr;
    const int code = library.functions.callback_name(domain, id, &name);
    // The first id that has no name ends the search.
    if (id == 1) note(code, {"cuptiGetCallbackName", domain_and_id(domain, id), kDoing});
    if (code != cupti::kSuccess || name == nullptr) break;
    if (is_traced_call(name)) continue;
    const int turned_off = enable_one(id, 0);
    note(turned_off, {function, "id " + std::to_string(id) + ", " + name, kDoing});
    // One refusal says it for all, and leaves room for others.
    if (turned_off != cupti::kSuccess) break;
  }
  return status;
}

std::unique_ptr<CuptiSession> CuptiSession::start(const Settings& settings, CuptiStatus& status) {
  auto state = std::make_shared<State>();
  state->settings = settings;
  status = open_cupti(settings.search, state->library);
  if (!status.is_ready()) return nullptr;
  status = state->subscribe();
  if (!status.is_ready()) return nullptr;
  // Not before: a session that is refused must not take the buffers of the one that runs.
  set_pool(std::make_shared<BufferPool>(settings.buffer_bytes, settings.max_buffers));
  state->register_clock();
  status = state->enable();
  std::unique_ptr<CuptiSession> session(new CuptiSession(std::move(state)));
  if (!status.is_ready()) session.reset();
  return session;
}

CuptiSession::CuptiSession(std::shared_ptr<State> state) : state_(std::move(state)) {}

CuptiSession::~CuptiSession() {
  state_->library.functions.unsubscribe(state_->subscriber);
}

const CuptiLibrary& CuptiSession::library() const {
  return state_->library;
}

std::uint64_t CuptiSession::now_ns() {
  return monotonic_raw_ns();
}

void CuptiSession::begin_call(CallSide side) {
  const std::uint64_t id = state_->calls.size();
  state_->note(state_->library.functions.push_id(cupti::kIdFamily, id),
               {"cuptiActivityPushExternalCorrelationId", id_of_call(id), "mark a call"});
  state_->calls.push_back({side, monotonic_raw_ns(), 0});
}

void CuptiSession::end_call() {
  state_->calls.back().end_ns = monotonic_raw_ns();
  std::uint64_t id = 0;
  state_->note(state_->library.functions.pop_id(cupti::kIdFamily, &id),
               {"cuptiActivityPopExternalCorrelationId", id_of_call(state_->calls.size() - 1),
                "end the mark of a call"});
}

/// Why records may be missing. A flush may hang in the driver: then it is left alone with what it
/// uses, and the process ends sooner or later.
std::string CuptiSession::flush() {
  struct Flush {
    std::mutex mutex;
    std::condition_variable changed;
    bool has_ended = false;
    int code = cupti::kSuccess;
    std::uint32_t flag = 0;
  };
  const auto flush = std::make_shared<Flush>();
  auto thread = base::start_thread([flush, state = state_] {
    std::uint32_t flag = 0;
    int code = state->library.functions.flush(flag);
    if (code == cupti::kSuccess) {
      // What is not complete now never will be: the device has been waited for.
      flag = cupti::kFlushForced;
      code = state->library.functions.flush(flag);
    }
    const std::lock_guard<std::mutex> lock(flush->mutex);
    flush->code = code;
    flush->flag = flag;
    flush->has_ended = true;
    flush->changed.notify_one();
  });
  if (!thread) return "there is no thread to wait for CUPTI's records";
  thread->detach();
  std::unique_lock<std::mutex> lock(flush->mutex);
  const auto limit = state_->settings.flush_limit;
  if (!flush->changed.wait_for(lock, limit, [&] { return flush->has_ended; })) {
    return "CUPTI did not deliver its records within " + std::to_string(limit.count()) + " ms";
  }
  if (flush->code == cupti::kSuccess) return "";
  return cupti_refusal(
      state_->library.functions, flush->code,
      {"cuptiActivityFlushAll", "flag " + std::to_string(flush->flag), "deliver its records"});
}

DeviceTrace CuptiSession::finish() {
  DeviceTrace trace;
  trace.problem = flush();
  const std::shared_ptr<BufferPool> pool = get_pool();
  RecordReader reader(state_->library.functions, trace.records);
  for (const FullBuffer& buffer : pool->take_full()) {
    reader.read(buffer);
    pool->release(buffer.bytes);
  }
  trace.lost_bytes = pool->lost_bytes();
  // It may hang as the flush did.
  if (trace.problem.empty()) {
    const int code = state_->library.functions.num_dropped(nullptr, 0, &trace.num_dropped);
    if (code != cupti::kSuccess) {
      trace.problem = cupti_refusal(
          state_->library.functions, code,
          {"cuptiActivityGetNumDroppedRecords", "", "say how many records it dropped"});
    }
  }
  trace.calls = state_->calls;
  trace.first_call = std::exchange(state_->num_finished_calls, state_->calls.size());
  trace.has_own_clock = state_->has_own_clock;
  trace.refusals = state_->refusals;
  return trace;
}

std::string CuptiSession::call_name(std::uint32_t domain, std::uint32_t id) const {
  const char* name = nullptr;
  const int code = state_->library.functions.callback_name(domain, id, &name);
  return code == cupti::kSuccess && name != nullptr ? name : "";
}

}  // namespace graphnet::proof
