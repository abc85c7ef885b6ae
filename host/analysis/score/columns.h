// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "score/score_set.h"

namespace graphnet::score {

/// Sorts rows into columns, one for each backend, with `rows`, `left_out`, `superseded` and a
/// label; nothing is computed.
///
/// A facet that a row does not know (a worker that died early did not say its processor) matches
/// any value, if one column alone matches. Of several rows of a sample the last that can be counted
/// counts, without any the last; with Settings::compat all of them.
///
/// order    columns by label, rows by sample
std::vector<Column> sort_into_columns(std::vector<Row> rows, const Settings& settings);

/// Each of the backends, with the facets that it does not know taken from the one other that has
/// all of its facets and more; itself if there is none or several.
std::map<Backend, Backend> complete_backends(const std::set<Backend>& backends);

/// Sets the labels of columns, which need nothing but their backends: the name, and the facets that
/// tell namesakes apart.
void label_columns(std::vector<Column>& columns);

/// A label for each backend, which is unique among those with an equal group: for tables whose
/// heading says what the members of a group share.
///
/// order    as the backends, of which there are as many as groups
std::vector<std::string> labels_in_groups(const std::vector<Backend>& backends,
                                          const std::vector<std::string>& groups);

/// The conditions of each backend as one text: "smoke protocol, cpu, 2 threads, weights bound, AMD
/// EPYC". Only results with equal texts may be averaged together or compared. The texts leave out
/// what no backend knows, and the math policy where all have the default one. Conditions that a
/// backend does not know are those of the others if these agree.
///
/// order    as the backends
std::vector<std::string> condition_texts(const std::vector<Backend>& backends);

}  // namespace graphnet::score
