// SPDX-License-Identifier: MIT
#include "eager/flop_count.h"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "eager/schema_view.h"
#include "eager/tape.h"

namespace graphnet::eager {

namespace {

double product(at::IntArrayRef sizes) {
  double total = 1;
  for (const std::int64_t size : sizes) total *= static_cast<double>(size);
  return total;
}

double extent(const at::Tensor& tensor, std::int64_t dim) {
  return static_cast<double>(tensor.size(dim));
}

using Rule = double (*)(const SchemaView& call, const at::Tensor& result);

// Per output element: input channels of the group times the kernel.
double convolution(const SchemaView& call, const at::Tensor& result) {
  return 2 * product(result.sizes()) * product(call.tensor("weight").sizes().slice(1));
}

// Per input element: output channels of the group times the kernel.
double transposed_convolution(const SchemaView& call, const at::Tensor&) {
  return 2 * product(call.tensor("input").sizes()) *
         product(call.tensor("weight").sizes().slice(1));
}

double general_convolution(const SchemaView& call, const at::Tensor& result) {
  return call.flag("transposed") ? transposed_convolution(call, result) : convolution(call, result);
}

double linear(const SchemaView& call, const at::Tensor& result) {
  return 2 * product(result.sizes()) * extent(call.tensor("weight"), -1);
}

// Products whose first factor has the summed dimension last.
template <const char* const* kFirst>
double matrix_product(const SchemaView& call, const at::Tensor& result) {
  return 2 * product(result.sizes()) * extent(call.tensor(*kFirst), -1);
}
constexpr const char* kSelf = "self";
constexpr const char* kMat1 = "mat1";
constexpr const char* kBatch1 = "batch1";

// Two multiply-adds per pair of positions and head element: scores, then values.
double attention(const SchemaView& call, const at::Tensor& result) {
  const double scores = product(call.tensor("query").sizes()) * extent(call.tensor("key"), -2);
  return 2 * scores + 2 * product(result.sizes()) * extent(call.tensor("key"), -2);
}

double packed_attention(const SchemaView& call, const at::Tensor&) {
  const at::Tensor query = call.tensor("query");
  const double rows = extent(query, 0) * extent(query, 1);
  const double width = extent(query, 2);
  return 8 * rows * width * width + 4 * rows * extent(call.tensor("key"), 1) * width;
}

// Extents by letter; the letters of an ellipsis are the capital ones from the end.
void name_extents(const std::string& labels, const at::Tensor& tensor,
                  std::map<char, double>& extents) {
  std::size_t num_letters = 0;
  for (const char letter : labels) num_letters += letter != '.' && letter != ' ' ? 1 : 0;
  const std::size_t num_hidden = static_cast<std::size_t>(tensor.dim()) - num_letters;
  std::int64_t dim = 0;
  bool is_hidden_done = false;
  const auto put = [&](char letter) {
    double& known = extents[letter];
    known = std::max(known, extent(tensor, dim++));
  };
  for (const char letter : labels) {
    if (letter == ' ' || (letter == '.' && is_hidden_done)) continue;
    if (letter != '.') {
      put(letter);
      continue;
    }
    is_hidden_done = true;
    for (std::size_t i = num_hidden; i > 0; --i) put(static_cast<char>('0' + i));
  }
}

// Pairs from the left, each over all of its letters, as torch contracts without an optimiser.
double einsum(const SchemaView& call, const at::Tensor&) {
  std::string equation = call["equation"].toStringRef();
  equation = equation.substr(0, equation.find("->"));
  const std::vector<at::Tensor> tensors = call.tensors("tensors");
  std::map<char, double> extents;
  double total = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const std::size_t end = std::min(equation.find(',', begin), equation.size());
    name_extents(equation.substr(begin, end - begin), tensors[i], extents);
    begin = end + 1;
    if (i == 0 && tensors.size() > 1) continue;
    double pair = 2;
    for (const auto& [letter, size] : extents) pair *= size;
    total += pair;
  }
  return total;
}

const std::unordered_map<std::string, Rule>& rules() {
  static const std::unordered_map<std::string, Rule> kRules = {
      {"aten::conv1d", convolution},
      {"aten::conv2d", convolution},
      {"aten::conv3d", convolution},
      {"aten::conv1d.padding", convolution},
      {"aten::conv2d.padding", convolution},
      {"aten::conv3d.padding", convolution},
      {"aten::conv_transpose1d", transposed_convolution},
      {"aten::conv_transpose2d.input", transposed_convolution},
      {"aten::conv_transpose3d.input", transposed_convolution},
      {"aten::convolution", general_convolution},
      {"aten::linear", linear},
      {"aten::matmul", matrix_product<&kSelf>},
      {"aten::mm", matrix_product<&kSelf>},
      {"aten::bmm", matrix_product<&kSelf>},
      {"aten::mv", matrix_product<&kSelf>},
      {"aten::dot", matrix_product<&kSelf>},
      {"aten::addmm", matrix_product<&kMat1>},
      {"aten::baddbmm", matrix_product<&kBatch1>},
      {"aten::addbmm", matrix_product<&kBatch1>},
      {"aten::einsum", einsum},
      {"aten::scaled_dot_product_attention", attention},
      {"aten::_native_multi_head_attention", packed_attention},
  };
  return kRules;
}

bool shares_memory(const at::Tensor& result, const c10::Stack& arguments) {
  for (const c10::IValue& value : arguments) {
    if (value.isTensor() && value.toTensor().defined() && result.is_alias_of(value.toTensor())) {
      return true;
    }
  }
  return false;
}

}  // namespace

double count_flop(const Overload& overload, const c10::Stack& arguments,
                  const c10::Stack& results) {
  const auto rule = rules().find(overload.name);
  if (rule != rules().end()) {
    return rule->second(SchemaView(overload, arguments), results.at(0).toTensor());
  }
  const bool writes = std::any_of(overload.parameters.begin(), overload.parameters.end(),
                                  [](const SchemaParameter& given) { return given.written; });
  double total = 0;
  for_each_result(results, [&](const at::Tensor& tensor) {
    if (tensor.defined() && (writes || !shares_memory(tensor, arguments))) {
      total += product(tensor.sizes());
    }
  });
  return total;
}

bool is_product(const Overload& overload) {
  return rules().count(overload.name) > 0;
}

}  // namespace graphnet::eager
