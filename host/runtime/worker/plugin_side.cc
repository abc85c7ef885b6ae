// SPDX-License-Identifier: MIT
#include "worker/plugin_side.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>
#include <utility>

#include "measure/bootstrap.h"
#include "measure/clock.h"
#include "plugin/cancellation.h"
#include "worker/weights.h"

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
    const auto role =
        is_weight(argument.kind, task.weights) ? plugin::Role::kWeight : plugin::Role::kInput;
    signature.arguments.push_back({argument.name, role, argument.dtype, argument.shape});
  }
  for (std::size_t i = 0; i < eager_outputs.size(); ++i) {
    signature.outputs.push_back({"output" + std::to_string(i), plugin::Role::kOutput,
                                 eager_outputs[i].dtype, eager_outputs[i].shape});
  }
  return signature;
}

/// Median over blocks: readings of the clock take longer than such calls.
double typical_call_ns(const std::function<base::Status()>& call) {
  constexpr int kBlocks = 15;
  constexpr int kCalls = 200;
  std::vector<double> blocks;
  for (int block = 0; block < kBlocks; ++block) {
    const std::int64_t begin_ns = measure::monotonic_raw_ns();
    for (int i = 0; i < kCalls; ++i) static_cast<void>(call());
    blocks.push_back(static_cast<double>(measure::monotonic_raw_ns() - begin_ns) / kCalls);
  }
  return measure::median(std::move(blocks));
}

/// "key: value" lines as an object; a line without key is kept under "note".
base::Json read_info(const std::string& text) {
  base::Json info = base::Json::object();
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) continue;
    const std::size_t colon = line.find(": ");
    const std::string key = colon == std::string::npos ? "note" : line.substr(0, colon);
    info[key] = colon == std::string::npos ? line : line.substr(colon + 2);
  }
  return info;
}

}  // namespace

PluginSide::PluginSide(const journal::Task& task, const std::string& sample,
                       const DeviceArguments& arguments,
                       const std::vector<KeptOutput>& eager_outputs, plugin::EagerService* eager,
                       plugin::OnStep on_step)
    : task_(task),
      arguments_(arguments),
      signature_(make_signature(task, sample, arguments.host(), eager_outputs)),
      eager_(eager),
      eager_kept_(eager_outputs),
      on_step_(std::move(on_step)) {
  for (std::size_t i = 0; i < arguments.host().size(); ++i) {
    argument_data_.push_back(arguments.data(i));
    const bool is_known =
        task.weights == "frozen" && signature_.arguments[i].role == plugin::Role::kWeight;
    signature_.known.push_back(is_known ? arguments.host()[i].bytes.data() : nullptr);
  }
}

CallStatus PluginSide::open() {
  base::Status prepared = eager_->prepare();
  if (!prepared.is_ok()) return failed(std::move(prepared));
  watch_.emplace(arguments_);
  auto opened = plugin::Library::open(
      {task_.plugin_library, {task_.opened_before.begin(), task_.opened_before.end()}}, on_step_);
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
  if (!task_.dump_folder.empty()) {
    std::error_code error;
    std::filesystem::create_directories(task_.dump_folder, error);
    if (error) {
      return failed(base::Status(base::Code::kEnvironment,
                                 "cannot create '" + task_.dump_folder + "': " + error.message()));
    }
  }
  plugin::HostSettings settings;
  settings.device = device().name();
  settings.threads = task_.threads;
  settings.math = task_.math;
  settings.dump_folder = task_.dump_folder;
  settings.memory_limit_bytes = static_cast<std::uint64_t>(task_.memory_limit_bytes.value_or(0));
  services_ = std::make_unique<plugin::HostServices>(settings, eager_, library_->abi_minor());
  backend_ = std::make_unique<plugin::Backend>(*library_, *services_, device());
  on_step_("create");
  return backend_->create(task_.plugin_options);
}

std::vector<bool> PluginSide::weights() const {
  std::vector<bool> weights;
  for (const plugin::SignatureEntry& entry : signature_.arguments)
    weights.push_back(entry.role == plugin::Role::kWeight);
  return weights;
}

void PluginSide::offer_body(base::Result<graph::Graph> body) {
  if (!body.is_ok()) {
    signature_.body_missing = body.status().message();
    return;
  }
  body_ = std::move(body).value();
  body_->name = signature_.sample;
  signature_.body = &*body_;
  specialise(*body_);
  random_status_ = place_random_inputs(*body_);
}

