// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <openvino/frontend/pytorch/decoder.hpp>
#include <string>

#include "graphnet/graph_view.h"

namespace graphnet::openvino {

/// Whether a node makes nothing that is not empty; OpenVINO never sees it.
bool makes_nothing(const gn_graph_body& body, const gn_node& node);

/// A graph in normal form as OpenVINO's PyTorch frontend reads one: as TorchScript would describe
/// it, each argument that is no tensor as a node prim::Constant. Weights whose values are known are
/// copied.
///
/// order    its outputs: the graph's, without empty ones
///          its inputs: the graph's inputs, then weights whose values are not known; named by
///          parameter_name()
std::shared_ptr<ov::frontend::pytorch::TorchDecoder> decode(const gn_graph_body& body);

/// What a parameter of the model stands for.
struct Source {
  bool is_weight = false;
  std::size_t index = 0;  ///< in the signature's list
};

/// "i0", "w3".
std::string parameter_name(const Source& source);
Source source_named(const std::string& name);

}  // namespace graphnet::openvino
