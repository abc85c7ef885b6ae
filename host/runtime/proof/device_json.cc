// SPDX-License-Identifier: MIT
#include "proof/device_json.h"

namespace graphnet::proof {

using base::Json;

namespace {

constexpr std::size_t kMostRows = 50;
constexpr std::size_t kMostRowsOutside = 50;

Json row_json(const LedgerRow& row) {
  Json json = {{"name", row.name},
               {"kind", work_kind_name(row.kind)},
               {"owner", work_owner_name(row.owner)},
               {"by", attribution_source_name(row.source)},
               {"module", row.module},
               {"count", row.count},
               {"time_ns", row.time_ns},
               {"in", row.in}};
  if (row.outside > 0) json["outside"] = row.outside;
  return json;
}

/// The first rows, and of the others those of work outside of its span.
Json rows_json(const std::vector<LedgerRow>& rows) {
  Json json = Json::array();
  for (std::size_t i = 0; i < rows.size() && json.size() < kMostRows + kMostRowsOutside; ++i) {
    if (i < kMostRows || rows[i].outside > 0) json.push_back(row_json(rows[i]));
  }
  return json;
}

Json calls_json(const CallsOnDevice& calls) {
  return {{"calls", calls.num_calls},
          {"sum_ns", calls.sum_ns},
          {"busy_ns", calls.busy_ns},
          {"span_ns", calls.span_ns}};
}

Json outside_json(const OutsideSpan& outside) {
  return {{"early", outside.early},
          {"late", outside.late},
          {"most_early_ns", outside.most_early_ns},
          {"most_late_ns", outside.most_late_ns},
          {"clock_error_ns", outside.clock_error_ns}};
}

}  // namespace

Json device_json(const CuptiStatus& status, const CuptiLibrary* library,
                 const DeviceLedger& ledger) {
  Json json = {{"cupti", {{"state", cupti_state_name(status.state)}}}};
  if (!status.reason.empty()) json["cupti"]["reason"] = status.reason;
  if (library != nullptr) {
    json["cupti"]["version"] = library->version;
    json["cupti"]["file"] = library->file.string();
  }
  if (!status.is_ready()) return json;
  json["kernels"] = rows_json(ledger.rows);
  json["num_rows"] = ledger.rows.size();
  json["plugin"] = ledger.plugin_work;
  json["eager"] = ledger.eager_work;
  json["host"] = ledger.host_work;
  json["unattributed"] = ledger.unattributed;
  json.update(calls_json(ledger.plugin_calls));
  if (ledger.eager_calls.num_calls > 0) json["eager_calls"] = calls_json(ledger.eager_calls);
  if (ledger.replays.num_calls > 0) {
    json["replays"] = calls_json(ledger.replays);
    json["replays"]["as_called"] = ledger.replays.first_counts == ledger.plugin_calls.first_counts;
  }
  json["launches"] = ledger.launches;
  if (ledger.outside.count() > 0) json["outside_span"] = outside_json(ledger.outside);
  if (!ledger.refusals.empty()) json["refusals"] = ledger.refusals;
  if (!ledger.problem.empty()) json["problem"] = ledger.problem;
  return json;
}

}  // namespace graphnet::proof