base::Status PluginSide::place_random_inputs(const graph::Graph& body) {
  const std::size_t first = body.parameters.size() - body.num_random;
  for (std::size_t i = first; i < body.parameters.size(); ++i) {
    const graph::Value& drawn = body.value(body.parameters[i]);
    GN_ASSIGN_OR_RETURN(device::DeviceBuffer copy,
                        device::DeviceBuffer::allocate(device(), drawn.data.size()));
    GN_RETURN_IF_ERROR(device().copy_in(copy.data(), drawn.data.data(), drawn.data.size()));
    random_inputs_.push_back(std::move(copy));
    signature_.arguments.push_back({drawn.name, plugin::Role::kInput, drawn.dtype, drawn.shape});
    argument_data_.push_back(random_inputs_.back().data());
  }
  return base::Status::ok();
}

// The graph holds what the host read of these; a plugin that reads more finds a constant.
void PluginSide::specialise(const graph::Graph& body) {
  const std::set<graph::ValueId> ids(body.specialised.begin(), body.specialised.end());
  for (std::size_t i = 0; i < arguments_.host().size(); ++i) {
    if (ids.count(body.parameters[i]) == 0) continue;
    signature_.arguments[i].role = plugin::Role::kSpecialised;
    signature_.known[i] = arguments_.host()[i].bytes.data();
  }
}

CallStatus PluginSide::compile(CompileTimes& times) {
  if (!random_status_.is_ok()) return host_failure(random_status_);
  const gn_graph graph(signature_);  // before the clock: it is no work of the plugin's
  CallStatus status;
  if (task_.artifact_cache.empty() || !backend_->can_load()) {
    status = compile_graph(graph, times);
  } else {
    auto cache = ArtifactCache::open(task_.artifact_cache);
    if (!cache.is_ok()) return failed(std::move(cache).status());
    const std::string key = artifact_key(task_, signature_);
    if (!load(*cache, key, graph, times)) {
      status = compile_graph(graph, times);
      if (status.is_ok()) keep(*cache, key, times);
    }
  }
  if (!status.is_ok()) return status;
  const base::Status allocated = executable_->allocate_outputs();
  if (!allocated.is_ok()) return host_failure(allocated);
  return status;
}

CallStatus PluginSide::check() {
  const gn_graph graph(signature_);
  on_step_("gn_backend_compile");
  return backend_->check(graph);
}

CallStatus PluginSide::compile_graph(const gn_graph& graph, CompileTimes& times) {
  on_step_("gn_backend_compile");
  const plugin::Cancellation cancellation;
  const std::int64_t start = measure::monotonic_raw_ns();
  CallStatus status = backend_->compile(graph, argument_data_, executable_);
  times.compile_ns = static_cast<double>(measure::monotonic_raw_ns() - start);
  if (cancellation.is_requested()) end_cancelled();
  return status;
}

// An artifact that the plugin refuses, such as one of another compiler's release, is made anew.
bool PluginSide::load(const ArtifactCache& cache, const std::string& key, const gn_graph& graph,
                      CompileTimes& times) {
  const std::optional<std::string> bytes = cache.find(key);
  if (!bytes) return false;
  on_step_("deserialize");
  const std::int64_t start = measure::monotonic_raw_ns();
  const CallStatus status = backend_->load(graph, *bytes, argument_data_, executable_);
  const auto load_ns = static_cast<double>(measure::monotonic_raw_ns() - start);
  if (status.is_ok()) times.load_ns = load_ns;
  if (!status.is_ok()) times.note = "artifact not loaded: " + status.status.message();
  return status.is_ok();
}

void PluginSide::keep(const ArtifactCache& cache, const std::string& key, CompileTimes& times) {
  on_step_("serialize");
  std::string bytes;
  base::Status kept = executable_->serialize(bytes).status;
  if (kept.is_ok()) kept = cache.keep(key, bytes);
  if (!kept.is_ok()) times.note = "artifact not stored: " + kept.message();
}

// The supervisor has given up on this task, so nobody reads a record of it. What the plugin has
// outside this process, such as files and helpers, is its own to put away.
void PluginSide::end_cancelled() {
  executable_.reset();
  first_executable_.reset();
  backend_.reset();
  plugin::Cancellation::end_process();
}

CallStatus PluginSide::bind(double& bind_ns) {
  on_step_("bind");
  const std::int64_t start = measure::monotonic_raw_ns();
  CallStatus status = executable_->bind();
  bind_ns = static_cast<double>(measure::monotonic_raw_ns() - start);
  return status;
}

CallStatus PluginSide::compile_second(CompileTimes& times) {
  // The last call was the first executable's, and so are the outputs that it may have moved.
  if (!check_tensors().is_ok()) return failure_;
  first_executable_ = std::move(executable_);
  CallStatus status = compile(times);
  if (!status.is_ok()) executable_ = std::move(first_executable_);
  return status;
}

