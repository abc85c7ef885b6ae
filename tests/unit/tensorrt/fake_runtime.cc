// SPDX-License-Identifier: MIT
//
// A TensorRT 11 of our own: objects with the layout and slots of slots.h, a network of inputs,
// constants, identities and elementwise sums and products of float32, engines that compute it on
// the host. It drives create, build, refit, run and their failures; what it knows of slots it has
// from the plugin.
#include "unit/tensorrt/fake_runtime.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tensorrt/slots.h"

namespace graphnet::tensorrt {
namespace {

FakeRuntime control;
void* the_logger = nullptr;

void log_error(const char* line) {
  using Log = void (*)(void*, nv::Severity, const char*);
  reinterpret_cast<Log>((*static_cast<void***>(the_logger))[4])(the_logger, nv::Severity::kError,
                                                                line);
}

struct Value {
  nv::Dims dims;
  const float* data = nullptr;  ///< of a constant
  std::string name;             ///< of an input, an output or refittable weights
  int kind = -1;                ///< nv::Elementwise; -1: none, -2: copy of `left`
  std::size_t left = 0;
  std::size_t right = 0;
};

struct Network {
  std::vector<Value> values;
  std::vector<std::size_t> outputs;
};

/// Any object: its public table, the pointers to its implementations (itself), and what it is.
struct Object {
  void** table;
  Object* self = this;
  Object* own = this;
  std::shared_ptr<Network> network = nullptr;
  std::size_t value = 0;
  std::map<std::string, void*> addresses = {};
  std::map<std::string, std::vector<float>> weights = {};
  std::shared_ptr<Object> engine_weights = nullptr;

