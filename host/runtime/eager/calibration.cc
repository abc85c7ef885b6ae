// SPDX-License-Identifier: MIT
#include "eager/calibration.h"

#include <ATen/ops/flip.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/std.h>
#include <ATen/ops/var_mean.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <string>

#include "eager/argument_tensor.h"
#include "eager/call_executor.h"
#include "eager/engine_output.h"
#include "eager/tape.h"
#include "eager/tracer.h"
#include "eager/wall.h"

namespace graphnet::eager {

namespace {

using graph::WeightRole;

// A channel of so many elements is half trusted: what sets one input apart from another must not be
// taken for what all of them have.
constexpr double kHalfTrusted = 64;
// Least variance of a channel, by the mean square of all.
constexpr double kLeastVariance = 0.01;
constexpr double kLeastDeviation = 1e-6;
constexpr double kSmallDeviation = 0.5;
constexpr double kLargeDeviation = 2;

/// Statistics of a normalisation's input, [channels] each.
struct Moments {
  at::Tensor mean;
  at::Tensor variance;
};

Moments moments_of(const at::Tensor& input) {
  const at::Tensor x = input.to(input.scalar_type() == at::kDouble ? at::kDouble : at::kFloat);
  std::vector<std::int64_t> dims;
  for (std::int64_t dim = 0; dim < x.dim(); ++dim) {
    if (dim != 1) dims.push_back(dim);
  }
  auto [variance, mean] = at::var_mean(x, dims, /*correction=*/0);
  const double found = at::mean(x.square()).item<double>();
  const double square = std::isfinite(found) && found > 0 ? found : 1;
  const double count = static_cast<double>(x.numel()) / static_cast<double>(x.size(1));
  const double trust = count / (count + kHalfTrusted);
  return {mean.mul(trust),
          variance.mul(trust).add((1 - trust) * square).clamp_min(kLeastVariance * square)};
}

/// Whether a call's result is a sum of products of its weight.
bool multiplies(const std::string& op) {
  static constexpr const char* kParts[] = {"conv", "linear", "mm", "matmul", "einsum", "mv"};
  return std::any_of(std::begin(kParts), std::end(kParts),
                     [&](const char* part) { return op.find(part) != std::string::npos; });
}

class CalibratingExecutor final : public CallExecutor {
 public:
  CalibratingExecutor(std::vector<at::Tensor>& arguments, const std::vector<WeightRole>& roles)
      : arguments_(arguments),
        roles_(roles),
        is_used_(arguments.size(), false),
        is_done_(arguments.size(), false) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (roles[i] != WeightRole::kUnknown) places_.emplace(address_of(arguments[i]), i);
    }
  }

  void execute(const Overload& overload, c10::Stack& stack) override {
    set_statistics(overload, stack);
    const auto matrix = multiplies(overload.name) ? undone_matrix(overload, stack) : std::nullopt;
    if (!matrix) {
      note_uses(stack);
      overload.handle.callBoxed(&stack);
      return;
    }
    const bool was_used = is_used_[*matrix];
    const c10::Stack operands = stack;
    note_uses(stack);
    overload.handle.callBoxed(&stack);
    if (!rescale(*matrix, stack)) return;
    is_final_ = is_final_ && !was_used;
    stack = operands;
    overload.handle.callBoxed(&stack);
  }

