// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/aligned_buffer.h"
#include "base/result.h"
#include "sample/arguments.h"
#include "sample/tensor_meta.h"

namespace graphnet::sample {

/// True for arguments that belong to the module and not to a call: Parameters, buffers, module
/// attributes and globals, by annotation and name.
///
/// source   names that torch's tracer gives: L_self_modules_..., L_instance_..., ..._buffers_...,
///          g_...; all 2,495 samples
bool is_module_state(graph::ParameterKind kind, const std::string& name);

/// An argument whose content may be another than the generated one.
struct VariableArgument {
  std::size_t index = 0;  ///< in signature order
  /// Its elements may be permuted and nothing else: a `data` literal may be a table or a list of
  /// identifiers.
  bool permute_only = false;
  /// Integers are drawn evenly between these, both included; nothing: they are not drawn so.
  std::optional<std::pair<std::int64_t, std::int64_t>> bounds = std::nullopt;
};

/// Which arguments may vary: those of a call that are no SymInt, not empty and not pinned.
///
/// shapes   pinned: one per argument, from eager::Engine::pinned_arguments(): the host read values
///          that depend on it, or the program writes to it
std::vector<VariableArgument> variable_arguments(const std::vector<TensorMeta>& metas,
                                                 const std::vector<Argument>& arguments,
                                                 const std::vector<bool>& pinned);

/// Content to check a plugin with besides the generated one. Integers stay inside their recorded
/// bounds and bools are kept as many: both are permuted where floats become something else.
enum class Content : std::uint8_t {
  /// Drawn anew from the recorded distributions. Only the variable arguments are, one after the
  /// other, so that these are not the inputs that upstream generates with that seed.
  kOtherSeed,
  kZeros,
  kLarge,  ///< times 1000, or what keeps the largest below half of the finite range
  kTiny,   ///< times 0.001
  kNegated,
  kPermuted,
};

/// Moves about half of the floats, which ones follows from `seed`, by 2^`bit` units in the last
/// place. What is smaller than twice that, infinite or NaN stays. The same call again puts them
/// back, to the bit.
void flip_bits(Argument& argument, std::uint32_t seed, unsigned bit);

/// Puts other content into the buffers of arguments, in place, and the generated content back. The
/// same content and seed give the same bytes.
class ContentVariants {
 public:
  /// Copies the present content of the variable arguments. `metas` and `arguments` are borrowed.
  ///
  /// errors   kEnvironment without memory
  static base::Result<ContentVariants> create(const std::vector<TensorMeta>& metas,
                                              std::vector<Argument>& arguments,
                                              const std::vector<bool>& pinned);

  const std::vector<VariableArgument>& variable() const { return variable_; }

  /// Fills the variable arguments, starting from the generated content. False if no byte differs
  /// from it, so that there is nothing to check.
  ///
  /// errors   as generate_arguments(), for kOtherSeed; the content is the generated one then
  base::Result<bool> apply(Content content, std::uint32_t seed);

  /// Puts the generated content back.
  void restore();

 private:
  ContentVariants(const std::vector<TensorMeta>& metas, std::vector<Argument>& arguments)
      : metas_(&metas), arguments_(&arguments) {}
  Argument& argument(std::size_t i) { return (*arguments_)[variable_[i].index]; }
  base::Status draw(std::uint32_t seed);
  void distort(Content content, std::uint32_t seed);
  bool differs() const;

  const std::vector<TensorMeta>* metas_;
  std::vector<Argument>* arguments_;
  std::vector<VariableArgument> variable_;
  std::vector<base::AlignedBuffer> generated_;  // of `variable_`
};

}  // namespace graphnet::sample
