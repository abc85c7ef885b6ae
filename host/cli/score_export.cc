// SPDX-License-Identifier: MIT
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

#include "cli/score_text.h"
#include "report/terminal_text.h"

namespace graphnet::cli {

using base::Json;
using score::Column;
using score::Point;
using score::Row;
using score::ScoreSet;

namespace {

constexpr const char* kScoreSchema = "graphnet.score/1";

/// The numbers of a level, by name and in the order of both formats.
std::vector<std::pair<const char*, double>> numbers_of(const Point& point) {
  return {{"s", point.s},
          {"s_low", point.s_band.low},
          {"s_high", point.s_band.high},
          {"es", point.es},
          {"es_low", point.es_band.low},
          {"es_high", point.es_band.high},
          {"s_aggregated", point.s_aggregated},
          {"es_aggregated", point.es_aggregated},
          {"samples", point.macro.samples},
          {"correct", point.macro.correct},
          {"alpha", point.macro.alpha},
          {"beta", point.macro.beta},
          {"lambda", point.macro.lambda},
          {"eta", point.macro.eta},
          {"gamma", point.macro.gamma}};
}

Json by_failure(const std::array<double, score::kNumFailures>& values) {
  Json object = Json::object();
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (values[i] != 0) object[score::failure_name(static_cast<score::Failure>(i))] = values[i];
  }
  return object;
}

Json point_json(const Point& point) {
  Json object = {{"t", point.t}};
  for (const auto& [name, value] : numbers_of(point)) object[name] = value;
  object["pi"] = by_failure(point.macro.pi);
  return object;
}

Json row_json(const Row& row) {
  Json object = {{"sample", row.sample},
                 {"outcome", row.outcome.text()},
                 {"failure", score::failure_name(row.failure)}};
  const auto level = score::first_correct_level(row);
  if (level) object["correct_from"] = *level;
  if (row.speedup) object["speedup"] = *row.speedup;
  if (!row.left_out.empty()) object["left_out"] = row.left_out;
  return object;
}

Json column_json(const Column& column) {
  Json object = {{"label", column.label},
                 {"backend", column.backend.name},
                 {"facets", column.backend.facets},
                 {"counted", column.rows.size()},
                 {"left_out", column.left_out_counts()},
                 {"superseded", column.superseded}};
  Json failures = Json::object();
  const auto counts = column.failure_counts();
  for (std::size_t i = 1; i < counts.size(); ++i) {
    if (counts[i] > 0) failures[score::failure_name(static_cast<score::Failure>(i))] = counts[i];
  }
  object["failures"] = std::move(failures);
  object["points"] = Json::array();
  for (const Point& point : column.points) object["points"].push_back(point_json(point));
  if (!column.points.empty()) {
    object["score"] = {{"log10", column.aggregate},
                       {"low", column.aggregate_band.low},
                       {"high", column.aggregate_band.high},
                       {"value", std::pow(10, column.aggregate)}};
  }
  object["samples"] = Json::array();
  for (const auto* rows : {&column.rows, &column.left_out}) {
    for (const Row& row : *rows) object["samples"].push_back(row_json(row));
  }
  return object;
}

Json settings_json(const score::Settings& settings) {
  Json weights = Json::object();
  for (const auto& [t, weight] : settings.weights) weights[std::to_string(t)] = weight;
  return {{"penalty", settings.penalty},
          {"fail_base", settings.fail_base},
          {"interpretation", score::interpretation_name(settings.interpretation)},
          {"weights", std::move(weights)},
          {"keep", settings.keep},
          {"common_samples", settings.common_samples},
          {"compat", settings.compat},
          {"resamples", settings.resamples},
          {"confidence", settings.confidence},
          {"seed", settings.seed}};
}

/// The shortest digits that read back as the same double.
std::string all_digits(double value) {
  return base::dump_json(Json(value));
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char byte : text) {
    if (byte == '"') result += '"';
    result += byte;
  }
  return result + "\"";
}

}  // namespace

Json score_json(const ScoreSet& set) {
  Json object = {{"schema", kScoreSchema}, {"settings", settings_json(set.settings)}};
  object["columns"] = Json::array();
  for (const Column& column : set.columns) object["columns"].push_back(column_json(column));
  object["largest_form_difference"] = set.largest_form_difference;
  object["notes"] = set.notes;
  return object;
}

std::string score_csv(const ScoreSet& set) {
  std::string text = "backend,t";
  for (const auto& [name, value] : numbers_of(Point())) text += std::string(",") + name;
  text += "\n";
  for (const Column& column : set.columns) {
    for (const Point& point : column.points) {
      text += quoted(report::printable(column.label)) + "," + std::to_string(point.t);
      for (const auto& [name, value] : numbers_of(point)) text += "," + all_digits(value);
      text += "\n";
    }
  }
  return text;
}

}  // namespace graphnet::cli
