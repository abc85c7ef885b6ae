// SPDX-License-Identifier: MIT
#include "split/pieces.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "split/piece_builder.h"

namespace graphnet::split {

using base::Code;
using base::Result;
using base::Status;
using graph::VariableId;

namespace {

Variables common(const Variables& a, const Variables& b) {
  Variables both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::inserter(both, both.end()));
  return both;
}

}  // namespace

Result<Splitter> Splitter::create(const sample::Sample& sample, std::vector<Range> ranges,
                                  bool passes_through) {
  const graph::Program& program = sample.program;
  const std::vector<Operator> operators = operators_of(program);
  Splitter splitter(sample, passes_through);
  splitter.named_ = parameters_named(program);
  for (const Range& range : ranges) {
    GN_RETURN_IF_ERROR(check_range(operators, range));
    Cut cut;
    cut.range = range;
    cut.is_last = range.end == operators.size();
    cut.first = operators[range.first].first;
    cut.end = cut.is_last ? program.statements.size() : operators[range.end].first;
    splitter.cuts_.push_back(std::move(cut));
  }
  splitter.find_live();
  for (const Cut& cut : splitter.cuts_) splitter.plan_points(cut);
  splitter.sort_points();
  return splitter;
}

void Splitter::find_live() {
  std::vector<std::size_t> places;
  for (const Cut& cut : cuts_) {
    places.push_back(cut.first);
    places.push_back(cut.end);
  }
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  const std::vector<Variables> live = live_at(sample_->program, places);
  const auto live_before = [&](std::size_t statement) -> const Variables& {
    const auto found = std::lower_bound(places.begin(), places.end(), statement);
    return live[static_cast<std::size_t>(found - places.begin())];
  };
  for (Cut& cut : cuts_) {
    cut.live_before = live_before(cut.first);
    cut.live_behind = live_before(cut.end);
  }
}

// A run records in the order of statements.
void Splitter::sort_points() {
  std::vector<std::size_t> order(points_.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return points_[a].statement < points_[b].statement;
  });
  std::vector<RecordPoint> sorted;
  std::vector<std::size_t> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    place[order[i]] = i;
    sorted.push_back(std::move(points_[order[i]]));
  }
  points_ = std::move(sorted);
  for (std::size_t i = 0; i < cuts_.size(); ++i) {
    cuts_[i].input_point = place[2 * i];
    cuts_[i].output_point = place[2 * i + 1];
  }
}

Variables Splitter::read_by(const Cut& cut) const {
  const graph::Program& program = sample_->program;
  Variables read = read_first(program, cut.first, cut.end);
  if (passes_through_) read.insert(cut.live_before.begin(), cut.live_before.end());
  if (!cut.is_last) return read;
  const Variables made = assigned(program, cut.first, cut.end);
  for (const VariableId result : program.results) {
    if (made.count(result) == 0) read.insert(result);
  }
  return read;
}

void Splitter::plan_points(const Cut& cut) {
  const Variables made = assigned(sample_->program, cut.first, cut.end);
  const Variables read = read_by(cut);
  RecordPoint inputs{cut.first, {}, cut.end, {}};
  for (const VariableId variable : read) {
    if (named_[static_cast<std::size_t>(variable)] < 0) inputs.variables.push_back(variable);
  }
  for (const VariableId variable : common(cut.live_before, cut.live_behind)) {
    const bool is_known = named_[static_cast<std::size_t>(variable)] >= 0 ||
                          read.count(variable) > 0 || made.count(variable) > 0;
    if (!is_known) inputs.if_written.push_back(variable);
  }
  RecordPoint outputs{cut.end, {}, cut.end, {}};
  if (!cut.is_last) {
    const Variables given = passes_through_ ? cut.live_behind : common(made, cut.live_behind);
    for (const VariableId variable : given) {
      if (named_[static_cast<std::size_t>(variable)] < 0) outputs.variables.push_back(variable);
    }
  }
  points_.push_back(std::move(inputs));
  points_.push_back(std::move(outputs));
}

Result<std::vector<Piece>> Splitter::make(const Records& records) const {
  if (records.values.size() != points_.size()) {
    return Status(Code::kInternal, "the run recorded other points than were asked for");
  }
  std::vector<Piece> pieces;
  for (const Cut& cut : cuts_) {
    Result<Piece> piece = make_piece(cut, records);
    if (!piece.is_ok()) {
      return std::move(piece).status().add_context("operators " + std::to_string(cut.range.first) +
                                                   " to " + std::to_string(cut.range.end));
    }
    pieces.push_back(std::move(*piece));
  }
  return pieces;
}

Result<Piece> Splitter::make_piece(const Cut& cut, const Records& records) const {
  const graph::Program& program = sample_->program;
  const RecordPoint& inputs = points_[cut.input_point];
  const auto& taken = records.values[cut.input_point];
  PieceBuilder builder(*sample_);
  Variables written;
  for (const VariableId variable : read_by(cut)) {
    const VariableId parameter = named_[static_cast<std::size_t>(variable)];
    if (parameter >= 0) builder.take_parameter(variable, parameter);
  }
  for (std::size_t i = 0; i < inputs.variables.size(); ++i) {
    GN_RETURN_IF_ERROR(builder.take_value(inputs.variables[i], taken.at(i)));
  }
  for (std::size_t i = 0; i < inputs.if_written.size(); ++i) {
    const RecordedValue& value = taken.at(inputs.variables.size() + i);
    if (value.kind == RecordedValue::Kind::kNothing) continue;
    GN_RETURN_IF_ERROR(builder.take_value(inputs.if_written[i], value));
    written.insert(inputs.if_written[i]);
  }
  for (std::size_t i = cut.first; i < cut.end; ++i) builder.add_statement(program.statements[i]);
  Piece piece;
  piece.range = cut.range;
  if (cut.is_last) {
    builder.return_as_whole();
    piece.num_outputs = program.results.size();
  } else {
    const std::vector<VariableId> results = results_of(cut, records, written);
    builder.return_variables(results);
    piece.num_outputs = results.size();
  }
  GN_ASSIGN_OR_RETURN(piece.sample, builder.finish());
  return piece;
}

std::vector<VariableId> Splitter::results_of(const Cut& cut, const Records& records,
                                             const Variables& written) const {
  const graph::Program& program = sample_->program;
  const RecordPoint& outputs = points_[cut.output_point];
  Variables results = written;
  for (std::size_t i = 0; i < outputs.variables.size(); ++i) {
    const RecordedValue& value = records.values[cut.output_point].at(i);
    if (value.kind != RecordedValue::Kind::kPlain) results.insert(outputs.variables[i]);
  }
  // What it takes and changes in place.
  for (const auto& [statement, variables] : records.writes) {
    if (statement < cut.first || statement >= cut.end) continue;
    for (const VariableId variable : common(variables, cut.live_behind)) {
      const auto& taken = points_[cut.input_point].variables;
      if (std::find(taken.begin(), taken.end(), variable) != taken.end()) results.insert(variable);
    }
  }
  if (passes_through_) {
    for (const VariableId variable : cut.live_behind) {
      if (named_[static_cast<std::size_t>(variable)] >= 0) results.insert(variable);
    }
  }
  std::vector<VariableId> sorted(results.begin(), results.end());
  std::sort(sorted.begin(), sorted.end(), [&](VariableId a, VariableId b) {
    return program.variables[static_cast<std::size_t>(a)] <
           program.variables[static_cast<std::size_t>(b)];
  });
  return sorted;
}

}  // namespace graphnet::split
