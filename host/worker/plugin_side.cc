// SPDX-License-Identifier: MIT
#include "worker/plugin_side.h"

#include <utility>

#include "measure/clock.h"

namespace graphnet::worker {

using plugin::CallStatus;
using plugin::FailureKind;

namespace {

CallStatus failed(base::Status status) {
  return {FailureKind::kFailed, std::move(status)};
}

plugin::Signature make_signature(const journal::Task& task, const std::string& sample,
                                 const std::vector<sample::Argument>& arguments,
                                 const std::vector<KeptOutput>& eager_outputs) {
  plugin::Signature signature;
  signature.sample = sample;
  for (const sample::Argument& argument : arguments) {
    const bool weight =
        argument.kind == graph::ParameterKind::kParameter && task.weights != "per_call";
    signature.arguments.push_back({argument.name, weight, argument.dtype, argument.shape});
  }
  for (std::size_t i = 0; i < eager_outputs.size(); ++i) {
    signature.outputs.push_back(
        {"output" + std::to_string(i), false, eager_outputs[i].dtype, eager_outputs[i].shape});
  }
  return signature;
}

}  // namespace

PluginSide::PluginSide(const journal::Task& task, const std::string& sample,
                       const std::vector<sample::Argument>& arguments,
                       const std::vector<KeptOutput>& eager_outputs, plugin::EagerService* eager,
                       plugin::OnStep on_step)
    : task_(task),
      arguments_(arguments),
      signature_(make_signature(task, sample, arguments, eager_outputs)),
      eager_(eager),
      on_step_(std::move(on_step)) {
  for (const sample::Argument& argument : arguments) {
    argument_data_.push_back(const_cast<std::byte*>(argument.bytes.data()));
  }
}

CallStatus PluginSide::open() {
  base::Status prepared = eager_->prepare();
  if (!prepared.is_ok()) return failed(std::move(prepared));
  watch_.emplace(arguments_);
  auto opened = plugin::Library::open(task_.plugin_library, on_step_);
  if (!opened.is_ok()) return failed(std::move(opened).status());
  library_.emplace(std::move(opened).value());
  const auto differs = [](const char* what, const std::string& says, const std::string& yaml) {
    return plugin::broken("plugin says its " + std::string(what) + " is '" + says +
                          "', its plugin.yaml says '" + yaml + "'");
  };
  if (library_->name() != task_.plugin_name) {
    return differs("name", library_->name(), task_.plugin_name);
  }
  if (library_->version() != task_.plugin_version) {
    return differs("version", library_->version(), task_.plugin_version);
  }
  plugin::HostSettings settings;
  settings.threads = task_.threads;
  settings.memory_limit_bytes = static_cast<std::uint64_t>(task_.memory_limit_bytes.value_or(0));
  services_ = std::make_unique<plugin::HostServices>(settings, eager_, library_->abi_minor());
  backend_ = std::make_unique<plugin::Backend>(*library_, *services_);
  on_step_("create");
  return backend_->create(task_.plugin_options);
}

CallStatus PluginSide::compile(double& compile_ns) {
  on_step_("gn_backend_compile");
  const std::int64_t start = measure::monotonic_raw_ns();
  CallStatus status = backend_->compile(signature_, argument_data_, executable_);
  compile_ns = static_cast<double>(measure::monotonic_raw_ns() - start);
  if (!status.is_ok()) return status;
  const base::Status allocated = executable_->allocate_outputs();
  if (!allocated.is_ok()) return {FailureKind::kOutOfMemory, allocated};
  return status;
}

CallStatus PluginSide::bind(double& bind_ns) {
  on_step_("bind");
  const std::int64_t start = measure::monotonic_raw_ns();
  CallStatus status = executable_->bind();
  bind_ns = static_cast<double>(measure::monotonic_raw_ns() - start);
  return status;
}

CallStatus PluginSide::measure(measure::TrialCounts counts, measure::SideDurations& durations) {
  CallStatus failure;
  measure::SideCalls side;
  side.prepare = [this] {
    executable_->prepare();
    return eager_->prepare();
  };
  side.call = [&] {
    CallStatus status = executable_->run();
    if (status.is_ok()) return base::Status::ok();
    failure = std::move(status);
    return failure.status;
  };
  side.after_first = [&] {
    failure = executable_->check_outputs(eager_outputs());
    return failure.is_ok() ? keep_outputs() : failure.status;
  };
  on_step_("gn_backend_run");
  auto measured = measure::time_sequential(side, counts);
  if (measured.is_ok()) {
    durations = std::move(measured).value();
  } else if (failure.is_ok()) {
    failure = {FailureKind::kOutOfMemory, std::move(measured).status()};
  }
  return failure.is_ok() ? check_memory() : failure;
}

std::vector<DLTensor> PluginSide::eager_outputs() const {
  std::vector<DLTensor> tensors = executable_->outputs();
  std::vector<DLTensor*> pointers;
  for (DLTensor& tensor : tensors) {
    tensor.data = nullptr;
    pointers.push_back(&tensor);
  }
  eager_->describe_outputs(pointers.data(), pointers.size());
  return tensors;
}

CallStatus PluginSide::check_memory() const {
  CallStatus status = executable_->check_guards();
  if (!status.is_ok()) return status;
  // What the program itself writes to is put back first.
  base::Status prepared = eager_->prepare();
  if (!prepared.is_ok()) return failed(std::move(prepared));
  base::Status untouched = watch_->check();
  if (untouched.is_ok()) return status;
  return {FailureKind::kBroken, std::move(untouched)};
}

base::Status PluginSide::keep_outputs() {
  for (std::size_t i = 0; i < signature_.outputs.size(); ++i) {
    const plugin::SignatureEntry& entry = signature_.outputs[i];
    GN_ASSIGN_OR_RETURN(KeptOutput kept, allocate_output(entry.dtype, entry.shape));
    copy_dense(executable_->outputs()[i], kept.bytes.data());
    kept_.push_back(std::move(kept));
  }
  return base::Status::ok();
}

}  // namespace graphnet::worker
