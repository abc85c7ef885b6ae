// SPDX-License-Identifier: MIT
#include "conformance/plugin_session.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "base/aligned_buffer.h"
#include "conformance/element_bound.h"
#include "conformance/memory_limit.h"
#include "eager/dispatcher_library.h"
#include "eager/graph_run.h"
#include "graph/graph_text.h"
#include "graph/verify_graph.h"
#include "plugin/backend.h"
#include "verify/compare.h"
#include "worker/dense_copy.h"

namespace graphnet::conformance {

namespace {

using base::Result;
using base::Status;
using plugin::CallStatus;
using plugin::FailureKind;
using worker::KeptOutput;

// Eager results as a plugin that runs through the host sees them.
class GraphService : public plugin::EagerService {
 public:
  void use(eager::GraphRun* graph, const std::vector<void*>* arguments) {
    graph_ = graph;
    arguments_ = arguments;
  }

  Status prepare() override { return Status::ok(); }
  bool needs_prepare() const override { return false; }
  Status run() override { return graph_->run(*arguments_); }
  void describe_outputs(DLTensor* const* outputs, std::uint64_t num_outputs) override {
    const auto& results = graph_->outputs();
    const auto count = std::min<std::size_t>(results.size(), num_outputs);
    for (std::size_t i = 0; i < count; ++i) {
      outputs[i]->data = results[i].data;
      outputs[i]->byte_offset = 0;
      outputs[i]->strides = const_cast<std::int64_t*>(results[i].strides.data());
    }
  }

 private:
  eager::GraphRun* graph_ = nullptr;
  const std::vector<void*>* arguments_ = nullptr;
};

/// Elements of each parameter of a case.
using Contents = std::vector<std::vector<std::byte>>;

/// Inputs are drawn anew for each `set`; weights and what the plugin knows while it compiles are
/// those of the first one.
Contents contents_of(const Case& item, const plugin::Signature& signature, int set) {
  Contents contents;
  for (std::size_t i = 0; i < item.fills.size(); ++i) {
    const graph::Value& value = item.graph.value(item.graph.parameters[i]);
    const auto count = static_cast<std::size_t>(base::num_elements(value.shape).value_or(0));
    const bool is_input = signature.arguments[i].role == plugin::Role::kInput;
    const std::string name =
        is_input && set > 0 ? item.name + " " + std::to_string(set) : item.name;
    contents.push_back(filled(item.fills[i], value.dtype, count, seed_of(name, i)));
  }
  return contents;
}

/// Arguments of a case in memory of the host.
struct Arguments {
  Contents contents;
  std::vector<base::AlignedBuffer> buffers;
  std::vector<void*> data;

  explicit Arguments(const Contents& first) {
    for (const std::vector<std::byte>& bytes : first) {
      buffers.push_back(base::AlignedBuffer::allocate(bytes.size()));
      data.push_back(buffers.back().data());
    }
    fill(first);
  }

  void fill(const Contents& other) {
    contents = other;
    for (std::size_t i = 0; i < contents.size(); ++i) {
      std::copy(contents[i].begin(), contents[i].end(), buffers[i].data());
    }
  }

