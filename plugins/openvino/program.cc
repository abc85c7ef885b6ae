// SPDX-License-Identifier: MIT
#include "program.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <openvino/frontend/pytorch/frontend.hpp>
#include <openvino/op/parameter.hpp>
#include <openvino/op/result.hpp>
#include <set>
#include <sstream>
#include <utility>

#include "graphnet/failure.h"
#include "reason.h"
#include "types.h"

namespace graphnet::openvino {

namespace {

char* data_of(const DLTensor& tensor) {
  return static_cast<char*>(tensor.data) + tensor.byte_offset;
}

std::size_t bytes_of(const DLTensor& tensor) {
  std::size_t bytes = tensor.dtype.bits / 8U;
  for (int d = 0; d < tensor.ndim; ++d) bytes *= static_cast<std::size_t>(tensor.shape[d]);
  return bytes;
}

ov::Tensor view_of(const DLTensor& tensor) {
  const ov::Shape shape(tensor.shape, tensor.shape + tensor.ndim);
  return {element_type(tensor.dtype), shape, data_of(tensor)};
}

// Null if every output is empty.
std::shared_ptr<ov::Model> convert(const gn_graph_body& body) {
  const View<std::int64_t> outputs = outputs_of(body);
  if (std::all_of(outputs.begin(), outputs.end(),
                  [&](std::int64_t id) { return is_empty(body.values[id]); })) {
    return nullptr;
  }
  try {
    ov::frontend::pytorch::FrontEnd frontend;
    const std::shared_ptr<ov::frontend::IDecoder> decoder = decode(body);
    return frontend.convert(frontend.load(decoder));
  } catch (const std::exception& error) {
    throw Failure(GN_STATUS_UNSUPPORTED, plain_reason(error.what()));
  }
}

void check_result(const ov::Output<ov::Node>& source, const gn_value& wanted, std::size_t index) {
  const bool fits = source.get_element_type() == element_type(wanted.dtype) &&
                    source.get_partial_shape() == ov::PartialShape(shape_of_value(wanted));
  if (fits) return;
  throw Failure(GN_STATUS_UNSUPPORTED,
                "output " + std::to_string(index) + ": OpenVINO gives " +
                    source.get_element_type().to_string() + source.get_partial_shape().to_string() +
                    " where eager gives " + element_type(wanted.dtype).to_string() +
                    ov::PartialShape(shape_of_value(wanted)).to_string());
}

}  // namespace

Translated translate(const gn_graph_body& body) {
  Translated translated;
  const std::shared_ptr<ov::Model> whole = convert(body);
  if (!whole) return translated;
  ov::ResultVector kept;
  std::map<ov::Output<ov::Node>, std::size_t> first;  // output that shows this value
  const ov::ResultVector results = whole->get_results();
  auto next = results.begin();
  for (std::size_t i = 0; i < body.num_outputs; ++i) {
    const gn_value& wanted = body.values[body.outputs[i]];
    if (is_empty(wanted)) continue;
    const std::shared_ptr<ov::op::v0::Result> result = *next++;
    const ov::Output<ov::Node> source = result->input_value(0);
    check_result(source, wanted, i);
    const auto parameter =
        std::dynamic_pointer_cast<ov::op::v0::Parameter>(source.get_node_shared_ptr());
    if (parameter) {
      translated.copies.push_back({source_named(parameter->get_friendly_name()), 0, i});
    } else if (const auto [known, is_new] = first.emplace(source, i); !is_new) {
      translated.copies.push_back({std::nullopt, known->second, i});
    } else {
      kept.push_back(result);
      translated.results.push_back(i);
    }
  }
  if (kept.empty()) return translated;
  translated.model = std::make_shared<ov::Model>(kept, whole->get_sinks(), whole->get_parameters());
  return translated;
}

std::string text_of(const ov::Model& model) {
  std::ostringstream text;
  for (const std::shared_ptr<ov::Node>& node : model.get_ordered_ops()) {
    text << node->get_friendly_name() << ":";
    for (const ov::Output<ov::Node>& output : node->outputs()) {
      text << " " << output.get_element_type() << output.get_partial_shape();
    }
    text << " = " << node->get_type_name() << "(";
    const char* separator = "";
    for (const ov::Output<ov::Node>& input : node->input_values()) {
      text << separator << input.get_node()->get_friendly_name();
      if (input.get_node()->get_output_size() > 1) text << "#" << input.get_index();
      separator = ", ";
    }
    text << ")\n";
  }
  return text.str();
}

Program::Program(ov::Core& core, Translated translated, const ov::AnyMap& settings)
    : translated_(std::move(translated)) {
  do {
    compile(core, settings);
  } while (translated_.model && take_out_inputs());
}

void Program::compile(ov::Core& core, const ov::AnyMap& settings) {
  if (!translated_.model) return;
  compiled_ = core.compile_model(translated_.model, "CPU", settings);
  request_ = compiled_.create_infer_request();
}

// Compiling removes identities, after which a result may be an input: it is made a copy, and the
// rest compiled again. True if there was one.
bool Program::take_out_inputs() {
  ov::ResultVector kept;
  std::vector<std::size_t> positions;
  const ov::ResultVector executed = compiled_.get_runtime_model()->get_results();
  const ov::ResultVector results = translated_.model->get_results();
  std::set<std::string> parameters;
  for (const auto& parameter : translated_.model->get_parameters()) {
    parameters.insert(parameter->get_friendly_name());
  }
  for (std::size_t i = 0; i < results.size() && i < executed.size(); ++i) {
    const std::string source = executed[i]->get_input_node_ptr(0)->get_friendly_name();
    if (parameters.count(source) != 0) {
      translated_.copies.push_back({source_named(source), 0, translated_.results[i]});
    } else {
      kept.push_back(results[i]);
      positions.push_back(translated_.results[i]);
    }
  }
  if (kept.size() == results.size()) return false;
  translated_.results = std::move(positions);
  const ov::ParameterVector inputs = translated_.model->get_parameters();
  translated_.model =
      kept.empty() ? nullptr : std::make_shared<ov::Model>(kept, ov::SinkVector(), inputs);
  return true;
}

void Program::bind(const gn_bind_args& args) {
  weights_.assign(args.weights, args.weights + args.num_weights);
}

const DLTensor& Program::tensor_of(const Source& source, const gn_run_args& args) const {
  return source.is_weight ? *weights_.at(source.index) : *args.inputs[source.index];
}

void Program::set_tensors(const gn_run_args& args) {
  for (const auto& parameter : translated_.model->get_parameters()) {
    const Source source = source_named(parameter->get_friendly_name());
    request_.set_tensor(parameter->output(0), view_of(tensor_of(source, args)));
  }
  const auto& results = compiled_.outputs();
  for (std::size_t i = 0; i < results.size(); ++i) {
    request_.set_tensor(results[i], view_of(*args.outputs[translated_.results[i]]));
  }
}

void Program::run(const gn_run_args& args) {
  if (translated_.model) {
    if (args.rebind != 0) set_tensors(args);
    request_.infer();
  }
  for (const Copy& copy : translated_.copies) {
    const DLTensor& from =
        copy.parameter ? tensor_of(*copy.parameter, args) : *args.outputs[copy.from];
    std::memcpy(data_of(*args.outputs[copy.output]), data_of(from), bytes_of(from));
  }
}

std::string Program::describe() const {
  if (!translated_.model) return "kernels: 0\n";
  std::map<std::string, int> kernels;
  int count = 0;
  for (const auto& node : compiled_.get_runtime_model()->get_ordered_ops()) {
    const auto& facts = node->get_rt_info();
    const auto layer = facts.find("layerType");
    const auto kernel = facts.find("primitiveType");
    if (layer == facts.end() || kernel == facts.end()) continue;
    const std::string name = layer->second.as<std::string>();
    if (name == "Input" || name == "Output" || name == "Const") continue;
    ++kernels[name + " " + kernel->second.as<std::string>()];
    ++count;
  }
  std::string text = "kernels: " + std::to_string(count) + "\n";
  for (const auto& [name, times] : kernels) {
    text += "kernel: " + std::to_string(times) + " " + name + "\n";
  }
  return text;
}

}  // namespace graphnet::openvino
