// SPDX-License-Identifier: MIT
#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include "plugin/backend.h"

namespace graphnet::plugin {

namespace {

DLTensor make_tensor(const SignatureEntry& entry, std::vector<std::int64_t>& strides, void* data,
                     DLDevice device) {
  DLTensor tensor = {};
  tensor.data = data;
  tensor.device = device;
  tensor.ndim = static_cast<std::int32_t>(entry.shape.size());
  tensor.dtype = to_dl_type(entry.dtype);
  tensor.shape = const_cast<std::int64_t*>(entry.shape.data());
  tensor.strides = strides.data();
  return tensor;
}

// What a plugin that writes nothing leaves behind: not a number where the type has one, so that a
// single element left out shows, and an unlikely value elsewhere.
std::byte poison_of(base::DType dtype) {
  return base::is_floating(dtype) ? std::byte{0xFF} : std::byte{0xA5};
}

// Longer than any sensible hand-over between threads, shorter than a reader's patience.
constexpr std::chrono::milliseconds kLateOutputWait{20};

std::string describe(const SignatureEntry& entry) {
  std::string shape;
  for (const std::int64_t extent : entry.shape) {
    shape += (shape.empty() ? "" : ", ") + std::to_string(extent);
  }
  return entry.name + " (" + base::dtype_name(entry.dtype) + " [" + shape + "])";
}

std::vector<std::vector<std::int64_t>> dense_strides_of(const Signature& signature) {
  std::vector<std::vector<std::int64_t>> strides;
  for (const auto* list : {&signature.arguments, &signature.outputs}) {
    for (const SignatureEntry& entry : *list) strides.push_back(base::dense_strides(entry.shape));
  }
  return strides;
}

}  // namespace

Executable::Executable(const Library& library, gn_backend* backend, gn_executable* handle,
                       const Signature& signature, const std::vector<void*>& argument_data,
                       device::TensorDevice& device)
    : library_(library),
      backend_(backend),
      handle_(handle),
      signature_(signature),
      device_(device),
      strides_(dense_strides_of(signature)) {
  const DLDevice dl_device = to_dl_device(device.name());
  for (std::size_t i = 0; i < signature.arguments.size(); ++i) {
    const SignatureEntry& entry = signature.arguments[i];
    if (entry.role == Role::kSpecialised) continue;
    auto& list = entry.role == Role::kWeight ? weights_ : inputs_;
    list.push_back(make_tensor(entry, strides_[i], argument_data[i], dl_device));
  }
  for (std::size_t i = 0; i < signature.outputs.size(); ++i) {
    auto& strides = strides_[signature.arguments.size() + i];
    outputs_.push_back(make_tensor(signature.outputs[i], strides, nullptr, dl_device));
    output_shapes_.push_back(signature.outputs[i].shape);
  }
  for (DLTensor& tensor : inputs_) input_pointers_.push_back(&tensor);
  for (DLTensor& tensor : outputs_) output_pointers_.push_back(&tensor);
}

Executable::~Executable() {
  library_.api().executable_destroy(handle_);
}

base::Status Executable::allocate_outputs() {
  for (const SignatureEntry& entry : signature_.outputs) {
    const auto count = static_cast<std::size_t>(base::num_elements(entry.shape).value_or(0));
    auto buffer = device::DeviceBuffer::allocate(device_, count * base::dtype_bytes(entry.dtype));
    if (!buffer.is_ok()) return std::move(buffer).status().add_context("memory for the outputs");
    buffers_.push_back(std::move(buffer).value());
  }
  return poison_outputs();
}

base::Status Executable::poison_outputs() {
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    GN_RETURN_IF_ERROR(buffers_[i].fill(poison_of(signature_.outputs[i].dtype)));
  }
  return base::Status::ok();
}

bool is_poison(base::DType dtype, const std::byte* data, std::size_t num_bytes) {
  const std::byte poison = poison_of(dtype);
  return num_bytes > 0 &&
         std::all_of(data, data + num_bytes, [&](std::byte byte) { return byte == poison; });
}

void Executable::prepare() {
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    outputs_[i].data = buffers_[i].data();
    outputs_[i].byte_offset = 0;
    outputs_[i].strides = strides_[signature_.arguments.size() + i].data();
  }
}

CallStatus Executable::bind() {
  std::vector<const DLTensor*> pointers;
  for (const DLTensor& tensor : weights_) pointers.push_back(&tensor);
  gn_bind_args args = {};
  args.struct_size = sizeof(args);
  args.weights = pointers.data();
  args.num_weights = pointers.size();
  CallStatus status = call_slot("bind", [&] { return library_.api().bind(handle_, &args); });
  kept_bytes_ = args.kept_bytes;
  return status;
}