  explicit Object(void** functions) : table(functions) {}
  Object(const Object& other) : Object(other.table) {
    network = other.network;
    weights = other.weights;
  }
};

// One table for all: slots of different classes may collide, so each class has its own.
std::map<std::string, std::vector<void*>> tables;

/// Tensors and layers, which belong to their network and are never destroyed by themselves.
std::vector<std::unique_ptr<Object>> parts;

Object* make(const std::string& kind) {
  auto object = std::make_unique<Object>(tables[kind].data());
  if (kind != "Tensor" && kind != "Layer") return object.release();
  parts.push_back(std::move(object));
  return parts.back().get();
}

void destroy(Object* object) {
  delete object;
}
void never() {
  log_error("a function that the made-up TensorRT has not");
}

template <typename Function>
void put(Slot slot, Function function) {
  const SlotFacts& facts = facts_of(slot);
  const std::string name = facts.name;
  const std::string kind = name.substr(0, name.find(' '));
  tables[kind][static_cast<std::size_t>(facts.eleven)] = reinterpret_cast<void*>(function);
}

Object* tensor_of(const Object* network, std::size_t value) {
  Object* tensor = make("Tensor");
  tensor->network = network->network;
  tensor->value = value;
  return tensor;
}

Object* add(Object* network, const Value& value) {
  network->network->values.push_back(value);
  Object* layer = make("Layer");
  layer->network = network->network;
  layer->value = network->network->values.size() - 1;
  return layer;
}

Object* add_input(Object* network, const char* name, nv::DataType, const nv::Dims* dims) {
  Value value;
  value.dims = *dims;
  value.name = name;
  network->network->values.push_back(value);
  return tensor_of(network, network->network->values.size() - 1);
}
Object* add_constant(Object* network, const nv::Dims* dims, nv::Weights weights) {
  Value value;
  value.dims = *dims;
  value.data = static_cast<const float*>(weights.values);
  return add(network, value);
}
Object* add_elementwise(Object* network, Object* a, Object* b, nv::Elementwise kind) {
  Value value;
  value.kind = static_cast<int>(kind);
  value.left = a->value;
  value.right = b->value;
  const nv::Dims& left = network->network->values[a->value].dims;
  const nv::Dims& right = network->network->values[b->value].dims;
  value.dims = left;
  for (int i = 0; i < left.count; ++i)
    value.dims.extents[i] = std::max(left.extents[i], right.extents[i]);
  if (left.count != right.count) value.dims.count = -1;
  return add(network, value);
}
Object* add_identity(Object* network, Object* x) {
  Value value = network->network->values[x->value];
  value.kind = -2;
  value.left = x->value;
  return add(network, value);
}
bool set_weights_name(Object* network, nv::Weights weights, const char* name) {
  for (Value& value : network->network->values) {
    if (value.data == weights.values) value.name = name;
  }
  return true;
}
bool mark_weights(Object* network, const char* name) {
  const auto& values = network->network->values;
  return std::any_of(values.begin(), values.end(),
                     [&](const Value& value) { return value.name == name; });
}
void set_tensor_name(Object* tensor, const char* name) {
  tensor->network->values[tensor->value].name = name;
}
void mark_output(Object* network, Object* tensor) {
  network->network->outputs.push_back(tensor->value);
}

Object* build(Object*, Object* network, Object* config) {
  using Step = bool (*)(void*, const char*, std::int32_t);
  void* const monitor = config->addresses["monitor"];
  const auto step = reinterpret_cast<Step>((*static_cast<void***>(monitor))[5]);
  for (int i = 0; i < 3; ++i) {
    if (!step(monitor, "build", i)) {
      log_error("Build canceled by user");
      return nullptr;
    }
    ++control.steps;
  }
  if (control.fails_to_build) {
    log_error("no implementation for node x");
    return nullptr;
  }
  if (control.grumbles) log_error("tactic 7 needs more memory than there is, skipped");
  Object* memory = make("HostMemory");
  memory->network = network->network;
  // Constants are copied: their owners may go.
  for (Value& value : memory->network->values) {
    if (value.data == nullptr) continue;
    std::int64_t count = 1;
    for (int i = 0; i < value.dims.count; ++i) count *= value.dims.extents[i];
    memory->weights[std::to_string(&value - memory->network->values.data())].assign(
        value.data, value.data + count);
  }
  return memory;
}

// The plan is the address of this copy; it is never given back, as a plan in a file would not be.
Object* deserialize(Object*, const void* blob, std::size_t) {
  if (control.fails_to_load) {
    log_error("incompatible serialization version");
    return nullptr;
  }
  const Object* plan = nullptr;
  std::memcpy(&plan, blob, sizeof(plan));
  Object* engine = make("CudaEngine");
  engine->network = plan->network;
  engine->engine_weights = std::make_shared<Object>(*plan);
  return engine;
}
void* plan_data(Object* memory) {
  static std::vector<std::unique_ptr<Object>> plans;
  static std::vector<std::unique_ptr<const Object*>> addresses;
  plans.push_back(std::make_unique<Object>(*memory));
  addresses.push_back(std::make_unique<const Object*>(plans.back().get()));
  return addresses.back().get();
}
std::size_t plan_size(Object*) {
  return sizeof(void*);
}

Object* create_context(Object* engine, std::int32_t) {
  Object* context = make("ExecutionContext");
  context->network = engine->network;
  context->engine_weights = engine->engine_weights;
  return context;
}
bool set_address(Object* context, const char* name, void* memory) {
  context->addresses[name] = memory;
  return memory != nullptr;
}

std::int64_t elements_of(const nv::Dims& dims) {
  std::int64_t count = 1;
  for (int i = 0; i < dims.count; ++i) count *= dims.extents[i];
  return count;
}

/// Extents of 1 stretch.
float element(const std::vector<float>& data, const nv::Dims& from, const nv::Dims& to,
              std::int64_t index) {
  std::int64_t position = 0;
  std::int64_t stride = 1;
  for (int i = to.count; i-- > 0;) {
    const std::int64_t at = index % to.extents[i];
    index /= to.extents[i];
    if (from.extents[i] != 1) position += at * stride;
    stride *= from.extents[i];
  }
  return data[static_cast<std::size_t>(position)];
}

bool enqueue(Object* context, void* stream) {
  control.streams.push_back(stream);
  if (control.fails_to_run) {
    log_error("illegal memory access");
    return false;
  }
  const Network& network = *context->network;
  std::vector<std::vector<float>> results(network.values.size());
  for (std::size_t v = 0; v < network.values.size(); ++v) {
    const Value& value = network.values[v];
    const auto constant = context->engine_weights->weights.find(std::to_string(v));
    if (constant != context->engine_weights->weights.end()) {
      results[v] = constant->second;
    } else if (value.kind == -2) {
      results[v] = results[value.left];
    } else if (value.kind < 0) {
      const auto* data = static_cast<const float*>(context->addresses[value.name]);
      results[v].assign(data, data + elements_of(value.dims));
    } else {
      for (std::int64_t i = 0; i < elements_of(value.dims); ++i) {
        const float a =
            element(results[value.left], network.values[value.left].dims, value.dims, i);
        const float b =
            element(results[value.right], network.values[value.right].dims, value.dims, i);
        results[v].push_back(value.kind == 0 ? a + b : a * b);
      }
    }
  }
  for (const std::size_t output : network.outputs) {
    if (!context->engine_weights->weights.empty()) {
      for (float& each : results[output]) each += control.adds;
    }
    void* const memory = context->addresses[network.values[output].name];
    std::memcpy(memory, results[output].data(), results[output].size() * sizeof(float));
  }
  return true;
}

bool set_named_weights(Object* refitter, const char* name, nv::Weights weights) {
  const auto* data = static_cast<const float*>(weights.values);
  refitter->weights[name].assign(data, data + weights.count);
  return true;
}
std::int32_t get_missing(Object*, std::int32_t size, const char** names) {
  if (!control.forgets_a_weight) return 0;
  if (size > 0) names[0] = control.forgets_names ? nullptr : "bias7";
  return 1;
}
bool refit(Object* refitter) {
  const Network& network = *refitter->network;
  for (std::size_t v = 0; v < network.values.size(); ++v) {
    if (!control.loses.empty() && network.values[v].name == control.loses) continue;
    const auto given = refitter->weights.find(network.values[v].name);
    if (given != refitter->weights.end()) {
      refitter->engine_weights->weights[std::to_string(v)] = given->second;
    }
  }
  return true;
}

void set_flag(Object*, std::int32_t flag) {
  control.flags.push_back("set " + std::to_string(flag));
}
void clear_flag(Object*, std::int32_t flag) {
  control.flags.push_back("clear " + std::to_string(flag));
}

void fill_tables() {
  if (!tables.empty()) return;
  for (std::size_t i = 0; i < static_cast<std::size_t>(Slot::kCount); ++i) {
    const std::string name = facts_of(static_cast<Slot>(i)).name;
    std::vector<void*>& table = tables[name.substr(0, name.find(' '))];
    table.assign(128, reinterpret_cast<void*>(never));
    table[1] = reinterpret_cast<void*>(destroy);
  }
  const auto nothing = +[](Object*) {};
  const auto yes = +[](Object*) { return true; };
  for (const Slot slot :
       {Slot::kConfigSetVerbosity, Slot::kConfigSetLevel, Slot::kConfigSetMaxAuxStreams,
        Slot::kConfigSetMemoryPoolLimit, Slot::kLayerSetName, Slot::kLayerSetMetadata}) {
    put(slot, nothing);
  }
  put(Slot::kBuilderSetMaxThreads, yes);
  put(
      Slot::kConfigSetTimingCache, +[](Object*, Object*, bool) {
        if (control.caches_refused == 0) return true;
        --control.caches_refused;
        return false;
      });
  put(
      Slot::kBuilderCreateConfig, +[](Object*) { return make("BuilderConfig"); });
  put(
      Slot::kBuilderCreateNetwork, +[](Object*, std::uint32_t) {
        Object* network = make("Network");
        network->network = std::make_shared<Network>();
        return network;
      });
  put(Slot::kBuilderBuild, build);
  put(Slot::kConfigSetFlag, set_flag);
  put(Slot::kConfigClearFlag, clear_flag);
  put(
      Slot::kConfigSetProgressMonitor,
      +[](Object* config, void* monitor) { config->addresses["monitor"] = monitor; });
  put(
      Slot::kConfigCreateTimingCache,
      +[](Object*, const void*, std::size_t) { return make("TimingCache"); });
  put(
      Slot::kTimingCacheSerialize, +[](Object*) { return make("HostMemory"); });
  put(Slot::kNetworkAddInput, add_input);
  put(Slot::kNetworkAddConstant, add_constant);
  put(Slot::kNetworkAddElementwise, add_elementwise);
  put(Slot::kNetworkAddIdentity, add_identity);
  put(Slot::kNetworkSetWeightsName, set_weights_name);
  put(Slot::kNetworkMarkWeightsRefittable, mark_weights);
  put(Slot::kNetworkMarkOutput, mark_output);
  put(
      Slot::kNetworkGetNumLayers, +[](Object*) { return std::int32_t{1}; });
  put(
      Slot::kLayerGetOutput,
      +[](Object* layer, std::int32_t) { return tensor_of(layer, layer->value); });
  put(Slot::kTensorSetName, set_tensor_name);
  put(
      Slot::kTensorGetDims,
      +[](Object* tensor) { return tensor->network->values[tensor->value].dims; });
  put(
      Slot::kTensorGetType, +[](Object*) { return nv::DataType::kFloat; });
  put(Slot::kHostMemoryData, plan_data);
  put(Slot::kHostMemorySize, plan_size);
  put(Slot::kRuntimeDeserialize, deserialize);
  put(Slot::kEngineCreateContext, create_context);
  put(
      Slot::kEngineCreateInspector, +[](Object*) -> Object* {
        if (control.inspection != nullptr) return make("EngineInspector");
        log_error("the engine has no layer information");
        return nullptr;
      });
  put(
      Slot::kInspectorGetEngine,
      +[](Object*, nv::InformationFormat) { return control.inspection; });
  put(
      Slot::kEngineGetDeviceMemory, +[](Object*) { return std::int64_t{64}; });
  put(Slot::kContextSetTensorAddress, set_address);
  put(Slot::kContextEnqueue, enqueue);
  put(Slot::kRefitterSetWeights, set_named_weights);
  put(Slot::kRefitterGetMissing, get_missing);
  put(Slot::kRefitterRefit, refit);
}

Object* make_first(const char* kind, void* logger) {
  fill_tables();
  the_logger = logger;
  return make(kind);
}

}  // namespace
}  // namespace graphnet::tensorrt

