// SPDX-License-Identifier: MIT
#include "model.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "artifact/temporary_folder.h"
#include "graphnet/failure.h"

namespace graphnet::inductor {

namespace {

constexpr int kClockedCalls = 8;

[[noreturn]] void refuse_model(const std::string& reason) {
  throw Failure(GN_STATUS_INVALID_ARGUMENT, "compiled code " + reason);
}

template <typename Function>
void find(void* library, const std::string& name, Function& function) {
  function =
      reinterpret_cast<Function>(::dlsym(library, ("AOTInductorModelContainer" + name).c_str()));
  if (function == nullptr) refuse_model("has no function AOTInductorModelContainer" + name);
}

ModelFunctions find_functions(void* library) {
  ModelFunctions found = {};
  find(library, "CreateWithDevice", found.create);
  find(library, "Delete", found.destroy);
  find(library, "RunSingleThreaded", found.run);
  find(library, "GetNumInputs", found.num_inputs);
  find(library, "GetNumOutputs", found.num_outputs);
  find(library, "GetNumConstants", found.num_constants);
  find(library, "GetConstantName", found.constant_name);
  find(library, "GetConstantOriginalFQN", found.attribute_name);
  find(library, "UpdateUserManagedConstantBufferPairs", found.update);
  return found;
}

std::size_t bytes_of(const DLTensor& tensor) {
  std::size_t bytes = tensor.dtype.bits / 8U;
  for (int d = 0; d < tensor.ndim; ++d) bytes *= static_cast<std::size_t>(tensor.shape[d]);
  return bytes;
}

/// A tensor over elements of a package.
TensorHandle borrow_constant(const Package::Constant& constant, const std::string& data) {
  std::vector<std::int64_t> shape = constant.shape;
  std::vector<std::int64_t> strides(shape.size());
  std::int64_t stride = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= std::max<std::int64_t>(shape[d], 1);
  }
  DLTensor tensor = {};
  tensor.data = const_cast<char*>(data.data() + constant.offset);
  tensor.ndim = static_cast<std::int32_t>(shape.size());
  tensor.dtype = constant.dtype;
  tensor.shape = shape.data();
  tensor.strides = strides.data();
  return borrow(tensor);
}

}  // namespace

Model::Model(Package package) : package_(std::move(package)), extern_calls_(package_.calls) {
  open_library();
  std::size_t num_inputs = 0;
  std::size_t num_outputs = 0;
  if (functions_.create(&container_, 1, "cpu", nullptr) != 0 ||
      functions_.num_inputs(container_, &num_inputs) != 0 ||
      functions_.num_outputs(container_, &num_outputs) != 0) {
    refuse_model("cannot be set up");
  }
  if (num_inputs != package_.arguments.size()) {
    refuse_model("takes " + std::to_string(num_inputs) + " arguments, not " +
                 std::to_string(package_.arguments.size()));
  }
  inputs_.resize(num_inputs);
  outputs_.resize(num_outputs);
  name_constants();
}

Model::~Model() {
  if (container_ != nullptr) functions_.destroy(container_);
  // The library stays mapped: OpenMP's threads may still be in it.
}

// The file is gone when this returns, the code stays mapped.
void Model::open_library() {
  const artifact::TemporaryFolder folder("inductor");
  const std::string file = folder.file("model.so");
  artifact::write_bytes(file, package_.library);
  library_ = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) refuse_model("cannot be loaded: " + std::string(::dlerror()));
  functions_ = find_functions(library_);
}

void Model::name_constants() {
  std::size_t count = 0;
  functions_.num_constants(container_, &count);
  for (std::size_t i = 0; i < count; ++i) {
    const char* name = nullptr;
    functions_.constant_name(container_, i, &name);
    if (package_.is_frozen) {
      if (std::string_view(name).rfind("_frozen_param", 0) == 0) ++num_frozen_;
      continue;
    }
    const char* attribute = nullptr;
    functions_.attribute_name(container_, i, &attribute);
    constant_names_.push_back(name);
    attributes_.emplace_back(attribute);
  }
}

