// SPDX-License-Identifier: MIT
#include <algorithm>
#include <utility>

#include "plugin/backend.h"

namespace graphnet::plugin {

namespace {

DLTensor make_tensor(const SignatureEntry& entry, std::vector<std::int64_t>& strides, void* data) {
  DLTensor tensor = {};
  tensor.data = data;
  tensor.device = {kDLCPU, 0};
  tensor.ndim = static_cast<std::int32_t>(entry.shape.size());
  tensor.dtype = to_dl_type(entry.dtype);
  tensor.shape = const_cast<std::int64_t*>(entry.shape.data());
  tensor.strides = strides.data();
  return tensor;
}

std::vector<std::vector<std::int64_t>> dense_strides_of(const Signature& signature) {
  std::vector<std::vector<std::int64_t>> strides;
  for (const auto* list : {&signature.arguments, &signature.outputs}) {
    for (const SignatureEntry& entry : *list) strides.push_back(base::dense_strides(entry.shape));
  }
  return strides;
}

}  // namespace

Executable::Executable(const Library& library, gn_executable* handle, const Signature& signature,
                       const std::vector<void*>& argument_data)
    : library_(library),
      handle_(handle),
      signature_(signature),
      strides_(dense_strides_of(signature)) {
  for (std::size_t i = 0; i < signature.arguments.size(); ++i) {
    const SignatureEntry& entry = signature.arguments[i];
    auto& list = entry.is_weight ? weights_ : inputs_;
    list.push_back(make_tensor(entry, strides_[i], argument_data[i]));
  }
  for (std::size_t i = 0; i < signature.outputs.size(); ++i) {
    auto& strides = strides_[signature.arguments.size() + i];
    outputs_.push_back(make_tensor(signature.outputs[i], strides, nullptr));
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
    buffers_.push_back(base::AlignedBuffer::allocate(count * base::dtype_bytes(entry.dtype)));
    if (buffers_.back().data() == nullptr) {
      return base::Status(base::Code::kEnvironment, "not enough memory for the outputs");
    }
    // A plugin that writes nothing must not find yesterday's answer here.
    std::fill_n(buffers_.back().data(), buffers_.back().num_bytes(), std::byte{0xA5});
  }
  return base::Status::ok();
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
  CallStatus status = take_status(library_.api().bind(handle_, &args), "bind");
  kept_bytes_ = args.kept_bytes;
  return status;
}

CallStatus Executable::run() {
  gn_run_args args = {};
  args.struct_size = sizeof(args);
  args.inputs = input_pointers_.data();
  args.num_inputs = input_pointers_.size();
  args.outputs = output_pointers_.data();
  args.num_outputs = output_pointers_.size();
  args.rebind = ran_ ? 0 : 1;
  ran_ = true;
  gn_status* raw = library_.api().run(handle_, &args);
  return raw == nullptr ? CallStatus{} : take_status(raw, "gn_backend_run");
}

}  // namespace graphnet::plugin
