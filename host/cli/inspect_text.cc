// SPDX-License-Identifier: MIT
#include "cli/inspect_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "report/terminal_text.h"
#include "report/text_table.h"

namespace graphnet::cli {

using base::Json;

namespace {

using report::Cells;
using report::text_table;

std::string format_count(double count) {
  constexpr std::array<const char*, 5> kUnits = {"", " k", " M", " G", " T"};
  std::size_t unit = 0;
  while (count >= 999.5 && unit + 1 < kUnits.size()) {
    count /= 1000;
    ++unit;
  }
  std::array<char, 32> text = {};
  std::snprintf(text.data(), text.size(), unit == 0 ? "%.0f%s" : "%.3g%s", count, kUnits[unit]);
  return text.data();
}

std::string bytes_of(const Json& entry, const char* key) {
  return base::format_bytes(entry[key].get<std::uint64_t>());
}

Cells cost_row(const std::string& name, const Json& entry) {
  return {report::printable(name), std::to_string(entry["nodes"].get<std::int64_t>()),
          format_count(entry["flop"].get<double>()), bytes_of(entry, "read_bytes"),
          bytes_of(entry, "written_bytes")};
}

}  // namespace

std::string op_table(const Json& inspected) {
  std::vector<Json> ops(inspected["ops"].begin(), inspected["ops"].end());
  const auto work = [](const Json& op) {
    return std::make_tuple(op["flop"].get<double>(), op["written_bytes"].get<std::int64_t>());
  };
  std::stable_sort(ops.begin(), ops.end(),
                   [&](const Json& a, const Json& b) { return work(a) > work(b); });
  std::vector<Cells> rows = {{"op", "nodes", "FLOP", "reads", "writes"}};
  for (const Json& op : ops) rows.push_back(cost_row(op["op"].get<std::string>(), op));
  rows.push_back(cost_row("total", inspected["total"]));
  return text_table(rows, "# ");
}

void OpHistogram::add(const Json& inspected) {
  ++num_samples_;
  for (const Json& op : inspected["ops"]) {
    Use& use = uses_[op["op"].get<std::string>()];
    use.num_nodes += op["nodes"].get<std::int64_t>();
    ++use.num_samples;
    for (const Json& dtype : op["dtypes"]) use.dtypes.insert(dtype.get<std::string>());
    use.max_rank = std::max(use.max_rank, op["max_rank"].get<std::int64_t>());
  }
}

void OpHistogram::leave_out(const std::string& sample, const std::string& reason) {
  left_out_.emplace_back(sample, reason);
}

std::vector<std::pair<std::string, OpHistogram::Use>> OpHistogram::sorted() const {
  std::vector<std::pair<std::string, Use>> all(uses_.begin(), uses_.end());
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return std::make_pair(a.second.num_samples, a.second.num_nodes) >
           std::make_pair(b.second.num_samples, b.second.num_nodes);
  });
  return all;
}

std::string OpHistogram::text() const {
  std::vector<Cells> rows = {{"op", "samples", "nodes", "max rank", "dtypes"}};
  for (const auto& [op, use] : sorted()) {
    rows.push_back({report::printable(op), std::to_string(use.num_samples),
                    std::to_string(use.num_nodes), std::to_string(use.max_rank),
                    base::join({use.dtypes.begin(), use.dtypes.end()}, ",")});
  }
  std::string text = text_table(rows, "");
  text +=
      std::to_string(uses_.size()) + " operators in " + std::to_string(num_samples_) + " samples\n";
  for (const auto& [sample, reason] : left_out_) {
    text += report::printable("left out: " + sample + ": " + reason) + "\n";
  }
  return text;
}

Json OpHistogram::json() const {
  Json object = {{"schema", "graphnet.ops/1"},
                 {"samples", num_samples_},
                 {"ops", Json::array()},
                 {"left_out", Json::array()}};
  for (const auto& [op, use] : sorted()) {
    object["ops"].push_back({{"op", op},
                             {"samples", use.num_samples},
                             {"nodes", use.num_nodes},
                             {"max_rank", use.max_rank},
                             {"dtypes", use.dtypes}});
  }
  for (const auto& [sample, reason] : left_out_) {
    object["left_out"].push_back({{"sample", sample}, {"reason", reason}});
  }
  return object;
}

}  // namespace graphnet::cli
