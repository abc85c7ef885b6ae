// SPDX-License-Identifier: MIT
//
// A plugin that does one thing wrong, chosen by -DFAULT=<fault>; everything else is right: it runs
// the graph through the eager service and writes the results to the host's outputs. Built once for
// each fault (CMakeLists.txt), run by fault_zoo_test.cc.
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "graphnet/plugin.h"

#define ZOO_TEXT_OF(word) #word
#define ZOO_TEXT(word) ZOO_TEXT_OF(word)

struct gn_backend {
  const gn_host_api* host = nullptr;
};

struct gn_executable {
  const gn_host_api* host = nullptr;
  gn_eager_executable* program = nullptr;
  std::vector<void*> weights;
  bool has_relu = false;
  bool has_memory = true;
};

namespace {

enum Fault {
  healthy,
  missing_query,
  missing_compile,
  missing_run,
  wrong_major,
  future_minor,
  refuses_host,
  crash_in_constructor,
  crash_in_query,
  crash_in_compile,
  crash_in_run,
  abort_in_run,
  throw_in_compile,
  exit_in_compile,
  exit_in_run,
  hang_in_compile,
  hang_in_run,
  writes_behind,
  writes_before,
  writes_weights,
  writes_inputs,
  unwritten,
  partly_written,
  moves_output,
  zeros,
  not_a_number,
  slightly_wrong,
  wrong_relu,
  missing_dependency,
  undefined_symbol,
  floods_output,
  closes_files,
  closes_all_files,
  leaves_child,
  leaves_daemon,
  eats_memory,
  eats_memory_malloc,
  swallows_crash,
  unsupported_nodes,
  small_table,
  empty_slot,
  other_slot,
  other_name,
  other_version,
  keeps_denormals,
  waits_for_cancel,
  ignores_cancel,
  compiles_when_asked,
  refuses_late,
  other_artifact,
  long_info,
  ignores_no_memory,
};
constexpr Fault kFault = FAULT;

void crash() {
  void* nowhere = ::mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  *static_cast<volatile int*>(nowhere) = 1;
}

[[noreturn]] void hang() {
  while (true) ::pause();
}

// What a plugin puts away when it is cancelled shows in what it prints.
gn_status* wait_for_cancel(const gn_host_api* host) {
  while (host->cancelled(host->host) == 0) ::usleep(1000);
  if (kFault == ignores_cancel) hang();
  return graphnet::fail(host, GN_STATUS_COMPILE_FAILED, "cancelled");
}

struct AtLoad {
  AtLoad() {
    if (kFault == crash_in_constructor) crash();
  }
};
const AtLoad at_load;

// Holds the worker's pipes open and goes on for longer than any test.
void leave_child(bool in_own_session) {
  if (::fork() != 0) return;
  if (in_own_session) {
    ::setsid();
    if (::fork() != 0) ::_exit(0);
  }
  ::sleep(600);
  ::_exit(0);
}

void flood() {
  const std::vector<char> line(std::size_t{1} << 20U, 'x');
  for (int i = 0; i < 1024; ++i) {
    if (::write(STDOUT_FILENO, line.data(), line.size()) < 0) return;
  }
}

void eat_memory() {
  constexpr std::size_t kChunkBytes = std::size_t{64} << 20U;
  std::vector<std::unique_ptr<char[]>> kept;
  while (true) {
    if (kFault == eats_memory) {
      kept.emplace_back(new char[kChunkBytes]);
      std::memset(kept.back().get(), 1, kChunkBytes);
    } else {
      volatile auto* chunk = static_cast<char*>(std::malloc(kChunkBytes));
      for (std::size_t i = 0; i < kChunkBytes; i += 4096) chunk[i] = 1;
    }
  }
}

void swallow_crash() {
  struct sigaction action = {};
  action.sa_handler = [](int) {};  // returns to the instruction that faulted, for ever
  ::sigaction(SIGSEGV, &action, nullptr);
  crash();
}

gn_status* create(const gn_create_args* args, gn_backend** out) {
  const graphnet::MathPolicy math = graphnet::math_policy(args->host);
  if (kFault == keeps_denormals && math.flushes_denormals) {
    return graphnet::fail(args->host, GN_STATUS_UNAVAILABLE,
                          "cannot flush subnormals; allowed are" +
                              std::string(math.allows_tf32 ? " tf32" : "") +
                              (math.allows_fast_math ? " fast_math" : ""));
  }
  auto backend = std::make_unique<gn_backend>();
  backend->host = args->host;
  *out = backend.release();
  return nullptr;
}

void destroy(gn_backend* backend) {
  delete backend;
}

bool has_relu(const gn_host_api* host, const gn_graph* graph) {
  gn_graph_body body = {};
  body.struct_size = sizeof(body);
  if (host->graph_body(host->host, graph, &body) != nullptr) return false;
  bool found = false;
  for (std::uint64_t i = 0; i < body.num_nodes; ++i) {
    const gn_string op = body.nodes[i].op;
    found = found || std::string(op.data, op.size) == "aten::relu";
  }
  return found;
}

// Every node of the graph that the host offers, with what it reads and gives.
gn_status* refuse_nodes(const gn_host_api* host, const gn_graph* graph) {
  gn_graph_body body = {};
  body.struct_size = sizeof(body);
  gn_status* status = host->graph_body(host->host, graph, &body);
  if (status != nullptr) return status;
  std::string text = std::to_string(body.num_nodes) + " nodes:";
  for (std::uint64_t i = 0; i < body.num_nodes; ++i) {
    const gn_node& node = body.nodes[i];
    text += " " + std::string(node.op.data, node.op.size) + "(";
    for (std::uint64_t a = 0; a < node.num_arguments; ++a) {
      const gn_argument& argument = node.arguments[a];
      if (argument.kind != GN_ARGUMENT_VALUE) continue;
      const gn_value& value = body.values[argument.integers[0]];
      text += value.kind == GN_VALUE_WEIGHT  ? "weight "
              : value.kind == GN_VALUE_INPUT ? "input "
                                             : "result ";
      text += std::to_string(value.index) + " ";
    }
    text += ") of rank " + std::to_string(body.values[node.results[0]].rank) + ",";
  }
  return graphnet::fail(host, GN_STATUS_UNSUPPORTED, text);
}

bool has_memory() {
  constexpr std::size_t kBytes = std::size_t{256} << 20U;
  void* const memory = std::malloc(kBytes);
  std::free(memory);
  return memory != nullptr;
}

gn_status* compile(gn_backend* backend, const gn_compile_args* args, gn_executable** out) {
  const gn_host_api* host = backend->host;
  if (kFault == crash_in_compile) crash();
  if (kFault == throw_in_compile) throw std::runtime_error("no such rewrite");
  if (kFault == exit_in_compile) std::exit(3);
  if (kFault == hang_in_compile) hang();
  if (kFault == waits_for_cancel || kFault == ignores_cancel) return wait_for_cancel(host);
  if (kFault == eats_memory || kFault == eats_memory_malloc) eat_memory();
  if (kFault == swallows_crash) swallow_crash();
  if (kFault == floods_output) flood();
  if (kFault == unsupported_nodes) return refuse_nodes(host, args->graph);
  if (kFault == refuses_late && args->check_only == 0) return refuse_nodes(host, args->graph);
  if (args->check_only != 0 && kFault != compiles_when_asked) return nullptr;
  auto executable = std::make_unique<gn_executable>();
  executable->host = host;
  executable->has_relu = kFault == wrong_relu && has_relu(host, args->graph);
  executable->has_memory = kFault != ignores_no_memory || has_memory();
  gn_status* status = host->eager_compile(host->host, args->graph, &executable->program);
  if (status == nullptr) *out = executable.release();
  return status;
}

bool are_aligned(const DLTensor* const* tensors, std::uint64_t count) {
  return std::all_of(tensors, tensors + count, [](const DLTensor* tensor) {
    return (reinterpret_cast<std::uintptr_t>(tensor->data) + tensor->byte_offset) % 256 == 0;
  });
}

gn_status* bind(gn_executable* executable, gn_bind_args* args) {
  if (!are_aligned(args->weights, args->num_weights)) {
    return graphnet::fail(executable->host, GN_STATUS_RUNTIME_FAILED, "weights are not aligned");
  }
  for (std::uint64_t i = 0; i < args->num_weights; ++i) {
    executable->weights.push_back(args->weights[i]->data);
  }
  return nullptr;
}

std::size_t num_elements(const DLTensor& tensor) {
  std::size_t count = 1;
  for (int dim = 0; dim < tensor.ndim; ++dim) count *= static_cast<std::size_t>(tensor.shape[dim]);
  return count;
}

// The right results, in the host's own buffers; every output of the sample is dense float32.
gn_status* compute(gn_executable* executable, const gn_run_args* args) {
  std::vector<DLTensor> wanted;
  for (std::uint64_t i = 0; i < args->num_outputs; ++i) wanted.push_back(*args->outputs[i]);
  gn_status* status =
      executable->host->eager_run(executable->host->host, executable->program, args);
  for (std::uint64_t i = 0; i < args->num_outputs; ++i) {
    DLTensor& tensor = *args->outputs[i];
    std::memcpy(wanted[i].data, tensor.data, num_elements(tensor) * sizeof(float));
    tensor = wanted[i];
  }
  return status;
}

// Every byte as the host had it: poison.
void forget_last_element(float* data, std::size_t count) {
  std::memset(data + count - 1, 0xFF, sizeof(float));
}

void spoil(gn_executable* executable, const gn_run_args* args) {
  DLTensor& output = *args->outputs[0];
  auto* data = static_cast<float*>(output.data);
  const std::size_t count = num_elements(output);
  static std::vector<float> elsewhere(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (kFault == zeros) data[i] = 0;
    if (kFault == not_a_number) data[i] = std::numeric_limits<float>::quiet_NaN();
    if (kFault == slightly_wrong) data[i] *= 1.01F;
    if (kFault == wrong_relu && executable->has_relu) data[i] = data[i] * 2 + 1;
  }
  if (kFault == partly_written) forget_last_element(data, count);
  if (kFault == writes_behind) data[count] = 0;
  if (kFault == writes_before) data[-1] = 0;
  if (kFault == moves_output) output.data = elsewhere.data();
  if (kFault == writes_weights) ++static_cast<char*>(executable->weights.at(0))[0];
  if (kFault == writes_inputs) ++static_cast<char*>(args->inputs[0]->data)[0];
}

void misbehave() {
  if (kFault == crash_in_run) crash();
  if (kFault == abort_in_run) std::abort();
  if (kFault == exit_in_run) ::_exit(0);
  if (kFault == hang_in_run) {
    ::signal(SIGTERM, SIG_IGN);
    hang();
  }
  if (kFault == leaves_child || kFault == leaves_daemon) leave_child(kFault == leaves_daemon);
  if (kFault == closes_files) {
    for (int fd = 0; fd < 256; ++fd) ::close(fd);
  }
  if (kFault == closes_all_files) ::syscall(SYS_close_range, 3U, ~0U, 0U);
}

gn_status* run(gn_executable* executable, const gn_run_args* args) {
  misbehave();
  if (kFault == unwritten || !executable->has_memory) return nullptr;
  if (!are_aligned(args->inputs, args->num_inputs) ||
      !are_aligned(args->outputs, args->num_outputs)) {
    return graphnet::fail(executable->host, GN_STATUS_RUNTIME_FAILED, "memory is not aligned");
  }
  if (executable->program == nullptr) {
    std::memset(args->outputs[0]->data, 0, num_elements(*args->outputs[0]) * sizeof(float));
    return nullptr;
  }
  gn_status* status = compute(executable, args);
  if (status == nullptr) spoil(executable, args);
  return status;
}

gn_status* run_of_another_build(gn_executable* executable, const gn_run_args* args) {
  return run(executable, args);
}

void executable_destroy(gn_executable* executable) {
  delete executable;
}

gn_status* info(gn_backend*, gn_executable*, gn_info* out) {
  static const std::string text(std::size_t{1} << 20U, 'x');
  out->text = graphnet::to_gn(text);
  return nullptr;
}

gn_status* serialize(gn_executable*, gn_string* out) {
  *out = graphnet::to_gn("zeros");
  return nullptr;
}

gn_status* deserialize(gn_backend* backend, gn_string, gn_executable** out) {
  *out = new gn_executable{backend->host, nullptr, {}, false, true};
  return nullptr;
}

gn_backend_api table() {
  gn_backend_api api = {};
  api.struct_size = kFault == small_table ? 3 * sizeof(void*) : sizeof(api);
  api.create = kFault == empty_slot ? nullptr : create;
  api.destroy = destroy;
#ifndef ZOO_NO_COMPILE
  api.compile = gn_backend_compile;
#endif
#ifndef ZOO_NO_RUN
  api.run = kFault == other_slot ? run_of_another_build : gn_backend_run;
#endif
  api.bind = bind;
  api.executable_destroy = executable_destroy;
  if (kFault == long_info) api.info = info;
  if (kFault == other_artifact) {
    api.serialize = serialize;
    api.deserialize = deserialize;
  }
  return api;
}

std::int32_t query(const gn_query_in* in, gn_query_out* out) {
  static const gn_backend_api api = table();
  if (kFault == crash_in_query) crash();
  const char* name = kFault == other_name ? "someone_else" : ZOO_TEXT(FAULT);
  const char* version = kFault == other_version ? "7.0.0" : "0.1.0";
  const std::int32_t refused = graphnet::answer_query(in, out, name, version, &api);
  if (kFault == wrong_major) out->abi_major = 9;
  if (kFault == future_minor) out->abi_minor = 7;
  if (kFault == refuses_host) {
    std::strncpy(out->error, "needs a full moon", sizeof(out->error) - 1);
    return 1;
  }
  return refused;
}

}  // namespace

