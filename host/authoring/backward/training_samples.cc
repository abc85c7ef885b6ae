// SPDX-License-Identifier: MIT
#include "backward/training_samples.h"

#include <algorithm>
#include <string>
#include <utility>

#include "sample/parameter_kind.h"
#include "sample/parser.h"
#include "split/recorded_value.h"

namespace graphnet::backward {

namespace {

using base::Code;
using base::Json;
using base::Result;
using base::Status;
using sample::TensorMeta;

/// A parameter of the sample under the name that it has in the passes.
struct Given {
  graph::Annotation annotation = graph::Annotation::kNone;
  graph::ParameterKind kind = graph::ParameterKind::kTensor;
  TensorMeta meta;
};

Result<Given> given_parameter(const sample::Sample& sample, std::size_t index,
                              const std::string& name) {
  if (index >= sample.program.parameters.size()) {
    return Status(Code::kInternal, "the worker's answer to differentiate is malformed");
  }
  const graph::Parameter& parameter = sample.program.parameters[index];
  const auto meta = std::find_if(sample.metas.begin(), sample.metas.end(),
                                 [&](const TensorMeta& one) { return one.name == parameter.name; });
  if (meta == sample.metas.end()) {
    return Status(Code::kInput, "no metadata for the parameter '" + parameter.name + "'");
  }
  Given given{parameter.annotation, parameter.kind, *meta};
  // The class keeps its name: tensors are drawn in the order of these.
  if (given.meta.original_name.empty()) given.meta.original_name = given.meta.name;
  given.meta.name = name;
  return given;
}

void describe(graph::Parameter& parameter, Given given, std::vector<TensorMeta>& metas) {
  parameter.annotation = given.annotation;
  parameter.kind = given.kind;
  metas.push_back(std::move(given.meta));
}

Given saved_value(const split::RecordedValue& value, const std::string& name,
                  const std::string& device) {
  Given given;
  given.annotation = graph::Annotation::kTensor;
  given.meta = value.meta;
  given.meta.name = name;
  given.meta.class_name = "Program_weight_tensor_meta_" + name;
  given.meta.device = device;
  return given;
}

sample::Sample empty_sample(const sample::Sample& sample) {
  sample::Sample made;
  made.folder = sample.folder;
  made.family = sample.family;
  return made;
}

Status make_forward(const sample::Sample& sample, const std::string& text, TrainingSamples& made) {
  made.forward = empty_sample(sample);
  GN_ASSIGN_OR_RETURN(made.forward.program, sample::parse_model(text, "forward"));
  auto& parameters = made.forward.program.parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    GN_ASSIGN_OR_RETURN(Given given, given_parameter(sample, i, parameters[i].name));
    describe(parameters[i], std::move(given), made.forward.metas);
  }
  return Status::ok();
}

Status make_backward(const sample::Sample& sample, const Json& answer, TrainingSamples& made) {
  made.backward = empty_sample(sample);
  GN_ASSIGN_OR_RETURN(made.backward.program,
                      sample::parse_model(answer["backward"].get<std::string>(), "backward"));
  GN_ASSIGN_OR_RETURN(const split::Records records, split::read_records(answer));
  auto& parameters = made.backward.program.parameters;
  const Json& sources = answer["parameters"];
  if (records.values.size() != 1 || records.values[0].size() != parameters.size() ||
      sources.size() != parameters.size()) {
    return Status(Code::kInternal, "the worker's answer to differentiate is malformed");
  }
  const std::string device = sample.metas.empty() ? "cpu" : sample.metas.front().device;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const std::string name = parameters[i].name;
    const Json& argument = sources[i]["argument"];
    Given given = saved_value(records.values[0][i], name, device);
    if (argument.is_number_unsigned()) {
      GN_ASSIGN_OR_RETURN(given, given_parameter(sample, argument.get<std::size_t>(), name));
    }
    if (name.rfind("tangents_", 0) != 0) ++made.num_saved;
    describe(parameters[i], std::move(given), made.backward.metas);
  }
  return Status::ok();
}

}  // namespace

Result<TrainingSamples> training_samples(const sample::Sample& sample, const Json& answer) {
  for (const char* key : {"forward", "backward", "outputs", "parameters", "gradients"}) {
    if (!answer.contains(key)) {
      return Status(Code::kInternal, "the worker's answer to differentiate is malformed");
    }
  }
  TrainingSamples made;
  made.num_outputs = answer["outputs"].get<std::size_t>();
  made.gradients = answer["gradients"].get<std::vector<std::size_t>>();
  GN_RETURN_IF_ERROR(make_forward(sample, answer["forward"].get<std::string>(), made));
  GN_RETURN_IF_ERROR(make_backward(sample, answer, made));
  return made;
}

Json training_labels(const Json& labels, const sample::Sample& sample, const char* suffix) {
  Json kept = Json::object();
  for (const auto& [key, value] : labels.items()) {
    if (key.find("generalization") == std::string::npos && key.rfind("symbolic_dim", 0) != 0) {
      kept[key] = value;
    }
  }
  kept["model_name"] = sample.name.substr(sample.name.rfind('/') + 1) + suffix;
  return kept;
}

}  // namespace graphnet::backward
