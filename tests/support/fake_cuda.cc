// SPDX-License-Identifier: MIT
//
// Streams can be captured by CUDA's rules: what goes to a captured stream is kept and done when the
// graph is launched; work on the default stream, waiting and allocating meanwhile spoil the
// capture.
//
// Drivers that are in one state each: FAKE_INIT is what cuInit returns, FAKE_DEVICES how many
// devices there are, FAKE_VERSION the newest CUDA it knows. Memory is the host's, the host's own
// kernels are computed here, and each launch takes a millisecond of a clock that nothing else
// moves. See driver_state_test.cc and gpu_test.cc.
#include "support/fake_cuda.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#define EXPORT extern "C" __attribute__((visibility("default")))
// The begin of each function of the driver's.
#define ENTER() \
  if (const int code = enter(__func__)) return code

using graphnet::tests::FakeCuda;

namespace {

constexpr int kOutOfMemory = 2;
constexpr int kNotInitialized = 3;
constexpr int kInvalidDevice = 101;
constexpr int kNotFound = 500;
constexpr int kIllegalState = 401;
constexpr int kCaptureUnsupported = 900;
constexpr int kCaptureInvalidated = 901;
constexpr int kCaptureImplicit = 906;
constexpr std::size_t kMemoryBytes = std::size_t{1} << 30;
constexpr int kL2Bytes = 1 << 20;

using Address = unsigned long long;

FakeCuda& control() {
  static FakeCuda only;
  return only;
}

int enter(const char* function) {
  control().calls.emplace_back(function);
  if (control().fails_once != function) return 0;
  if (control().num_before > 0) return control().num_before--, 0;
  control().fails_once.clear();
  return control().failing_once_code;
}

void*& current_context() {
  thread_local void* context = nullptr;
  return context;
}

float& device_ms() {
  static float clock = 0;
  return clock;
}

template <typename T>
T argument(void** arguments, int index) {
  T value;
  std::memcpy(&value, arguments[index], sizeof(T));
  return value;
}

void self_test(void** arguments) {
  auto* const words = reinterpret_cast<std::uint32_t*>(argument<Address>(arguments, 0));
  const auto count = argument<std::uint32_t>(arguments, 1);
  const auto seed = argument<std::uint32_t>(arguments, 2);
  for (std::uint32_t i = 0; i < count - (control().computes_wrongly ? 1U : 0U); ++i) {
    words[i] = (i * 2654435761U) ^ seed;
  }
}

void flush(void** arguments) {
  auto* const lines = reinterpret_cast<std::uint32_t*>(argument<Address>(arguments, 0));
  const auto count = argument<unsigned long long>(arguments, 1);
  control().last_flush_value = argument<std::uint32_t>(arguments, 2);
  for (unsigned long long i = 0; i < 4 * count; ++i) lines[i] = control().last_flush_value;
}

void call(void** arguments) {
  argument<graphnet::tests::FakeKernel>(arguments, 0)(argument<void*>(arguments, 1));
}

struct Kernel {
  std::string name;
  void (*compute)(void** arguments);
  std::size_t num_arguments;
};

const Kernel kKernels[] = {
    {"graphnet_self_test", self_test, 3}, {"graphnet_flush", flush, 3}, {"graphnet_call", call, 2}};

/// A launch with copies of its arguments, none of which is longer than 8 bytes.
struct Launch {
  const Kernel* kernel = nullptr;
  std::vector<std::uint64_t> arguments;
};

using Graph = std::vector<Launch>;

/// The one stream that is captured, if any.
struct Capture {
  void* stream = nullptr;
  bool is_valid = true;
  Graph graph;
};

Capture& capture() {
  static Capture only;
  return only;
}

/// What is not allowed while a stream is captured.
int spoil_capture(int code) {
  if (capture().stream == nullptr) return 0;
  capture().is_valid = false;
  return code;
}

void run(const Kernel& kernel, void** arguments) {
  ++control().launches;
  device_ms() += 1;
  if (control().on_launch != nullptr) control().on_launch();
  kernel.compute(arguments);
}

Launch keep(const Kernel& kernel, void** arguments) {
  Launch launch = {&kernel, std::vector<std::uint64_t>(kernel.num_arguments)};
  // The second of the self-test and of the flush are 4 and 8 bytes long: no more may be read.
  const bool is_self_test = &kernel == &kKernels[0];
  for (std::size_t i = 0; i < kernel.num_arguments; ++i) {
    const bool is_word = i == 2 || (i == 1 && is_self_test);
    std::memcpy(&launch.arguments[i], arguments[i], is_word ? 4 : 8);
  }
  return launch;
}

}  // namespace

EXPORT FakeCuda* fake_cuda_control() {
  return &control();
}