  /// Nothing if they are as they were filled, else which one is not.
  std::string changed() const {
    for (std::size_t i = 0; i < contents.size(); ++i) {
      const bool is_same =
          contents[i].empty() || std::memcmp(contents[i].data(), data[i], contents[i].size()) == 0;
      const bool is_whole = buffers[i].damage() == base::AlignedBuffer::Damage::kNone;
      if (!is_same || !is_whole) return "the plugin wrote to argument " + std::to_string(i);
    }
    return {};
  }
};

Result<std::vector<KeptOutput>> run_eager(eager::GraphRun& graph, const Case& item,
                                          const std::vector<void*>& arguments) {
  GN_RETURN_IF_ERROR(graph.run(arguments));
  std::vector<KeptOutput> outputs;
  for (std::size_t i = 0; i < graph.outputs().size(); ++i) {
    const eager::EngineOutput& given = graph.outputs()[i];
    const graph::Value& value = item.graph.value(item.graph.outputs[i]);
    if (given.dtype != value.dtype || given.shape != value.shape) {
      graph::Value real = value;
      real.dtype = given.dtype;
      real.shape = given.shape;
      return Status(base::Code::kInput, "output " + std::to_string(i) + " is " +
                                            graph::print_type(real) + ", the case says " +
                                            graph::print_type(value));
    }
    GN_ASSIGN_OR_RETURN(KeptOutput kept, base::allocate_tensor(given.dtype, given.shape));
    GN_RETURN_IF_ERROR(graph.copy_output(i, kept.bytes.data()));
    outputs.push_back(std::move(kept));
  }
  return outputs;
}

CaseResult failed(const std::string& message) {
  return {Outcome::kFailed, message};
}

CaseResult failed(const CallStatus& status) {
  const bool unsupported = status.kind == FailureKind::kUnsupported;
  return {unsupported ? Outcome::kUnsupported : Outcome::kFailed, status.status.message()};
}

CaseResult compare(const Case& item, const std::vector<KeptOutput>& expected,
                   const std::vector<KeptOutput>& found) {
  const auto comparison = verify::compare_outputs(worker::views(expected), worker::views(found));
  if (comparison.outcome != record::Outcome::kOk) {
    return failed(std::string(name_of(comparison.outcome)) + ": " + comparison.message);
  }
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const ElementBound bound = item.bound ? *item.bound : default_bound(expected[i].dtype);
    const auto message =
        beyond_bound(verify::view_of(expected[i]), verify::view_of(found[i]), bound);
    if (message) return failed("output " + std::to_string(i) + ": " + *message);
  }
  return {};
}

/// A call into the plugin with so much memory.
template <typename Call>
CallStatus with_memory(const std::optional<std::uint64_t>& memory, const Call& call) {
  const MemoryLimit limit(memory);
  return call();
}

// One call into poisoned outputs, kept.
CallStatus call(plugin::Executable& executable, GraphService& service,
                const std::optional<std::uint64_t>& memory, std::vector<KeptOutput>& outputs) {
  executable.prepare();
  const Status poisoned = executable.poison_outputs();
  if (!poisoned.is_ok()) return {plugin::FailureKind::kFailed, poisoned};
  CallStatus status = with_memory(memory, [&] { return executable.run(); });
  if (!status.is_ok()) return status;
  std::vector<DLTensor> eager = executable.outputs();
  std::vector<DLTensor*> pointers;
  for (DLTensor& tensor : eager) pointers.push_back(&tensor);
  service.describe_outputs(pointers.data(), pointers.size());
  status = executable.check_outputs(eager);
  if (!status.is_ok()) return status;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    worker::copy_dense(executable.outputs()[i], outputs[i].bytes.data());
  }
  return executable.check_guards();
}

std::vector<KeptOutput> allocate_like(const std::vector<KeptOutput>& outputs) {
  std::vector<KeptOutput> result;
  for (const KeptOutput& output : outputs) {
    auto kept = base::allocate_tensor(output.dtype, output.shape);
    if (kept.is_ok()) result.push_back(std::move(kept).value());
  }
  return result;
}

}  // namespace

/// Both sets of contents of a case, and what eager makes of them.
struct Expectation {
  std::array<Contents, 2> contents;
  std::array<std::vector<KeptOutput>, 2> outputs;
};

struct PluginSession::State {
  State(plugin::Library opened, const SessionSettings& given)
      : library(std::move(opened)),
        settings(given),
        services({}, &service, library.abi_minor()),
        backend(library, services) {}

  plugin::Library library;
  SessionSettings settings;
  GraphService service;
  plugin::HostServices services;
  plugin::Backend backend;

  CaseResult run(const Case& item, const plugin::Signature& signature, Arguments& arguments,
                 const Expectation& expected) {
    std::unique_ptr<plugin::Executable> executable;
    const gn_graph graph(signature);
    const CallStatus asked = with_memory(settings.memory, [&] { return backend.check(graph); });
    if (asked.kind == FailureKind::kBroken) return failed(asked);
    if (settings.memory && !asked.is_ok()) return ended(asked);
    CallStatus status = with_memory(
        settings.memory, [&] { return backend.compile(graph, arguments.data, executable); });
    const bool is_unsupported = status.kind == FailureKind::kUnsupported;
    if (asked.is_ok() == is_unsupported) return failed(disagreement(asked, status));
    if (!status.is_ok()) return ended(status);
    const Status allocated = executable->allocate_outputs();
    if (!allocated.is_ok()) return failed(allocated.message());
    status = with_memory(settings.memory, [&] { return executable->bind(); });
    if (!status.is_ok()) return ended(status);
    CaseResult result = run_twice(item, *executable, arguments, expected.outputs[0]);
    if (result.outcome == Outcome::kPassed && settings.artifacts && backend.can_load()) {
      result = run_loaded(graph, *executable, arguments, expected.outputs[0]);
    }
    if (result.outcome != Outcome::kPassed || !result.message.empty()) return result;
    // At the same addresses, as the host changes inputs between calls.
    arguments.fill(expected.contents[1]);
    std::vector<KeptOutput> other = allocate_like(expected.outputs[1]);
    status = call(*executable, service, settings.memory, other);
    if (!status.is_ok()) return ended(status);
    const std::string changed = arguments.changed();
    if (!changed.empty()) return failed(changed);
    result = compare(item, expected.outputs[1], other);
    if (result.outcome != Outcome::kPassed) result.message = "on other inputs: " + result.message;
    return result;
  }