#ifdef ZOO_UNDEFINED
extern "C" void gn_host_secret();
#endif
#ifdef ZOO_ABSENT
extern "C" int gn_zoo_absent_one();
extern "C" int gn_zoo_absent_two();
#endif

// A forgotten extern "C" in place of the symbol that is missing.
namespace zoo {
#ifdef ZOO_NO_QUERY
GN_EXPORT std::int32_t gn_plugin_query(const gn_query_in* in, gn_query_out* out) {
  return query(in, out);
}
#endif
#ifdef ZOO_NO_COMPILE
GN_EXPORT gn_status* gn_backend_compile(gn_backend* backend, const gn_compile_args* args,
                                        gn_executable** out) {
  return compile(backend, args, out);
}
#endif
#ifdef ZOO_NO_RUN
GN_EXPORT gn_status* gn_backend_run(gn_executable* executable, const gn_run_args* args) {
  return run(executable, args);
}
#endif
}  // namespace zoo

#ifndef ZOO_NO_QUERY
std::int32_t gn_plugin_query(const gn_query_in* in, gn_query_out* out) {
  return query(in, out);
}
#endif

#ifndef ZOO_NO_COMPILE
gn_status* gn_backend_compile(gn_backend* backend, const gn_compile_args* args,
                              gn_executable** out) {
#ifdef ZOO_UNDEFINED
  gn_host_secret();
#endif
#ifdef ZOO_ABSENT
  if (gn_zoo_absent_one() + gn_zoo_absent_two() != 0) return nullptr;
#endif
  return compile(backend, args, out);
}
#endif

#ifndef ZOO_NO_RUN
gn_status* gn_backend_run(gn_executable* executable, const gn_run_args* args) {
  return run(executable, args);
}
#endif
