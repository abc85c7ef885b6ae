// SPDX-License-Identifier: MIT
// Upstream's logs: read in both ways and scored.
#include "score/upstream_log.h"

#include <cmath>

#include "fuzz/promise.h"
#include "score/score_set.h"
#include "score/upstream_log_row.h"

namespace graphnet::fuzz {
namespace {

void check_row(const score::Row& row, bool compat) {
  expect(!row.speedup || (*row.speedup > 0 && std::isfinite(*row.speedup)), "a speedup is one");
  expect(!row.outcome.empty(), "a row has an outcome");
  expect(row.can_be_kept || !row.left_out.empty(), "what cannot be kept has a reason");
  expect(row.can_be_kept || !compat, "upstream's analysis counts every sample");
  const bool has_level = score::first_correct_level(row).has_value();
  expect(row.failure == score::Failure::kNone || !has_level, "a failed row is correct nowhere");
}

void check_scores(const std::vector<score::Row>& rows) {
  score::Settings settings;
  settings.resamples = 2;
  const auto set = score::score_rows(rows, settings);
  expect(set.is_ok(), "rows can be scored: " + set.status().message());
  std::size_t num_rows = 0;
  for (const score::Column& column : set->columns) {
    num_rows += column.rows.size() + column.left_out.size();
    num_rows += static_cast<std::size_t>(column.superseded);
    for (const score::Point& point : column.points) {
      expect(point.s > 0 && std::isfinite(point.s), "S(t) is a number above 0");
      expect(point.es > 0 && std::isfinite(point.es), "ES(t) is a number above 0");
    }
  }
  expect(num_rows == rows.size(), "no row is lost");
}

}  // namespace
}  // namespace graphnet::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace graphnet;
  const std::string_view text = fuzz::as_text(data, size);
  for (const bool compat : {false, true}) {
    std::vector<score::Row> rows;
    for (const score::LogSample& sample : score::read_upstream_log(text, compat)) {
      rows.push_back(score::row_of(sample, compat));
      fuzz::check_row(rows.back(), compat);
    }
    if (!rows.empty()) fuzz::check_scores(rows);
  }
  return 0;
}
