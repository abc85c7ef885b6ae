// SPDX-License-Identifier: MIT
#include "score/columns.h"

#include <algorithm>
#include <utility>

#include "base/math_policy.h"
#include "base/text.h"
#include "record/left_out.h"

namespace graphnet::score {

namespace {

using RowsOf = std::map<Backend, std::vector<Row>>;

/// Whether `known` has every facet of `partial` with its value.
bool covers(const Backend& known, const Backend& partial) {
  if (known.name != partial.name || known.facets.size() <= partial.facets.size()) return false;
  for (const auto& [name, value] : partial.facets) {
    const auto found = known.facets.find(name);
    if (found == known.facets.end() || found->second != value) return false;
  }
  return true;
}

/// The backend that `partial` can only be; itself if there is none or more than one.
Backend completed(const Backend& partial, const std::set<Backend>& all) {
  const Backend* match = nullptr;
  for (const Backend& known : all) {
    if (!covers(known, partial)) continue;
    if (match != nullptr) return partial;
    match = &known;
  }
  return match == nullptr ? partial : *match;
}

RowsOf group(std::vector<Row> rows) {
  std::set<Backend> all;
  for (const Row& row : rows) all.insert(row.backend);
  const std::map<Backend, Backend> complete = complete_backends(all);
  RowsOf groups;
  for (Row& row : rows) {
    row.backend = complete.at(row.backend);
    groups[row.backend].push_back(std::move(row));
  }
  return groups;
}

/// Leaves one row a sample; returns the number of rows taken away.
int drop_superseded(std::vector<Row>& rows) {
  std::map<std::string, Row> last;
  const std::size_t before = rows.size();
  for (Row& row : rows) {
    const auto found = last.find(row.sample);
    // A later attempt that was skipped says nothing about an earlier one that ran.
    if (found != last.end() && found->second.can_be_kept && !row.can_be_kept) continue;
    last[row.sample] = std::move(row);
  }
  rows.clear();
  for (auto& [sample, row] : last) rows.push_back(std::move(row));
  return static_cast<int>(before - rows.size());
}

bool is_kept(const Row& row, const Settings& settings) {
  return row.left_out.empty() ||
         (row.can_be_kept && (settings.compat || settings.keep.count("all") > 0 ||
                              settings.keep.count(row.left_out) > 0));
}

Column column_of(const Backend& backend, std::vector<Row> rows, const Settings& settings) {
  Column column;
  column.backend = backend;
  if (!settings.compat) column.superseded = drop_superseded(rows);
  for (Row& row : rows) {
    const bool is_ever_correct =
        std::find(row.correct.begin(), row.correct.end(), true) != row.correct.end();
    if (row.failure == Failure::kNone && is_ever_correct && !row.speedup && row.can_be_kept) {
      row.left_out = name_of(record::LeftOut::kNoSpeedup);
      row.can_be_kept = false;
    }
    const bool counts = is_kept(row, settings);
    if (counts) row.left_out.clear();
    (counts ? column.rows : column.left_out).push_back(std::move(row));
  }
  const auto by_sample = [](const Row& a, const Row& b) { return a.sample < b.sample; };
  std::stable_sort(column.rows.begin(), column.rows.end(), by_sample);
  std::stable_sort(column.left_out.begin(), column.left_out.end(), by_sample);
  return column;
}

/// Facets that tell columns apart, the most telling first; options follow the second.
constexpr const char* kFacetOrder[] = {"file",     "source",  "version", "weights", "math",
                                       "protocol", "threads", "device",  "hardware"};

std::vector<std::string> facet_names(const std::vector<Column*>& columns) {
  std::vector<std::string> names(std::begin(kFacetOrder), std::end(kFacetOrder));
  std::set<std::string> options;
  for (const Column* column : columns) {
    for (const auto& [name, value] : column->backend.facets) {
      if (name.rfind("option.", 0) == 0) options.insert(name);
    }
  }
  names.insert(names.begin() + 2, options.begin(), options.end());
  return names;
}

/// Empty if the backend does not know it.
std::string facet_text(const Backend& backend, const std::string& name) {
  const auto found = backend.facets.find(name);
  if (found == backend.facets.end()) return "";
  const std::string& value = found->second;
  if (name.rfind("option.", 0) == 0)
    return name.substr(std::string("option.").size()) + "=" + value;
  if (name == "math") return "math " + value;
  if (name == "threads") return value + (value == "1" ? " thread" : " threads");
  return value;
}

/// Adds to labels, which are equal at first, the facets that tell them apart and no others.
void tell_apart(const std::vector<Column*>& columns) {
  std::map<const Column*, std::string> added;
  for (const std::string& facet : facet_names(columns)) {
    std::set<std::string> before;
    std::set<std::string> after;
    for (const Column* column : columns) {
      before.insert(added[column]);
      after.insert(added[column] + "\n" + facet_text(column->backend, facet));
    }
    if (after.size() == before.size()) continue;
    for (const Column* column : columns) {
      const std::string text = facet_text(column->backend, facet);
      if (!text.empty()) added[column] += (added[column].empty() ? "" : ", ") + text;
    }
  }
  std::map<std::string, int> uses;
  for (Column* column : columns) {
    if (!added[column].empty()) column->label += " (" + added[column] + ")";
    // Values of different facets can read the same.
    const int use = ++uses[column->label];
    if (use > 1) column->label += " #" + std::to_string(use);
  }
}

/// Facets that results must share to be compared, in the order of condition_texts().
constexpr const char* kConditions[] = {"source",  "protocol", "device",  "threads",
                                       "weights", "math",     "hardware"};

using Facets = std::map<std::string, std::string>;

Facets conditions_of(const Backend& backend) {
  Facets conditions;
  for (const char* name : kConditions) {
    const auto found = backend.facets.find(name);
    if (found != backend.facets.end()) conditions.insert(*found);
  }
  return conditions;
}

/// What a reader is told of one condition; empty: nothing, for it goes without saying.
std::string condition_text(const std::string& name, const std::string& value) {
  if (name == "protocol") return value + " protocol";
  if (name == "weights") return "weights " + value;
  if (name == "threads") return value + (value == "1" ? " thread" : " threads");
  if (name == "math") return value == base::MathPolicy().text() ? "" : "math " + value;
  if (name == "source") return value == "journal" ? "" : "upstream's " + value;
  return value;
}

}  // namespace

std::map<Backend, Backend> complete_backends(const std::set<Backend>& backends) {
  std::map<Backend, Backend> complete;
  for (const Backend& backend : backends) complete.emplace(backend, completed(backend, backends));
  return complete;
}

void label_columns(std::vector<Column>& columns) {
  std::map<std::string, std::vector<Column*>> namesakes;
  for (Column& column : columns) {
    column.label = column.backend.name;
    namesakes[column.label].push_back(&column);
  }
  for (const auto& [name, same] : namesakes) tell_apart(same);
}

std::vector<std::string> labels_in_groups(const std::vector<Backend>& backends,
                                          const std::vector<std::string>& groups) {
  std::map<std::string, std::vector<std::size_t>> members;
  for (std::size_t i = 0; i < groups.size(); ++i) members[groups[i]].push_back(i);
  std::vector<std::string> labels(backends.size());
  for (const auto& [group, indices] : members) {
    std::vector<Column> columns(indices.size());
    for (std::size_t i = 0; i < indices.size(); ++i) columns[i].backend = backends[indices[i]];
    label_columns(columns);
    for (std::size_t i = 0; i < indices.size(); ++i) labels[indices[i]] = columns[i].label;
  }
  return labels;
}

std::vector<std::string> condition_texts(const std::vector<Backend>& backends) {
  // As backends without names, so that what one does not know is completed from the others.
  std::set<Backend> all;
  for (const Backend& backend : backends) all.insert({"", conditions_of(backend)});
  const std::map<Backend, Backend> complete = complete_backends(all);
  std::vector<std::string> texts;
  for (const Backend& backend : backends) {
    const Facets& facets = complete.at({"", conditions_of(backend)}).facets;
    std::vector<std::string> parts;
    for (const char* name : kConditions) {
      const auto found = facets.find(name);
      const std::string part = found == facets.end() ? "" : condition_text(name, found->second);
      if (!part.empty()) parts.push_back(part);
    }
    texts.push_back(base::join(parts, ", "));
  }
  return texts;
}

std::vector<Column> sort_into_columns(std::vector<Row> rows, const Settings& settings) {
  std::vector<Column> columns;
  for (auto& [backend, group] : group(std::move(rows))) {
    columns.push_back(column_of(backend, std::move(group), settings));
  }
  label_columns(columns);
  std::sort(columns.begin(), columns.end(),
            [](const Column& a, const Column& b) { return a.label < b.label; });
  return columns;
}

}  // namespace graphnet::score
