// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace graphnet::tensorrt {

/// How the made-up TensorRT (fake_runtime.cc) behaves, and what it was told.
struct FakeRuntime {
  bool fails_to_build = false;
  bool fails_to_load = false;
  bool fails_to_run = false;
  bool forgets_a_weight = false;   ///< asks for one weight more than it is given
  bool forgets_names = false;      ///< and does not say which
  bool grumbles = false;           ///< logs an error in a build that succeeds
  int caches_refused = 0;          ///< timing caches that it does not take
  std::vector<std::string> flags;  ///< "set 6", "clear 4"
  bool has_context = true;
  const char* device = "Imaginary 9";  ///< of compute capability 8.9, with 58 multiprocessors
  std::vector<void*> streams;          ///< of enqueued calls
  const char* inspection = "{\"Layers\": [], \"Bindings\": []}";  ///< null: no inspector
  int open_streams = 0;
  bool captures = false;  ///< its stream is being captured
  std::string loses;      ///< weights with this name, when an engine is refitted
  float adds = 0;         ///< to what an engine with weights of its own computes
  int steps = 0;          ///< of building that were asked to go on
};

using FakeRuntimeControl = FakeRuntime* (*)();  ///< exported as "fake_runtime_control"

}  // namespace graphnet::tensorrt
