// SPDX-License-Identifier: MIT
#include "tvm_plugin/program_digest.h"

#include <cstring>
#include <type_traits>

#include "artifact/file_digest.h"

namespace graphnet::tvm {

namespace {

/// Appends numbers as they lie in memory, and lists behind their length: no two programs give the
/// same bytes.
class Bytes {
 public:
  template <typename Number>
  void add(Number value) {
    static_assert(std::is_arithmetic_v<Number> || std::is_enum_v<Number>);
    char raw[sizeof(value)];
    std::memcpy(raw, &value, sizeof(value));
    bytes_.append(raw, sizeof(value));
  }
  template <typename Number>
  void add_list(const std::vector<Number>& list) {
    add(list.size());
    for (const Number each : list) add(each);
  }
  void add_text(const std::string& text) {
    add(text.size());
    bytes_ += text;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

void add_node(const Node& node, Bytes& bytes) {
  bytes.add(node.kind);
  bytes.add(node.which);
  bytes.add(node.type);
  bytes.add_list(node.operands);
  for (const Shape* list : {&node.shape, &node.first, &node.second, &node.third}) {
    bytes.add_list(*list);
  }
  bytes.add(node.dim);
  bytes.add(node.value);
  const lowering::Window& window = node.window;
  for (const Shape* list :
       {&window.size, &window.stride, &window.dilation, &window.low, &window.high}) {
    bytes.add_list(*list);
  }
  const lowering::ConvolutionAttributes& a = node.convolution;
  for (const Shape* list : {&a.stride, &a.low, &a.high, &a.input_dilation, &a.kernel_dilation}) {
    bytes.add_list(*list);
  }
  bytes.add(a.groups);
  bytes.add(node.source);
  bytes.add(node.index);
  bytes.add(node.stage);
}

}  // namespace

// A field that is added to a node must be added above, or two programs become one.
static_assert(sizeof(void*) != 8 || sizeof(Node) == 408, "see add_node");

std::string digest_of(const Program& program) {
  Bytes bytes;
  bytes.add(program.nodes.size());
  for (const Node& node : program.nodes) add_node(node, bytes);
  bytes.add_list(program.outputs);
  bytes.add(program.constants.size());
  for (const Constant& constant : program.constants) {
    bytes.add(constant.type);
    bytes.add_list(constant.shape);
    bytes.add_text(constant.bytes);
  }
  return artifact::sha256_hex(bytes.bytes());
}

}  // namespace graphnet::tvm
