// SPDX-License-Identifier: MIT
// torch.nn.functional and torch.functional: argument order, in-place switches and small Python
// logic.
//
// source   torch 2.11 nn/functional.py, functional.py, _tensor.py
#include <utility>

#include "eager/call_table.h"
#include "eager/trace_error.h"

namespace graphnet::eager {

namespace {

using Kind = Value::Kind;

Value boolean(bool value) {
  return Value::boolean(value);
}
Value number(double value) {
  return Value::from_float(value);
}
Value integer(std::int64_t value) {
  return Value::from_integer(value);
}

// An activation with an inplace switch: relu(input, inplace=False).
struct ActivationNames {
  const char* plain;
  const char* in_place;
};

Value activation(Tracer& tracer, ActivationNames names, CallArguments arguments) {
  const PythonArguments given(names.plain, {"input", "inplace"}, std::move(arguments));
  return tracer.call_with(given.get_bool("inplace", false) ? names.in_place : names.plain,
                          given["input"]);
}

Value relu(Tracer& tracer, CallArguments arguments) {
  return activation(tracer, {"aten::relu", "aten::relu_"}, std::move(arguments));
}
Value silu(Tracer& tracer, CallArguments arguments) {
  return activation(tracer, {"aten::silu", "aten::silu_"}, std::move(arguments));
}
Value mish(Tracer& tracer, CallArguments arguments) {
  return activation(tracer, {"aten::mish", "aten::mish_"}, std::move(arguments));
}
Value selu(Tracer& tracer, CallArguments arguments) {
  return activation(tracer, {"aten::selu", "aten::selu_"}, std::move(arguments));
}
Value hardswish(Tracer& tracer, CallArguments arguments) {
  return activation(tracer, {"aten::hardswish", "aten::hardswish_"}, std::move(arguments));
}
Value hardsigmoid(Tracer& tracer, CallArguments arguments) {
  return activation(tracer, {"aten::hardsigmoid", "aten::hardsigmoid_"}, std::move(arguments));
}

Value relu6(Tracer& tracer, CallArguments arguments) {
  return activation(tracer, {"aten::relu6", "aten::relu6_"}, std::move(arguments));
}

Value hardtanh(Tracer& tracer, CallArguments arguments) {
  const PythonArguments given("hardtanh", {"input", "min_val", "max_val", "inplace"},
                              std::move(arguments));
  return tracer.call_with(given.get_bool("inplace", false) ? "aten::hardtanh_" : "aten::hardtanh",
                          given["input"], given.get("min_val", number(-1.0)),
                          given.get("max_val", number(1.0)));
}

Value leaky_relu(Tracer& tracer, CallArguments arguments) {
  const PythonArguments given("leaky_relu", {"input", "negative_slope", "inplace"},
                              std::move(arguments));
  return tracer.call_with(
      given.get_bool("inplace", false) ? "aten::leaky_relu_" : "aten::leaky_relu", given["input"],
      given.get("negative_slope", number(0.01)));
}

Value elu(Tracer& tracer, CallArguments arguments) {
  const PythonArguments given("elu", {"input", "alpha", "inplace"}, std::move(arguments));
  return tracer.call_with(given.get_bool("inplace", false) ? "aten::elu_" : "aten::elu",
                          given["input"], given.get("alpha", number(1.0)));
}

Value glu(Tracer& tracer, CallArguments arguments) {
  const PythonArguments given("glu", {"input", "dim"}, std::move(arguments));
  return tracer.call_with("aten::glu", given["input"], given.get("dim", integer(-1)));
}

Value dropout_of(Tracer& tracer, const char* plain, const char* in_place, CallArguments arguments) {
  const PythonArguments given(plain, {"input", "p", "training", "inplace"}, std::move(arguments));
  return tracer.call_with(given.get_bool("inplace", false) ? in_place : plain, given["input"],
                          given.get("p", number(0.5)), given.get("training", boolean(true)));
}

Value dropout(Tracer& tracer, CallArguments arguments) {
  return dropout_of(tracer, "aten::dropout", "aten::dropout_", std::move(arguments));
}
Value feature_dropout(Tracer& tracer, CallArguments arguments) {
  return dropout_of(tracer, "aten::feature_dropout", "aten::feature_dropout_",
                    std::move(arguments));
}

Value softmax_of(Tracer& tracer, const char* operator_name, CallArguments arguments) {
  const PythonArguments given(operator_name, {"input", "dim", "_stacklevel", "dtype"},
                              std::move(arguments));
  return tracer.call_with(operator_name, given["input"], given["dim"],
                          given.get("dtype", Value::none()));
}
Value softmax(Tracer& tracer, CallArguments arguments) {
  return softmax_of(tracer, "aten::softmax", std::move(arguments));
}
Value log_softmax(Tracer& tracer, CallArguments arguments) {
  return softmax_of(tracer, "aten::log_softmax", std::move(arguments));
}

Value batch_norm(Tracer& tracer, CallArguments arguments) {
  const PythonArguments given(
      "batch_norm",
      {"input", "running_mean", "running_var", "weight", "bias", "training", "momentum", "eps"},
      std::move(arguments));
  const Value eps = given.get("eps", number(1e-5));
  const bool is_known = eps.is_number() || (eps.is_tensor() && !eps.tensor.is_meta());
  if (is_known && (eps.is_number() ? eps.as_double() : eps.read().toDouble()) <= 0) {
    tracer.notes.insert("batch_norm with eps 0: torch's Python layer, and so upstream, refuses it");
  }
  return tracer.call_with("aten::batch_norm", given["input"], given.get("weight", Value::none()),
                          given.get("bias", Value::none()), given["running_mean"],
                          given["running_var"], given.get("training", boolean(false)),
                          given.get("momentum", number(0.1)), eps, boolean(true));
}

Value instance_norm(Tracer& tracer, CallArguments arguments) {
  const PythonArguments given("instance_norm",
                              {"input", "running_mean", "running_var", "weight", "bias",
                               "use_input_stats", "momentum", "eps"},
                              std::move(arguments));
  const Value none;
  return tracer.call_with(
      "aten::instance_norm", given["input"], given.get("weight", none), given.get("bias", none),
      given.get("running_mean", none), given.get("running_var", none),
      given.get("use_input_stats", boolean(true)), given.get("momentum", number(0.1)),
      given.get("eps", number(1e-5)), boolean(true));
}

Value layer_norm(Tracer& tracer, CallArguments arguments) {
  const PythonArguments given("layer_norm", {"input", "normalized_shape", "weight", "bias", "eps"},
                              std::move(arguments));
  return tracer.call_with("aten::layer_norm", given["input"], given["normalized_shape"],
                          given.get("weight", Value::none()), given.get("bias", Value::none()),
                          given.get("eps", number(1e-5)), boolean(true));
}

Value group_norm(Tracer& tracer, CallArguments arguments) {
  const PythonArguments given("group_norm", {"input", "num_groups", "weight", "bias", "eps"},
                              std::move(arguments));
  return tracer.call_with("aten::group_norm", given["input"], given["num_groups"],
                          given.get("weight", Value::none()), given.get("bias", Value::none()),
                          given.get("eps", number(1e-5)), boolean(true));
}

// x.norm(p, dim) with p "fro" or 2: a vector norm, also for two dimensions.
Value vector_norm(Tracer& tracer, CallArguments arguments) {
  const PythonArguments given("norm", {"input", "p", "dim", "keepdim", "out", "dtype"},
                              std::move(arguments));
  const Value order = given.get("p", Value::string("fro"));
  if (order.kind == Kind::kString && order.text != "fro") fail_unsupported("norm of " + order.text);
  const Value p = order.is_number() ? order : number(2.0);
  Value dim = given.get("dim", Value::none());
  if (dim.is_integer()) dim = Value::tuple({dim});
  CallArguments norm;
  norm.positional = {given["input"], p, dim, given.get("keepdim", boolean(false))};
  norm.keywords.emplace_back("dtype", given.get("dtype", Value::none()));
  return tracer.call("aten::linalg_vector_norm", std::move(norm));
}

Value tensor_norm(Tracer& tracer, CallArguments arguments) {
  for (auto& [keyword, value] : arguments.keywords) {
    if (keyword == "self") keyword = "input";
  }
  return vector_norm(tracer, std::move(arguments));
}

Value normalize(Tracer& tracer, CallArguments arguments) {
  const PythonArguments given("normalize", {"input", "p", "dim", "eps"}, std::move(arguments));
  const Value& input = given["input"];
  CallArguments norm;
  norm.positional = {input, given.get("p", number(2.0)), given.get("dim", integer(1)),
                     boolean(true)};
  Value length = vector_norm(tracer, std::move(norm));
  length = tracer.call_with("aten::clamp_min", length, given.get("eps", number(1e-12)));
  length = tracer.call_with("aten::expand_as", length, input);
  return tracer.call_with("aten::div", input, length);
}

Value embedding(Tracer& tracer, CallArguments arguments) {
  const PythonArguments given(
      "embedding",
      {"input", "weight", "padding_idx", "max_norm", "norm_type", "scale_grad_by_freq", "sparse"},
      std::move(arguments));
  if (given.has("max_norm") && !given["max_norm"].is_none()) {
    fail_unsupported("embedding with max_norm");
  }
  const Value& weight = given["weight"];
  std::int64_t padding = -1;
  if (given.has("padding_idx") && !given["padding_idx"].is_none()) {
    padding = to_integer(given["padding_idx"]);
    if (padding < 0) padding += weight.tensor.size(0);
  }
  return tracer.call_with("aten::embedding", weight, given["input"], integer(padding),
                          given.get("scale_grad_by_freq", boolean(false)),
                          given.get("sparse", boolean(false)));
}

Value max_pool(Tracer& tracer, const char* operator_name, CallArguments arguments) {
  const PythonArguments given(
      operator_name,
      {"input", "kernel_size", "stride", "padding", "dilation", "ceil_mode", "return_indices"},
      std::move(arguments));
  if (given.get_bool("return_indices", false)) fail_unsupported("max_pool with return_indices");
  return tracer.call_with(operator_name, given["input"], given["kernel_size"],
                          given.get("stride", Value::none()), given.get("padding", integer(0)),
                          given.get("dilation", integer(1)),
                          given.get("ceil_mode", boolean(false)));
}
Value max_pool1d(Tracer& tracer, CallArguments arguments) {
  return max_pool(tracer, "aten::max_pool1d", std::move(arguments));
}
Value max_pool2d(Tracer& tracer, CallArguments arguments) {
  return max_pool(tracer, "aten::max_pool2d", std::move(arguments));
}
Value max_pool3d(Tracer& tracer, CallArguments arguments) {
  return max_pool(tracer, "aten::max_pool3d", std::move(arguments));
}

// None in output_size means the input's extent.
Value adaptive_size(const PythonArguments& given, std::int64_t spatial_dims) {
  const Value& wanted = given["output_size"];
  const at::Tensor& input = given["input"].tensor;
  std::vector<Value> extents;
  for (std::int64_t i = 0; i < spatial_dims; ++i) {
    const Value& extent =
        wanted.is_sequence() ? wanted.items.at(static_cast<std::size_t>(i)) : wanted;
    const std::int64_t own = input.size(input.dim() - spatial_dims + i);
    extents.push_back(integer(extent.is_none() ? own : to_integer(extent)));
  }
  return Value::tuple(std::move(extents));
}

Value adaptive_pool(Tracer& tracer, const char* operator_name, std::int64_t spatial_dims,
                    CallArguments arguments) {
  const PythonArguments given(operator_name, {"input", "output_size", "return_indices"},
                              std::move(arguments));
  if (given.get_bool("return_indices", false)) fail_unsupported("pool with return_indices");
  return tracer.call_with(operator_name, given["input"], adaptive_size(given, spatial_dims));
}
Value adaptive_avg_pool1d(Tracer& tracer, CallArguments arguments) {
  return adaptive_pool(tracer, "aten::adaptive_avg_pool1d", 1, std::move(arguments));
}
Value adaptive_avg_pool2d(Tracer& tracer, CallArguments arguments) {
  return adaptive_pool(tracer, "aten::adaptive_avg_pool2d", 2, std::move(arguments));
}
Value adaptive_avg_pool3d(Tracer& tracer, CallArguments arguments) {
  return adaptive_pool(tracer, "aten::adaptive_avg_pool3d", 3, std::move(arguments));
}
// adaptive_max_pool2d always computes indices; Python drops them.
Value adaptive_max_pool2d(Tracer& tracer, CallArguments arguments) {
  const Value both = adaptive_pool(tracer, "aten::adaptive_max_pool2d", 2, std::move(arguments));
  return both.items.at(0);
}

Value pair(const Value& value) {
  return value.is_sequence() ? value : Value::tuple({value, value});
}

Value unfold(Tracer& tracer, CallArguments arguments) {
  const PythonArguments given("unfold", {"input", "kernel_size", "dilation", "padding", "stride"},
                              std::move(arguments));
  return tracer.call_with("aten::im2col", given["input"], pair(given["kernel_size"]),
                          pair(given.get("dilation", integer(1))),
                          pair(given.get("padding", integer(0))),
                          pair(given.get("stride", integer(1))));
}

Value fold(Tracer& tracer, CallArguments arguments) {
  const PythonArguments given(
      "fold", {"input", "output_size", "kernel_size", "dilation", "padding", "stride"},
      std::move(arguments));
  return tracer.call_with("aten::col2im", given["input"], pair(given["output_size"]),
                          pair(given["kernel_size"]), pair(given.get("dilation", integer(1))),
                          pair(given.get("padding", integer(0))),
                          pair(given.get("stride", integer(1))));
}

// torch.functional.einsum(equation, a, b) or (equation, [a, b]); no path optimiser, as upstream.
Value einsum(Tracer& tracer, CallArguments arguments) {
  std::vector<Value> operands(arguments.positional.begin() + 1, arguments.positional.end());
  if (operands.size() == 1 && operands[0].is_sequence()) operands = operands[0].items;
  return tracer.call_with("aten::einsum", arguments.positional.at(0),
                          Value::list(std::move(operands)));
}

Value meshgrid(Tracer& tracer, CallArguments arguments) {
  std::vector<Value> tensors = std::move(arguments.positional);
  if (tensors.size() == 1 && tensors[0].is_sequence())
    tensors = std::vector<Value>(tensors[0].items);
  CallArguments call;
  call.positional.push_back(Value::list(std::move(tensors)));
  for (auto& [keyword, value] : arguments.keywords) {
    if (!value.is_none()) call.keywords.emplace_back(keyword, value);
  }
  return tracer.call("aten::meshgrid", std::move(call));
}

}  // namespace

const std::vector<CallRow> kFunctionalCalls = {
    {"torch.nn.functional.relu", relu},
    {"torch.nn.functional.relu6", relu6},
    {"torch.nn.functional.silu", silu},
    {"torch.nn.functional.mish", mish},
    {"torch.nn.functional.selu", selu},
    {"torch.nn.functional.hardswish", hardswish},
    {"torch.nn.functional.hardsigmoid", hardsigmoid},
    {"torch.nn.functional.hardtanh", hardtanh},
    {"torch.nn.functional.leaky_relu", leaky_relu},
    {"torch.nn.functional.elu", elu},
    {"torch.nn.functional.glu", glu},
    {"torch.nn.functional.softmax", softmax},
    {"torch.nn.functional.log_softmax", log_softmax},
    {"torch.nn.functional.dropout", dropout},
    {"torch.nn.functional.dropout1d", feature_dropout},
    {"torch.nn.functional.dropout2d", feature_dropout},
    {"torch.nn.functional.dropout3d", feature_dropout},
    {"torch.nn.functional.batch_norm", batch_norm},
    {"torch.nn.functional.instance_norm", instance_norm},
    {"torch.nn.functional.layer_norm", layer_norm},
    {"torch.nn.functional.group_norm", group_norm},
    {"torch.nn.functional.normalize", normalize},
    {"torch.functional.norm", vector_norm},
    {"torch.norm", vector_norm},
    {"Tensor.norm", tensor_norm},
    {"torch.nn.functional.embedding", embedding},
    {"torch.nn.functional.max_pool1d", max_pool1d},
    {"torch.nn.functional.max_pool2d", max_pool2d},
    {"torch.nn.functional.max_pool3d", max_pool3d},
    {"torch.nn.functional.adaptive_avg_pool1d", adaptive_avg_pool1d},
    {"torch.nn.functional.adaptive_avg_pool2d", adaptive_avg_pool2d},
    {"torch.nn.functional.adaptive_avg_pool3d", adaptive_avg_pool3d},
    {"torch.nn.functional.adaptive_max_pool2d", adaptive_max_pool2d},
    {"torch.nn.functional.unfold", unfold},
    {"torch.nn.functional.fold", fold},
    {"torch.functional.einsum", einsum},
    {"torch.einsum", einsum},
    {"torch.functional.meshgrid", meshgrid},
    {"torch.meshgrid", meshgrid},
};

}  // namespace graphnet::eager
