// SPDX-License-Identifier: MIT
#include "tvm_plugin/index_arithmetic.h"

#include <algorithm>

namespace graphnet::tvm {

/// A sum of index expressions times numbers, and a number. Expressions are told apart as objects.
struct IndexSum {
  std::vector<std::pair<Expr, std::int64_t>> terms;  ///< in the order in which they were met
  std::int64_t constant = 0;
  bool is_merged = false;  ///< quotients and remainders of it were put together again

  void add(const Expr& term, std::int64_t factor);
  void add(const IndexSum& other, std::int64_t factor);
};

namespace {

std::int64_t floor_of(std::int64_t a, std::int64_t by) {
  return a / by - (a % by < 0 ? 1 : 0);
}

/// The multiple of `by` that is nearest to `factor`, divided by it.
std::int64_t nearest(std::int64_t factor, std::int64_t by) {
  return floor_of(factor + (by - 1) / 2, by);
}

/// x and n of "x divided by n", or of its remainder.
struct Division {
  Expr divided;
  std::int64_t by = 0;
};

std::optional<Division> as_division(const Expr& e, const char* kind) {
  Division found;
  if (!is(e, kind) || !is_constant(child(e, "b"), found.by) || found.by <= 0) return std::nullopt;
  found.divided = child(e, "a");
  return found;
}

IndexSum sum_of(const Expr& e);

/// n * (x / n) + x % n is x.
bool merge_one(IndexSum& sum) {
  for (std::size_t i = 0; i < sum.terms.size(); ++i) {
    const auto rest = as_division(sum.terms[i].first, "prim.FloorMod");
    if (!rest) continue;
    const std::int64_t factor = sum.terms[i].second;
    const auto is_quotient = [&](const std::pair<Expr, std::int64_t>& term) {
      const auto whole = as_division(term.first, "prim.FloorDiv");
      return whole && whole->by == rest->by && whole->divided.get() == rest->divided.get() &&
             term.second == factor * rest->by;
    };
    const auto quotient = std::find_if(sum.terms.begin(), sum.terms.end(), is_quotient);
    if (quotient == sum.terms.end()) continue;
    sum.terms[i].second = 0;
    quotient->second = 0;
    sum.add(sum_of(rest->divided), factor);
    sum.is_merged = true;
    return true;
  }
  return false;
}

void add_parts(const Expr& e, std::int64_t factor, IndexSum& sum) {
  std::int64_t number = 0;
  if (is_constant(e, number)) {
    sum.constant += factor * number;
  } else if (is(e, "prim.Add") || is(e, "prim.Sub")) {
    add_parts(child(e, "a"), factor, sum);
    add_parts(child(e, "b"), is(e, "prim.Add") ? factor : -factor, sum);
  } else if (is(e, "prim.Mul") && is_constant(child(e, "b"), number)) {
    add_parts(child(e, "a"), factor * number, sum);
  } else {
    sum.add(e, factor);
  }
}

IndexSum sum_of(const Expr& e) {
  IndexSum sum;
  add_parts(e, 1, sum);
  while (merge_one(sum)) {
    const auto is_gone = [](const auto& term) { return term.second == 0; };
    sum.terms.erase(std::remove_if(sum.terms.begin(), sum.terms.end(), is_gone), sum.terms.end());
  }
  return sum;
}

Expr expression_of(const IndexSum& sum) {
  Expr result;
  for (const auto& [term, factor] : sum.terms) {
    if (factor == 0) continue;
    const Expr part = factor == 1 ? term : multiply(term, integer(factor));
    result = result.defined() ? add(result, part) : part;
  }
  if (!result.defined()) return integer(sum.constant);
  return sum.constant == 0 ? result : add(result, integer(sum.constant));
}

}  // namespace

void IndexSum::add(const Expr& term, std::int64_t factor) {
  const auto found = std::find_if(terms.begin(), terms.end(),
                                  [&](const auto& each) { return each.first.get() == term.get(); });
  if (found != terms.end()) {
    found->second += factor;
  } else {
    terms.emplace_back(term, factor);
  }
}

void IndexSum::add(const IndexSum& other, std::int64_t factor) {
  for (const auto& [term, own_factor] : other.terms) add(term, factor * own_factor);
  constant += factor * other.constant;
}

void IndexArithmetic::set_extent(const Expr& variable, std::int64_t extent) {
  extents_.emplace_back(variable, extent);
}

std::optional<IndexArithmetic::Range> IndexArithmetic::range_of_term(const Expr& term) const {
  if (const auto rest = as_division(term, "prim.FloorMod")) return Range{0, rest->by - 1};
  if (const auto whole = as_division(term, "prim.FloorDiv")) {
    const auto range = range_of(sum_of(whole->divided));
    if (!range) return std::nullopt;
    return Range{floor_of(range->least, whole->by), floor_of(range->largest, whole->by)};
  }
  const auto found = std::find_if(extents_.begin(), extents_.end(),
                                  [&](const auto& each) { return each.first.get() == term.get(); });
  if (found == extents_.end()) return std::nullopt;
  return Range{0, found->second - 1};
}

std::optional<IndexArithmetic::Range> IndexArithmetic::range_of(const IndexSum& sum) const {
  Range range = {sum.constant, sum.constant};
  for (const auto& [term, factor] : sum.terms) {
    if (factor == 0) continue;
    const auto own = range_of_term(term);
    if (!own) return std::nullopt;
    const std::int64_t ends[2] = {factor * own->least, factor * own->largest};
    range.least += std::min(ends[0], ends[1]);
    range.largest += std::max(ends[0], ends[1]);
  }
  return range;
}

std::pair<Expr, Expr> IndexArithmetic::split(const Expr& index, std::int64_t by) const {
  const IndexSum sum = sum_of(index);
  IndexSum quotient;
  IndexSum rest;
  rest.constant = sum.constant;
  for (const auto& [term, factor] : sum.terms) {
    const std::int64_t whole = nearest(factor, by);
    quotient.add(term, whole);
    rest.add(term, factor - whole * by);
  }
  const auto range = range_of(rest);
  if (range && floor_of(range->least, by) == floor_of(range->largest, by)) {
    const std::int64_t whole = floor_of(range->least, by);
    quotient.constant += whole;
    rest.constant -= whole * by;
    return {expression_of(quotient), expression_of(rest)};
  }
  const Expr divided = sum.is_merged ? expression_of(sum) : index;
  return {floor_divide(divided, by), floor_remainder(divided, by)};
}

bool IndexArithmetic::is_at_least(const Expr& index, std::int64_t bound) const {
  const auto range = range_of(sum_of(index));
  return range && range->least >= bound;
}

bool IndexArithmetic::is_below(const Expr& index, std::int64_t bound) const {
  const auto range = range_of(sum_of(index));
  return range && range->largest < bound;
}

}  // namespace graphnet::tvm