 private:
  /// What a failure means: without memory, giving up is right.
  CaseResult ended(const CallStatus& status) const {
    const bool gave_up = settings.memory && status.kind != FailureKind::kUnsupported &&
                         status.kind != FailureKind::kBroken;
    return gave_up ? CaseResult{Outcome::kPassed, kGaveUp + status.status.message()}
                   : failed(status);
  }

  static std::string disagreement(const CallStatus& asked, const CallStatus& status) {
    return asked.is_ok()
               ? "check_only said that it is supported, compile: " + status.status.message()
               : "compile did what check_only said is not supported: " + asked.status.message();
  }

  /// What an executable was serialized to must do what it does.
  CaseResult run_loaded(const gn_graph& graph, const plugin::Executable& original,
                        const Arguments& arguments, const std::vector<KeptOutput>& expected) {
    std::string bytes;
    CallStatus status = original.serialize(bytes);
    if (status.kind == FailureKind::kUnsupported) return {};
    std::unique_ptr<plugin::Executable> loaded;
    if (status.is_ok()) status = backend.load(graph, bytes, arguments.data, loaded);
    if (!status.is_ok()) return failed(status);
    const Status allocated = loaded->allocate_outputs();
    if (!allocated.is_ok()) return failed(allocated.message());
    status = loaded->bind();
    if (!status.is_ok()) return failed(status);
    std::vector<KeptOutput> outputs = allocate_like(expected);
    status = call(*loaded, service, std::nullopt, outputs);
    if (!status.is_ok()) return failed(status);
    if (worker::bits_equal(outputs, first_outputs_)) return {};
    return failed("the loaded executable gives other bits");
  }

  CaseResult run_twice(const Case& item, plugin::Executable& executable, const Arguments& arguments,
                       const std::vector<KeptOutput>& expected) {
    first_outputs_ = allocate_like(expected);
    std::vector<KeptOutput> second = allocate_like(expected);
    for (std::vector<KeptOutput>* outputs : {&first_outputs_, &second}) {
      const CallStatus status = call(executable, service, settings.memory, *outputs);
      if (!status.is_ok()) return ended(status);
    }
    const std::string changed = arguments.changed();
    if (!changed.empty()) return failed(changed);
    if (!worker::bits_equal(first_outputs_, second)) {
      return failed("the second call differs from the first");
    }
    return compare(item, expected, first_outputs_);
  }

  std::vector<KeptOutput> first_outputs_;
};

PluginSession::PluginSession(std::unique_ptr<State> state) : state_(std::move(state)) {}
PluginSession::~PluginSession() = default;

Result<std::unique_ptr<PluginSession>> PluginSession::open(const std::filesystem::path& library,
                                                           const SessionSettings& settings) {
  GN_ASSIGN_OR_RETURN(plugin::Library opened,
                      plugin::Library::open({library, settings.opened_before}, [](const char*) {}));
  auto state = std::make_unique<State>(std::move(opened), settings);
  CallStatus created = state->backend.create(settings.options);
  if (!created.is_ok()) return std::move(created.status);
  return std::unique_ptr<PluginSession>(new PluginSession(std::move(state)));
}

CaseResult PluginSession::run(const Case& item) {
  const auto invalid = [](const Status& status) {
    return CaseResult{Outcome::kInvalid, status.message()};
  };
  const Status verified = graph::verify_graph(item.graph, eager::dispatcher_library());
  if (!verified.is_ok()) return invalid(verified);
  auto graph = eager::GraphRun::create(item.graph);
  if (!graph.is_ok()) return invalid(graph.status());
  const plugin::Signature signature = plugin::signature_of(item.graph);
  Expectation expected;
  expected.contents = {contents_of(item, signature, 0), contents_of(item, signature, 1)};
  Arguments arguments(expected.contents[0]);
  for (const std::size_t set : {1, 0}) {
    arguments.fill(expected.contents[set]);
    auto outputs = run_eager(**graph, item, arguments.data);
    if (!outputs.is_ok()) return invalid(outputs.status());
    expected.outputs[set] = std::move(outputs).value();
  }
  state_->service.use(graph->get(), &arguments.data);
  return state_->run(item, signature, arguments, expected);
}

}  // namespace graphnet::conformance