EXPORT int cuInit(unsigned int) {
  ENTER();
  return FAKE_INIT;
}

EXPORT int cuDriverGetVersion(int* version) {
  ENTER();
  *version = FAKE_VERSION;
  return 0;
}

EXPORT int cuDeviceGetCount(int* count) {
  ENTER();
  if (FAKE_INIT != 0) return kNotInitialized;  // the count stays as it was
  *count = FAKE_DEVICES;
  return 0;
}

EXPORT int cuDeviceGet(int* device, int index) {
  ENTER();
  if (index >= FAKE_DEVICES) return kInvalidDevice;
  *device = index;
  return 0;
}

EXPORT int cuDeviceGetName(char* name, int num_bytes, int) {
  ENTER();
  std::strncpy(name, "Made-up GPU", static_cast<std::size_t>(num_bytes));
  return 0;
}

EXPORT int cuDeviceGetAttribute(int* value, int attribute, int) {
  ENTER();
  *value = attribute == 16 ? 4 : attribute == 38 ? kL2Bytes : attribute == 75 ? 9 : 0;
  return 0;
}

EXPORT int cuDeviceGetPCIBusId(char* text, int num_bytes, int) {
  ENTER();
  std::strncpy(text, "0000:3B:00.0", static_cast<std::size_t>(num_bytes));
  return 0;
}

EXPORT int cuDeviceTotalMem_v2(std::size_t* num_bytes, int) {
  ENTER();
  *num_bytes = kMemoryBytes;
  return 0;
}

EXPORT int cuDevicePrimaryCtxRetain(void** context, int) {
  ENTER();
  *context = &control();
  ++control().contexts;
  return 0;
}

EXPORT int cuDevicePrimaryCtxRelease_v2(int) {
  ENTER();
  if (control().on_release != nullptr) control().on_release();
  current_context() = nullptr;
  --control().contexts;
  return 0;
}

EXPORT int cuCtxSetCurrent(void* context) {
  ENTER();
  current_context() = context;
  return 0;
}

EXPORT int cuCtxGetCurrent(void** context) {
  ENTER();
  *context = current_context();
  return 0;
}

EXPORT int cuMemGetInfo_v2(std::size_t* free, std::size_t* all) {
  ENTER();
  *free = control().free_bytes;
  *all = kMemoryBytes;
  return 0;
}

EXPORT int cuCtxSynchronize() {
  ENTER();
  if (const int code = spoil_capture(kCaptureUnsupported)) return code;
  return control().failing_code;
}

EXPORT int cuCtxResetPersistingL2Cache() {
  ENTER();
  ++control().l2_resets;
  return 0;
}

EXPORT int cuMemAlloc_v2(Address* address, std::size_t num_bytes) {
  ENTER();
  if (const int code = spoil_capture(kCaptureUnsupported)) return code;
  if (num_bytes > kMemoryBytes) return kOutOfMemory;
  *address = reinterpret_cast<Address>(std::malloc(num_bytes));
  ++control().buffers;
  if (num_bytes > control().largest_buffer) control().largest_buffer = num_bytes;
  return 0;
}

// What is given back is freed even if an error is returned, which may be that of an earlier launch.
EXPORT int cuMemFree_v2(Address address) {
  std::free(reinterpret_cast<void*>(address));
  --control().buffers;
  ENTER();
  return 0;
}

EXPORT int cuMemcpyHtoD_v2(Address to, const void* from, std::size_t num_bytes) {
  ENTER();
  std::memcpy(reinterpret_cast<void*>(to), from, num_bytes);
  return 0;
}

EXPORT int cuMemcpyDtoH_v2(void* to, Address from, std::size_t num_bytes) {
  ENTER();
  std::memcpy(to, reinterpret_cast<const void*>(from), num_bytes);
  return 0;
}

EXPORT int cuMemcpyDtoDAsync_v2(Address to, Address from, std::size_t num_bytes, void*) {
  ENTER();
  if (to == 0) return 1;  // invalid value
  std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), num_bytes);
  return 0;
}

EXPORT int cuMemsetD32Async(Address address, unsigned int value, std::size_t count, void*) {
  ENTER();
  for (std::size_t i = 0; i < count; ++i) reinterpret_cast<unsigned int*>(address)[i] = value;
  return 0;
}

EXPORT int cuMemsetD8Async(Address address, unsigned char value, std::size_t count, void*) {
  ENTER();
  std::memset(reinterpret_cast<void*>(address), value, count);
  return 0;
}

EXPORT int cuEventCreate(void** event, unsigned int) {
  ENTER();
  *event = new float(0);
  ++control().events;
  return 0;
}

EXPORT int cuEventDestroy_v2(void* event) {
  delete static_cast<float*>(event);
  --control().events;
  ENTER();
  return 0;
}

