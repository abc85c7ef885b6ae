// SPDX-License-Identifier: MIT
#include "tensorrt/executable.h"

#include <algorithm>
#include <utility>

#include "graphnet/failure.h"
#include "lowering/failures.h"
#include "tensorrt/engine_summary.h"
#include "tensorrt/types.h"

namespace graphnet::tensorrt {

namespace ir = lowering::ir;

namespace {

std::byte* data_of(const DLTensor& tensor) {
  return static_cast<std::byte*>(tensor.data) + tensor.byte_offset;
}

std::size_t bytes_of(const ir::TensorType& type) {
  return static_cast<std::size_t>(lowering::num_elements(type.shape) *
                                  lowering::bytes_of(type.type));
}

const DLTensor& weight_at(const gn_bind_args& args, std::int64_t index) {
  if (static_cast<std::uint64_t>(index) < args.num_weights) return *args.weights[index];
  throw Failure(GN_STATUS_INVALID_ARGUMENT, "weight " + std::to_string(index) + " is missing");
}

bool needs_bind(const WrittenNetwork& written) {
  return !written.refittable.empty() ||
         std::any_of(written.inputs.begin(), written.inputs.end(), [](const NamedParameter& each) {
           return each.parameter.source != ir::ParameterSource::kInput;
         });
}

}  // namespace

EngineExecutable::EngineExecutable(const Library& library, BoundWeights bound,
                                   const BuildSettings& settings, const std::string& driver)
    : library_(library), driver_(driver) {
  origin_ = {library.version(), driver_.device(), text_of(settings) + " " + name_of(bound)};
}

EngineExecutable::~EngineExecutable() {
  driver_.destroy_stream(own_stream_);
  for (const Buffer& buffer : buffers_) driver_.free(buffer.memory);
}

std::unique_ptr<EngineExecutable> EngineExecutable::build(const Library& library,
                                                          ir::StagedGraph staged,
                                                          BoundWeights bound,
                                                          const BuildSettings& settings,
                                                          const std::string& driver) {
  std::unique_ptr<EngineExecutable> made(new EngineExecutable(library, bound, settings, driver));
  made->take(made->built(std::move(staged), bound, settings), settings, GN_STATUS_COMPILE_FAILED);
  return made;
}

std::unique_ptr<EngineExecutable> EngineExecutable::load(const Library& library,
                                                         std::string_view stored,
                                                         BoundWeights bound,
                                                         const BuildSettings& settings,
                                                         const std::string& driver) {
  std::unique_ptr<EngineExecutable> made(new EngineExecutable(library, bound, settings, driver));
  made->take(read_engine(stored, made->origin_), settings, GN_STATUS_INVALID_ARGUMENT);
  return made;
}

EngineParts EngineExecutable::built(ir::StagedGraph staged, BoundWeights bound,
                                    BuildSettings settings) {
  const Object builder = library_.make_builder();
  LibraryNetwork network(library_, builder.get());
  WrittenNetwork written = write_network(staged.call, network, bound);
  if (!written.failures.empty()) {
    throw Failure(GN_STATUS_UNSUPPORTED, lowering::describe_failures(written.failures));
  }
  // What no layer reads is unknown to the engine.
  auto& refittable = written.refittable;
  refittable.erase(std::remove_if(refittable.begin(), refittable.end(),
                                  [&](const NamedParameter& each) {
                                    return network.named_weights().count(each.name) == 0;
                                  }),
                   refittable.end());
  settings.is_refittable = !refittable.empty();
  Plan plan = build_plan(library_, builder.get(), network, settings);
  timing_cache_ = std::move(plan.timing_cache);
  // The engine has constants and weights of its own from here on.
  written.constants = {};
  if (!settings.is_refittable || !settings.checks_refit) staged.call = {};
  return {std::move(plan.bytes), network.num_layers(), std::move(staged.bind),
          std::move(staged.call), std::move(written)};
}

void EngineExecutable::take(EngineParts parts, const BuildSettings& settings, std::uint32_t code) {
  parts_ = std::move(parts);
  plan_bytes_ = parts_.plan.size();
  runtime_ = library_.make_runtime();
  process_log().clear();
  engine_ = library_.make(code, "loads no engine", Slot::kRuntimeDeserialize, runtime_.get(),
                          static_cast<const void*>(parts_.plan.data()), parts_.plan.size());
  // Static memory: nothing is allocated in a call, so that calls can be captured.
  constexpr std::int32_t kStatic = 0;
  context_ = library_.make(GN_STATUS_COMPILE_FAILED, "makes no execution context",
                           Slot::kEngineCreateContext, engine_.get(), kStatic);
  is_bound_ = !needs_bind(parts_.network);
  if (parts_.call.outputs.empty()) return;
  refit_check_ = std::make_unique<RefitCheck>(library_, parts_.call, settings, driver_.file());
}

std::string EngineExecutable::store() {
  if (parts_.plan.empty()) {
    throw Failure(GN_STATUS_UNSUPPORTED, "an engine is stored once, before it is bound or run");
  }
  std::string stored = store_engine(parts_, origin_);
  parts_.plan = {};
  return stored;
}

// Weights lie on the device, what bind computes from them is computed on the host.
std::vector<ir::Array> EngineExecutable::read_weights(const gn_bind_args& args) const {
  std::vector<ir::Array> weights(args.num_weights);
  for (const ir::Node& node : parts_.bind.nodes) {
    const auto* parameter = std::get_if<ir::Parameter>(&node.operation);
    if (parameter == nullptr) continue;
    const ir::TensorType& type = parts_.bind.type(node.results[0]);
    std::string bytes(bytes_of(type), '\0');
    driver_.to_host(bytes.data(), data_of(weight_at(args, parameter->index)), bytes.size());
    weights[static_cast<std::size_t>(parameter->index)] = ir::read_array(type, bytes.data());
  }
  return weights;
}

void EngineExecutable::bind(gn_bind_args& args) {
  parts_.plan = {};
  is_bound_ = false;
  is_attached_ = false;
  is_refit_checked_ = false;
  ir::Arguments arguments;
  arguments.weights = read_weights(args);
  const std::vector<ir::Array> bound = ir::interpret(parts_.bind, arguments);
  if (!parts_.network.refittable.empty()) refit(args, bound);
  fill_inputs(args, bound);
  args.kept_bytes = 0;
  for (const NamedParameter& each : parts_.network.refittable)
    args.kept_bytes += bytes_of(each.type);
  for (const Buffer& buffer : buffers_) args.kept_bytes += buffer.num_bytes;
  args.copied = std::none_of(
      parts_.network.inputs.begin(), parts_.network.inputs.end(),
      [](const auto& each) { return each.parameter.source == ir::ParameterSource::kWeight; });
  is_bound_ = true;
}

// Some versions lose weights that they have merged with others, without a word: all must be asked
// for and all must be given.
void EngineExecutable::refit(const gn_bind_args& args, const std::vector<ir::Array>& bound) {
  const Object refitter = library_.make_refitter(engine_.get());
  std::vector<std::string> kept;  // read until the engine is refitted
  for (const NamedParameter& each : parts_.network.refittable) {
    const auto index = static_cast<std::size_t>(each.parameter.index);
    std::string& bytes = kept.emplace_back(bytes_of(each.type), '\0');
    if (each.parameter.source == ir::ParameterSource::kBound) {
      ir::write_array(bound.at(index), bytes.data());
    } else {
      driver_.to_host(bytes.data(), data_of(weight_at(args, each.parameter.index)), bytes.size());
    }
    const bool is_weight = each.parameter.source == ir::ParameterSource::kWeight;
    if (refit_check_) {
      refit_check_->keep(each.name, bytes,
                         is_weight ? data_of(weight_at(args, each.parameter.index)) : nullptr);
    }
    const nv::Weights weights = {*to_nv(each.type.type), bytes.data(),
                                 lowering::num_elements(each.type.shape)};
    if (library_.call<bool>(Slot::kRefitterSetWeights, refitter.get(), each.name.c_str(),
                            weights)) {
      continue;
    }
    throw Failure(GN_STATUS_RUNTIME_FAILED,
                  "TensorRT does not refit " + each.name + ": " + process_log().take_reason());
  }
  require_all_weights(refitter.get());
  if (library_.call<bool>(Slot::kRefitterRefit, refitter.get())) return;
  throw Failure(GN_STATUS_RUNTIME_FAILED,
                "TensorRT does not refit the engine: " + process_log().take_reason());
}

void EngineExecutable::require_all_weights(void* refitter) const {
  const char** const none = nullptr;
  const auto missing =
      library_.call<std::int32_t>(Slot::kRefitterGetMissing, refitter, std::int32_t{0}, none);
  if (missing <= 0) return;
  std::vector<const char*> names(static_cast<std::size_t>(missing), nullptr);
  library_.call<std::int32_t>(Slot::kRefitterGetMissing, refitter, missing, names.data());
  throw Failure(GN_STATUS_RUNTIME_FAILED,
                "TensorRT wants " + std::to_string(missing) + " more weights to refit, such as " +
                    (names[0] == nullptr ? "one without a name" : names[0]));
}

// Weights that are inputs of the engine: the host's own memory, or a buffer for what bind computed.
void EngineExecutable::fill_inputs(const gn_bind_args& args, const std::vector<ir::Array>& bound) {
  for (const NamedParameter& each : parts_.network.inputs) {
    if (each.parameter.source == ir::ParameterSource::kWeight) {
      set_address(each.name, data_of(weight_at(args, each.parameter.index)));
    }
    if (each.parameter.source != ir::ParameterSource::kBound) continue;
    std::string bytes(bytes_of(each.type), '\0');
    ir::write_array(bound.at(static_cast<std::size_t>(each.parameter.index)), bytes.data());
    auto buffer = std::find_if(buffers_.begin(), buffers_.end(),
                               [&](const Buffer& old) { return old.name == each.name; });
    if (buffer == buffers_.end()) {
      buffers_.push_back({each.name, driver_.allocate(bytes.size()), bytes.size()});
      buffer = buffers_.end() - 1;
    }
    driver_.to_device(buffer->memory, bytes.data(), bytes.size());
    set_address(each.name, buffer->memory);
  }
}

void EngineExecutable::set_address(const std::string& name, void* memory) {
  addresses_[name] = memory;
  const bool is_set =
      library_.call<bool>(Slot::kContextSetTensorAddress, context_.get(), name.c_str(), memory);
  if (is_set) return;
  throw Failure(GN_STATUS_RUNTIME_FAILED,
                "TensorRT takes no memory for " + name + ": " + process_log().take_reason());
}

void EngineExecutable::run(const gn_run_args& args) {
  if (!is_bound_) throw Failure(GN_STATUS_INVALID_ARGUMENT, "run was called without a bind");
  if (args.rebind != 0 || !is_attached_) attach(args);
  void* const stream = enqueue(args.stream);
  // A call that is captured has not run.
  if (!refit_check_ || is_refit_checked_ || driver_.is_captured(stream)) return;
  is_refit_checked_ = true;
  refit_check_->check(addresses_, stream);
}

void EngineExecutable::attach(const gn_run_args& args) {
  parts_.plan = {};
  is_attached_ = false;
  for (const NamedParameter& each : parts_.network.inputs) {
    if (each.parameter.source != ir::ParameterSource::kInput) continue;
    const auto index = static_cast<std::uint64_t>(each.parameter.index);
    if (index >= args.num_inputs) throw Failure(GN_STATUS_INVALID_ARGUMENT, "an input is missing");
    set_address(each.name, data_of(*args.inputs[index]));
  }
  const std::vector<std::string>& outputs = parts_.network.outputs;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].empty()) set_address(outputs[i], data_of(*args.outputs[i]));
  }
  is_attached_ = true;
}

