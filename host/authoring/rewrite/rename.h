// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "sample/sample.h"

namespace graphnet::rewrite {

/// How many names of each kind a renaming gave.
struct Renaming {
  int inputs = 0;   ///< in_0, in_1, ...
  int weights = 0;  ///< w_0, w_1, ...
  int values = 0;   ///< tmp_0, tmp_1, ...
};

/// Gives the parameters and values of a sample upstream's names. The metadata gets them too and
/// keeps the name from before the first renaming in `original_name`; classes keep their names, from
/// which the order of input generation follows. Statements that release parameters are dropped, as
/// upstream does.
///
/// A parameter is w_N if it is a weight or buffer (sample/parameter_kind.h), or if its name says
/// that a module holds it (`_self_`, `_instance_modules_`), and in_N otherwise.
///
/// order    of the signature for in_N and w_N, of the first assignment for tmp_N
/// errors   kInput: metadata that describes no parameter
/// source   GraphNet ast_graph_variable_renamer, graph_variable_renamer (a parameter that is
///          annotated as one is w_N), NaiveDataInputPredicator
base::Result<Renaming> rename_sample(sample::Sample& sample);

}  // namespace graphnet::rewrite