EXPORT int cuEventRecord(void* event, void*) {
  ENTER();
  *static_cast<float*>(event) = device_ms();
  return 0;
}

EXPORT int cuEventElapsedTime(float* milliseconds, void* start, void* end) {
  ENTER();
  *milliseconds = *static_cast<float*>(end) - *static_cast<float*>(start);
  return 0;
}

EXPORT int cuModuleLoadData(void** module, const void*) {
  ENTER();
  *module = &control();
  return 0;
}

EXPORT int cuModuleGetFunction(void** function, void*, const char* name) {
  ENTER();
  for (const Kernel& kernel : kKernels) {
    if (kernel.name != name) continue;
    *function = const_cast<Kernel*>(&kernel);
    return 0;
  }
  return kNotFound;
}

EXPORT int cuLaunchKernel(void* function, unsigned, unsigned, unsigned, unsigned, unsigned,
                          unsigned, unsigned, void* stream, void** arguments, void**) {
  ENTER();
  if (control().failing_code != 0) return control().failing_code;
  const auto& kernel = *static_cast<const Kernel*>(function);
  if (stream == nullptr) {
    if (const int code = spoil_capture(kCaptureImplicit)) return code;
  } else if (stream == capture().stream) {
    if (!capture().is_valid) return kCaptureInvalidated;
    capture().graph.push_back(keep(kernel, arguments));
    return 0;
  }
  const bool has_flags = stream != nullptr && *static_cast<unsigned int*>(stream) != 0;
  control().is_on_non_blocking_stream = has_flags;
  run(kernel, arguments);
  control().is_on_non_blocking_stream = false;
  return 0;
}

EXPORT int cuStreamCreate(void** stream, unsigned int flags) {
  ENTER();
  *stream = new unsigned int(flags);
  ++control().streams;
  return 0;
}

EXPORT int cuStreamDestroy_v2(void* stream) {
  if (stream == capture().stream) capture() = Capture();
  delete static_cast<unsigned int*>(stream);
  --control().streams;
  ENTER();
  return 0;
}

EXPORT int cuStreamBeginCapture_v2(void* stream, int) {
  ENTER();
  if (stream == nullptr) return kCaptureUnsupported;
  if (capture().stream != nullptr) return kIllegalState;
  capture() = Capture();
  capture().stream = stream;
  return control().failing_code;
}

EXPORT int cuStreamEndCapture(void* stream, void** graph) {
  ENTER();
  *graph = nullptr;
  if (stream != capture().stream) return kIllegalState;
  Capture ended = capture();
  capture() = Capture();
  if (!ended.is_valid) return kCaptureInvalidated;
  *graph = new Graph(ended.graph);
  ++control().graphs;
  return 0;
}

EXPORT int cuGraphGetNodes(void* graph, void**, std::size_t* count) {
  ENTER();
  *count = static_cast<Graph*>(graph)->size();
  return 0;
}

EXPORT int cuGraphInstantiateWithFlags(void** executable, void* graph, unsigned long long) {
  ENTER();
  if (control().instantiate_code != 0) return control().instantiate_code;
  *executable = new Graph(*static_cast<Graph*>(graph));
  ++control().executable_graphs;
  return 0;
}

EXPORT int cuGraphLaunch(void* executable, void*) {
  ENTER();
  if (control().graph_launch_code != 0) return control().graph_launch_code;
  ++control().graph_launches;
  control().is_in_graph = true;
  for (Launch& launch : *static_cast<Graph*>(executable)) {
    std::vector<void*> pointers;
    for (std::uint64_t& argument : launch.arguments) pointers.push_back(&argument);
    run(*launch.kernel, pointers.data());
  }
  control().is_in_graph = false;
  return 0;
}

EXPORT int cuGraphExecDestroy(void* executable) {
  delete static_cast<Graph*>(executable);
  --control().executable_graphs;
  ENTER();
  return 0;
}

EXPORT int cuGraphDestroy(void* graph) {
  delete static_cast<Graph*>(graph);
  --control().graphs;
  ENTER();
  return 0;
}

EXPORT int cuGetErrorName(int error, const char** name) {
  ENTER();
  const std::pair<int, const char*> names[] = {
      {kOutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY"},
      {kInvalidDevice, "CUDA_ERROR_INVALID_DEVICE"},
      {kIllegalState, "CUDA_ERROR_ILLEGAL_STATE"},
      {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
      {kCaptureUnsupported, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"},
      {kCaptureInvalidated, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"},
      {kCaptureImplicit, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT"}};
  for (const auto& [code, text] : names) {
    if (code != error) continue;
    *name = text;
    return 0;
  }
  return 1;
}