base::Status PluginSide::take_first_back() {
  base::Status last_call = check_tensors();
  executable_ = std::move(first_executable_);
  return last_call;
}

CallStatus PluginSide::describe(base::Json& info) {
  on_step_("info");
  std::string text;
  CallStatus status = executable_->info(text);
  if (status.is_ok()) info = read_info(text);
  return status;
}

measure::SideCalls PluginSide::timed_at_place(std::function<base::Status()> call) {
  measure::SideCalls side;
  side.prepare = [this] { return prepare_call(); };
  side.call = std::move(call);
  if (device().is_host()) return side;
  side.call = [this, call = std::move(side.call)] {
    base::Status status = device().run(call);
    // What went wrong on the device is the plugin's doing.
    if (!status.is_ok() && failure_.is_ok()) failure_ = {FailureKind::kFailed, status};
    return status;
  };
  side.event_ns = [this] {
    base::Result<double> span = device().last_span_ns();
    if (!span.is_ok() && failure_.is_ok()) failure_ = {FailureKind::kFailed, span.status()};
    return span;
  };
  return side;
}

measure::SideCalls PluginSide::plugin_calls() {
  measure::SideCalls side = timed_at_place([this] {
    ++num_runs_;
    return status_of(executable_->run());
  });
  side.after_first = [this] { return keep_first_outputs(); };
  return side;
}

base::Status PluginSide::status_of(CallStatus status) {
  if (status.is_ok()) return base::Status::ok();
  failure_ = std::move(status);
  return failure_.status;
}

double PluginSide::abi_call_ns() {
  const double through_abi_ns =
      typical_call_ns([this] { return status_of(executable_->run_nothing()); });
  return std::max(0.0, through_abi_ns - typical_call_ns([] { return base::Status::ok(); }));
}

measure::SideCalls PluginSide::calls() {
  if (!captured_) return plugin_calls();
  return timed_at_place([this] {
    ++num_runs_;
    return captured_->launch();
  });
}

CallStatus PluginSide::why_not_captured(const base::Status& status) const {
  if (status.code() == base::Code::kUnsupported) return {FailureKind::kUnsupported, status};
  const base::Status named = base::Status(status).add_context(
      "capturing gn_backend_run of plugin '" + task_.plugin_name + "'");
  const bool is_its_doing = status.code() == base::Code::kPlugin;
  return {is_its_doing ? FailureKind::kBroken : FailureKind::kFailed, named};
}

CallStatus PluginSide::capture(double& capture_ns) {
  constexpr const char* kUsesEager =
      "a plugin that calls the host's eager service cannot be replayed: a captured graph does not "
      "hold the memory of libtorch's operators";
  if (eager_runs() > 0) {
    return {FailureKind::kUnsupported, base::Status(base::Code::kUnsupported, kUsesEager)};
  }
  base::Status ready = eager_->prepare();
  // What a launch leaves out shows.
  if (ready.is_ok()) ready = prepare_outputs();
  if (ready.is_ok()) ready = device().wait();
  if (!ready.is_ok()) return failed(std::move(ready));
  CallStatus called;
  const std::int64_t start = measure::monotonic_raw_ns();
  auto captured = device().capture([&](void* stream) {
    called = executable_->run(stream);
    return called.status;
  });
  capture_ns = static_cast<double>(measure::monotonic_raw_ns() - start);
  if (!called.is_ok()) return {called.kind, captured.status()};
  if (!captured.is_ok()) return why_not_captured(captured.status());
  if (eager_runs() > 0) return plugin::broken(kUsesEager);
  captured_.emplace(std::move(captured).value());
  return {};
}

CallStatus PluginSide::measure(measure::TrialCounts counts, measure::SideDurations& durations) {
  on_step_("gn_backend_run");
  auto measured = measure::time_sequential(calls(), counts);
  if (!measured.is_ok()) return failure_of(std::move(measured).status());
  durations = std::move(measured).value();
  return check_memory();
}

CallStatus PluginSide::warm_up_calls(measure::SideCalls side, const Renew& renew,
                                     const measure::PairedSettings& settings, int threads,
                                     measure::Warmup& warmup) {
  on_step_("gn_backend_run");
  side.renew = renew;
  auto measured = measure::warm_up(side, settings, measure::machine_instruments(settings, threads));
  if (!measured.is_ok()) return failure_of(std::move(measured).status());
  warmup = std::move(measured).value();
  return {};
}

CallStatus PluginSide::warm_up(const measure::PairedSettings& settings, int threads,
                               measure::Warmup& warmup, const Renew& renew) {
  return warm_up_calls(plugin_calls(), renew, settings, threads, warmup);
}

