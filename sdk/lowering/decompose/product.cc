// SPDX-License-Identifier: MIT
#include <algorithm>
#include <map>

#include "lowering/decompose.h"
#include "lowering/decompose/operands.h"

namespace graphnet::lowering::decomposition {

namespace {

Tensor factor(Call& call, const char* name) {
  return call.b.convert(call.tensor(name), compute_type(call.result_type()));
}

// beta * self + alpha * product.
Tensors add_product(Call& call, const Tensor& product) {
  Builder& b = call.b;
  const double alpha = call.number("alpha", 1);
  const double beta = call.number("beta", 1);
  const Tensor scaled = alpha == 1 ? product : b.multiply(product, alpha);
  if (beta == 0) return {finish(call, scaled)};
  Tensor self = factor(call, "self");
  if (beta != 1) self = b.multiply(self, beta);
  return {finish(call, b.add(scaled, self))};
}

bool has_label(const std::string& labels, char label) {
  return labels.find(label) != std::string::npos;
}

std::int64_t position(const std::string& labels, char label) {
  return static_cast<std::int64_t>(labels.find(label));
}

struct Term {
  Tensor x;
  std::string labels;
};

// Sums over labels that neither the other term nor the output has.
Term without_lone_labels(Builder& b, Term term, const std::string& others) {
  Shape lone;
  std::string kept;
  for (std::size_t i = 0; i < term.labels.size(); ++i) {
    if (has_label(others, term.labels[i])) {
      kept += term.labels[i];
    } else {
      lone.push_back(static_cast<std::int64_t>(i));
    }
  }
  if (lone.empty()) return term;
  return {b.reduce(Reduction::kSum, term.x, lone, false), kept};
}

Term contract(Builder& b, const Term& left, const Term& right, const std::string& output) {
  Contraction contraction;
  std::string batch;
  std::string free_left;
  std::string free_right;
  for (const char label : left.labels) {
    if (!has_label(right.labels, label)) {
      free_left += label;
    } else if (has_label(output, label)) {
      batch += label;
      contraction.left_batch.push_back(position(left.labels, label));
      contraction.right_batch.push_back(position(right.labels, label));
    } else {
      contraction.left_contracting.push_back(position(left.labels, label));
      contraction.right_contracting.push_back(position(right.labels, label));
    }
  }
  for (const char label : right.labels) {
    if (!has_label(left.labels, label)) free_right += label;
  }
  return {b.emit.dot(left.x, right.x, contraction), batch + free_left + free_right};
}

/// "ab,bc->ac" apart; the output's labels last.
std::vector<std::string> split_equation(const std::string& equation) {
  std::string text;
  for (const char c : equation) {
    if (c != ' ') text += c;
  }
  const std::size_t arrow = text.find("->");
  if (arrow == std::string::npos || has_label(text, '.')) {
    throw LoweringError("einsum '" + equation + "' without output or with an ellipsis");
  }
  std::vector<std::string> terms(1);
  for (const char c : text.substr(0, arrow)) {
    if (c == ',') {
      terms.emplace_back();
    } else if (has_label(terms.back(), c)) {
      throw LoweringError("einsum '" + equation + "' with a label twice in one term");
    } else {
      terms.back() += c;
    }
  }
  terms.push_back(text.substr(arrow + 2));
  return terms;
}

}  // namespace

Tensors linear(Call& call) {
  Builder& b = call.b;
  const Tensor product = b.linear(factor(call, "input"), factor(call, "weight"));
  if (!call.has("bias")) return {finish(call, product)};
  return {finish(call, b.add(product, factor(call, "bias")))};
}

Tensors matmul(Call& call) {
  const char* second = call.has("mat2") ? "mat2" : "other";
  return {finish(call, call.b.matmul(factor(call, "self"), factor(call, second)))};
}

Tensors addmm(Call& call) {
  return add_product(call, call.b.matmul(factor(call, "mat1"), factor(call, "mat2")));
}

Tensors baddbmm(Call& call) {
  return add_product(call, call.b.matmul(factor(call, "batch1"), factor(call, "batch2")));
}

Tensors outer(Call& call) {
  Builder& b = call.b;
  const Tensor x = factor(call, "self");
  return {finish(call, b.multiply(b.reshape(x, {x.extent(0), 1}), factor(call, "vec2")))};
}

Tensors einsum(Call& call) {
  Builder& b = call.b;
  std::vector<std::string> labels = split_equation(call.text("equation"));
  const std::string output = labels.back();
  labels.pop_back();
  std::vector<Term> terms;
  const Tensors tensors = call.tensors("tensors");
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    terms.push_back({b.convert(tensors[i], compute_type(call.result_type())), labels.at(i)});
  }
  for (std::size_t i = 0; i < terms.size(); ++i) {
    std::string others = output;
    for (std::size_t k = 0; k < terms.size(); ++k) {
      if (k != i) others += terms[k].labels;
    }
    terms[i] = without_lone_labels(b, terms[i], others);
  }
  Term result = terms[0];
  for (std::size_t i = 1; i < terms.size(); ++i) {
    std::string later = output;
    for (std::size_t k = i + 1; k < terms.size(); ++k) later += terms[k].labels;
    result = contract(b, result, terms[i], later);
  }
  Shape permutation;
  for (const char label : output) permutation.push_back(position(result.labels, label));
  return {finish(call, b.emit.transpose(result.x, permutation))};
}

}  // namespace graphnet::lowering::decomposition