  void reverse() {
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      const bool is_statistics =
          roles_[i] == WeightRole::kMean || roles_[i] == WeightRole::kVariance;
      if (roles_[i] == WeightRole::kUnknown || is_statistics) continue;
      std::vector<std::int64_t> dims(static_cast<std::size_t>(arguments_[i].dim()));
      std::iota(dims.begin(), dims.end(), 0);
      arguments_[i].copy_(at::flip(arguments_[i], dims));
    }
    is_final_ = false;
  }

  bool is_final() const { return is_final_; }

 private:
  static const void* address_of(const at::Tensor& tensor) {
    return tensor.has_storage() ? tensor.storage().data() : nullptr;
  }

  /// The argument whose memory a tensor has.
  std::optional<std::size_t> argument_of(const c10::IValue& value) const {
    if (!value.isTensor() || !value.toTensor().defined()) return std::nullopt;
    const auto found = places_.find(address_of(value.toTensor()));
    return found == places_.end() ? std::nullopt : std::optional<std::size_t>(found->second);
  }

  void note_uses(const c10::Stack& stack) {
    for (const c10::IValue& value : tensors_in(stack)) {
      if (const auto index = argument_of(value)) is_used_[*index] = true;
    }
  }

  static std::vector<c10::IValue> tensors_in(const c10::Stack& stack) {
    std::vector<c10::IValue> tensors;
    for (const c10::IValue& value : stack) {
      if (!value.isTensorList()) tensors.push_back(value);
      if (!value.isTensorList()) continue;
      for (const at::Tensor& item : value.toTensorVector()) tensors.emplace_back(item);
    }
    return tensors;
  }

  void set_statistics(const Overload& overload, const c10::Stack& stack) {
    std::optional<Moments> moments;
    for (std::size_t i = 0; i < stack.size(); ++i) {
      const auto index = argument_of(stack[i]);
      if (!index || is_done_[*index]) continue;
      const bool is_mean = roles_[*index] == WeightRole::kMean;
      if (!is_mean && roles_[*index] != WeightRole::kVariance) continue;
      if (overload.parameters[i].name.rfind("running_", 0) != 0) continue;
      if (writes(overload, stack, i)) continue;  // in training they are not read
      const at::Tensor& input = stack[0].toTensor();
      if (input.dim() < 2 || input.numel() == 0) continue;
      if (!moments) moments = moments_of(input);
      stack[i].toTensor().copy_(is_mean ? moments->mean : moments->variance);
      is_final_ = is_final_ && !is_used_[*index];
      is_done_[*index] = true;
    }
  }

  std::optional<std::size_t> undone_matrix(const Overload& overload, const c10::Stack& stack) {
    for (const SchemaParameter& parameter : overload.parameters) {
      if (parameter.written) return std::nullopt;  // a second call would write again
    }
    for (const c10::IValue& value : tensors_in(stack)) {
      const auto index = argument_of(value);
      if (!index || is_done_[*index] || roles_[*index] != WeightRole::kMatrix) continue;
      is_done_[*index] = true;
      return index;
    }
    return std::nullopt;
  }

  /// True if the matrix is another one now.
  bool rescale(std::size_t index, const c10::Stack& results) {
    if (results.empty() || !results[0].isTensor()) return false;
    const at::Tensor& result = results[0].toTensor();
    if (!result.is_floating_point() || result.numel() < 2) return false;
    if (result.is_alias_of(arguments_[index])) return false;  // an einsum of it alone
    const double deviation = at::std(result.to(at::kFloat), /*unbiased=*/false).item<double>();
    const bool is_usable = std::isfinite(deviation) && deviation > kLeastDeviation;
    if (!is_usable || (deviation >= kSmallDeviation && deviation <= kLargeDeviation)) return false;
    arguments_[index].mul_(1 / deviation);
    return true;
  }

  std::vector<at::Tensor>& arguments_;
  const std::vector<WeightRole>& roles_;
  std::map<const void*, std::size_t> places_;
  std::vector<bool> is_used_;  // by a call
  std::vector<bool> is_done_;
  bool is_final_ = true;
};

/// errors   TraceError
base::Result<std::vector<base::DenseTensor>> dense_outputs(const std::vector<at::Tensor>& tensors) {
  std::vector<base::DenseTensor> outputs;
  for (const at::Tensor& tensor : tensors) {
    const EngineOutput output = describe_output(tensor);
    GN_ASSIGN_OR_RETURN(base::DenseTensor copy, base::allocate_tensor(output.dtype, output.shape));
    copy_dense_output(tensor, copy.bytes.data());
    outputs.push_back(std::move(copy));
  }
  return outputs;
}

}  // namespace

base::Result<Calibration> calibrate(const graph::Program& program,
                                    const std::vector<EngineArgument>& arguments,
                                    const std::vector<WeightRole>& roles, base::DeviceName device,
                                    bool then_reverse) {
  Calibration calibration;
  base::Result<std::vector<base::DenseTensor>> outputs = std::vector<base::DenseTensor>();
  const base::Status ran = guarded([&] {
    const c10::InferenceMode inference(true);
    const DefaultTypeGuard default_type(program.default_dtype);
    std::vector<at::Tensor> tensors;
    for (const EngineArgument& argument : arguments) {
      tensors.push_back(tensor_on_device(argument, to_device(device)));
    }
    CalibratingExecutor executor(tensors, roles);
    Tracer tracer(program, tensors, &executor, to_device(device));
    outputs = dense_outputs(tracer.run());
    for (const auto& [index, original] : tracer.take_originals()) tensors[index].copy_(original);
    if (then_reverse) executor.reverse();
    calibration.is_final = executor.is_final();
  });
  GN_RETURN_IF_ERROR(ran);
  GN_ASSIGN_OR_RETURN(calibration.outputs, std::move(outputs));
  return calibration;
}

}  // namespace graphnet::eager