void Model::bind(const gn_bind_args& args) {
  std::vector<TensorHandle> given;
  std::vector<ModelFunctions::NamedConstant> named;
  for (std::size_t i = 0; i < attributes_.size(); ++i) {
    const std::string& attribute = attributes_[i];
    const auto constant =
        std::find_if(package_.constants.begin(), package_.constants.end(),
                     [&](const Package::Constant& each) { return each.name == attribute; });
    if (constant != package_.constants.end()) {
      given.push_back(borrow_constant(*constant, package_.data));
    } else {
      const std::size_t position = attribute[0] == 'w' ? std::stoul(attribute.substr(1)) : ~0UL;
      if (position >= args.num_weights) {
        throw Failure(GN_STATUS_INTERNAL, "compiled code reads an attribute '" + attribute + "'");
      }
      given.push_back(borrow(*args.weights[position]));
    }
    named.push_back({constant_names_[i], given.back().get()});
  }
  if (!named.empty() &&
      functions_.update(container_, named.data(), named.size(), false, true) != 0) {
    throw Failure(GN_STATUS_RUNTIME_FAILED, "compiled code does not take the weights");
  }
  given_.swap(given);
  weights_.assign(args.weights, args.weights + args.num_weights);
}

void Model::run(const gn_run_args& args) {
  if (args.num_outputs != outputs_.size()) {
    throw Failure(GN_STATUS_INTERNAL, "compiled code gives " + std::to_string(outputs_.size()) +
                                          " outputs, not " + std::to_string(args.num_outputs));
  }
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const Argument& argument = package_.arguments[i];
    const DLTensor& tensor =
        argument.is_weight ? *weights_[argument.position] : *args.inputs[argument.position];
    inputs_[i] = borrow(tensor).release();
  }
  if (clocked_calls_ == kClockedCalls) {
    call();
    copy_outputs(args);
    return;
  }
  ++clocked_calls_;
  const auto started = std::chrono::steady_clock::now();
  call();
  const auto called = std::chrono::steady_clock::now();
  copy_outputs(args);
  const auto copied = std::chrono::steady_clock::now();
  in_calls_ += copied - started;
  in_copies_ += copied - called;
}

// Takes the inputs' handles, whatever becomes of the call.
void Model::call() {
  const std::int32_t failed =
      functions_.run(container_, inputs_.data(), inputs_.size(), outputs_.data(), outputs_.size(),
                     nullptr, &extern_calls_);
  if (failed != 0) {
    throw Failure(GN_STATUS_RUNTIME_FAILED, "compiled code failed; it printed the reason");
  }
}

void Model::copy_outputs(const gn_run_args& args) const {
  // A value that is returned twice is one object.
  std::vector<TensorHandle> made;
  made.reserve(outputs_.size());
  for (auto output = outputs_.begin(); output != outputs_.end(); ++output) {
    if (std::find(outputs_.begin(), output, *output) == output) made.emplace_back(*output);
  }
  for (std::size_t i = 0; i < outputs_.size(); ++i) copy_output(outputs_[i], *args.outputs[i]);
}

double Model::copy_share() const {
  if (in_calls_.count() == 0) return -1;
  return static_cast<double>(in_copies_.count()) / static_cast<double>(in_calls_.count());
}

// Inductor allocates its outputs: one may be a view, an input, or have other strides.
void Model::copy_output(Tensor from, const DLTensor& to) const {
  const Shim& torch = shim();
  const std::size_t bytes = bytes_of(to);
  std::int64_t numel = 0;
  bool is_dense = false;
  torch.get_numel(from, &numel);
  torch.is_contiguous(from, &is_dense);
  if (static_cast<std::size_t>(numel) * (to.dtype.bits / 8U) != bytes) {
    throw Failure(GN_STATUS_RUNTIME_FAILED, "an output of the compiled code has another size");
  }
  if (bytes == 0) return;
  if (is_dense) {
    void* data = nullptr;
    torch.get_data_ptr(from, &data);
    std::memcpy(static_cast<char*>(to.data) + to.byte_offset, data, bytes);
  } else if (torch.copy(borrow(to).get(), from, 0) != 0) {
    throw Failure(GN_STATUS_RUNTIME_FAILED, "an output of the compiled code cannot be copied");
  }
}

}  // namespace graphnet::inductor