CallStatus Executable::info(std::string& out) const {
  if (library_.api().info == nullptr) return {};
  gn_info info = {};
  info.struct_size = sizeof(info);
  CallStatus status =
      call_slot("info", [&] { return library_.api().info(backend_, handle_, &info); });
  if (!status.is_ok()) return status;
  if (info.text.size > kMaxInfoBytes || (info.text.data == nullptr && info.text.size > 0)) {
    return broken("plugin bug: info gave " + std::to_string(info.text.size) + " bytes, at most " +
                  std::to_string(kMaxInfoBytes) + " are taken");
  }
  out.assign(info.text.data == nullptr ? "" : info.text.data, info.text.size);
  return status;
}

CallStatus Executable::serialize(std::string& out) const {
  gn_string bytes = {};
  CallStatus status =
      call_slot("serialize", [&] { return library_.api().serialize(handle_, &bytes); });
  if (!status.is_ok()) return status;
  if (bytes.data == nullptr || bytes.size == 0) {
    return broken("plugin bug: serialize gave no bytes");
  }
  out.assign(bytes.data, bytes.size);
  return status;
}

CallStatus Executable::run(void* stream) {
  CallStatus status = run_slot(library_.api().run, stream);
  ran_ = true;
  return status;
}

CallStatus Executable::run_nothing() {
  // Volatile: the compiler must not see that nothing is called.
  decltype(gn_backend_api::run) volatile slot =
      [](gn_executable*, const gn_run_args*) -> gn_status* { return nullptr; };
  return run_slot(slot, /*stream=*/nullptr);
}

CallStatus Executable::run_slot(decltype(gn_backend_api::run) slot, void* stream) {
  gn_run_args args = {};
  args.struct_size = sizeof(args);
  args.inputs = input_pointers_.data();
  args.num_inputs = input_pointers_.size();
  args.outputs = output_pointers_.data();
  args.num_outputs = output_pointers_.size();
  args.stream = stream;
  args.rebind = ran_ ? 0 : 1;
  return call_slot("gn_backend_run", [&] { return slot(handle_, &args); });
}

bool Executable::is_at_home(std::size_t index) const {
  const DLTensor& tensor = outputs_[index];
  return tensor.data == buffers_[index].data() && tensor.byte_offset == 0 &&
         tensor.strides == strides_[signature_.arguments.size() + index].data();
}

CallStatus Executable::check_tensors(const std::vector<DLTensor>& eager_outputs) const {
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const SignatureEntry& entry = signature_.outputs[i];
    auto strides = strides_[signature_.arguments.size() + i];
    const DLTensor& moved = eager_outputs[i];
    const DLTensor& tensor = outputs_[i];
    const DLTensor made = make_tensor(entry, strides, nullptr, to_dl_device(device_.name()));
    // Of a tensor without elements eager's data may be null.
    const bool may_be_null = base::num_elements(entry.shape).value_or(1) == 0;
    const bool is_where_eager_put_it =
        (moved.data != nullptr || may_be_null) && tensor.data == moved.data &&
        tensor.byte_offset == moved.byte_offset && tensor.strides == moved.strides;
    const bool is_as_made =
        tensor.shape == made.shape && tensor.ndim == made.ndim &&
        tensor.dtype.code == made.dtype.code && tensor.dtype.bits == made.dtype.bits &&
        tensor.dtype.lanes == made.dtype.lanes &&
        tensor.device.device_type == made.device.device_type &&
        tensor.device.device_id == made.device.device_id && entry.shape == output_shapes_[i] &&
        strides == base::dense_strides(output_shapes_[i]);
    if (is_as_made && (is_at_home(i) || is_where_eager_put_it)) continue;
    return broken("plugin bug: it changed the tensor of " + describe(entry) +
                  "; it may only write to the data");
  }
  return {};
}

CallStatus Executable::check_outputs(const std::vector<DLTensor>& eager_outputs) const {
  CallStatus status = check_tensors(eager_outputs);
  for (std::size_t i = 0; i < outputs_.size() && status.is_ok(); ++i) {
    if (!is_at_home(i)) continue;
    const SignatureEntry& entry = signature_.outputs[i];
    const std::byte poison = poison_of(entry.dtype);
    auto is_unwritten = buffers_[i].holds_only(poison);
    if (!is_unwritten.is_ok()) return {FailureKind::kFailed, is_unwritten.status()};
    if (!*is_unwritten) continue;
    std::this_thread::sleep_for(kLateOutputWait);
    is_unwritten = buffers_[i].holds_only(poison);
    if (!is_unwritten.is_ok()) return {FailureKind::kFailed, is_unwritten.status()};
    if (*is_unwritten) return broken("plugin left " + describe(entry) + " unwritten");
    return broken("plugin wrote " + describe(entry) + " after gn_backend_run had returned");
  }
  return status;
}

CallStatus Executable::check_guards() const {
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    using Damage = device::DeviceBuffer::Damage;
    const auto damage = buffers_[i].damage();
    if (!damage.is_ok()) return {FailureKind::kFailed, damage.status()};
    if (*damage == Damage::kNone) continue;
    const bool before = *damage == Damage::kBefore;
    return broken("plugin wrote " + std::string(before ? "before the first" : "behind the last") +
                  " byte of " + describe(signature_.outputs[i]));
  }
  return {};
}

}  // namespace graphnet::plugin
