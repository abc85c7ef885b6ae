// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <openvino/runtime/core.hpp>
#include <optional>
#include <string>
#include <vector>

#include "decoder.h"
#include "graphnet/graph_view.h"

namespace graphnet::openvino {

/// What a call computes without OpenVINO: an output that is a copy of a parameter, or of an earlier
/// output. OpenVINO writes nothing to the memory of such an output.
struct Copy {
  std::optional<Source> parameter;
  std::size_t from = 0;    ///< without a parameter: the earlier output
  std::size_t output = 0;  ///< position in the signature
};

/// A graph as OpenVINO's model, with the outputs that it leaves to us.
struct Translated {
  std::shared_ptr<ov::Model> model;  ///< null: every output is a copy
  std::vector<std::size_t> results;  ///< of the model, in order: position of the output
  std::vector<Copy> copies;
};

/// errors   Failure UNSUPPORTED: operators that the frontend does not convert
Translated translate(const gn_graph_body& body);

/// A model as text for people, one operation a line: "Add_12: f32[1,8] = Add(x, Multiply_3)".
std::string text_of(const ov::Model& model);

/// A compiled model and the request that runs it.
class Program {
 public:
  /// errors   ov::Exception
  Program(ov::Core& core, Translated translated, const ov::AnyMap& settings);

  /// Weights whose values compile did not know.
  void bind(const gn_bind_args& args);
  /// shapes   inputs, outputs: dense, as in the signature
  void run(const gn_run_args& args);
  /// "key: value" lines: the kernels that run.
  std::string describe() const;

 private:
  void compile(ov::Core& core, const ov::AnyMap& settings);
  bool take_out_inputs();
  void set_tensors(const gn_run_args& args);
  const DLTensor& tensor_of(const Source& source, const gn_run_args& args) const;

  Translated translated_;
  ov::CompiledModel compiled_;
  ov::InferRequest request_;
  std::vector<const DLTensor*> weights_;
};

}  // namespace graphnet::openvino
