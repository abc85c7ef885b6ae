// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/device_name.h"
#include "base/dtype.h"
#include "base/result.h"
#include "graph/call_list.h"
#include "graph/graph.h"
#include "graph/program.h"

namespace graphnet::eager {

/// An argument of forward(), borrowed for the life of the engine.
///
/// shapes   data: [prod(shape)] elements, dense row-major
struct EngineArgument {
  base::DType dtype = base::DType::kFloat32;
  std::vector<std::int64_t> shape;
  void* data = nullptr;
  std::size_t draw_rank = 0;              ///< position in the order of draws
  bool consumes_torch_generator = false;  ///< see sample/arguments.h
  bool needs_torch_normals = false;
  /// The same elements on the engine's device, borrowed; null: `data` is there, or is copied there.
  void* on_device = nullptr;
};

/// Note of a program that draws random numbers; see Engine::notes().
inline constexpr const char* kNoteRandom = "draws random numbers";

/// An output of the last run, owned by the engine until the next run.
struct EngineOutput {
  base::DType dtype = base::DType::kFloat32;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;  ///< in elements; eager outputs need not be dense
  void* data = nullptr;               ///< on the engine's device
};

/// Runs a program with libtorch, as PyTorch eager would, without Python.
///
/// The first run resolves spellings, overloads and argument types while it executes; later runs
/// repeat the same operator calls. One thread at a time. The number of threads is libtorch's
/// (OMP_NUM_THREADS at process start).
class Engine {
 public:
  ~Engine();

  /// Lists every call spelling of the program that no run could execute, with its first position.
  ///
  /// errors   kUnsupported, one sentence naming all of them; nothing is executed
  static base::Status check(const graph::Program& program);

  /// Does the part of input generation that needs torch's own generator: brings the generator to
  /// the state in which upstream leaves it, and replaces non-finite elements by 0.01 x its normals.
  /// Does nothing for programs and arguments that do not depend on it.
  ///
  /// source   GraphNet bench, input generation: seed 123, then randn_like for every floating tensor
  /// without
  ///          literal, in the order of draws
  static base::Status finish_arguments(const graph::Program& program,
                                       const std::vector<EngineArgument>& arguments,
                                       std::uint32_t seed);

  /// On a CUDA device, which needs load_cuda() (cuda_library.h) first, arguments without
  /// `on_device` are copied there once, now: input generation ends on the host, so that they are
  /// the same everywhere. Its generator is put into the state in which upstream leaves it.
  ///
  /// shapes   arguments: one per parameter, in signature order
  /// errors   kUnsupported as check(); kEnvironment if the device cannot be used
  static base::Result<std::unique_ptr<Engine>> create(const graph::Program& program,
                                                      const std::vector<EngineArgument>& arguments,
                                                      base::DeviceName device = {},
                                                      std::uint32_t seed = 0);

  /// Puts generator and written arguments back to their state before the first run. Belongs before
  /// every run that is compared; outside every clock.
  base::Status prepare();
  /// False if prepare() has nothing to do: the program neither draws nor writes to arguments. True
  /// before the first run.
  bool needs_prepare() const;

  /// One call of forward(); outputs() then hold its results, as values in memory: what libtorch
  /// would leave for later (the sign of conj() and of imag() behind it) is part of the call, as it
  /// is of a plugin's.
  ///
  /// errors   kUnsupported, kInput or kEnvironment with the position in model.py; outputs are empty
  base::Status run();

  /// Waits for the device, which run() does not; nothing to do on the CPU.
  base::Status wait();

  const std::vector<EngineOutput>& outputs() const;

  /// Copies output `index` to dense row-major memory of its size.
  base::Status copy_output(std::size_t index, void* destination) const;

  /// Operator calls per run; 0 before the first.
  std::size_t num_operator_calls() const;
  /// Arguments whose content must stay as it was in the first run, after it: the host read values
  /// that depend on them (`.item()`, a SymInt, a bound of a slice, the number of true elements of a
  /// mask), or the program writes to them.
  ///
  /// shapes   one per argument, in signature order
  const std::vector<bool>& pinned_arguments() const;
  /// The program of the first run in normal form, made anew on each call (milliseconds).
  ///
  /// shapes   is_weight: one per argument, in signature order
  /// errors   kUnsupported with the reason if it has none: shapes that depend on data, a write that
  ///          has no functional form; kInternal before the first run
  base::Result<graph::Graph> normal_form(const std::vector<bool>& is_weight) const;
  /// The calls of the first run, writes included: what normal_form() starts from.
  ///
  /// errors   kUnsupported for what a graph cannot hold; kInternal before the first run
  base::Result<graph::CallList> call_list(const std::vector<bool>& is_weight) const;
  /// What a reader of the record should know of this program, one sentence each, after the first
  /// run: it draws random numbers, it writes to its arguments, upstream refuses it.
  const std::vector<std::string>& notes() const;

 private:
  struct State;
  explicit Engine(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// "2.11.0", "AVX512" and threads, for records.
struct EngineVersion {
  std::string torch_version;
  std::string cpu_capability;
  int threads = 0;
};
EngineVersion engine_version();

}  // namespace graphnet::eager
