// SPDX-License-Identifier: MIT
#include "tvm_plugin/graph_digest.h"

#include "artifact/file_digest.h"
#include "lowering/ir/operation.h"

namespace graphnet::tvm {

namespace ir = lowering::ir;

namespace {

void append(std::string& text, const std::vector<ir::ValueId>& ids) {
  for (const ir::ValueId id : ids) text += " " + std::to_string(id);
}

}  // namespace

std::string digest_of(const ir::Graph& graph) {
  std::string text;
  for (const ir::Node& node : graph.nodes) {
    text += std::string(ir::name_of(node.operation));
    append(text, node.operands);
    if (const auto* constant = std::get_if<ir::Constant>(&node.operation)) {
      text += " " + artifact::sha256_hex(constant->bytes);
    } else {
      text += ir::attributes_text(node.operation);
    }
    for (const ir::ValueId id : node.results) {
      text += " " + lowering::describe(graph.type(id).type, graph.type(id).shape);
    }
    text += "\n";
  }
  append(text, graph.outputs);
  return artifact::sha256_hex(text);
}

}  // namespace graphnet::tvm