// On the default stream TensorRT synchronises more than it must (its header says so).
void* EngineExecutable::enqueue(void* stream) {
  if (stream == nullptr) {
    if (own_stream_ == nullptr) own_stream_ = driver_.make_stream();
    stream = own_stream_;
  }
  if (library_.call<bool>(Slot::kContextEnqueue, context_.get(), stream)) return stream;
  throw Failure(GN_STATUS_RUNTIME_FAILED, "TensorRT does not run: " + process_log().take_reason());
}

std::string EngineExecutable::describe() const {
  const auto memory = library_.call<std::int64_t>(Slot::kEngineGetDeviceMemory, engine_.get());
  return "network_layers: " + std::to_string(parts_.num_layers) +
         "\nengine_bytes: " + std::to_string(plan_bytes_) +
         "\nscratch_bytes: " + std::to_string(memory) +
         "\nrefittable_weights: " + std::to_string(parts_.network.refittable.size()) + "\n" +
         (refit_check_ ? "refit_check: " + refit_check_->report() + "\n" : "") + summary();
}

std::string EngineExecutable::summary() const {
  try {
    return to_lines(summarize_engine(inspect()));
  } catch (const Failure& failure) {
    return std::string("inspector: ") + failure.what() + "\n";
  }
}

std::string EngineExecutable::inspect() const {
  const Object inspector = library_.make(GN_STATUS_INTERNAL, "makes no inspector",
                                         Slot::kEngineCreateInspector, engine_.get());
  const auto* const text = library_.call<const char*>(Slot::kInspectorGetEngine, inspector.get(),
                                                      nv::InformationFormat::kJson);
  return text == nullptr ? "" : text;
}

}  // namespace graphnet::tensorrt