#define FAKE_EXPORT extern "C" __attribute__((visibility("default")))
using graphnet::tensorrt::make_first;
using graphnet::tensorrt::Object;

FAKE_EXPORT graphnet::tensorrt::FakeRuntime* fake_runtime_control() {
  return &graphnet::tensorrt::control;
}
FAKE_EXPORT std::int32_t getInferLibMajorVersion() {
  return 11;
}
FAKE_EXPORT std::int32_t getInferLibMinorVersion() {
  return 1;
}
FAKE_EXPORT std::int32_t getInferLibPatchVersion() {
  return 0;
}
FAKE_EXPORT std::int32_t getInferLibBuildVersion() {
  return 0;
}
FAKE_EXPORT void* createInferBuilder_INTERNAL(void* logger, std::int32_t) {
  return make_first("Builder", logger);
}
FAKE_EXPORT void* createInferRuntime_INTERNAL(void* logger, std::int32_t) {
  return make_first("Runtime", logger);
}
FAKE_EXPORT void* createInferRefitter_INTERNAL(void* engine, void* logger, std::int32_t) {
  Object* refitter = make_first("Refitter", logger);
  refitter->network = static_cast<Object*>(engine)->network;
  refitter->engine_weights = static_cast<Object*>(engine)->engine_weights;
  return refitter;
}

