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

/// Both sides of a matrix product. bfloat16 stays as it is where several rows meet the right side:
/// its products are exact in the float32 that dot() gives, and half the bytes are read.
Operands factors(Call& call, const char* left_name, const char* right_name) {
  const Tensor left = call.tensor(left_name);
  const Tensor right = call.tensor(right_name);
  const bool many_rows = left.rank() >= 2 && num_elements(left.shape) > left.extent(-1);
  if (left.type == Type::kBF16 && right.type == Type::kBF16 && many_rows) return {left, right};
  return {factor(call, left_name), factor(call, right_name)};
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

/// An equation apart: labels of each term and of the output.
struct Equation {
  std::vector<std::string> terms;
  std::string output;
};

// Digits stand for the dimensions of an ellipsis, aligned at the right as in broadcasting.
std::string spell_out(const std::string& labels, std::size_t num_hidden) {
  const std::size_t dots = labels.find("...");
  if (dots == std::string::npos) return labels;
  std::string hidden;
  for (std::size_t i = num_hidden; i-- > 0;) hidden += static_cast<char>('0' + i);
  return labels.substr(0, dots) + hidden + labels.substr(dots + 3);
}

std::size_t num_hidden(const std::string& labels, std::int64_t rank) {
  if (labels.find("...") == std::string::npos) return 0;
  return static_cast<std::size_t>(rank) + 3 - labels.size();
}

Equation read_equation(const std::string& equation, const Tensors& tensors) {
  std::string text;
  for (const char c : equation) {
    if (c != ' ') text += c;
  }
  const std::size_t arrow = text.find("->");
  if (arrow == std::string::npos) throw LoweringError("einsum '" + equation + "' without output");
  Equation result;
  std::string terms = text.substr(0, arrow) + ",";
  std::size_t most_hidden = 0;
  for (const Tensor& tensor : tensors) {
    const std::size_t comma = terms.find(',');
    const std::string labels = terms.substr(0, comma);
    terms.erase(0, comma + 1);
    const std::size_t hidden = num_hidden(labels, tensor.rank());
    most_hidden = std::max(most_hidden, hidden);
    result.terms.push_back(spell_out(labels, hidden));
    std::string sorted = result.terms.back();
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
      throw LoweringError("einsum '" + equation + "' with a label twice in one term");
    }
  }
  result.output = spell_out(text.substr(arrow + 2), most_hidden);
  return result;
}

std::int64_t extent_of(const Term& term, char label) {
  return has_label(term.labels, label) ? term.x.extent(position(term.labels, label)) : 1;
}

// Drops dimensions of extent 1 that stretch to another term's.
Term without_stretched(Builder& b, const Term& term, const std::vector<Term>& terms) {
  Term result = term;
  for (const char label : term.labels) {
    const bool stretches = extent_of(term, label) == 1 &&
                           std::any_of(terms.begin(), terms.end(), [&](const Term& other) {
                             return extent_of(other, label) > 1;
                           });
    if (!stretches) continue;
    const std::int64_t dim = position(result.labels, label);
    result = {b.reshape(result.x, without_dims(result.x.shape, {dim})),
              result.labels.substr(0, static_cast<std::size_t>(dim)) +
                  result.labels.substr(static_cast<std::size_t>(dim) + 1)};
  }
  return result;
}

}  // namespace

Tensors linear(Call& call) {
  Builder& b = call.b;
  const Operands each = factors(call, "input", "weight");
  const Tensor product = b.linear(each.left, each.right);
  if (!call.has("bias")) return {finish(call, product)};
  return {finish(call, b.add(product, factor(call, "bias")))};
}

Tensors matmul(Call& call) {
  const char* second = call.has("mat2") ? "mat2" : "other";
  const Operands each = factors(call, "self", second);
  return {finish(call, call.b.matmul(each.left, each.right))};
}

Tensors addmm(Call& call) {
  const Operands each = factors(call, "mat1", "mat2");
  return add_product(call, call.b.matmul(each.left, each.right));
}

Tensors baddbmm(Call& call) {
  const Operands each = factors(call, "batch1", "batch2");
  return add_product(call, call.b.matmul(each.left, each.right));
}

Tensors outer(Call& call) {
  Builder& b = call.b;
  const Tensor x = factor(call, "self");
  return {finish(call, b.multiply(b.reshape(x, {x.extent(0), 1}), factor(call, "vec2")))};
}

Tensors einsum(Call& call) {
  Builder& b = call.b;
  const Tensors tensors = call.tensors("tensors");
  const Equation equation = read_equation(call.text("equation"), tensors);
  std::vector<Term> given;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    given.push_back(
        {b.convert(tensors[i], compute_type(call.result_type())), equation.terms.at(i)});
  }
  std::vector<Term> terms;
  for (const Term& term : given) terms.push_back(without_stretched(b, term, given));
  for (std::size_t i = 0; i < terms.size(); ++i) {
    std::string others = equation.output;
    for (std::size_t k = 0; k < terms.size(); ++k) {
      if (k != i) others += terms[k].labels;
    }
    terms[i] = without_lone_labels(b, terms[i], others);
  }
  Term result = terms[0];
  for (std::size_t i = 1; i < terms.size(); ++i) {
    std::string later = equation.output;
    for (std::size_t k = i + 1; k < terms.size(); ++k) later += terms[k].labels;
    result = contract(b, result, terms[i], later);
  }
  Shape permutation;
  for (const char label : equation.output) permutation.push_back(position(result.labels, label));
  return {finish(call, b.emit.transpose(result.x, permutation))};
}

}  // namespace graphnet::lowering::decomposition