CallStatus PluginSide::warm_up_replays(const measure::PairedSettings& settings, int threads,
                                       measure::Warmup& warmup, const Renew& renew) {
  measure::SideCalls side = calls();
  side.after_first = [this] {
    failure_ = executable_->check_outputs(eager_outputs());
    return failure_.status;
  };
  return warm_up_calls(std::move(side), renew, settings, threads, warmup);
}

CallStatus PluginSide::failure_of(base::Status status) const {
  return failure_.is_ok() ? host_failure(std::move(status)) : failure_;
}

// On the host nothing but memory can be missing for what stands beside a call, or a plugin has
// closed some.
CallStatus PluginSide::host_failure(base::Status status) const {
  if (status.code() == base::Code::kPlugin) return {FailureKind::kBroken, std::move(status)};
  const bool is_memory = device().is_host() || device::is_device_memory_used_up(status);
  return {is_memory ? FailureKind::kOutOfMemory : FailureKind::kFailed, std::move(status)};
}

std::vector<DLTensor> PluginSide::eager_outputs() const {
  std::vector<DLTensor> tensors;
  // Who did not use the service has no business where its results are.
  if (eager_runs() != eager_runs_before_) tensors = services_->eager_outputs();
  tensors.resize(signature_.outputs.size(), DLTensor{});
  return tensors;
}

CallStatus PluginSide::check_memory() {
  base::Status tensors = check_tensors();
  if (!tensors.is_ok()) return failure_;
  CallStatus status = executable_->check_guards();
  if (!status.is_ok()) return status;
  // What the program itself writes to is put back first.
  base::Status prepared = eager_->prepare();
  if (!prepared.is_ok()) return failed(std::move(prepared));
  base::Status untouched = watch_->check();
  if (untouched.is_ok()) return status;
  if (untouched.code() != base::Code::kPlugin) return host_failure(std::move(untouched));
  return {FailureKind::kBroken, std::move(untouched)};
}

base::Status PluginSide::check_guards() {
  CallStatus status = executable_->check_guards();
  if (!status.is_ok()) failure_ = status;
  return status.status;
}

base::Status PluginSide::check_tensors() {
  if (checked_runs_ == num_runs_) return base::Status::ok();
  checked_runs_ = num_runs_;
  CallStatus status = executable_->check_tensors(eager_outputs());
  if (status.is_ok()) return base::Status::ok();
  if (status.kind == FailureKind::kBroken) flag_ = record::Flag::kMovedOutput;
  failure_ = std::move(status);
  return failure_.status;
}

base::Status PluginSide::keep_first_outputs() {
  GN_RETURN_IF_ERROR(check_tensors());
  failure_ = executable_->check_outputs(eager_outputs());
  return failure_.is_ok() ? copy_outputs(kept_) : failure_.status;
}

base::Status PluginSide::copy_outputs(std::vector<KeptOutput>& outputs) {
  GN_RETURN_IF_ERROR(check_tensors());
  for (std::size_t i = 0; i < signature_.outputs.size(); ++i) {
    if (outputs.size() == i) {
      const KeptOutput& like = eager_kept_[i];  // the signature's shapes are in the plugin's reach
      GN_ASSIGN_OR_RETURN(KeptOutput output, base::allocate_tensor(like.dtype, like.shape));
      outputs.push_back(std::move(output));
    }
    GN_RETURN_IF_ERROR(
        judge_read(copy_dense(device(), executable_->outputs()[i], outputs[i].bytes.data())));
  }
  return base::Status::ok();
}

base::Status PluginSide::judge_read(base::Status read) {
  if (read.code() != base::Code::kPlugin) return read;
  flag_ = record::Flag::kUntimedWork;
  failure_ = {FailureKind::kBroken, std::move(read)};
  return failure_.status;
}

base::Status PluginSide::prepare_outputs() {
  GN_RETURN_IF_ERROR(check_tensors());
  eager_runs_before_ = eager_runs();
  executable_->prepare();
  return executable_->poison_outputs();
}

base::Status PluginSide::prepare_call() {
  GN_RETURN_IF_ERROR(prepare_outputs());
  return eager_->needs_prepare() ? eager_->prepare() : device().wait();
}

bool PluginSide::is_unwritten(const std::vector<KeptOutput>& outputs) const {
  return std::any_of(outputs.begin(), outputs.end(), [](const KeptOutput& output) {
    return plugin::is_poison(output.dtype, output.bytes.data(), output.bytes.num_bytes());
  });
}

}  // namespace graphnet::worker