// A driver whose device is the host.
FAKE_EXPORT int cuMemcpyDtoH_v2(void* to, unsigned long long from, std::size_t num_bytes) {
  std::memcpy(to, reinterpret_cast<const void*>(from), num_bytes);  // NOLINT
  return 0;
}
FAKE_EXPORT int cuMemcpyHtoD_v2(unsigned long long to, const void* from, std::size_t num_bytes) {
  std::memcpy(reinterpret_cast<void*>(to), from, num_bytes);  // NOLINT
  return 0;
}
FAKE_EXPORT int cuMemAlloc_v2(unsigned long long* memory, std::size_t num_bytes) {
  *memory = reinterpret_cast<unsigned long long>(::operator new(num_bytes));
  return 0;
}
FAKE_EXPORT int cuMemFree_v2(unsigned long long memory) {
  ::operator delete(reinterpret_cast<void*>(memory));  // NOLINT
  return 0;
}
FAKE_EXPORT int cuStreamCreate(void** stream, unsigned int flags) {
  static char streams[64];
  *stream = &streams[++graphnet::tensorrt::control.open_streams];
  return flags == 0 ? 0 : 1;
}
FAKE_EXPORT int cuStreamDestroy_v2(void*) {
  --graphnet::tensorrt::control.open_streams;
  return 0;
}
FAKE_EXPORT int cuStreamSynchronize(void*) {
  return 0;
}
FAKE_EXPORT int cuStreamIsCapturing(void*, int* state) {
  *state = graphnet::tensorrt::control.captures ? 1 : 0;
  return 0;
}
FAKE_EXPORT int cuCtxGetDevice(int* device) {
  *device = 3;
  return graphnet::tensorrt::control.has_context ? 0 : 201;
}
FAKE_EXPORT int cuDeviceGetName(char* name, int size, int) {
  std::strncpy(name, graphnet::tensorrt::control.device, static_cast<std::size_t>(size));
  return 0;
}
FAKE_EXPORT int cuDeviceGetAttribute(int* value, int which, int) {
  *value = which == 75 ? 8 : which == 76 ? 9 : 58;
  return 0;
}
