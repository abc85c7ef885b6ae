// SPDX-License-Identifier: MIT
#include "lowering/stablehlo/print_module.h"

#include <utility>

#include "lowering/stablehlo/module_body.h"
#include "lowering/stablehlo/syntax.h"

namespace graphnet::lowering::stablehlo {

namespace {

// Below, a copy of the result costs less than lending its memory (tests/bench/pjrt_overhead.cc).
constexpr std::int64_t kLendFromBytes = 16384;

TensorType signature_type(const ir::TensorType& type) {
  return {to_dl_type(type.type), type.shape};
}

ArgumentSource source_of(ir::ParameterSource source) {
  switch (source) {
    case ir::ParameterSource::kInput:
      return ArgumentSource::kInput;
    case ir::ParameterSource::kWeight:
      return ArgumentSource::kWeight;
    case ir::ParameterSource::kBound:
      break;
  }
  return ArgumentSource::kBound;
}

/// The arguments of @main, as text and as what the plugin passes.
class Signature {
 public:
  void add(const std::string& name, const ir::Parameter& parameter, const ir::TensorType& type) {
    add_text(name + ": " + type_text(type.type, type.shape));
    arguments.push_back({source_of(parameter.source), static_cast<std::uint32_t>(parameter.index),
                         signature_type(type)});
  }

  /// Memory for result `index`, if it is large.
  void add_result_memory(std::size_t index, const ir::TensorType& type) {
    if (num_elements(type.shape) * bytes_of(type.type) < kLendFromBytes) return;
    add_text("%out" + std::to_string(index) + ": " + type_text(type.type, type.shape) +
             " {tf.aliasing_output = " + std::to_string(index) + " : i32}");
    arguments.push_back(
        {ArgumentSource::kResultMemory, static_cast<std::uint32_t>(index), signature_type(type)});
  }

  std::string text;
  std::vector<ModuleArgument> arguments;

 private:
  void add_text(const std::string& argument) {
    if (!text.empty()) text += ", ";
    text += argument;
  }
};

/// "input0,weight3".
std::string names_of(const std::vector<ModuleArgument>& arguments) {
  std::string names;
  for (const ModuleArgument& each : arguments) {
    const char* kind = each.source == ArgumentSource::kInput    ? "input"
                       : each.source == ArgumentSource::kWeight ? "weight"
                                                                : "bound";
    names += (names.empty() ? "" : ",") + (kind + std::to_string(each.index));
  }
  return names;
}

std::string repeated(const std::string& word, std::size_t count) {
  std::string words;
  for (std::size_t i = 0; i < count; ++i) words += (i == 0 ? "" : ",") + word;
  return words;
}

std::string entry_attribute(const Module& module, const std::string& placement) {
  if (placement.empty()) return "";
  std::string outputs;
  for (std::size_t i = 0; i < module.results.size(); ++i) {
    outputs += (i == 0 ? "output" : ",output") + std::to_string(i);
  }
  return " attributes {tf.entry_function = {inputs = \"" + names_of(module.arguments) +
         "\", input_placements = \"" + repeated(placement, module.arguments.size()) +
         "\", outputs = \"" + outputs + "\", output_placements = \"" +
         repeated(placement, module.results.size()) + "\"}}";
}

}  // namespace

Module print_module(const ir::Graph& graph, const PrintOptions& options, const std::string& name) {
  ModuleBody body(graph, options.dialect, options.full_precision ? "HIGHEST" : "DEFAULT");
  Signature signature;
  for (const ir::Node& node : graph.nodes) {
    if (const auto* parameter = std::get_if<ir::Parameter>(&node.operation)) {
      const ir::ValueId id = node.results[0];
      signature.add(body.name_of(id), *parameter, body.type_of(id));
    } else {
      body.print(node);
    }
  }
  Module module;
  std::string results;
  std::string types;
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
    const ir::TensorType& type = body.type_of(graph.outputs[i]);
    results += (i == 0 ? " " : ", ") + body.name_of(graph.outputs[i]);
    types += (i == 0 ? "" : ", ") + type_text(type.type, type.shape);
    module.results.push_back(signature_type(type));
    if (options.lends_results) signature.add_result_memory(i, type);
  }
  module.arguments = std::move(signature.arguments);
  module.text = "module @" + name + " {\n  func.func public @main(" + signature.text + ") -> (" +
                types + ")" + entry_attribute(module, options.placement) + " {\n" + body.text() +
                "    return" + results + (results.empty() ? "" : " : " + types) + "\n  }\n}\n";
  return module;
}

}  // namespace graphnet::lowering::stablehlo
