// SPDX-License-Identifier: MIT
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/dtype.h"
#include "base/json.h"
#include "base/result.h"
#include "sample/sample.h"

namespace graphnet::vary {

/// What a statement does, from the worker's request plan_statements.
struct StatementFacts {
  std::vector<std::string> ops;  ///< "aten::linear"
  std::string dtype;             ///< of what its target holds; empty: no tensor
  std::vector<std::int64_t> shape;
};

/// errors   kInternal: not such an answer
base::Result<std::vector<StatementFacts>> read_facts(const base::Json& answer);

/// A sample in another floating type.
struct DTypeVariant {
  sample::Sample sample;
  std::size_t num_arguments = 0;  ///< arguments that have the type
  std::size_t num_casts = 0;      ///< statements that convert
  /// By statement of the variant: that of the sample from which it is, also of a cast before it.
  std::vector<std::size_t> origins;
};

/// Gives float32 arithmetic another type where autocast does: products, convolutions and attention
/// take their operands in `target`; what needs float32 (exponentials, norms, sums) or mixes types
/// gets float32; the rest keeps the type of its operands. Operators decide, not spellings: those
/// that a planned run calls. Outer products (positions times frequencies) are none of the products.
/// An argument that only products read is stored in `target`.
///
/// `wide`: statements that shall take float32 although the tables do not say so.
///
/// source   torch autocast's lists; GraphNet dtype_generalizer (which casts at the same products,
///          and converts by name)
DTypeVariant with_dtype(const sample::Sample& sample, const std::vector<StatementFacts>& facts,
                        base::DType target, const std::set<std::size_t>& wide);

/// Adds a statement that refuses its types to those that shall take float32: of one that changes a
/// value in place, the statement that made the value. False: there is nothing to add.
bool widen(const graph::Program& program, std::size_t statement, std::set<std::size_t>& wide);

}  // namespace graphnet::vary
